"""Conditional turns are played when they come true, whatever happened to the server meanwhile; notes are one's own."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
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
    assert kept.lines == [first, other] == await server.plans.get(live.id, bo)
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
    assert kept.lines == [first]
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


# --- what the page of a game asks for ---------------------------------------------------------------------------------


@asynccontextmanager
async def by_mail(visit: Visit, rules: str, seats: int = 2) -> AsyncIterator[tuple[list[httpx.AsyncClient], str]]:
    """Visitors who sit at a game by correspondence, in the order of their seats, and where it is."""
    async with AsyncExitStack() as stack:
        people = [await stack.enter_async_context(visit()) for _ in range(seats)]
        others = [{"who": "anyone"}] * (seats - 1)
        asked = {"rules": rules, "seats": [{"who": "me"}, *others], "clock": {"kind": "days"}}
        made = await people[0].post("/api/games", json=asked)
        assert made.status_code == 201, made.text
        where = f"/api/games/{made.json()['id']}"
        for number, one in enumerate(people[1:], 1):
            assert (await one.post(f"{where}/join", params={"seat": number})).status_code == 200
        yield people, where


async def test_a_plan_tells_whose_turns_it_has_and_where_it_begins(visit: Visit) -> None:
    async with by_mail(visit, "hexbo(side=5,players=3)", 3) as ((ann, _bo, cy), where):
        turns = line(Match("hexbo(side=5,players=3)"), 0, 1, 2)
        kept = await cy.put(f"{where}/plan", json={"lines": [turns], "number": 0})
        assert kept.json() == {"lines": [turns], "number": 0}
        told = (await cy.get(f"{where}/plan")).json()
        assert told == {"lines": [turns], "number": 0, "seats": [[0, 1, 2]]}
        assert (await ann.get(f"{where}/plan")).json()["lines"] == [], "a plan is its owner's alone"
        assert (await ann.post(f"{where}/turns", json={"number": 0, "text": turns[0]})).status_code == 201
        assert (await cy.get(f"{where}/plan")).json() == {"lines": [turns[1:]], "number": 1, "seats": [[1, 2]]}
        stale = await cy.put(f"{where}/plan", json={"lines": [turns[1:]], "number": 0})
        assert stale.status_code == 409 and stale.json()["code"] == "stale"
        whatever = {"lines": [["*", turns[2]]], "number": 1}
        assert (await cy.put(f"{where}/plan", json=whatever)).status_code == 200
        assert (await cy.get(f"{where}/plan")).json()["seats"] == [[None, 2]]
        async with visit() as stranger:
            await stranger.post("/api/guest")
            assert (await stranger.get(f"{where}/plan")).json()["lines"] == []


async def test_positions_on_a_planned_line_are_those_of_the_rules(visit: Visit) -> None:
    async with by_mail(visit, "root_bound(side=4)") as ((ann, bo), where):
        match = Match("root_bound(side=4)")
        match.play("a1 c3")
        assert (await ann.post(f"{where}/turns", json={"number": 0, "text": "a1"})).status_code == 201
        begun = (await ann.post(f"{where}/plan/position", json={"turn": 1, "turns": "c3"})).json()
        assert begun["turn_goes_on"] and {one["text"] for one in begun["legal"]} == set(match.legal())
        match.play("g2")
        told = (await ann.post(f"{where}/plan/position", json={"turn": 1, "turns": "c3 g2"})).json()
        assert told["turns"] == ["c3 g2"] and told["to_move"] == 0 and told["position"] == match.position()
        assert told["svg"].startswith("<svg") and {one["text"] for one in told["legal"]} == set(match.legal())
        why = f"{where}/plan/why-not"
        no = (await ann.post(why, params={"pressed": "c3"}, json={"turn": 1, "turns": "c3 g2"})).json()
        assert not no["legal"] and no["clause"] and no["reason"] == str(match.why_not("c3"))
        assert (await ann.post(why, params={"pressed": "d4"}, json={"turn": 1, "turns": "c3 g2"})).json()["legal"]
        wrong = await ann.post(f"{where}/plan/position", json={"turn": 1, "turns": "c3 c3"})
        assert wrong.status_code == 422 and wrong.json()["code"] == "illegal"
        for turn in (2, 3):
            assert (await ann.post(f"{where}/plan/position", json={"turn": turn})).status_code == 422
        # whoever is to move may look, too: what was planned does not vanish when a turn comes
        assert (await bo.post(f"{where}/plan/position", json={"turn": 0, "turns": "b1"})).status_code == 200


async def test_only_who_may_plan_is_shown_positions_and_only_so_many(visit: Visit, app: FastAPI) -> None:
    server: Server = app.state.server
    async with by_mail(visit, "hexbo(side=5)") as ((ann, bo), where), visit() as stranger, visit() as nobody:
        await stranger.post("/api/guest")
        for place, asked in ((f"{where}/plan/position", {}), (f"{where}/plan/why-not", {"pressed": "A1"})):
            assert (await stranger.post(place, params=asked, json={"turn": 0})).json()["code"] == "not_yours"
            assert (await nobody.post(place, params=asked, json={"turn": 0})).status_code == 401
        deep = line(Match("hexbo(side=5)"), *[0] * (DEEPEST + 1))
        far = await bo.post(f"{where}/plan/position", json={"turn": 0, "turns": " ".join(deep)})
        assert far.status_code == 422 and "at most 40 turns" in far.json()["message"]
        just = await bo.post(f"{where}/plan/position", json={"turn": 0, "turns": " ".join(deep[:-1])})
        assert just.status_code == 200
        here = server.address((await bo.get("/api/me")).json()["account"]["id"])
        server.workshop.addresses.charge(here, 100)
        busy = await bo.post(f"{where}/plan/position", json={"turn": 0})
        assert busy.status_code == 429 and int(busy.headers["retry-after"]) > 0, "it is paid for like other work"
        server.workshop.addresses.charge(here, -200)
        quick = (await ann.post("/api/games", json={"rules": "hexbo(side=5)", "opponent": "friend"})).json()["id"]
        open_game = await ann.post(f"/api/games/{quick}/plan/position", json={"turn": 0})
        assert open_game.json()["code"] == "not_begun"
        await bo.post(f"/api/games/{quick}/join")
        assert (await ann.post(f"/api/games/{quick}/plan/position", json={"turn": 0})).json()["code"] == "forbidden"


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
        assert (await ann.get(plan)).json() == {"lines": [], "number": 0, "seats": []}
        assert (await nobody.get(plan)).status_code == 401
        assert (await bo.put(plan, json={"lines": [["A1", "A2"]]})).json()["code"] == "forbidden"
