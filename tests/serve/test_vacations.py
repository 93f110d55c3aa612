"""Vacations: clocks of games by correspondence wait while their mover is away, within the days of a year."""

from __future__ import annotations

import pytest

from hedgerow.serve.play import vacations as module
from hedgerow.serve.play.clocks import DAY, LAG, Control
from hedgerow.serve.play.games import Games
from hedgerow.serve.play.live import LiveGame
from hedgerow.serve.play.vacations import ALLOWANCE, Vacation
from hedgerow.serve.refusals import Refused
from hedgerow.serve.server import Server
from hedgerow.serve.settings import Settings
from hedgerow.serve.store import vacations
from hedgerow.serve.store.schema import now

pytestmark = pytest.mark.anyio

DAYS = Control("days", 3 * DAY)


async def begun(server: Server, control: Control = DAYS) -> tuple[LiveGame, int, int]:
    ann, bo = [(await server.accounts.guest())[0].id for _ in range(2)]
    live = await server.games.create("hexbo(side=5)", ann, [{"account": ann}, {"account": bo}], control, False)
    return live, ann, bo


async def due(server: Server, game: str) -> int:
    """When the flag falls, as the row and the game itself say."""
    async with server.store.read() as connection:
        said = await vacations.due(connection, game)
    live = await server.games.get(game)
    assert said is not None and said == live.due
    return said


def close(time: int, to: int) -> bool:
    return abs(time - to) < 20_000


async def test_the_clock_of_the_mover_waits(server: Server) -> None:
    live, ann, _ = await begun(server)
    before = await due(server, live.id)
    assert await server.vacations.take(ann, 5) == await server.vacations.of(ann)
    assert await due(server, live.id) == before + 5 * DAY
    again = await server.games.get(live.id)
    assert again.snapshot.clocks and again.snapshot.clocks[0] == 8 * DAY
    assert again.seats[0].back and close(again.seats[0].back, now() + 5 * DAY)


async def test_a_turn_that_comes_later_begins_when_they_are_back(server: Server) -> None:
    live, ann, bo = await begun(server)
    await server.vacations.take(bo, 5)
    live = await server.games.get(live.id)
    await server.games.play(live.id, ann, 0, live.match.legal()[0])
    assert close(await due(server, live.id), now() + 8 * DAY + LAG)
    server.games.forget(live.id)
    assert close(await due(server, live.id), now() + 8 * DAY + LAG)
    live = await server.games.get(live.id)
    await server.games.play(live.id, bo, 1, live.match.legal()[0])
    assert close(await due(server, live.id), now() + 3 * DAY + LAG), "who is away may play; the other is not away"


async def test_a_game_that_begins_waits_for_who_is_away(server: Server) -> None:
    ann, bo = [(await server.accounts.guest())[0].id for _ in range(2)]
    await server.vacations.take(ann, 4)
    chairs = [{"account": ann}, {"account": bo}]
    full = await server.games.create("hexbo(side=5)", bo, chairs, DAYS, False)
    assert close(await due(server, full.id), now() + 7 * DAY + LAG)
    joined = await server.games.create("hexbo(side=5)", ann, [{"account": ann}, {}], DAYS, False)
    await server.games.join(joined.id, bo)
    assert close(await due(server, joined.id), now() + 7 * DAY + LAG)


async def test_no_flag_falls_during_a_vacation(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    live, ann, _ = await begun(server)
    await server.vacations.take(ann, 10)
    later = now() + 9 * DAY
    monkeypatch.setattr("hedgerow.serve.play.games.now", lambda: later)
    assert await server.games.flag(live.id, 0) == await due(server, live.id)
    legal = (await server.games.get(live.id)).match.legal()[0]
    assert (await server.games.play(live.id, ann, 0, legal)).turn.number == 0
    after = now() + 20 * DAY
    monkeypatch.setattr("hedgerow.serve.play.games.now", lambda: after)
    assert await server.games.flag(live.id, 1) is None
    assert (await server.games.get(live.id)).over


async def test_a_process_that_has_not_heard_lets_no_flag_fall(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    live, ann, _ = await begun(server)
    elsewhere = Games(server.store, server.bus)
    known = await elsewhere.get(live.id)
    await server.vacations.take(ann, 10)
    assert known.due is not None and known.due < now() + 4 * DAY, "it has not heard"
    later = now() + 9 * DAY
    monkeypatch.setattr("hedgerow.serve.play.games.now", lambda: later)
    assert await elsewhere.flag(live.id, 0) == await due(server, live.id)
    assert known.due == await due(server, live.id) and not known.over
    legal = known.match.legal()[0]
    assert (await elsewhere.play(live.id, ann, 0, legal)).turn.text == legal


async def test_a_turn_that_came_while_they_left_waits_too(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    live, ann, _ = await begun(server)
    await server.vacations.take(ann, 10)
    async with server.store.write() as connection:
        await vacations.set_due(connection, live.id, 0, now() + 3 * DAY)
    server.games.forget(live.id)
    later = now() + 4 * DAY
    monkeypatch.setattr("hedgerow.serve.play.games.now", lambda: later)
    found = await server.games.flag(live.id, 0)
    assert found is not None and close(found, now() + 13 * DAY + LAG)
    assert await due(server, live.id) == found


async def test_back_early_gives_days_back(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    live, ann, _ = await begun(server)
    before = await due(server, live.id)
    await server.vacations.take(ann, 10)
    later = now() + 2 * DAY + DAY // 2
    monkeypatch.setattr(module, "now", lambda: later)
    assert await server.vacations.of(ann) == Vacation(pytest.approx(later + 7 * DAY + DAY // 2, abs=20_000), 20)
    assert await server.vacations.take(ann, 0) == Vacation(None, ALLOWANCE - 3)
    assert close(await due(server, live.id), before + 2 * DAY + DAY // 2)
    assert await server.vacations.take(ann, ALLOWANCE - 3) != Vacation(None, 0)
    assert (await server.vacations.of(ann)).left == 0


async def test_nobody_has_more_than_a_years_days(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    (ann, _) = await server.accounts.guest()
    monkeypatch.setattr(module, "now", lambda: 20_000 * DAY)
    for days in (-1, ALLOWANCE + 1, 1_000):
        with pytest.raises(Refused, match="30 are left"):
            await server.vacations.take(ann.id, days)
    await server.vacations.take(ann.id, 20)
    monkeypatch.setattr(module, "now", lambda: 20_030 * DAY)
    with pytest.raises(Refused, match="10 are left"):
        await server.vacations.take(ann.id, 11)
    monkeypatch.setattr(module, "now", lambda: 20_400 * DAY)
    assert (await server.vacations.take(ann.id, 30)).left == 0, "another year"


async def test_a_second_vacation_adds_to_the_first(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    live, ann, _ = await begun(server)
    before = await due(server, live.id)
    await server.vacations.take(ann, 2)
    first = now() + 2 * DAY + DAY // 2
    monkeypatch.setattr(module, "now", lambda: first)
    await server.vacations.take(ann, 3)
    assert close(await due(server, live.id), before + 5 * DAY)


@pytest.mark.parametrize("control", [Control(), Control("live", 600_000, 0)], ids=["none", "live"])
async def test_other_clocks_wait_for_nobody(server: Server, control: Control) -> None:
    live, ann, _ = await begun(server, control)
    before = live.due
    await server.vacations.take(ann, 5)
    assert (await server.games.get(live.id)).due == before


async def test_only_the_movers_vacation_counts(server: Server) -> None:
    live, _, bo = await begun(server)
    before = await due(server, live.id)
    await server.vacations.take(bo, 5)
    assert await due(server, live.id) == before
    over, *people = await begun(server)
    await server.games.resign(over.id, people[0])
    await server.vacations.take(people[1], 1)
    assert (await server.games.get(over.id)).due is None


async def test_a_take_back_waits_again(server: Server) -> None:
    live, ann, bo = await begun(server)
    await server.vacations.take(ann, 5)
    live = await server.games.get(live.id)
    await server.games.play(live.id, ann, 0, live.match.legal()[0])
    assert close(await due(server, live.id), now() + 3 * DAY + LAG)
    await server.offers.ask(live.id, ann, "undo")
    await server.offers.agree(live.id, bo, "undo")
    assert close(await due(server, live.id), now() + 8 * DAY + LAG)


async def test_it_holds_after_a_restart(settings: Settings) -> None:
    server = await Server.start(settings)
    live, ann, _ = await begun(server)
    await server.vacations.take(ann, 5)
    said = await due(server, live.id)
    await server.stop()
    server = await Server.start(settings)
    try:
        assert await due(server, live.id) == said
        assert server.flags._games[live.id] == (said, 0)
    finally:
        await server.stop()
