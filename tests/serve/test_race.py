"""Many at once for one place: whichever way they come, one is stored and everybody learns which."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator

import httpx
import pytest
from fastapi import FastAPI
from serving import running
from test_games import stored

from hedgerow.serve.server import Server
from hedgerow.serve.settings import Settings

pytestmark = pytest.mark.anyio

TRIES = 50


@contextlib.asynccontextmanager
async def instances(settings: Settings) -> AsyncIterator[list[FastAPI]]:
    """One application on SQLite, which has no room for two; two on one PostgreSQL database."""
    async with contextlib.AsyncExitStack() as stack:
        count = 2 if settings.database else 1
        yield [await stack.enter_async_context(running(settings)) for _ in range(count)]


def visitor(app: FastAPI, cookie: str = "") -> httpx.AsyncClient:
    cookies = {"hedgerow": cookie} if cookie else {}
    return httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://here.test", cookies=cookies)


NOT_STORED = ((409, "stale"), (409, "not_your_turn"), (503, "later"))
"""What is answered to a turn that was not stored; later, where the machine is too busy to ask the database in time."""


async def test_of_fifty_turns_for_one_place_one_is_stored(settings: Settings) -> None:
    async with instances(settings) as apps, visitor(apps[0]) as ann, visitor(apps[-1]) as bo:
        game = (await ann.post("/api/games", json={"rules": "hexbo(side=5)", "opponent": "friend"})).json()["id"]
        await bo.post(f"/api/games/{game}/join")
        legal = [action["text"] for action in (await bo.get(f"/api/games/{game}")).json()["legal"]]
        async with contextlib.AsyncExitStack() as stack:
            cookie = ann.cookies["hedgerow"]
            here = [await stack.enter_async_context(visitor(app, cookie)) for app in apps]
            tries = [
                here[number % len(here)].post(
                    f"/api/games/{game}/turns", json={"number": 0, "text": legal[number % len(legal)]}
                )
                for number in range(TRIES)
            ]
            answers = await asyncio.gather(*tries)
        servers: list[Server] = [app.state.server for app in apps]
        (text,) = await stored(servers[0], game)
        for number, answer in enumerate(answers):
            if answer.status_code == 201:
                assert legal[number % len(legal)] == text == answer.json()["text"]
            else:
                assert (answer.status_code, answer.json()["code"]) in NOT_STORED
        assert sum(answer.status_code == 201 for answer in answers) >= 1
        assert sum(server.store.writer.turns for server in servers) == 1


async def test_of_many_who_sit_down_each_seat_gets_one(settings: Settings) -> None:
    async with instances(settings) as apps, visitor(apps[0]) as ann, contextlib.AsyncExitStack() as stack:
        asked = {"rules": "hexbo(side=5,players=3)", "opponent": "lobby"}
        game = (await ann.post("/api/games", json=asked)).json()["id"]
        others = [await stack.enter_async_context(visitor(apps[n % len(apps)])) for n in range(8)]
        answers = await asyncio.gather(*(other.post(f"/api/games/{game}/join") for other in others))
        assert sorted(answer.status_code for answer in answers) == [200] * 2 + [409] * 6
        assert sorted(answer.json()["you"] for answer in answers if answer.is_success) == [1, 2]


async def test_of_two_who_take_over_one_sits(settings: Settings) -> None:
    async with instances(settings) as apps, visitor(apps[0]) as ann, contextlib.AsyncExitStack() as stack:
        asked = {"rules": "hexbo(side=5)", "opponent": "machine", "welcome": True}
        game = (await ann.post("/api/games", json=asked)).json()["id"]
        others = [await stack.enter_async_context(visitor(apps[n % len(apps)])) for n in range(6)]
        for other in others:
            await other.get(f"/api/games/{game}")
        answers = await asyncio.gather(*(other.post(f"/api/games/{game}/take-over") for other in others))
        assert [answer.status_code for answer in answers].count(200) == 1
        assert {answer.json()["code"] for answer in answers if not answer.is_success} <= {"full", "stale"}
