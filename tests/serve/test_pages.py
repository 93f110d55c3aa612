"""The plain pages, with forms alone: start a game, play it, be told why not. No page has a script or a style inside."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from serving import Visit, first_turns, running, seen

from hedgerow.serve.engine import analyses, analyst
from hedgerow.serve.engine.engines import Engines
from hedgerow.serve.settings import Settings
from hedgerow.serve.store import talk

pytestmark = pytest.mark.anyio


async def test_a_friend_comes_by_the_link(visit: Visit) -> None:
    async with visit() as ann, visit() as bo:
        home = await ann.get("/")
        assert "Play the machine" in home.text and "Root Bound" in home.text
        made = await ann.post("/games", data={"rules": "hexbo(side=5)", "opponent": "friend"})
        where = made.headers["location"]
        assert made.status_code == 303 and re.fullmatch(r"/games/\w{12}", where)
        assert f"http://here.test{where}" in seen((await ann.get(where)).text)
        assert "Join the game" in seen((await bo.get(where)).text)
        await bo.post(f"{where}/join")
        page = seen((await ann.get(where)).text)
        assert 'name="number" value="0"' in page and 'data-point="A1"' in page
        assert (await ann.post(f"{where}/play", data={"number": "0", "text": "A1"})).status_code == 303
        assert '<a href="?turn=1" aria-current="true">A1</a>' in seen((await bo.get(where)).text)
        wrong = await bo.post(f"{where}/play", data={"number": "1", "text": "E5"})
        assert wrong.status_code == 422 and "E5 touches no stone of yours" in wrong.text
        assert re.search(r'<a href="/rules/hexbo#r[\d.]+">rule [\d.]+</a>', wrong.text)
        await bo.post(f"{where}/resign")
        assert "White resigned" in seen((await ann.get(where)).text)
        assert "Finished." in (await ann.get("/")).text


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


PAGE = {"Accept": "text/html"}


async def named(client: httpx.AsyncClient, name: str) -> int:
    signed = await client.post("/api/sign-up", json={"name": name, "password": "under the hedge"})
    number: int = signed.json()["id"]
    return number


async def between(ann: httpx.AsyncClient, bo: httpx.AsyncClient, **fields: str) -> str:
    """A game that Ann and Bo began on the pages; where its page is."""
    asked = {"rules": "hexbo(side=5)", "opponent": "friend", **fields}
    where: str = (await ann.post("/games", data=asked)).headers["location"]
    assert (await bo.post(f"{where}/join")).status_code == 303
    return where


async def test_a_wrong_address_is_a_page_for_people_and_json_for_programs(visit: Visit) -> None:
    async with visit() as ann:
        for where, status, words in (
            ("/nowhere", 404, "There is no such page."),
            ("/learn/hexbo?step=x", 422, "step:"),
        ):
            page, told = await ann.get(where, headers=PAGE), await ann.get(where)
            assert page.status_code == told.status_code == status
            assert "To the games" in page.text and words.lower() in page.text.lower()
            assert told.json()["code"] in ("not_found", "bad_request") and "hint:" in told.json()["message"]
        assert (await ann.get("/api/nowhere", headers=PAGE)).json()["code"] == "not_found"


async def test_a_game_is_started_with_choices(visit: Visit) -> None:
    async with visit() as ann, visit() as bo:
        await named(ann, "Ann")
        await named(bo, "Bo")
        asked = {"rules": "root_bound", "with-side": "4", "with-centerless": "no", "with-tie_pass": "final"}
        asked |= {"clock": "3 days", "private": "yes", "name": "bo", "seat": "any", "opponent": "machine"}
        made = await ann.post("/games", data=asked)
        told = (await ann.get(f"/api{made.headers['location']}")).json()
        assert told["rules"] == "root_bound(side=4,tie_pass=final)" and told["private"]
        assert told["clock"]["kind"] == "days" and not told["rated"] and told["state"] == "open"
        lobby = (await bo.get("/lobby")).text
        assert "Root Bound, side 4, tie pass final" in lobby and "3 days a turn" in lobby
        rated = await ann.post("/games", data={"rules": "tanbo", "opponent": "friend", "rated": "yes", "clock": "3+2"})
        told = (await ann.get(f"/api{rated.headers['location']}")).json()
        assert told["rated"] and told["clock"]["left"] is not None
        wrong = await ann.post("/games", data={"rules": "tanbo", "with-size": "4"}, headers=PAGE)
        assert wrong.status_code == 422 and "That did not work" in wrong.text


async def test_offers_by_forms(visit: Visit) -> None:
    async with visit() as ann, visit() as bo, visit() as stranger:
        where = await between(ann, bo)
        page = seen((await ann.get(where)).text)
        assert (
            "Call the game off" in page
            and "Offer a draw" in page
            and ">Take back<" not in page
            and "Rematch" not in page
        )
        await ann.post(f"{where}/play", data={"number": "0", "text": "A1"})
        assert ">Take back<" in seen((await ann.get(where)).text)
        assert (await ann.post(f"{where}/offers/undo", data={"do": "ask"})).status_code == 303
        assert "You asked to take back A1." in seen((await ann.get(where)).text)
        theirs = seen((await bo.get(where)).text)
        assert "asks to take back A1." in theirs and "Accept" in theirs and "Decline" in theirs
        watched = seen((await stranger.get(where)).text)
        assert "asks to take back A1." in watched and "Accept" not in watched and "/resign" not in watched
        await bo.post(f"{where}/offers/undo", data={"do": "decline"})
        again = await ann.post(f"{where}/offers/undo", data={"do": "ask"})
        assert again.status_code == 409 and "A takeback was declined" in again.text
        await bo.post(f"{where}/offers/draw", data={"do": "ask"})
        assert (await ann.post(f"{where}/offers/draw", data={"do": "agree"})).status_code == 303
        over = seen((await ann.get(where)).text)
        assert "A draw was agreed." in over and re.search("<h2[^>]*>A draw<", over) and "Resign" not in over
        await ann.post(f"{where}/offers/rematch", data={"do": "ask"})
        assert "offers a rematch." in seen((await bo.get(where)).text)
        following = (await bo.post(f"{where}/offers/rematch", data={"do": "agree"})).headers["location"]
        assert following != where and "To the rematch" in seen((await ann.get(where)).text)
        assert f'href="{following}"' in seen((await stranger.get(where)).text)
        assert (await stranger.post(f"{where}/offers/draw")).status_code == 401
        assert (await ann.post(f"{where}/offers/everything")).status_code == 422


async def test_talk_by_forms(visit: Visit, app: FastAPI) -> None:
    async with visit() as ann, visit() as bo, visit() as guest:
        await named(ann, "Ann")
        rude = await named(bo, "Bo")
        await guest.post("/api/guest")
        where = await between(ann, bo)
        assert (await bo.post(f"{where}/chat", data={"text": "a <i>rude</i> word"})).headers[
            "location"
        ] == f"{where}#talk"
        page = seen((await ann.get(where)).text)
        assert "a &lt;i&gt;rude&lt;/i&gt; word" in page and "Mute Bo" in page and "Message to the players" in page
        assert "Mute" not in seen((await bo.get(where)).text)  # nobody reports himself
        watching = seen((await guest.get(where)).text)
        assert (
            "rude" not in watching and "Message to the spectators" not in watching
        )  # guests only talk in their own games
        form = re.search(r'action="(/games/\w+/chat/\d+/report)"', page)
        assert form and "Thank you" in (await ann.post(form[1], data={"reason": "rude"})).text
        assert (await ann.post(form[1], data={"reason": ""})).status_code == 422
        async with app.state.server.store.read() as connection:
            (report,) = await talk.open_reports(connection)
        assert report.reason == "rude" and report.by == rude
        await ann.post(f"{where}/mutes/{rude}", data={"kind": "block"})
        page = seen((await ann.get(where)).text)
        assert "rude" not in page and "Bo (blocked)" in page
        await ann.post(f"{where}/mutes/{rude}", data={"kind": "hear"})
        assert "rude" in seen((await ann.get(where)).text)
        empty = await ann.post(f"{where}/chat", data={"text": " "})
        assert empty.status_code == 422 and "A message of 0 characters" in empty.text


async def test_notes_and_plans_by_forms(visit: Visit, app: FastAPI) -> None:
    async with visit() as ann, visit() as bo:
        where = await between(ann, bo, clock="1 day")
        assert "1 day a turn" in seen((await ann.get(where)).text)
        await ann.post(f"{where}/note", data={"text": "mind the <edge>"})
        own, other = seen((await ann.get(where)).text), seen((await bo.get(where)).text)
        assert "mind the &lt;edge&gt;" in own and "mind" not in other
        assert "Save the plan" not in own and "Save the plan" in other
        theirs = await legal(ann, where)
        await ann.post(f"{where}/play", data={"number": "0", "text": theirs[0]})
        answers = await legal(bo, where)
        answer, planned = answers[0], await after(bo, where, answers[0])
        wrong = await ann.post(f"{where}/plan", data={"lines": f"{answer}"})
        assert wrong.status_code == 422 and "A line of 1 turns" in wrong.text
        kept = await ann.post(f"{where}/plan", data={"lines": f"{answer}, {planned}\r\n\r\n"})
        assert kept.status_code == 303 and f"{answer}, {planned}" in seen((await ann.get(where)).text)
        await bo.post(f"{where}/play", data={"number": "1", "text": answer})
        while len((await ann.get(f"/api{where}")).json()["turns"]) < 3:
            await asyncio.sleep(0.01)
        assert (await ann.get(f"/api{where}")).json()["turns"][2] == planned


async def legal(client: httpx.AsyncClient, where: str) -> list[str]:
    return [action["text"] for action in (await client.get(f"/api{where}")).json()["legal"]]


async def after(client: httpx.AsyncClient, where: str, text: str) -> str:
    found: str = (await client.get(f"/api{where}", params={"partial": text})).json()["legal"][0]["text"]
    return found


async def test_notices_have_a_badge_on_every_page(visit: Visit, app: FastAPI) -> None:
    async with visit() as ann, visit() as bo:
        assert (await ann.get("/notices")).headers["location"] == "/sign-in"
        where = await between(ann, bo, clock="1 day")
        await app.state.server.notices.stop()  # until what is being written is written
        for path in ("/", "/lobby", "/archive", "/leaders", "/account", "/games/nowhere", "/notices"):
            page = (await ann.get(path, headers=PAGE)).text
            assert '<span class="badge">1<span' in page, path
        assert f'<a href="{where}">Hexbo: it is your turn.</a>' in (await ann.get("/notices")).text
        assert 'class="badge"' not in (await bo.get("/")).text
        assert (await ann.get(where)).status_code == 200  # who looks at the game knows
        assert 'class="badge"' not in (await ann.get("/")).text
        await ann.post(f"{where}/play", data={"number": "0", "text": "A1"})
        await app.state.server.notices.stop()
        assert 'class="badge"' in (await bo.get("/")).text
        assert (await bo.post("/notices/read")).headers["location"] == "/notices"
        assert 'class="badge"' not in (await bo.get("/notices")).text


async def test_ratings_have_pages(visit: Visit, app: FastAPI) -> None:
    async with visit() as ann, visit() as bo:
        number = await named(ann, "Ann")
        await named(bo, "Bo")
        assert "No rated games yet" in (await bo.get(f"/people/{number}")).text
        for _ in range(10):
            where = await between(ann, bo, rules="root_down", rated="yes")
            await first_turns(where.rpartition("/")[2], ann, bo)
            await bo.post(f"{where}/resign")
            await app.state.server.ratings.stop()  # until what is being rated is rated
        best = (await bo.get("/leaders", params={"ladder": "root_down/2"})).text
        assert re.search(r'<td class="number">1</td><th scope="row"><a href="/people/\d+">Ann</a>', best)
        assert "Nobody has an established rating in Hexbo for 3" in (await bo.get("/leaders?ladder=hexbo/3")).text
        assert (await bo.get("/leaders?ladder=chess")).status_code == 200
        page = (await bo.get(f"/people/{number}")).text
        assert "Root Down" in page and "<polyline" in page and f'href="{where}"' in page
        assert (await bo.get("/people/999999", headers=PAGE)).status_code == 404
        assert (await bo.get("/people/somebody")).status_code == 422


async def test_the_engine_is_asked_by_a_button(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Engines, "wake", lambda self: None)
    monkeypatch.setattr(analyses, "ONCE_SECONDS", 0.25)
    monkeypatch.setattr(analyst, "NICE", 0)
    async with running(Settings(data=tmp_path, engines=1)) as app:
        base: dict[str, Any] = {"transport": httpx.ASGITransport(app), "base_url": "http://here.test"}
        async with httpx.AsyncClient(**base) as ann, httpx.AsyncClient(**base) as bo:
            where = await between(ann, bo)
            await ann.post(f"{where}/play", data={"number": "0", "text": "A1"})
            assert "What does the engine think?" not in seen((await ann.get(where)).text)
            refused = await ann.post(f"{where}/analysis")
            assert refused.status_code == 409 and "while people play" in refused.text
            await bo.post(f"{where}/resign")
            assert "What does the engine think?" in seen((await ann.get(where)).text)
            found = (await ann.post(f"{where}/analysis")).text
            assert "after turn 1 of 1 (<b>A1</b>); White is to move." in found and "by the network, from" in found
            assert not re.search(r"<style|<script(?![^>]*src=)|\son\w+=|\sstyle=", found)
            before = (await ann.post(f"{where}/analysis", data={"turn": "0"})).text
            assert "after turn 0 of 1; Black is to move." in before and "Next turn" in before
            assert (await ann.post(f"{where}/analysis", data={"turn": "7"})).status_code == 422


async def test_people_take_a_machines_seat(visit: Visit) -> None:
    async with visit() as ann, visit() as bo:
        asked = {"rules": "hexbo(side=5)", "opponent": "machine", "welcome": True}
        where = f"/games/{(await ann.post('/api/games', json=asked)).json()['id']}"
        assert "Sit down as White instead of the machine" in seen((await bo.get(where)).text)
        assert (await bo.post(f"{where}/take-over")).status_code == 303
        assert (await bo.get(f"/api{where}")).json()["you"] == 1
