"""What a machine's turn brings about when an engine worker plays it: a notice, a mail, a planned answer."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from places import PATIENCE, PrivateRedis, private_redis
from sqlalchemy import text
from sqlalchemy.ext.asyncio import create_async_engine
from test_engines import RULES, play_first, until_mine
from test_jobs import engine_worker

from hedgerow.tools.serve_bench import Visitor, server_process

__all__ = ["private_redis"]


def asked(database: str, statement: str) -> list[Any]:
    """What the database says, from outside."""

    async def rows() -> list[Any]:
        engine = create_async_engine(database.replace("postgresql:", "postgresql+asyncpg:"))
        async with engine.begin() as connection:
            done = await connection.execute(text(statement))
            found = list(done) if done.returns_rows else []
        await engine.dispose()
        return found

    return asyncio.run(rows())


def until(true: Callable[[], bool]) -> None:
    end = time.monotonic() + 2 * PATIENCE
    while not true():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.05)


def test_after_a_machines_turn(tmp_path: Path, postgres: str, private_redis: PrivateRedis) -> None:
    places = ("--database", postgres, "--redis", private_redis.url, "--no-limits")
    mail = ("--public-url", "http://play.example.org", "--smtp", "smtp://127.0.0.1:1", "--mail-from", "a@example.org")
    with server_process(str(tmp_path), *places, *mail) as (_, port):
        ann = Visitor(port)
        signed = {"name": "Ann", "password": "under the hedge", "mail": "ann@example.net"}
        ann.ask("POST", "/api/sign-up", signed)
        asked(postgres, "UPDATE accounts SET confirmed = 1")
        wanted = {"rules": RULES, "seat": 0, "level": 1, "clock": {"kind": "days"}}
        game = ann.ask("POST", "/api/games", wanted)["id"]
        until(lambda: ann.ask("GET", "/api/notices")["unread"] == 1)
        asked(postgres, "DELETE FROM mails")
        told = until_mine(ann, game)
        play_first(ann, game, told)
        until(lambda: ann.ask("GET", "/api/notices")["unread"] == 0)
        with engine_worker(postgres, private_redis.url):
            assert until_mine(ann, game)["version"] == 2
            until(lambda: ann.ask("GET", "/api/notices")["unread"] == 1)
        (notice, *_) = ann.ask("GET", "/api/notices")["notices"]
        assert notice["kind"] == "turn" and notice["game"] == game and not notice["read"]
        (row,) = asked(postgres, "SELECT kind, address, sent, due - created AS after FROM mails WHERE kind = 'turns'")
        assert row.address == "ann@example.net" and row.sent is None and row.after == 600_000


def test_a_planned_answer_to_a_machine(tmp_path: Path, postgres: str, private_redis: PrivateRedis) -> None:
    places = ("--database", postgres, "--redis", private_redis.url, "--no-limits")
    with server_process(str(tmp_path), *places) as (_, port):
        ann = Visitor(port)
        wanted = {"rules": "hexbo(side=5)", "seat": 1, "level": 1, "clock": {"kind": "days"}}
        game = ann.ask("POST", "/api/games", wanted)["id"]
        state = ann.ask("GET", f"/api/games/{game}?picture=false")
        lines = []
        for action in state["legal"]:  # whatever the machine plays
            after = ann.ask("GET", f"/api/games/{game}?picture=false&partial={action['text']}")
            lines.append([action["text"], after["legal"][0]["text"]])
        ann.ask("PUT", f"/api/games/{game}/plan", {"lines": lines})
        with engine_worker(postgres, private_redis.url):
            until(lambda: ann.ask("GET", f"/api/games/{game}?picture=false")["version"] >= 2)
        turns = ann.ask("GET", f"/api/games/{game}?picture=false")["turns"]
        assert turns[:2] in lines
        assert asked(postgres, "SELECT name FROM meta WHERE name = 'mail'") == []
