"""The JSON API as a program meets it: people, games, refusals, and what the door keeps out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from serving import Visit, rows
from sqlalchemy import update

import hedgerow as hg
from hedgerow.serve.settings import Settings
from hedgerow.serve.store.schema import games

pytestmark = pytest.mark.anyio


async def made(client: httpx.AsyncClient, **asked: Any) -> dict[str, Any]:
    answer = await client.post("/api/games", json={"rules": "hexbo(side=5)", "opponent": "friend"} | asked)
    assert answer.status_code == 201, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def play(client: httpx.AsyncClient, game: str, number: int, text: str) -> httpx.Response:
    return await client.post(f"/api/games/{game}/turns", json={"number": number, "text": text})


async def test_health(visit: Visit) -> None:
    async with visit() as client:
        assert (await client.get("/healthz")).json() == {"status": "ok"}
        assert (await client.get("/readyz")).json() == {"status": "ready"}
        assert "hedgerow_turns_stored_total 0" in (await client.get("/metrics")).text
        described = (await client.get("/openapi.json")).json()
        assert "/api/games/{game}/turns" in described["paths"]


async def test_two_guests_play_by_a_link(visit: Visit, app: FastAPI) -> None:
    async with visit() as ann, visit() as bo, visit() as watcher:
        game = await made(ann)
        assert game["state"] == "open" and game["you"] == 0 and game["legal"] == []
        assert (await play(ann, game["id"], 0, "A1")).json()["code"] == "not_begun"
        joined = (await bo.post(f"/api/games/{game['id']}/join")).json()
        assert joined["state"] == "playing" and joined["you"] == 1
        assert (await watcher.post(f"/api/games/{game['id']}/join")).status_code == 409
        stored = await play(ann, game["id"], 0, "a1")
        assert stored.status_code == 201 and stored.json()["text"] == "A1"
        assert (await play(ann, game["id"], 0, "A1")).json() == stored.json()
        assert (await play(bo, game["id"], 0, "A2")).status_code == 409
        seen = (await watcher.get(f"/api/games/{game['id']}")).json()
        match = hg.Match("hexbo(side=5)")
        match.play("A1")
        assert seen["turns"] == ["A1"] and seen["you"] is None and seen["version"] == 1
        assert sorted(action["text"] for action in seen["legal"]) == match.legal()
        assert seen["svg"] == match.svg() and seen["prompt"] == match.prompt
        assert (await bo.post(f"/api/games/{game['id']}/resign")).json()["outcome"]["winners"] == [0]
        async with app.state.server.store.write() as connection:  # a game of long ago
            await connection.execute(update(games).values(begun=951_782_400_000))
        app.state.server.games.forget(game["id"])
        record = await watcher.get(f"/api/games/{game['id']}/record")
        assert "\nDate: 2000-02-29\n" in record.text
        assert (
            hg.read(record.text).outcome.reason == "resignation"
            and "attachment" in record.headers["content-disposition"]
        )


async def test_within_a_turn(visit: Visit) -> None:
    async with visit() as ann, visit() as bo:
        game = (await made(ann, rules="root_bound(side=4)"))["id"]
        await bo.post(f"/api/games/{game}/join")
        await play(ann, game, 0, "a1")
        seen = (await bo.get(f"/api/games/{game}", params={"partial": "c3", "picture": False})).json()
        assert seen["turn_goes_on"] and seen["version"] == 1 and seen["turns"] == ["a1"] and seen["svg"] is None
        assert (await bo.get(f"/api/games/{game}", params={"partial": "zz9"})).status_code == 422
        refused = (await play(bo, game, 1, "c3 c3")).json()
        assert refused["code"] == "illegal" and refused["points"] == ["c3"] and refused["clause"]
        assert (await play(bo, game, 1, "c3 g2")).status_code == 201


async def test_why_not(visit: Visit) -> None:
    async with visit() as ann:
        game = (await made(ann))["id"]
        assert (await ann.get(f"/api/games/{game}/why-not", params={"text": "A1"})).json()["legal"] is True
        why = (await ann.get(f"/api/games/{game}/why-not", params={"text": "E5"})).json()
        assert not why["legal"] and why["code"] and why["clause"] and why["reason"].endswith(".")


async def test_lists(visit: Visit) -> None:
    async with visit() as ann, visit() as bo:
        assert (await ann.get("/api/games")).json() == []
        game, hidden = (await made(ann))["id"], (await made(ann, private=True))["id"]
        await bo.post(f"/api/games/{game}/join")
        await bo.post(f"/api/games/{hidden}/join")
        await play(ann, game, 0, "A1")
        mine = (await bo.get("/api/games")).json()
        assert [(row["id"], row["your_turn"]) for row in mine] == [(game, True), (hidden, False)]
        public = (await ann.get("/api/games", params={"mine": False})).json()
        assert [row["id"] for row in public] == [game]
        assert (await ann.get("/api/games", params={"state": "over"})).json() == []


@pytest.mark.parametrize(
    ("asked", "status", "words"),
    [
        ({"rules": "chess"}, 422, "no game 'chess'"),
        ({"rules": "hexbo(side=6)"}, 422, "hint: side is"),
        ({"seat": 2}, 422, "no seat 2"),
        ({"level": 99}, 422, "level"),
        ({"clock": {"kind": "live", "minutes": 0}}, 422, "minutes"),
        ({"clock": {"kind": "live", "minutes": 1e-9}}, 422, "minutes"),
        ({"clock": {"kind": "live", "minutes": 1e9}}, 422, "minutes"),
        ({"clock": {"kind": "live", "minutes": "NaN"}}, 422, "minutes"),
        ({"clock": {"kind": "live", "increment": "Infinity"}}, 422, "increment"),
        ({"clock": {"kind": "days", "days": 10**30}}, 422, "days"),
        ({"hours": 1e-9}, 422, "hours"),
        ({"hours": "NaN"}, 422, "hours"),
        ({"level": 10**400}, 422, "level"),
        ({"seat": -1}, 422, "seat"),
        ({"seats": [{"who": "me"}, {"who": "machine", "level": 10**30}]}, 422, "level"),
    ],
)
async def test_games_that_cannot_be(visit: Visit, asked: dict[str, Any], status: int, words: str) -> None:
    async with visit() as ann:
        answer = await ann.post("/api/games", json={"rules": "hexbo"} | asked)
        assert answer.status_code == status and words in answer.text


async def test_a_rated_game_has_some_time(visit: Visit) -> None:
    async with visit() as ann:
        await ann.post("/api/sign-up", json={"name": "Ann", "password": "under the hedge"})
        for minutes, status in ((1e-9, 422), (0.02, 422), (0.99, 422), (1, 201)):
            clock = {"kind": "live", "minutes": minutes, "increment": 0}
            asked = {"rules": "hexbo", "opponent": "friend", "rated": True, "clock": clock}
            answer = await ann.post("/api/games", json=asked)
            assert answer.status_code == status and (status == 201 or "; hint:" in answer.text), answer.text


NUMBERS = (
    "NaN",
    "Infinity",
    "-Infinity",
    "1e-9",
    "1e400",
    "-1",
    "1" + "0" * 30,
    "9" * 5000,
    "1.5",
    "true",
    "null",
    "x",
)


async def test_any_number_is_taken_or_refused(visit: Visit) -> None:
    async with visit() as ann:
        game = (await made(ann))["id"]
        places = {
            f"/api/games/{game}": ("turn",),
            f"/api/games/{game}/analysis": ("turn", "seconds", "lines"),
            f"/api/games/{game}/chat": ("after", "limit"),
            "/api/games": ("limit",),
            "/api/lobby": ("limit",),
            "/api/watch": ("limit",),
            "/api/archive": ("limit", "before"),
            "/api/notices": ("limit",),
            "/api/positions/picture": ("size",),
            "/analysis": ("turn",),
            f"/games/{game}": ("turn",),
        }
        for number in NUMBERS:
            for place, names in places.items():
                for name in names:
                    answer = await ann.get(place, params={"rules": "hexbo(side=5)", name: number})
                    assert answer.status_code < 500, f"{place}?{name}={number:.20}: {answer.text[:200]}"
            for name in ("number", "thought"):
                body = f'{{"number": 0, "text": "A1", "thought": 1, "{name}": {number}}}'
                headers = {"Content-Type": "application/json"}
                answer = await ann.post(f"/api/games/{game}/turns", content=body, headers=headers)
                assert answer.status_code < 500, f"{name}={number:.20}: {answer.text[:200]}"


async def test_who_may(visit: Visit) -> None:
    async with visit() as ann, visit() as nobody:
        game = (await made(ann))["id"]
        assert (await play(nobody, game, 0, "A1")).status_code == 401
        assert (await nobody.post(f"/api/games/{game}/resign")).status_code == 401
        await nobody.post("/api/guest")
        assert (await play(nobody, game, 0, "A1")).status_code == 403
        assert (await nobody.get("/api/games/nowhere")).status_code == 404


# --- people -----------------------------------------------------------------------------------------------------------


async def test_a_guest_signs_up_and_keeps_the_games(visit: Visit) -> None:
    async with visit() as ann, visit() as other:
        game = (await made(ann))["id"]
        before = (await ann.get("/api/me")).json()["account"]
        assert before["kind"] == "guest"
        signed = await ann.post("/api/sign-up", json={"name": "Ann Ivy", "password": "under the hedge"})
        assert signed.json() == {"id": before["id"], "name": "Ann Ivy", "kind": "person", "bot": False}
        assert [row["id"] for row in (await ann.get("/api/games")).json()] == [game]
        taken = await other.post("/api/sign-up", json={"name": "ANN IVY", "password": "another one"})
        assert taken.status_code == 409 and taken.json()["code"] == "taken"
        assert (await other.post("/api/sign-in", json={"name": "ann ivy", "password": "wrong"})).status_code == 401
        assert (await other.post("/api/sign-in", json={"name": "nobody", "password": "wrong"})).status_code == 401
        await other.post("/api/sign-in", json={"name": "ann ivy", "password": "under the hedge"})
        assert (await other.get("/api/me")).json()["account"]["id"] == before["id"]
        assert (await other.post("/api/sign-out")).status_code == 204
        assert (await other.get("/api/me")).json() == {"account": None}
        assert (await ann.get("/api/me")).json()["account"]["name"] == "Ann Ivy"


@pytest.mark.parametrize("asked", [{"name": "x"}, {"name": "<b>bold</b>"}, {"password": "short"}, {"mail": "nowhere"}])
async def test_accounts_that_cannot_be(visit: Visit, asked: dict[str, str]) -> None:
    async with visit() as ann:
        answer = await ann.post("/api/sign-up", json={"name": "Ann", "password": "long enough"} | asked)
        assert answer.status_code == 422


async def test_a_session_is_a_cookie_that_only_the_server_reads(visit: Visit, settings: Settings) -> None:
    async with visit() as ann:
        answer = await ann.post("/api/guest")
        cookie = answer.headers["set-cookie"]
        assert "HttpOnly" in cookie and "SameSite=lax" in cookie and "Secure" not in cookie
        token = ann.cookies["hedgerow"]
        assert len(token) >= 43
        if not settings.database:
            kept = rows(Path(settings.data) / "hedgerow.db", "SELECT token FROM sessions")
            assert len(kept) == 1 and kept != [(token,)] and len(str(kept[0][0])) == 64
        assert (await ann.post("/api/guest")).headers.get("set-cookie") is None
        ann.cookies.set("hedgerow", "forged")
        assert (await ann.get("/api/me", headers={"Cookie": "hedgerow=forged"})).json() == {"account": None}


# --- the door ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Origin": "http://here.test"}, 200),
        ({"Origin": "http://elsewhere.test"}, 403),
        ({"Origin": "null"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
    ],
)
async def test_forms_of_other_sites_are_refused(visit: Visit, headers: dict[str, str], status: int) -> None:
    async with visit() as ann:
        assert (await ann.post("/api/guest", headers=headers)).status_code == status


async def test_requests_have_a_size(visit: Visit) -> None:
    async def endless() -> Any:
        for _ in range(100):
            yield b"x" * 1024

    async with visit() as ann:
        assert (await ann.post("/api/sign-in", content=b"x" * 70_000)).status_code == 413
        assert (await ann.post("/api/sign-in", content=endless())).status_code in (400, 413, 422)


async def test_every_answer_forbids_foreign_scripts(visit: Visit) -> None:
    async with visit() as ann:
        for path in ("/", "/healthz", "/nowhere", "/static/game.js"):
            policy = (await ann.get(path)).headers["content-security-policy"]
            assert "default-src 'none'" in policy and "unsafe" not in policy
