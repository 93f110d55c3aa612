"""Looking back at a game, and continuing it anew from the turn where it was lost."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from serving import Visit, running, seen

from hedgerow.match import Match
from hedgerow.serve.engine import analyst
from hedgerow.serve.engine.engines import Engines
from hedgerow.serve.play import continuations
from hedgerow.serve.refusals import Refused
from hedgerow.serve.settings import Settings

pytestmark = pytest.mark.anyio

PLAYED = ("a5", "e9 h2", "a4 a2", "g1 i5", "a3 done")
"""Root Bound, side 5: the first player builds at the edge."""


async def lost(app: FastAPI, client: httpx.AsyncClient, turns: tuple[str, ...] = PLAYED, **asked: Any) -> str:
    """A game against a machine that was played so far and then given up; its id."""
    made = await client.post("/api/games", json={"rules": "root_bound(side=5)", "level": 1, **asked})
    game: str = made.json()["id"]
    server = app.state.server
    async with server.games.held(game) as live:
        me = next(seat.account for seat in live.seats if seat.account)
    for number, text in enumerate(turns):
        async with server.games.held(game) as live:
            mine = live.seats[live.match.to_move].account is not None
        await server.games.play(game, me if mine else None, number, text)
    await client.post(f"/api/games/{game}/resign")
    return game


# --- looking back -----------------------------------------------------------------------------------------------------


async def test_the_board_after_any_turn(visit: Visit, app: FastAPI) -> None:
    async with visit() as ann, visit() as bo:
        game = await lost(app, ann)
        told = (await bo.get(f"/api/games/{game}")).json()
        assert told["turn"] == len(PLAYED) and [seat["place"] for seat in told["seats"]] == [2, 1]
        match = Match("root_bound(side=5)")
        for turn in range(len(PLAYED) + 1):
            then = (await bo.get(f"/api/games/{game}", params={"turn": turn})).json()
            assert pieces(then["svg"]) == match.cells().keys() and then["turn"] == turn
            assert then["turns"] == list(PLAYED) and then["legal"] == [] and then["outcome"] == told["outcome"]
            if turn < len(PLAYED):
                match.play(PLAYED[turn])
        wrong = await bo.get(f"/api/games/{game}", params={"turn": 6})
        assert wrong.status_code == 422 and "no turn 6 in this game; hint: it has 5" in wrong.json()["message"]


def pieces(svg: str) -> set[str]:
    """The points of a picture where something stands."""
    return {name for name, inside in re.findall(r'data-point="(\w+)"[^>]*>(.*?)</g>\n', svg) if "piece" in inside}


async def test_looking_back_at_a_game_that_goes_on(visit: Visit, app: FastAPI) -> None:
    async with visit() as ann:
        game = (await ann.post("/api/games", json={"rules": "tanbo(size=9)", "opponent": "friend"})).json()["id"]
        async with visit() as bo:
            await bo.post(f"/api/games/{game}/join")
            await ann.post(f"/api/games/{game}/turns", json={"number": 0, "text": "A2"})
            then = (await bo.get(f"/api/games/{game}", params={"turn": 0})).json()
            assert (then["turn"], then["to_move"], then["turns"], then["legal"]) == (0, 1, ["A2"], [])
            page = (await bo.get(f"/games/{game}?turn=0")).text
            assert "The start." in page and "Back to now" in page and '<div id="then" hidden>' not in page
            assert '<div id="then" hidden>' in (await bo.get(f"/games/{game}?turn=1")).text
            assert (await bo.get(f"/games/{game}?turn=2", headers={"Accept": "text/html"})).status_code == 422


async def test_the_past_of_a_private_game_is_private(visit: Visit, app: FastAPI) -> None:
    async with visit() as ann, visit() as bo:
        game = await lost(app, ann, private=True)
        for path in (f"/api/games/{game}?turn=1", f"/games/{game}?turn=1", f"/api/games/{game}/turning-point"):
            assert (await bo.get(path)).status_code == 404
        assert (await bo.post(f"/api/games/{game}/again", json={"turn": 1})).status_code == 404
        assert (await ann.get(f"/games/{game}?turn=1")).status_code == 200


# --- trying again -----------------------------------------------------------------------------------------------------


async def test_a_new_game_goes_on_from_a_turn(visit: Visit, app: FastAPI) -> None:
    async with visit() as ann:
        game = await lost(app, ann, clock={"kind": "live"}, welcome=True)
        made = await ann.post(f"/api/games/{game}/again", json={"turn": 2})
        told = made.json()
        assert made.status_code == 201 and told["turns"] == list(PLAYED[:2]) and told["state"] == "playing"
        assert (told["version"], told["to_move"], told["you"], told["clock"]["kind"]) == (2, 0, 0, "none")
        assert not told["rated"] and not told["welcome"] and told["seats"][1]["machine"] and told["rematch"] is None
        again = f"/api/games/{told['id']}"
        app.state.server.games.forget(told["id"])  # to be read from the store
        assert (await ann.post(f"{again}/turns", json={"number": 2, "text": "e5 c3"})).status_code == 201
        assert (await ann.get(again)).json()["turns"] == [*PLAYED[:2], "e5 c3"]
        assert (await ann.get(f"/api/games/{game}")).json()["turns"] == list(PLAYED)
        first = await ann.post(f"/games/{game}/again", data={"turn": "0"})
        assert first.status_code == 303 and (await ann.get(f"/api{first.headers['location']}")).json()["turns"] == []


async def test_who_may_try_again(visit: Visit, app: FastAPI) -> None:
    async with visit() as ann, visit() as bo:
        game = await lost(app, ann)
        again = f"/api/games/{game}/again"
        for client, turn, status, words in (
            (bo, 1, 401, "you have no session"),
            (ann, 6, 422, "no turn 6"),
        ):
            refused = await client.post(again, json={"turn": turn})
            assert refused.status_code == status and words in refused.json()["message"]
        assert (await ann.post(again, json={"turn": 5})).json()["state"] == "playing", (
            "whoever resigned thinks better of it"
        )
        await bo.post("/api/guest")
        assert (await bo.post(again, json={"turn": 1})).json()["code"] == "not_yours"
        running = (await ann.post("/api/games", json={"rules": "tanbo"})).json()["id"]
        assert (await ann.post(f"/api/games/{running}/again", json={"turn": 0})).json()["code"] == "not_over"
        both = (await ann.post("/api/games", json={"rules": "tanbo", "opponent": "friend"})).json()["id"]
        await bo.post(f"/api/games/{both}/join")
        await ann.post(f"/api/games/{both}/resign")
        assert (await ann.post(f"/api/games/{both}/again", json={"turn": 0})).json()["code"] == "forbidden"
        page = await ann.post(f"/games/{game}/again", data={"turn": "x"})
        assert page.status_code == 422 and "No turn &#39;x&#39;" in page.text


def test_a_game_that_has_ended_goes_on_from_before_its_end() -> None:
    match = Match("root_and_thorn")
    match.play("Me3 Me8 pass pass")
    with pytest.raises(Refused, match="over after turn 4"):
        continuations.first_turns(match, 4)
    assert len(continuations.first_turns(match, 3)[0]) == 3


@pytest.fixture
async def thinking(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[FastAPI]:
    """A server with an engine, whose machines wait to be played by hand."""
    monkeypatch.setattr(Engines, "wake", lambda self: None)
    monkeypatch.setattr(analyst, "NICE", 0)
    async with running(Settings(data=tmp_path, engines=1)) as app:
        yield app


def client_of(app: FastAPI) -> httpx.AsyncClient:
    return httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://here.test", timeout=120)


async def test_where_a_game_turned(thinking: FastAPI) -> None:
    async with client_of(thinking) as ann:
        game = await lost(thinking, ann)
        assert "Find the turning point" in seen((await ann.get(f"/games/{game}")).text)
        answer = await ann.get(f"/api/games/{game}/turning-point")
        *steps, last = [json.loads(line) for line in answer.text.splitlines()]
        assert [step["looked"] for step in steps] == list(range(len(PLAYED) + 2))
        point = last["point"]
        assert last["done"] and point["turn"] in (0, 2, 4) and point["played"] == PLAYED[point["turn"]]
        assert point["better"] != point["played"] and 0 <= point["after"] < point["before"] <= 1
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(analyst.Analyst, "_evaluated", None)  # nobody searches a position twice
            again = (await ann.get(f"/api/games/{game}/turning-point")).text.splitlines()
        assert [json.loads(line) for line in again] == [*steps, last]
        page = seen((await ann.post(f"/games/{game}/turning-point")).text)
        assert f"Turn {point['turn'] + 1}, {point['played']}" in page and f"better was {point['better']}." in page
        assert "Try again from there" in page


async def test_the_game_page_and_the_analysis_page_tell_the_same(thinking: FastAPI) -> None:
    beaten = ("Me3", "Me8", "Ue4", "Ue7", "pass", "Uf7")
    async with client_of(thinking) as ann:
        told = 0
        for rules, turns in (("root_bound(side=5)", PLAYED), ("root_and_thorn", beaten)):
            game = await lost(thinking, ann, turns, rules=rules)
            point = json.loads((await ann.get(f"/api/games/{game}/turning-point")).text.splitlines()[-1])["point"]
            record = (await ann.get(f"/api/games/{game}")).json()
            line = {"rules": rules, "turns": " ".join(record["turns"])}
            last = json.loads((await ann.post("/api/positions/analysis/graph", json=line)).text.splitlines()[-1])
            mine = [fall for fall in last["turning"] if fall["seat"] == 0]
            assert bool(point) == bool(mine), rules
            if point:
                told += 1
                assert {name: mine[0][name] for name in point} == point
                values = last["values"]
                assert (values[point["turn"]][0], values[point["turn"] + 1][0]) == (point["before"], point["after"])
        assert told, "one of these games had a turning point"


async def test_a_won_game_has_no_turning_point_to_offer(thinking: FastAPI) -> None:
    async with client_of(thinking) as ann:
        won = await lost(thinking, ann, ("e5",), seat=1)
        page = seen((await ann.get(f"/games/{won}")).text)
        assert "Machine, level 1 won" in page and "level(1)" not in page
        empty = await lost(thinking, ann, ())
        assert "turning point" not in seen((await ann.get(f"/games/{empty}")).text)


async def test_no_help_with_a_rated_game_that_goes_on(thinking: FastAPI) -> None:
    async with client_of(thinking) as ann, client_of(thinking) as bo:
        for client, name in ((ann, "Ann"), (bo, "Bo")):
            await client.post("/api/sign-up", json={"name": name, "password": "under the hedge"})
        rated = await ann.post("/api/games", json={"rules": "tanbo", "opponent": "friend", "rated": True})
        await bo.post(f"/api/games/{rated.json()['id']}/join")
        for number, text in enumerate(("A2", "A6", "B2")):
            played = {"number": number, "text": text}
            await (ann, bo)[number % 2].post(f"/api/games/{rated.json()['id']}/turns", json=played)
        same = await lost(thinking, ann, ("A2", "A6", "B2", "B6"), rules="tanbo")
        refused = await ann.get(f"/api/games/{same}/turning-point")
        assert refused.status_code == 409 and "in a rated game that goes on" in refused.json()["message"]
        await bo.post(f"/api/games/{rated.json()['id']}/resign")
        assert (await ann.get(f"/api/games/{same}/turning-point")).status_code == 200
