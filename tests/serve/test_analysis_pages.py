"""The analysis page as the server makes it: what lies on the board, and who may look into which game."""

from __future__ import annotations

import html
import json
import re
from typing import Any

import httpx
import pytest
from serving import Visit

import hedgerow as hg

pytestmark = pytest.mark.anyio

PAGE = {"Accept": "text/html"}


def study(page: str) -> dict[str, Any]:
    """What the page hands to its script."""
    found = re.search(r'data-study="([^"]*)"', page)
    assert found
    told: dict[str, Any] = json.loads(html.unescape(found[1]))
    return told


async def begun(ann: httpx.AsyncClient, bo: httpx.AsyncClient, **how: Any) -> str:
    """A game of two people after two turns."""
    asked = {"rules": "root_down", "opponent": "friend", **how}
    game: str = (await ann.post("/api/games", json=asked)).json()["id"]
    await bo.post(f"/api/games/{game}/join")
    for number, (client, text) in enumerate(((ann, "c2-a4"), (bo, "f7-h5"))):
        answer = await client.post(f"/api/games/{game}/turns", json={"number": number, "text": text})
        assert answer.status_code == 201
    return game


async def test_a_free_board_of_any_kind(visit: Visit) -> None:
    async with visit() as ann:
        assert study((await ann.get("/analysis")).text)["rules"] == "hexbo(side=5)"
        for place in ("/analysis/tanbo(size=9)", "/analysis?rules=tanbo(size=9)", "/analysis?rules=tanbo&with-size=9"):
            page = await ann.get(place)
            assert page.status_code == 200 and study(page.text)["rules"] == "tanbo(size=9)", place
            assert not re.search(r"<style|<script(?![^>]*src=)|\son\w+=|\sstyle=", page.text)
        match = hg.Match("root_down")
        match.play("c2-a4")
        set_up = await ann.get("/analysis", params={"rules": "root_down", "position": match.position()})
        assert study(set_up.text)["position"] == match.position() and match.prompt in html.unescape(set_up.text)


async def test_what_is_wrong_is_said_and_kept(visit: Visit) -> None:
    async with visit() as ann:
        wrong = await ann.get("/analysis", params={"rules": "root_down", "position": "RKD"})
        assert wrong.status_code == 422 and ">RKD</textarea>" in wrong.text
        assert ">The number of rows is 1: root_down has 8, joined by /</p>" in wrong.text
        assert study(wrong.text)["rules"] == "root_down"
        assert "No game &#39;chess&#39;: there are hexbo" in (await ann.get("/analysis/chess")).text
        record = await ann.post("/analysis/record", data={"text": "Game: tanbo\n\n1. A1\n"})
        assert record.status_code == 422 and "Line 3: illegal move" in record.text and "1. A1</textarea>" in record.text
        assert (await ann.get("/analysis?turn=-1")).status_code == 422
        for long in ({"rules": "root_down", "turns": "c2-a4 " * 4000}, {"rules": "x" * 300}, {"position": "." * 3000}):
            answer = await ann.post("/analysis/think", data=long)
            assert answer.status_code == 422 and "too long: bring a whole game as a record" in answer.text


async def test_a_record_is_laid_on_the_board(visit: Visit) -> None:
    async with visit() as ann:
        match = hg.Match("hexbo(side=5,players=3)")
        match.play("A1")
        match.resign(1)
        page = await ann.post("/analysis/record", data={"text": match.record().replace("\n", "\r\n")})
        told = study(page.text)
        assert (told["line"], told["turn"], told["rules"]) == (["A1", "resign 1"], 1, match.rules.name)
        back = await ann.get("/analysis", params={"rules": told["rules"], "turns": "A1 resign 1", "turn": 0})
        assert study(back.text)["turn"] == 0


async def test_a_game_when_it_is_over(visit: Visit) -> None:
    async with visit() as ann, visit() as bo, visit() as stranger:
        game = await begun(ann, bo)
        for client in (ann, bo, stranger):
            refused = await client.get(f"/analysis?game={game}", headers=PAGE)
            assert (
                refused.status_code == 409 and "while people play" in refused.text and "root-board" not in refused.text
            )
        await ann.post(f"/api/games/{game}/resign")
        told = study((await stranger.get(f"/analysis?game={game}&turn=1")).text)
        assert told["line"] == ["c2-a4", "f7-h5", "resign 0"] and (told["turn"], told["game"]) == (1, game)
        page = (await stranger.get(f"/analysis?game={game}&turn=1")).text
        assert f"/analysis?game={game}&amp;turn=2" in page and f'href="/games/{game}"' in page
        assert (await ann.get("/analysis?game=nowhere", headers=PAGE)).status_code == 404


async def test_a_private_game_is_its_players(visit: Visit) -> None:
    async with visit() as ann, visit() as bo, visit() as stranger:
        game = await begun(ann, bo, private=True)
        await ann.post(f"/api/games/{game}/resign")
        assert (await bo.get(f"/analysis?game={game}")).status_code == 200
        for answer in (
            await stranger.get(f"/analysis?game={game}", headers=PAGE),
            await stranger.post("/analysis/think", data={"game": game, "turn": "1"}),
        ):
            assert answer.status_code == 404 and "c2-a4" not in answer.text


async def test_without_engines_nobody_thinks_on_the_page(visit: Visit) -> None:
    async with visit() as ann:
        page = (await ann.get("/analysis")).text
        assert 'id="think"' not in page and 'id="went"' not in page
        asked = await ann.post("/analysis/think", data={"rules": "root_down"})
        assert asked.status_code == 404 and "No engine runs here" in asked.text
