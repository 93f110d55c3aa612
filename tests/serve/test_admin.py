"""`hedgerow admin` and what is behind it: people, invitations, games, and backups that really bring everything back."""

from __future__ import annotations

import io
import random
import sqlite3
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from serving import Visit, running
from sqlalchemy import select, update
from typer.testing import CliRunner

from hedgerow.game import HedgerowError
from hedgerow.match import Match
from hedgerow.serve.process import backup, operator
from hedgerow.serve.settings import Settings
from hedgerow.serve.store import Store, open_store
from hedgerow.serve.store.schema import accounts, games, metadata, turns
from hedgerow.terminal.cli import app as command_line

pytestmark = pytest.mark.anyio

PASSWORD = "under the hedge"


async def person(client: httpx.AsyncClient, name: str) -> int:
    answer = await client.post("/api/sign-up", json={"name": name, "password": PASSWORD})
    number: int = answer.json()["id"]
    return number


async def some_games(ann: httpx.AsyncClient, bo: httpx.AsyncClient, count: int = 4) -> dict[str, list[str]]:
    """Random games over the API, some of them to the end; their turns."""
    chance, played = random.Random(7), {}
    for number in range(count):
        rules = ("root_bound(side=3)", "hexbo(side=5)")[number % 2]
        asked = {"rules": rules, "opponent": "friend", "private": number == 1}
        game = (await ann.post("/api/games", json=asked)).json()["id"]
        await bo.post(f"/api/games/{game}/join")
        match = Match(rules)
        while match.outcome is None and len(match.turns) < 3 + 6 * number:
            mover, turn = match.to_move, len(match.turns)
            match.play(chance.choice(match.legal()))
            while match.mid_turn:
                match.play(chance.choice(match.legal()))
            asked = {"number": turn, "text": match.turns[-1]}
            answer = await (ann, bo)[mover].post(f"/api/games/{game}/turns", json=asked)
            assert answer.status_code == 201, answer.text
        if number == 3 and match.outcome is None:
            await ann.post(f"/api/games/{game}/resign")
        played[game] = list(match.turns)
    return played


async def everything(store: Store) -> dict[str, list[dict[str, Any]]]:
    async with store.read() as connection:
        return {
            table.name: [
                dict(row._mapping)
                for row in await connection.execute(select(table).order_by(*table.primary_key.columns))
            ]
            for table in metadata.sorted_tables
        }


# --- people -----------------------------------------------------------------------------------------------------------


async def test_people(visit: Visit, app: FastAPI) -> None:
    store = app.state.server.store
    async with visit() as ann, visit() as bo:
        number = await person(ann, "Ann Ivy")
        await person(bo, "Bo")
        assert {row["name"] for row in await operator.users(store)} == {"Ann Ivy", "Bo"}
        assert [row["name"] for row in await operator.users(store, "IVY")] == ["Ann Ivy"]
        told = await operator.user(store, "ann ivy")
        assert told["id"] == number and told["sessions"] == 1 and "password" not in told
        password = await operator.reset_password(store, f"#{number}")
        await app.state.server.accounts.sweep([])
        assert (await ann.get("/api/me")).json() == {"account": None}
        assert (await ann.post("/api/sign-in", json={"name": "Ann Ivy", "password": PASSWORD})).status_code == 401
        assert (await ann.post("/api/sign-in", json={"name": "Ann Ivy", "password": password})).status_code == 200
        assert (await operator.ban(store, "Ann Ivy", True))["banned"]
        await app.state.server.accounts.sweep([])
        assert (await ann.get("/api/me")).json() == {"account": None}
        refused = await ann.post("/api/sign-in", json={"name": "Ann Ivy", "password": password})
        assert refused.status_code == 403 and refused.json()["code"] == "banned"
        await operator.ban(store, "Ann Ivy", False)
        assert (await ann.post("/api/sign-in", json={"name": "Ann Ivy", "password": password})).status_code == 200
        with pytest.raises(HedgerowError, match="no account 'Nobody'; hint:"):
            await operator.user(store, "Nobody")


async def test_an_invitation_is_for_one_account(settings: Settings) -> None:
    async with running(replace(settings, registration="invitation")) as app:
        code = await operator.invite(app.state.server.store, "for Ann")
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://here.test") as ann:
            asked = {"name": "Ann", "password": PASSWORD, "invitation": code}
            assert (await ann.post("/api/sign-up", json=asked)).status_code == 200
            assert (await ann.post("/api/sign-up", json=asked | {"name": "Bo"})).status_code == 403


async def test_idle_guests_go_and_games_stay(visit: Visit, app: FastAPI) -> None:
    store = app.state.server.store
    async with visit() as ann, visit() as bo, visit() as idle, visit() as playing:
        await some_games(ann, bo, 1)
        game = next(iter((await ann.get("/api/games")).json()))["id"]
        await ann.post(f"/api/games/{game}/resign")
        await idle.post("/api/guest")
        going = (await playing.post("/api/games", json={"rules": "hexbo(side=5)"})).json()["id"]
        async with store.write() as connection:
            await connection.execute(update(accounts).values(seen=1))
        assert await operator.purge_guests(store, 30) == {"removed": 1, "nameless": 2}
        assert await operator.purge_guests(store, 30) == {"removed": 0, "nameless": 0}
        async with store.read() as connection:
            kinds = (await connection.execute(select(accounts.c.kind).order_by(accounts.c.id))).scalars().all()
        assert sorted(kinds) == ["gone", "gone", "guest"]
        assert (await playing.get(f"/api/games/{going}")).json()["you"] == 0
        assert (await playing.get(f"/api/games/{game}")).json()["state"] == "over"


async def test_a_closed_game_is_over_for_the_running_server(visit: Visit, app: FastAPI, settings: Settings) -> None:
    async with visit() as ann, visit() as bo:
        (game,) = await some_games(ann, bo, 1)
        waiting = (await ann.post("/api/games", json={"rules": "hexbo", "opponent": "friend"})).json()["id"]
        beside = await open_store(settings.data, settings.database, beside=True)
        try:
            assert await operator.close_game(beside, game) == "playing"
            assert await operator.close_game(beside, waiting) == "open"
            with pytest.raises(HedgerowError, match="over already"):
                await operator.close_game(beside, game)
        finally:
            await beside.close()
        await app.state.server.games.look_again()
        for number in (game, waiting):
            told = (await ann.get(f"/api/games/{number}")).json()
            assert told["state"] == "over" and told["outcome"]["winners"] == []


# --- backups ----------------------------------------------------------------------------------------------------------


async def test_a_restored_export_replays_every_game(visit: Visit, app: FastAPI, tmp_path: Path) -> None:
    async with visit() as ann, visit() as bo:
        await person(ann, "Ann Ivy")
        played = await some_games(ann, bo)
        text = io.StringIO()
        counts = await backup.export(app.state.server.store, text)
        assert counts["games"] == 4 and counts["turns"] >= sum(map(len, played.values()))
        before = await everything(app.state.server.store)
        seen = {game: (await ann.get(f"/api/games/{game}?picture=false")).json() for game in played}
    other = Settings(data=tmp_path / "other", engines=0)
    await restored_is_the_same(text.getvalue(), other, before, played, seen)


async def test_an_export_moves_to_postgresql(tmp_path: Path, postgres: str) -> None:
    async with running(Settings(data=tmp_path, engines=0)) as app:
        base = {"transport": httpx.ASGITransport(app), "base_url": "http://here.test"}
        async with httpx.AsyncClient(**base) as ann, httpx.AsyncClient(**base) as bo:
            await person(ann, "Ann Ivy")
            played = await some_games(ann, bo)
            text = io.StringIO()
            await backup.export(app.state.server.store, text)
            before = await everything(app.state.server.store)
            seen = {game: (await ann.get(f"/api/games/{game}?picture=false")).json() for game in played}
    other = Settings(data=tmp_path, database=postgres, engines=0)
    await restored_is_the_same(text.getvalue(), other, before, played, seen)


async def restored_is_the_same(
    text: str, settings: Settings, before: Any, played: dict[str, list[str]], seen: dict[str, Any]
) -> None:
    store = await open_store(settings.data, settings.database)
    await backup.bring_back(store, iter(text.splitlines()))
    assert await everything(store) == before
    with pytest.raises(HedgerowError, match="hint: restore into an empty one"):
        await backup.bring_back(store, iter(text.splitlines()))
    await store.close()
    async with (
        running(settings) as app,
        httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://here.test") as ann,
    ):
        signed = await ann.post("/api/sign-in", json={"name": "Ann Ivy", "password": PASSWORD})
        assert signed.status_code == 200  # with the old password, and a new session gets a number of its own
        for game, turns_played in played.items():
            told = (await ann.get(f"/api/games/{game}?picture=false")).json()
            assert told["turns"][: len(turns_played)] == turns_played
            assert {**told, "clock": None} == {**seen[game], "clock": None}
        assert (await ann.post("/api/games", json={"rules": "hexbo"})).status_code == 201
        assert (await ann.post("/api/sign-out")).status_code == 204
        assert (await ann.post("/api/guest")).status_code == 200


async def test_exports_that_are_none(tmp_path: Path, visit: Visit, app: FastAPI) -> None:
    async with visit() as ann:
        await person(ann, "Ann Ivy")
    text = io.StringIO()
    await backup.export(app.state.server.store, text)
    lines = text.getvalue().splitlines()
    store = await open_store(tmp_path / "other")
    for bad, words in (
        ([], "this is no export"),
        (["{}", *lines[1:]], "this is no export"),
        (lines[:-1], "not complete"),
        ([*lines[:1], *lines[2:]], "damaged"),
        ([*lines[:2], "{", *lines[2:]], "damaged"),
        ([lines[0].replace('"revision": "', '"revision": "9'), *lines[1:]], "not of"),
    ):
        with pytest.raises(HedgerowError, match=words):
            await backup.bring_back(store, iter(bad))
        after = await everything(store)
        assert not after["accounts"] and not after["games"]
    await store.close()


# --- the command ------------------------------------------------------------------------------------------------------


def run(*words: str) -> Any:
    return CliRunner().invoke(command_line, ["admin", *words])


async def test_the_command_beside_a_running_server(tmp_path: Path) -> None:
    import asyncio

    data = ("--data", str(tmp_path / "data"))
    async with running(Settings(data=tmp_path / "data", engines=0)) as app:
        base = {"transport": httpx.ASGITransport(app), "base_url": "http://here.test"}
        async with httpx.AsyncClient(**base) as ann, httpx.AsyncClient(**base) as bo:
            await person(ann, "Ann Ivy")
            played = await some_games(ann, bo)
            for words, out in (
                (("users", *data), "Ann Ivy"),
                (("users", "--json", *data), '"Ann Ivy"'),
                (("user", "ann ivy", *data), '"sessions": 1'),
                (("invite", "Bo", "--public-url", "https://x.org", *data), "https://x.org/sign-up?invitation="),
                (("ban", "Ann Ivy", *data), '"banned": 1'),
                (("unban", "Ann Ivy", *data), '"banned": null'),
                (("purge-guests", *data), '"removed": 0'),
                (("close-game", list(played)[1], *data), '"state": "over"'),
                (("backup", str(tmp_path / "copy.db"), *data), '"bytes"'),
                (("export", str(tmp_path / "all.jsonl"), *data), '"games": 4'),
            ):
                done = await asyncio.to_thread(run, *words)
                assert done.exit_code == 0 and out in done.output, (words, done.output)
            assert isinstance(
                (await asyncio.to_thread(run, "backup", str(tmp_path / "copy.db"), *data)).exception, HedgerowError
            )
            password = (await asyncio.to_thread(run, "reset-password", "Ann Ivy", *data)).stdout.strip()
            signed = await ann.post("/api/sign-in", json={"name": "Ann Ivy", "password": password})
            assert signed.status_code == 200
    assert (tmp_path / "copy.db").stat().st_mode & 0o077 == (tmp_path / "all.jsonl").stat().st_mode & 0o077 == 0
    for name in ("copy.db", "all.jsonl"):
        new = tmp_path / f"from {name}"
        done = await asyncio.to_thread(run, "restore", str(tmp_path / name), "--data", str(new))
        assert done.exit_code == 0, done.output
        await replays(new, played)
        again = await asyncio.to_thread(run, "restore", str(tmp_path / name), "--data", str(new))
        assert isinstance(again.exception, HedgerowError)


async def replays(folder: Path, played: dict[str, list[str]]) -> None:
    """Every game of a restored folder is played again from its rows, and ends as it says."""
    async with running(Settings(data=folder, engines=0)) as app:
        async with app.state.server.store.read() as connection:
            kept = (await connection.execute(select(games))).all()
            rows = (await connection.execute(select(turns))).all()
        assert {row.id for row in kept} == set(played)
        for row in kept:
            async with app.state.server.games.held(row.id) as live:
                assert live.version == row.version == sum(turn.game == row.id for turn in rows)
                assert live.state == row.state and live.to_move == row.to_move
                assert list(live.match.turns)[: len(played[row.id])] == played[row.id]


def test_mistakes_are_said(tmp_path: Path) -> None:
    assert "no games are kept" in str(run("users", "--data", str(tmp_path)).exception)
    (tmp_path / "text").write_text("hello\n")
    assert "no export" in str(run("restore", str(tmp_path / "text"), "--data", str(tmp_path / "new")).exception)
    with sqlite3.connect(tmp_path / "hedgerow.db") as file:
        file.execute("CREATE TABLE something (x)")
    assert "of revision none" in str(run("users", "--data", str(tmp_path)).exception)
