"""Clocks: what a turn costs, when a flag falls, and that neither forgets anything over a restart."""

from __future__ import annotations

import asyncio

import pytest

from hedgerow.serve.clocks import DAY, LAG, Clock, Control, Flags
from hedgerow.serve.live import LiveGame
from hedgerow.serve.refusals import Refused
from hedgerow.serve.server import Server
from hedgerow.serve.settings import Settings
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


async def started(server: Server, control: Control) -> tuple[LiveGame, list[int]]:
    accounts = [(await server.accounts.guest())[0].id for _ in range(2)]
    chairs = [{"account": account} for account in accounts]
    return await server.games.create("hexbo(side=5)", accounts[0], chairs, control, False), accounts


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
