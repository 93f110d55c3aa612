"""Account life: signing up and in on several devices, passwords, ended sessions, and an end that keeps the games."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from serving import Visit, rows, running
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from hedgerow.serve.api.sockets import SIGNED_OUT
from hedgerow.serve.people.accounts import digest
from hedgerow.serve.settings import Settings
from hedgerow.serve.store import people
from hedgerow.serve.store.schema import now
from hedgerow.tools.serve_bench import Visitor, server_process

pytestmark = pytest.mark.anyio

PASSWORD = "under the hedge"


async def signed_up(client: httpx.AsyncClient, name: str = "Ann Ivy", **more: Any) -> dict[str, Any]:
    answer = await client.post("/api/sign-up", json={"name": name, "password": PASSWORD} | more)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def sign_in(client: httpx.AsyncClient, name: str = "Ann Ivy", password: str = PASSWORD) -> int:
    return (await client.post("/api/sign-in", json={"name": name, "password": password})).status_code


async def name_of(client: httpx.AsyncClient) -> str | None:
    account = (await client.get("/api/me")).json()["account"]
    return account and account["name"]


async def test_sessions_are_listed_and_ended(visit: Visit) -> None:
    async with visit() as here, visit() as phone, visit() as other:
        await signed_up(here)
        phone.headers["User-Agent"] = "Mozilla/5.0 (Linux; Android 15) Chrome/140 Mobile Safari/537"
        assert await sign_in(phone) == 200
        await signed_up(other, "Bo")
        listed = (await here.get("/api/account/sessions")).json()
        assert {row["device"]: row["this"] for row in listed} == {"Chrome, Android": False, "python-httpx": True}
        theirs = next(row["id"] for row in listed if not row["this"])
        assert (await other.delete(f"/api/account/sessions/{theirs}")).status_code == 404
        assert await name_of(phone) == "Ann Ivy"
        assert (await here.delete(f"/api/account/sessions/{theirs}")).json() == {"ended": 1}
        assert await name_of(phone) is None and await name_of(here) == "Ann Ivy"
        assert (await here.delete("/api/account/sessions/%25%25%25%25%25%25%25%25")).status_code == 422
        await sign_in(phone)
        assert (await here.delete("/api/account/sessions")).json() == {"ended": 1}
        assert await name_of(phone) is None and await name_of(other) == "Bo"


async def test_a_new_password_ends_the_other_sessions(visit: Visit) -> None:
    async with visit() as here, visit() as there:
        await signed_up(here)
        await sign_in(there)
        wrong = await here.post("/api/account/password", json={"old": "wrong", "new": "another hedge"})
        assert wrong.status_code == 403 and wrong.json()["code"] == "wrong_password"
        short = await here.post("/api/account/password", json={"old": PASSWORD, "new": "short"})
        assert short.status_code == 422 and await name_of(there) == "Ann Ivy"
        done = await here.post("/api/account/password", json={"old": PASSWORD, "new": "another hedge"})
        assert done.status_code == 204
        assert await name_of(here) == "Ann Ivy" and await name_of(there) is None
        assert await sign_in(there) == 401 and await sign_in(there, password="another hedge") == 200


async def test_a_deleted_account_leaves_its_games(visit: Visit) -> None:
    async with visit() as ann, visit() as bo:
        await signed_up(ann)
        playing = (await ann.post("/api/games", json={"rules": "hexbo(side=5)", "opponent": "friend"})).json()["id"]
        waiting = (await ann.post("/api/games", json={"rules": "hexbo", "opponent": "friend"})).json()["id"]
        await bo.post(f"/api/games/{playing}/join")
        await ann.post(f"/api/games/{playing}/turns", json={"number": 0, "text": "A1"})
        assert (await ann.post("/api/account/delete", json={"password": "wrong"})).status_code == 403
        assert (await ann.post("/api/account/delete", json={"password": PASSWORD})).status_code == 204
        assert await name_of(ann) is None and await sign_in(ann) == 401
        seen = (await bo.get(f"/api/games/{playing}")).json()
        assert seen["turns"][0] == "A1" and seen["outcome"]["winners"] == [1]
        assert seen["seats"][0]["name"] == people.GONE
        record = (await bo.get(f"/api/games/{playing}/record")).text
        assert "Ann Ivy" not in record and people.GONE in record
        assert (await bo.get(f"/api/games/{waiting}")).status_code == 404
        await signed_up(ann)  # the name is free again


async def test_guests_may_go_too(visit: Visit) -> None:
    async with visit() as ann:
        await ann.post("/api/guest")
        assert (await ann.post("/api/account/password", json={"old": "", "new": "long enough"})).status_code == 403
        assert (await ann.post("/api/account/delete", json={})).status_code == 204
        assert await name_of(ann) is None


async def test_one_guest_becomes_one_person(visit: Visit, app: FastAPI) -> None:
    async with visit() as ann:
        before = (await ann.post("/api/guest")).json()
        guest = await app.state.server.accounts.of(ann.cookies["hedgerow"])
        assert (await signed_up(ann))["id"] == before["id"]
        with pytest.raises(ValueError, match="signed up already"):
            await app.state.server.accounts.sign_up("Another", PASSWORD, None, guest)


async def test_what_was_ended_elsewhere_is_noticed(visit: Visit, app: FastAPI) -> None:
    server = app.state.server
    async with visit() as ann, visit() as bo:
        first, second = await signed_up(ann), await signed_up(bo, "Bo")
        assert await name_of(ann) and await name_of(bo)
        hung_up: list[str] = []
        for client in (ann, bo):
            key = digest(client.cookies["hedgerow"])
            server.connections.join(key, lambda key=key: hung_up.append(key))
        async with server.store.write() as connection:
            await people.change(connection, first["id"], banned=now())
        await server.accounts.sweep(server.connections.sessions)
        assert hung_up == [digest(ann.cookies["hedgerow"])] and await name_of(ann) is None
        assert await sign_in(ann) == 403 and await name_of(bo) == "Bo" and second["id"] != first["id"]


async def test_registration_by_invitation(settings: Settings) -> None:
    from dataclasses import replace

    async with running(replace(settings, registration="invitation", guests=False)) as app:
        async with app.state.server.store.write() as connection:
            invitation = {
                "kind": "invite",
                "token": digest("come in"),
                "about": "Ann",
                "created": 1,
                "expires": now() * 2,
            }
            await people.add_one_time_token(connection, **invitation)

        def browser() -> httpx.AsyncClient:
            return httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://here.test")

        async with browser() as ann, browser() as bo:
            asked = {"name": "Ann", "password": PASSWORD}
            assert (await ann.post("/api/guest")).status_code == 401
            assert (await ann.post("/api/games", json={"rules": "hexbo"})).status_code == 401
            assert (await ann.post("/games", data={"rules": "hexbo"})).status_code == 401
            assert (await ann.post("/api/sign-up", json=asked)).status_code == 403
            assert (await ann.post("/api/sign-up", json=asked | {"invitation": "guessed"})).status_code == 403
            assert 'value="come in"' in (await ann.get("/sign-up?invitation=come+in")).text
            assert (await ann.post("/api/sign-up", json=asked | {"invitation": "come in"})).status_code == 200
            again = await bo.post("/api/sign-up", json=asked | {"name": "Bo", "invitation": "come in"})
            assert again.status_code == 403 and await name_of(bo) is None


def test_the_sockets_of_an_ended_session_close(tmp_path: Path) -> None:
    with server_process(str(tmp_path), "--engines", "0") as (_, port):
        ann = Visitor(port)
        game = ann.ask("POST", "/api/games", {"rules": "hexbo(side=5)", "opponent": "friend"})["id"]
        ann.ask("POST", "/api/sign-up", {"name": "Ann", "password": PASSWORD})
        there = Visitor(port)
        there.ask("POST", "/api/sign-in", {"name": "Ann", "password": PASSWORD})
        url = f"ws://127.0.0.1:{port}/api/games/{game}/socket"
        with (
            connect(url, additional_headers={"Cookie": ann.cookie}) as mine,
            connect(url, additional_headers={"Cookie": there.cookie}) as theirs,
        ):
            assert json.loads(mine.recv(5))["you"] == json.loads(theirs.recv(5))["you"] == 0
            assert ann.ask("DELETE", "/api/account/sessions") == {"ended": 1}
            with pytest.raises(ConnectionClosed) as closed:
                theirs.recv(5)
            assert closed.value.rcvd is not None and closed.value.rcvd.code == SIGNED_OUT
            mine.send('{"type": "ping"}')
            assert json.loads(mine.recv(5))["type"] == "pong"
    assert len(rows(tmp_path / "hedgerow.db", "SELECT token FROM sessions")) == 1


# --- the pages --------------------------------------------------------------------------------------------------------


async def test_the_pages_do_it_all(visit: Visit) -> None:
    async with visit() as ann, visit() as phone:
        await ann.post("/games", data={"rules": "hexbo", "opponent": "friend"})
        page = (await ann.get("/sign-up")).text
        assert "CC0 1.0" in page and "You keep the games" in page and "Mail" not in page
        short = await ann.post("/sign-up", data={"name": "Ann", "password": "short"})
        assert short.status_code == 422 and 'value="Ann"' in short.text and "at least 8" in short.text
        nothing = await ann.post("/sign-up", data={"name": "Ann"})
        assert nothing.status_code == 422 and "password: Field required" in nothing.text
        assert (await ann.post("/sign-up", data={"name": "Ann", "password": PASSWORD})).status_code == 303
        assert '<a href="/account" class="me">Ann</a>' in (await ann.get("/")).text
        wrong = await phone.post("/sign-in", data={"name": "Ann", "password": "wrong <b>"})
        assert wrong.status_code == 401 and "wrong &lt;b&gt;" not in wrong.text
        assert (await phone.post("/sign-in", data={"name": "ann", "password": PASSWORD})).status_code == 303
        account = (await ann.get("/account")).text
        (other,) = [row["id"] for row in (await ann.get("/api/account/sessions")).json() if not row["this"]]
        assert f"/account/sessions/{other}/end" in account
        assert (await ann.post(f"/account/sessions/{other}/end")).status_code == 303
        assert (await phone.get("/account")).headers["location"] == "/sign-in"
        assert (await ann.post("/account/sessions/nothing/end")).status_code == 404
        await phone.post("/sign-in", data={"name": "ann", "password": PASSWORD})
        changed = await ann.post("/account/password", data={"old": PASSWORD, "new": "another hedge"})
        assert changed.status_code == 200 and "is changed" in changed.text and await name_of(phone) is None
        assert (await ann.post("/account/delete", data={"password": "another hedge"})).status_code == 422
        gone = await ann.post("/account/delete", data={"password": "another hedge", "sure": "yes"})
        assert gone.status_code == 303 and await name_of(ann) is None
        await phone.post("/sign-out")


async def test_forms_of_other_sites_change_nothing(visit: Visit) -> None:
    async with visit() as ann:
        await signed_up(ann)
        for path in ("/account/delete", "/account/password", "/sign-out", "/sign-in", "/sign-up"):
            answer = await ann.post(path, data={"sure": "yes"}, headers={"Origin": "http://elsewhere.test"})
            assert answer.status_code == 403, path
        for path in ("/sign-up", "/sign-in", "/account"):
            text = (await ann.get(path)).text
            assert not re.search(r'<style|<script(?! type="module" src="/)|\son\w+=|\sstyle=', text), path
        assert await name_of(ann) == "Ann Ivy"
