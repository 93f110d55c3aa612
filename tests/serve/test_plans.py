"""Conditional turns are played when they come true, whatever happened to the server meanwhile; notes are one's own."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest
from serving import Visit

from hedgerow.game import HedgerowError
from hedgerow.match import Match
from hedgerow.serve.play.clocks import DAY, Control
from hedgerow.serve.play.live import LiveGame
from hedgerow.serve.play.plan_trees import DEEPEST, LARGEST
from hedgerow.serve.refusals import Refused, refusal_of
from hedgerow.serve.server import Server
from hedgerow.serve.settings import Settings

pytestmark = pytest.mark.anyio

DAYS = Control("days", 3 * DAY)


async def begun(server: Server, rules: str = "hexbo(side=5)", seats: int = 2) -> tuple[LiveGame, list[int]]:
    accounts = [(await server.accounts.guest())[0].id for _ in range(seats)]
    seats = [{"account": account} for account in accounts]
    return await server.games.create(rules, accounts[0], seats, DAYS, False), accounts


def line(match: Match, *choices: int) -> list[str]:
    """A line of turns from here: of the legal moves the one of that number, each time."""
    match, begun = match.copy(), len(match.turns)
    for choice in choices:
        match.play(match.legal()[choice])
    return list(match.turns[begun:])


async def settled(server: Server) -> None:
    while server.plans._tasks:
        await asyncio.gather(*server.plans._tasks, return_exceptions=True)


async def test_a_plan_is_played_as_far_as_it_comes_true(server: Server) -> None:
    live, (ann, bo) = await begun(server)
    first, other = line(live.match, 0, 1, 2, 0), line(live.match, 1, 3)
    kept = await server.plans.set(live.id, bo, [[text.lower() for text in first], other, first])
    assert kept == [first, other] == await server.plans.get(live.id, bo)
    assert await server.plans.get(live.id, ann) == []
    await server.games.play(live.id, ann, 0, first[0])
    await settled(server)
    assert live.match.turns == tuple(first[:2])
    assert await server.plans.get(live.id, bo) == [first[2:]]
    await server.games.play(live.id, ann, 2, first[2])
    await settled(server)
    assert live.match.turns == tuple(first) and await server.plans.get(live.id, bo) == []


async def test_a_plan_ends_when_something_else_happens(server: Server) -> None:
    live, (ann, bo) = await begun(server)
    planned = line(live.match, 0, 1)
    await server.plans.set(live.id, bo, [planned])
    await server.games.play(live.id, ann, 0, live.match.legal()[5])
    await settled(server)
    assert live.version == 1 and await server.plans.get(live.id, bo) == []
    await server.offers.ask(live.id, ann, "undo")
    await server.offers.agree(live.id, bo, "undo")
    await server.games.play(live.id, ann, 2, planned[0])
    await settled(server)
    assert live.version == 3, "a takeback does not bring it back"


async def test_plans_of_two_follow_each_other(server: Server) -> None:
    live, (ann, bo, cy) = await begun(server, "hexbo(side=5,players=3)", 3)
    game = line(live.match, 0, 1, 2)
    await server.plans.set(live.id, cy, [game])
    await server.plans.set(live.id, bo, [game[:2]])
    await server.games.play(live.id, ann, 0, game[0])
    await settled(server)
    assert live.match.turns == tuple(game)


async def test_three_seats_and_two_placements(server: Server) -> None:
    live, (ann, bo, cy) = await begun(server, "hexbo(side=5,players=3)", 3)
    game = line(live.match, 0, 0, 0)
    await server.plans.set(live.id, cy, [game])
    await server.games.play(live.id, ann, 0, game[0])
    await server.games.play(live.id, bo, 1, game[1])
    await settled(server)
    assert live.match.turns == tuple(game)
    two, (ann, bo) = await begun(server, "root_bound(side=4)")
    await server.plans.set(two.id, bo, [["a1", "C3 g2"]])
    await server.games.play(two.id, ann, 0, "a1")
    await settled(server)
    assert two.match.turns == ("a1", "c3 g2")


async def test_what_was_planned_is_played_after_a_restart(settings: Settings) -> None:
    server = await Server.start(settings)
    live, (ann, bo) = await begun(server)
    game = line(live.match, 0, 1)
    await server.plans.set(live.id, bo, [game])
    server.games.after.remove(server.plans.game_changed)  # the server dies before it looks
    await server.games.play(live.id, ann, 0, game[0])
    await server.stop()
    server = await Server.start(settings)
    await settled(server)
    assert (await server.games.get(live.id)).match.turns == tuple(game)
    await server.stop()


async def test_plans_that_cannot_be(server: Server) -> None:
    live, (ann, bo) = await begun(server)
    stranger = (await server.accounts.guest())[0].id

    async def refused(account: int, *lines: list[str]) -> str:
        with pytest.raises(HedgerowError) as caught:
            await server.plans.set(live.id, account, lines)
        return refusal_of(caught.value).code

    good = line(live.match, 0, 0)
    assert await refused(stranger, good) == "not_yours" and await refused(ann, good) == "your_turn"
    assert (
        await refused(bo, good[:1]) == "bad_request" and await refused(bo, line(live.match, 0, 0, 0)) == "bad_request"
    )
    assert await refused(bo, good, line(live.match, 0, 1)) == "bad_request"
    assert await refused(bo, ["E5", "A1"]) == "illegal" and await refused(bo, ["A1", "zz"]) == "unreadable"
    assert await refused(bo, ["A1"] * (DEEPEST + 1)) == "bad_request" and LARGEST >= DEEPEST
    await server.plans.set(live.id, bo, [good])
    await server.plans.set(live.id, bo, [])
    assert await server.plans.get(live.id, bo) == []
    quick = await server.games.create("hexbo(side=5)", ann, [{"account": ann}, {"account": bo}], Control(), False)
    with pytest.raises(Refused, match="by correspondence"):
        await server.plans.set(quick.id, bo, [good])


async def test_a_plan_holds_nobody_up(server: Server) -> None:
    live, (_, bo) = await begun(server, "hexbo")
    first = line(live.match, *[0] * DEEPEST)
    before = time.thread_time()
    kept = await server.plans.set(live.id, bo, [first] * 200)
    assert kept == [first]
    assert time.thread_time() - before < 1, "it is judged on the event loop, which takes four seconds of it"


async def test_all_turns_of_a_plan_are_counted(server: Server) -> None:
    live, (_, bo) = await begun(server)
    shared = line(live.match, *[0] * 18)
    several = [line(live.match, *[0] * 18, choice, 0) for choice in range(11)]
    assert all(each[:18] == shared for each in several)
    with pytest.raises(Refused, match="a plan of 220 turns; hint: at most 200"):
        await server.plans.set(live.id, bo, several)
    assert await server.plans.get(live.id, bo) == []


async def test_a_plan_for_a_game_that_moves_on_meanwhile(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    live, (ann, bo) = await begun(server)
    planned, judge = line(live.match, 0, 1), server.workshop.do

    async def slowly(*asked: Any) -> Any:
        found = await judge(*asked)
        await server.games.play(live.id, ann, 0, live.match.legal()[5])
        return found

    monkeypatch.setattr(server.workshop, "do", slowly)
    with pytest.raises(Refused, match="moved on") as refused:
        await server.plans.set(live.id, bo, [planned])
    assert refused.value.code == "stale" and await server.plans.get(live.id, bo) == []


async def test_notes_are_ones_own(visit: Visit) -> None:
    async with visit() as ann, visit() as bo, visit() as nobody:
        game = (await ann.post("/api/games", json={"rules": "hexbo", "opponent": "friend"})).json()["id"]
        where = f"/api/games/{game}/note"
        await bo.post(f"/api/games/{game}/join")
        assert (await ann.put(where, json={"text": " grow north first "})).json() == {"text": "grow north first"}
        assert (await ann.get(where)).json() == {"text": "grow north first"}
        assert (await bo.get(where)).json() == {"text": ""} and (await nobody.get(where)).status_code == 401
        assert (await ann.put(where, json={"text": "x" * 4001})).status_code == 422
        await ann.put(where, json={"text": ""})
        assert (await ann.get(where)).json() == {"text": ""}
        assert (await ann.put("/api/games/nowhere/note", json={"text": "x"})).status_code == 404
        plan = f"/api/games/{game}/plan"
        assert (await ann.get(plan)).json() == {"lines": []} and (await nobody.get(plan)).status_code == 401
        assert (await bo.put(plan, json={"lines": [["A1", "A2"]]})).json()["code"] == "forbidden"
