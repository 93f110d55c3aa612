"""Clocks: what a turn costs, when a flag falls, and that neither forgets anything over a restart."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from hedgerow.serve.play.clocks import DAY, LAG, Clock, Control, Flags
from hedgerow.serve.play.live import LiveGame
from hedgerow.serve.play.state import CALLED_OFF, LEFT_EARLY, NO_FIRST_TURN
from hedgerow.serve.play.sweeps import LATE
from hedgerow.serve.refusals import Refused
from hedgerow.serve.server import Server
from hedgerow.serve.settings import Settings
from hedgerow.serve.store import seat_ratings
from hedgerow.serve.store.schema import now


def test_fischer() -> None:
    clock = Clock(Control("live", 10_000, 2_000), 2)
    assert clock.charge(0, 4_000) == 4_000 and clock.left == [8_000, 10_000]
    assert clock.due(0, 1_000_000) == 1_008_000 + LAG
    assert clock.too_late(0, 8_000) and not clock.too_late(0, 7_999)


def test_days_begin_anew_with_every_turn() -> None:
    clock = Clock(Control("days", 3 * DAY), 2)
    clock.charge(0, 2 * DAY)
    assert clock.left == [3 * DAY, 3 * DAY] and clock.too_late(1, 3 * DAY)


def test_no_clock() -> None:
    clock = Clock(Control(), 2)
    assert clock.shown() is None and clock.due(0, 5) is None and not clock.too_late(0, 10**12)


@pytest.mark.parametrize(
    ("thought", "price"), [(None, 1000), (900, 900), (1000, 1000), (5000, 1000), (0, 1000 - LAG), (-9, 1000 - LAG)]
)
def test_lag_is_compensated_but_not_much(thought: int | None, price: int) -> None:
    assert Clock(Control("live", 60_000), 2).price(1000, thought) == price


@pytest.mark.anyio
async def test_flags_fall_in_order_and_again_when_something_went_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    fallen: list[str] = []

    async def fall(game: str, version: int) -> None:
        fallen.append(game)
        if fallen.count("wrong") == 1 and game == "wrong":
            raise OSError("the database is away")

    flags = Flags(fall)
    at = now()
    flags.watch("late", 0, at + 60_000)
    flags.watch("second", 0, at + 60)
    flags.watch("wrong", 0, at + 40)
    flags.watch("first", 0, at + 20)
    flags.watch("moved on", 0, at + 30)
    flags.watch("moved on", 1, at + 80)
    flags.watch("over", 0, at + 50)
    flags.forget("over")
    await asyncio.sleep(1.6)
    await flags.stop()
    assert fallen == ["first", "wrong", "second", "moved on", "wrong"]


async def started(server: Server, control: Control, players: int = 2, **more: Any) -> tuple[LiveGame, list[int]]:
    accounts = [(await server.accounts.guest())[0].id for _ in range(players)]
    seats = [{"account": account} for account in accounts]
    rules = f"hexbo(side=5,players={players})"
    return await server.games.create(rules, accounts[0], seats, control, False, **more), accounts


@pytest.mark.anyio
async def test_the_server_lets_flags_fall(server: Server) -> None:
    live, (ann, bo) = await started(server, Control("live", 200, 0))
    assert live.due is not None and live.due >= now()
    heard = asyncio.Event()
    server.bus.subscribe(live.id, lambda message: heard.set())
    await asyncio.wait_for(heard.wait(), 3)
    assert live.match.outcome and live.match.outcome.reason == "time" and live.match.outcome.winners == (1,)
    with pytest.raises(Refused, match="over"):
        await server.games.play(live.id, ann, 1, "A1")
    assert bo


@pytest.mark.anyio
async def test_a_turn_after_its_time_is_too_late(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    live, (ann, _) = await started(server, Control("live", 60_000, 0))
    live.since -= 60_000
    with pytest.raises(Refused, match="your time is up"):
        await server.games.play(live.id, ann, 0, "A1")
    assert live.match.outcome and live.match.outcome.reason == "time"


@pytest.mark.anyio
async def test_clocks_go_on_while_the_server_is_down(settings: Settings) -> None:
    server = await Server.start(settings)
    live, (ann, bo) = await started(server, Control("live", 700, 100))
    await asyncio.sleep(0.1)
    await server.games.play(live.id, ann, 0, "A1")
    left, since = live.clock.shown(), live.since
    assert left is not None and left[0] <= 700 and left[1] == 700
    await server.stop()
    await asyncio.sleep(0.8 + LAG / 1000)
    server = await Server.start(settings)
    await asyncio.sleep(0.3)
    again = await server.games.get(live.id)
    assert (again.clock.shown(), again.match.turns) == (left, ("A1",))
    assert again.match.outcome and again.match.outcome.reason == "time" and again.match.outcome.winners == (0,)
    assert again.since > since
    await server.stop()
    assert bo


# --- a rated game in which somebody has not made a first turn is called off, not lost --------------------------------


def called_off(live: LiveGame) -> bool:
    assert live.outcome is None or live.last is not None
    return live.outcome == CALLED_OFF and live.last is not None and live.last.text == NO_FIRST_TURN


async def ended(server: Server, game: str) -> LiveGame:
    """The game when it is over."""
    for _ in range(500):
        async with server.games.held(game) as live:
            if live.over:
                return live
        await asyncio.sleep(0.02)
    raise AssertionError("the game goes on")


@pytest.mark.anyio
@pytest.mark.parametrize("kind", ["live", "days"])
@pytest.mark.parametrize("played", [0, 1])
async def test_a_rated_game_without_a_first_turn_is_called_off(server: Server, kind: Any, played: int) -> None:
    live, accounts = await started(server, Control(kind, 300, 0), rated=True)
    for number in range(played):
        await server.games.play(live.id, accounts[number], number, live.match.legal()[0])
    over = await ended(server, live.id)
    assert called_off(over) and over.last is not None and over.last.seat == played
    await server.ratings.sweep(0)
    async with server.store.read() as connection:
        assert not await seat_ratings.changes(connection, live.id)


@pytest.mark.anyio
async def test_after_everybodys_first_turn_a_rated_game_is_lost_on_time(server: Server) -> None:
    live, accounts = await started(server, Control("live", 400, 0), rated=True)
    for number in range(2):
        await server.games.play(live.id, accounts[number], number, live.match.legal()[0])
    over = await ended(server, live.id)
    assert over.outcome and (over.outcome.reason, over.outcome.winners) == ("time", (1,))


@pytest.mark.anyio
async def test_the_third_of_three_who_never_came_calls_the_game_off(server: Server) -> None:
    live, accounts = await started(server, Control("live", 500, 0), players=3, rated=True)
    for number in range(2):
        await server.games.play(live.id, accounts[number], number, live.match.legal()[0])
    assert called_off(await ended(server, live.id))


@pytest.mark.anyio
@pytest.mark.parametrize("players", [2, 3, 6])
async def test_who_leaves_before_everybodys_first_turn_calls_the_game_off(server: Server, players: int) -> None:
    """And who leaves after it loses."""
    for played in (0, players - 1, players):
        live, accounts = await started(server, Control(), players=players, rated=True)
        for number in range(played):
            await server.games.play(live.id, accounts[number], number, live.match.legal()[0])
        await server.games.resign(live.id, accounts[0])
        async with server.games.held(live.id) as after:
            if played < players:
                assert after.outcome == CALLED_OFF and after.last and after.last.text == LEFT_EARLY
            else:
                assert after.outcome != CALLED_OFF and after.last and after.last.kind == "resign"


@pytest.mark.anyio
async def test_a_first_turn_that_comes_too_late_calls_the_game_off(server: Server) -> None:
    live, (ann, _) = await started(server, Control("live", 60_000, 0), rated=True)
    live.since -= 60_000
    with pytest.raises(Refused, match="your time is up; the game is called off"):
        await server.games.play(live.id, ann, 0, "A1")
    assert called_off(live)


@pytest.mark.anyio
async def test_it_is_called_off_when_the_server_was_down(settings: Settings) -> None:
    server = await Server.start(settings)
    live, _ = await started(server, Control("live", 200, 0), rated=True)
    await server.stop()
    await asyncio.sleep(0.2 + LAG / 1000)
    server = await Server.start(settings)
    assert called_off(await ended(server, live.id))
    await server.stop()


@pytest.mark.anyio
async def test_a_flag_that_nobody_watches_is_swept_and_the_game_called_off(server: Server) -> None:
    live, _ = await started(server, Control("live", 200, 0), rated=True)
    server.flags.forget(live.id)
    await asyncio.sleep((200 + LAG + LATE) / 1000)
    await server.sweeps.flags()
    assert called_off(await ended(server, live.id))
