"""Personal access tokens: what they open, what they do not, how they end; and accounts that become bots."""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
import logging
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from places import until
from serving import Visit, first_turns
from sqlalchemy import text
from test_lobby import made, person
from typer.testing import CliRunner

from hedgerow.serve.people import tokens
from hedgerow.serve.people.accounts import ACCESS, Accounts, digest
from hedgerow.serve.people.limits import Limit
from hedgerow.serve.play import standings
from hedgerow.serve.process import logs, operator
from hedgerow.serve.server import Server
from hedgerow.serve.settings import Settings
from hedgerow.serve.store import open_store, queries
from hedgerow.serve.store.schema import accounts
from hedgerow.terminal.cli import app as command_line

pytestmark = pytest.mark.anyio

PASSWORD = "under the hedge"


async def token_for(client: httpx.AsyncClient, name: str = "my bot", **wishes: bool) -> str:
    answer = await client.post("/api/account/tokens", json={"name": name, **wishes})
    assert answer.status_code == 201, answer.text
    token: str = answer.json()["token"]
    return token


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


@contextlib.asynccontextmanager
async def program(visit: Visit, token: str) -> AsyncIterator[httpx.AsyncClient]:
    async with visit() as client:
        client.headers.update(bearer(token))
        yield client


@contextlib.asynccontextmanager
async def bot(visit: Visit, name: str) -> AsyncIterator[httpx.AsyncClient]:
    """The program of a new bot account."""
    async with person(visit, name) as owner:
        assert (await owner.post("/api/account/bot")).json()["bot"]
        token = await token_for(owner)
    async with program(visit, token) as client:
        yield client


async def me(client: httpx.AsyncClient) -> dict[str, Any] | None:
    found: dict[str, Any] | None = (await client.get("/api/me")).json().get("account")
    return found


async def test_made_shown_once_listed_and_revoked(visit: Visit, app: FastAPI) -> None:
    async with person(visit, "Ann") as ann, visit() as guest:
        answer = await ann.post("/api/account/tokens", json={"name": "  old \t laptop "})
        shown = answer.json()
        assert shown["token"].startswith(ACCESS) and answer.headers["cache-control"] == "no-store"
        assert (shown["name"], shown["used"]) == ("old laptop", None)
        async with app.state.server.store.read() as connection:
            (kept,) = await tokens.tokens.tokens_of(connection, (await me(ann) or {})["id"])
        assert kept.token == digest(shown["token"]) and shown["token"] not in repr(kept)
        async with program(visit, shown["token"]) as robot:
            assert (await me(robot) or {})["name"] == "Ann"
        listed = (await ann.get("/api/account/tokens")).json()
        assert [set(token) for token in listed] == [{"id", "name", "created", "used", "plays"}] and listed[0]["used"]
        assert shown["plays"] is False and listed[0]["plays"] is False
        async with person(visit, "Bo") as bo:
            assert (await bo.delete(f"/api/account/tokens/{shown['id']}")).status_code == 404
        assert (await ann.delete(f"/api/account/tokens/{shown['id']}")).status_code == 204
        assert (await ann.get("/api/account/tokens")).json() == []
        async with program(visit, shown["token"]) as robot:
            refused = await robot.get("/api/me")
            assert refused.status_code == 401 and "hint: make one" in refused.json()["message"]
        await guest.post("/api/guest")
        assert (await guest.post("/api/account/tokens", json={"name": "x"})).status_code == 403
        for name in ("", " \n ", "x" * 61):
            assert (await ann.post("/api/account/tokens", json={"name": name})).status_code == 422


async def test_an_account_has_only_so_many(visit: Visit, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "MOST", 2)
    async with person(visit, "Ann") as ann:
        tries = [ann.post("/api/account/tokens", json={"name": "x"}) for _ in range(5)]
        assert sorted(answer.status_code for answer in await asyncio.gather(*tries)) == [201, 201, 409, 409, 409]


async def test_a_token_that_does_not_hold_makes_nobody_a_guest(visit: Visit) -> None:
    async with person(visit, "Ann") as ann:
        cookie = dict(ann.cookies)["hedgerow"]
        token = await token_for(ann)
        for wrong in (ACCESS + "x" * 43, "", "nonsense", cookie, token[:-1], token + "x"):
            async with visit() as client:
                client.headers.update(bearer(wrong))
                client.cookies.set("hedgerow", cookie)  # whoever shows a token is not known by a cookie
                for answer in (await client.get("/api/me"), await client.post("/api/games", json={"rules": "hexbo"})):
                    assert (answer.status_code, answer.json()["code"]) == (401, "signed_out"), wrong
                    assert "set-cookie" not in answer.headers
        async with visit() as client:
            client.cookies.set("hedgerow", token)  # nor is a token a session
            assert await me(client) is None
            basic = await client.get("/api/me", headers={"Authorization": "Basic YTpi"})
            assert basic.json() == {"account": None}  # a proxy's own password is none of our business


async def test_no_origin_is_asked_of_a_program_and_none_is_forgiven_without(visit: Visit) -> None:
    elsewhere = {"Origin": "https://elsewhere.test", "Sec-Fetch-Site": "cross-site"}
    async with person(visit, "Ann") as ann, bot(visit, "Robo") as robot:
        asked = {"rules": "hexbo(side=5)", "opponent": "friend"}
        assert (await ann.post("/api/games", json=asked, headers=elsewhere)).status_code == 403
        assert (await robot.post("/api/games", json=asked, headers=elsewhere)).status_code == 201


async def test_a_token_does_not_manage_its_account(visit: Visit) -> None:
    async with person(visit, "Ann") as ann:
        token = await token_for(ann)
        async with program(visit, token) as robot:
            for method, path, body in (
                ("POST", "/api/account/password", {"old": PASSWORD, "new": "another one"}),
                ("POST", "/api/account/delete", {"password": PASSWORD}),
                ("GET", "/api/account/tokens", None),
                ("POST", "/api/account/tokens", {"name": "more"}),
                ("DELETE", "/api/account/tokens/1", None),
                ("POST", "/api/account/bot", None),
                ("GET", "/api/account/sessions", None),
                ("DELETE", "/api/account/sessions", None),
                ("POST", "/api/sign-in", {"name": "Ann", "password": PASSWORD}),
                ("POST", "/api/sign-out", None),
                ("GET", "/account", None),
                ("POST", "/account/delete", None),
            ):
                answer = await robot.request(method, path, json=body)
                assert (answer.status_code, answer.json()["code"]) == (403, "forbidden"), (method, path, answer.text)
        assert (await me(ann) or {})["kind"] == "person"
        assert len((await ann.get("/api/account/tokens")).json()) == 1


async def test_a_persons_token_looks_and_a_bots_plays(visit: Visit) -> None:
    async with person(visit, "Ann") as ann, bot(visit, "Robo") as robot:
        token = await token_for(ann)
        game = await made(ann, opponent="named", name="robo")
        async with program(visit, token) as reader:
            assert (await reader.get(f"/api/games/{game['id']}/record")).status_code == 200
            assert (await reader.put(f"/api/games/{game['id']}/note", json={"text": "mine"})).status_code == 200
            assert (await reader.get("/api/your-games")).json()["games"][0]["id"] == game["id"]
            for path, body in (
                ("", {"rules": "hexbo"}),
                (f"/{game['id']}/join", None),
                (f"/{game['id']}/turns", {"number": 0, "text": "A2"}),
                (f"/{game['id']}/resign", None),
                (f"/{game['id']}/chat", {"text": "hello"}),
                (f"/{game['id']}/offers/draw", None),
            ):
                refused = await reader.post(f"/api/games{path}", json=body)
                assert refused.status_code == 403 and "may only look" in refused.json()["message"], path
                assert "make a token that lets you play" in refused.json()["message"]
        assert (await robot.post(f"/api/games/{game['id']}/join")).json()["you"] == 1
        legal = (await ann.get(f"/api/games/{game['id']}")).json()["legal"][0]["text"]
        assert (await ann.post(f"/api/games/{game['id']}/turns", json={"number": 0, "text": legal})).status_code == 201
        told = (await robot.get(f"/api/games/{game['id']}")).json()
        turn = {"number": 1, "text": told["legal"][0]["text"]}
        assert (await robot.post(f"/api/games/{game['id']}/turns", json=turn)).status_code == 201


async def test_a_persons_token_plays_where_its_owner_says_so(visit: Visit) -> None:
    async with person(visit, "Ann") as ann, person(visit, "Bo") as bo:
        token = await token_for(ann, "terminal", plays=True)
        assert (await ann.get("/api/account/tokens")).json()[0]["plays"]
        game = (await made(bo, opponent="lobby", seat=0))["id"]
        async with program(visit, token) as terminal:
            joined = (await terminal.post(f"/api/games/{game}/join")).json()
            assert joined["you"] == 1 and [seat["bot"] for seat in joined["seats"]] == [False, False]
            for number, player in enumerate((bo, terminal)):
                legal = (await player.get(f"/api/games/{game}")).json()["legal"][0]["text"]
                turn = {"number": number, "text": legal}
                assert (await player.post(f"/api/games/{game}/turns", json=turn)).status_code == 201
            said = await terminal.post(f"/api/games/{game}/chat", json={"text": "good luck"})
            assert said.json()["name"] == "Ann" and not said.json()["bot"]
            assert (await made(terminal, opponent="friend"))["you"] == 0
            challenge = {"text": "hexbo challenge -small Ann Bo"}
            (answer,) = (await terminal.post("/api/commands", json=challenge)).json()
            assert answer["ok"], answer
            assert not (await me(terminal) or {})["bot"]
            for method, path, body in (
                ("POST", "/api/account/tokens", {"name": "more", "plays": True}),
                ("POST", "/api/account/password", {"old": PASSWORD, "new": "another one"}),
                ("POST", "/api/account/bot", None),
                ("POST", "/api/sign-out", None),
            ):
                assert (await terminal.request(method, path, json=body)).status_code == 403, path


async def test_tokens_from_before_do_not_play(settings: Settings) -> None:
    """A database of the revision before such tokens, brought to this one with the tokens that are in it."""
    store = await open_store(settings.data, settings.database)
    async with store.write() as connection:
        at = {"created": 1, "seen": 1}
        owner = await queries.add_account(connection, kind="person", name="Ann", folded="ann", **at)
        await connection.execute(text("DROP TABLE push_subscriptions"))
        await connection.execute(text("ALTER TABLE tokens DROP COLUMN plays"))
        row = {"token": digest(ACCESS + "x" * 43), "account": owner}
        await connection.execute(
            text("INSERT INTO tokens (token, account, name, created) VALUES (:token, :account, 'old', 1)"), row
        )
        await connection.execute(text("UPDATE alembic_version SET version_num = '0009'"))
    await store.close()
    store = await open_store(settings.data, settings.database)
    async with store.read() as connection:
        (kept,) = await tokens.tokens.tokens_of(connection, owner)
    assert kept.name == "old" and kept.plays is False
    account = await Accounts(store).of(ACCESS + "x" * 43)
    assert account and account.by_token and not tokens.may_play(account)
    await store.close()


async def test_who_may_become_a_bot(visit: Visit) -> None:
    async with person(visit, "Ann") as ann, person(visit, "Bo") as bo, visit() as guest:
        waiting = await made(ann, opponent="friend")
        assert (await ann.post("/api/account/bot")).json()["code"] == "taken"
        await ann.post(f"/api/games/{waiting['id']}/cancel")
        told = (await ann.post("/api/account/bot")).json()
        assert told["bot"] and told["kind"] == "bot" and told == await me(ann)
        assert (await ann.post("/api/account/bot")).json() == told  # the second time nothing happens
        await made(bo)
        refused = await bo.post("/api/account/bot")
        assert refused.status_code == 409 and "make a new account" in refused.json()["message"]
        await guest.post("/api/guest")
        assert (await guest.post("/api/account/bot")).status_code == 403


async def test_a_bot_is_one_at_once_though_a_server_remembers_a_person(visit: Visit, app: FastAPI) -> None:
    async with person(visit, "Ann") as ann:
        token = await token_for(ann)
        async with program(visit, token) as robot:
            assert (await me(robot) or {})["kind"] == "person"
            server: Server = app.state.server
            server.accounts.look_anew = lambda account: None  # type: ignore[method-assign]  # as another process
            await ann.post("/api/account/bot")
            assert (await made(robot, opponent="friend"))["seats"][0]["bot"]


async def test_bots_are_marked_wherever_they_are_shown(visit: Visit) -> None:
    async with person(visit, "Ann") as ann, bot(visit, "Robo") as robot:
        assert (await me(robot) or {})["bot"] and not (await me(ann) or {})["bot"]
        game = await made(robot, opponent="lobby")
        (waiting,) = (await ann.get("/api/lobby")).json()
        assert waiting["by_bot"] and waiting["bots"] == [0]
        joined = (await ann.post(f"/api/games/{game['id']}/join")).json()
        assert [seat["bot"] for seat in joined["seats"]] == [True, False]
        assert [seat["machine"] for seat in joined["seats"]] == [False, False]
        said = await robot.post(f"/api/games/{game['id']}/chat", json={"text": "good luck"})
        assert said.json()["bot"]
        heard = (await ann.get(f"/api/games/{game['id']}/chat")).json()
        assert [(message["name"], message["bot"]) for message in heard] == [("Robo", True)]
        for path in ("/api/watch", "/api/games"):
            assert (await ann.get(path)).json()[0]["bots"] == [0], path
        assert (await ann.get("/api/your-games")).json()["games"][0]["bots"] == [0]
        for path in ("/lobby", "/your-games", f"/games/{game['id']}"):
            assert "bot</" in (await ann.get(path)).text, path
        await ann.post(f"/api/games/{game['id']}/resign")
        assert (await ann.get("/api/archive")).json()["games"][0]["bots"] == [0]
        assert "bot</" in (await ann.get("/archive")).text


async def test_bots_are_rated_and_marked_among_the_leaders(visit: Visit, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(standings, "PROVISIONAL", 1)
    async with person(visit, "Ann") as ann, bot(visit, "Robo") as robot:
        game = await made(ann, rules="root_down", opponent="named", name="Robo", rated=True)
        await robot.post(f"/api/games/{game['id']}/join")
        await first_turns(game["id"], ann, robot)
        await ann.post(f"/api/games/{game['id']}/resign")

        async def leaders() -> list[tuple[str, bool]]:
            best = (await ann.get("/api/ratings/leaders", params={"game": "root_down"})).json()
            return [(one["name"], one["bot"]) for one in best]

        async def rated() -> bool:
            return bool(await leaders())

        await until(rated)
        assert await leaders() == [("Robo", True), ("Ann", False)]


async def test_machines_are_players_with_a_name_and_a_mark(visit: Visit) -> None:
    async with person(visit, "Ann") as ann:
        game = await made(ann, opponent="named", name="machine, level(2)")  # challenged like anybody else
        seat = game["seats"][1]
        assert game["state"] == "playing" and seat["name"] == "Machine, level(2)" and seat["machine"] and seat["bot"]
        (listed,) = (await ann.get("/api/games")).json()
        assert listed["seats"] == ["Ann", "Machine, level(2)"] and listed["bots"] == [1]
        assert "no level 99" in (await made(ann, 422, opponent="named", name="Machine, level(99)"))["message"]


async def test_limits_hold_for_the_account_whichever_way_it_comes(visit: Visit, app: FastAPI) -> None:
    async with person(visit, "Ann") as ann:
        token = await token_for(ann)
        app.state.server.limits._table["account"] = Limit(0.001, 4)
        async with program(visit, token) as one, program(visit, token) as two:
            got = [(await client.get("/api/me")).status_code for client in (one, two, ann, one, two, ann)]
        assert got == [200] * 4 + [429] * 2


# --- how they end -----------------------------------------------------------------------------------------------------


async def test_the_end_of_an_account_ends_its_tokens(visit: Visit) -> None:
    async with person(visit, "Ann") as ann:
        token = await token_for(ann)
        async with program(visit, token) as robot:
            assert await me(robot)
            assert (await ann.post("/api/account/delete", json={"password": PASSWORD})).status_code == 204
            assert (await robot.get("/api/me")).status_code == 401


async def test_a_ban_ends_tokens_for_good(visit: Visit, app: FastAPI) -> None:
    server: Server = app.state.server
    async with person(visit, "Ann") as ann:
        token = await token_for(ann)
        async with program(visit, token) as robot:
            assert await me(robot)
            hung_up: list[bool] = []
            server.connections.join(digest(token), lambda: hung_up.append(True))
            await operator.ban(server.store, "Ann", True)
            await server.accounts.sweep(server.connections.sessions)
            assert hung_up and (await robot.get("/api/me")).status_code == 401
            await operator.ban(server.store, "Ann", False)
            assert (await robot.get("/api/me")).status_code == 401


async def test_a_new_password_keeps_tokens_and_a_reset_does_not(visit: Visit, app: FastAPI) -> None:
    async with person(visit, "Ann") as ann:
        token = await token_for(ann)
        async with program(visit, token) as robot:
            changed = await ann.post("/api/account/password", json={"old": PASSWORD, "new": "another hedge"})
            assert changed.status_code == 204 and await me(robot)
            await operator.reset_password(app.state.server.store, "Ann")
            await app.state.server.accounts.sweep([])
            assert (await robot.get("/api/me")).status_code == 401


async def test_a_sweep_keeps_what_holds(visit: Visit, app: FastAPI) -> None:
    async with person(visit, "Ann") as ann:
        token = await token_for(ann)
        async with program(visit, token) as robot:
            await me(robot)
            server: Server = app.state.server
            ended: list[str] = []
            server.accounts.after_end.append(ended.extend)
            await server.accounts.sweep([digest(token), digest("nothing")])
            assert ended == [digest("nothing")]


def test_no_token_is_logged() -> None:
    token, out = ACCESS + "a-B_9" * 9, io.StringIO()
    before = list(logging.getLogger().handlers)
    try:
        for as_json in (False, True):
            logs.start_logging(as_json, out)
            logging.getLogger("hedgerow.test").warning("Authorization: Bearer %s was sent", token)
    finally:
        logging.getLogger().handlers[:] = before
    assert out.getvalue().count("Bearer hgt_*** was sent") == 2 and token not in out.getvalue()


# --- pages and the operator -------------------------------------------------------------------------------------------


async def test_the_account_page_makes_and_revokes_tokens(visit: Visit) -> None:
    async with person(visit, "Ann") as ann:
        shown = await ann.post("/account/tokens", data={"name": "<b>laptop</b>"})
        assert shown.status_code == 200 and shown.headers["cache-control"] == "no-store"
        token = shown.text.split(ACCESS)[1].split("<")[0]
        assert "&lt;b&gt;laptop" in shown.text and ACCESS + token not in (await ann.get("/account")).text
        async with program(visit, ACCESS + token) as robot:
            assert await me(robot)
            number = (await ann.get("/api/account/tokens")).json()[0]["id"]
            assert (await ann.post(f"/account/tokens/{number}/end")).status_code == 303
            assert (await robot.get("/api/me")).status_code == 401
        assert "plays in a terminal" not in (await ann.get("/account")).text
        shown = await ann.post("/account/tokens", data={"name": "desk", "plays": "yes"})
        assert "desk" in shown.text and "plays in a terminal" in shown.text
        assert [token["plays"] for token in (await ann.get("/api/account/tokens")).json()] == [True]
        assert "characters; hint" in (await ann.post("/account/tokens", data={"name": " "})).text
        assert (await ann.post("/account/tokens/999999/end")).status_code == 404
        assert (await ann.post("/account/tokens/nonsense/end")).status_code == 404
        assert "tick the box" in (await ann.post("/account/bot", data={})).text
        assert (await ann.post("/account/bot", data={"sure": "yes"})).status_code == 303
        page = (await ann.get("/account")).text
        assert (await me(ann) or {})["bot"] and 'action="/account/bot"' not in page and 'name="plays"' not in page
    async with visit() as guest:
        await guest.post("/api/guest")
        assert "/account/tokens" not in (await guest.get("/account")).text
        assert (await guest.post("/account/tokens", data={"name": "x"})).status_code == 403


async def test_the_operator_lists_and_revokes(visit: Visit, app: FastAPI, settings: Settings) -> None:
    async with person(visit, "Ann") as ann:
        robots = [await token_for(ann, name) for name in ("one", "two", "three")]
        place = ["--database", settings.database] if settings.database else ["--data", str(settings.data)]
        run = CliRunner().invoke

        async def admin(*words: str) -> str:
            done = await asyncio.to_thread(run, command_line, ["admin", *words, *place])
            assert done.exit_code == 0, done.output
            return done.stdout

        listed = json.loads(await admin("tokens", "ann", "--json"))
        assert [token["name"] for token in listed] == ["three", "two", "one"] and "token" not in listed[0]
        assert "three" in await admin("tokens", "ann")
        assert json.loads(await admin("revoke-token", "Ann", str(listed[0]["id"]))) == {"revoked": 1}
        assert json.loads(await admin("user", "Ann"))["tokens"] == 2
        assert json.loads(await admin("revoke-token", "Ann", "all")) == {"revoked": 2}
        failed = await asyncio.to_thread(run, command_line, ["admin", "revoke-token", "Ann", "7", *place])
        assert failed.exit_code != 0
        await app.state.server.accounts.sweep([])
        async with program(visit, robots[0]) as robot:
            assert (await robot.get("/api/me")).status_code == 401
    async with app.state.server.store.read() as connection:
        assert (await connection.execute(accounts.select())).first()
