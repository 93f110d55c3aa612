"""The plain pages, with forms alone: start a game, play it, be told why not. No page has a script or a style inside."""

from __future__ import annotations

import re

import pytest
from serving import Visit

pytestmark = pytest.mark.anyio


async def test_a_friend_comes_by_the_link(visit: Visit) -> None:
    async with visit() as ann, visit() as bo:
        home = await ann.get("/")
        assert "Play the machine" in home.text and "Root Bound" in home.text
        made = await ann.post("/games", data={"rules": "hexbo(side=5)", "opponent": "friend"})
        where = made.headers["location"]
        assert made.status_code == 303 and re.fullmatch(r"/games/\w{12}", where)
        assert f"http://here.test{where}" in (await ann.get(where)).text
        assert "Take the free seat" in (await bo.get(where)).text
        await bo.post(f"{where}/join")
        page = (await ann.get(where)).text
        assert 'name="number" value="0"' in page and 'data-point="A1"' in page
        assert (await ann.post(f"{where}/play", data={"number": "0", "text": "A1"})).status_code == 303
        assert "<li>A1</li>" in (await bo.get(where)).text
        wrong = await bo.post(f"{where}/play", data={"number": "1", "text": "E5"})
        assert wrong.status_code == 422 and "illegal move &#39;E5&#39;" in wrong.text
        await bo.post(f"{where}/resign")
        assert "White resigned" in (await ann.get(where)).text
        assert "Over." in (await ann.get("/")).text


async def test_pages_hold_no_script_and_no_style(visit: Visit) -> None:
    async with visit() as ann:
        where = (await ann.post("/games", data={"rules": "root_down"})).headers["location"]
        for path in ("/", where, "/games/nowhere"):
            text = (await ann.get(path)).text
            assert not re.search(r"<style|<script(?![^>]*src=)|\son\w+=|\sstyle=", text)
        assert (await ann.get("/games/nowhere")).status_code == 404
        assert ".hedgerow" in (await ann.get("/board.css")).text


async def test_names_are_only_text(visit: Visit) -> None:
    async with visit() as ann:
        refused = await ann.post("/games", data={"rules": "<script>alert(1)</script>"})
        assert refused.status_code == 422 and "text/html" not in refused.headers["content-type"]
        assert (await ann.post("/games", content=b"\xff\xfe")).status_code == 422
