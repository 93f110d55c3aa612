"""The machine's time is shared fairly, everybody sees the queue, and no link leads to a loopback address."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from serving import running

from hedgerow.serve import links, turnstile
from hedgerow.serve.engine.engines import Engines
from hedgerow.serve.settings import Settings
from hedgerow.serve.turnstile import Turnstile

pytestmark = pytest.mark.anyio


async def test_who_has_used_least_comes_first() -> None:
    gate, order = Turnstile(1), []
    release = asyncio.Event()

    async def think(game: str, account: str, address: str = "") -> None:
        async with gate.through(game, account, address):
            order.append(game)
            if game == "first":
                await release.wait()

    gate._accounts.add("busy", 50, turnstile.time.monotonic())
    gate._accounts.add("spent", turnstile.ACCOUNT + 60, turnstile.time.monotonic())
    gate._addresses.add("crowd", turnstile.ADDRESS + 60, turnstile.time.monotonic())
    tasks = [asyncio.create_task(think("first", "busy"))]
    await asyncio.sleep(0)
    for game, account, address in (
        ("spent", "spent", ""),
        ("crowd", "dee", "crowd"),
        ("busy again", "busy", ""),
        ("ann", "ann", "quiet"),
        ("bo", "bo", "quiet"),
    ):
        tasks.append(asyncio.create_task(think(game, account, address)))
    await asyncio.sleep(0)
    assert gate.waiting == 5 and gate.place("ann") == 0 and gate.place("spent") == 4 and gate.place("first") is None
    gone = asyncio.create_task(think("gone", "zoe"))
    await asyncio.sleep(0)
    gone.cancel()
    release.set()
    await asyncio.gather(*tasks)
    assert order == ["first", "ann", "bo", "busy again", "crowd", "spent"] and gate.waiting == 0
    async with gate.through("later", "ann", ""):
        assert gate._free == 0
    assert gate._free == 1


async def test_many_accounts_at_one_address_have_one_place() -> None:
    gate, order, release = Turnstile(1), list[str](), asyncio.Event()

    async def think(account: str, address: str) -> None:
        async with gate.through(account, account, address):
            order.append(account)
            await release.wait() if account == "first" else await asyncio.sleep(0.02)

    at = turnstile.time.monotonic()
    for used in (gate._accounts, gate._addresses):
        used.add("regular" if used is gate._accounts else "home", 100, at)  # over the last hour
    tasks = [asyncio.create_task(think("first", "crowd"))]
    await asyncio.sleep(0)
    tasks += [asyncio.create_task(think(f"guest {n}", "crowd")) for n in range(30)]
    await asyncio.sleep(0)
    tasks.append(asyncio.create_task(think("regular", "home")))
    await asyncio.sleep(0)
    assert gate.place("regular") == 0
    release.set()
    await asyncio.gather(*tasks)
    assert order.index("regular") == 1, "nobody who came in a crowd was before"


async def test_whoever_goes_while_being_let_in_takes_no_place_along() -> None:
    gate, inside = Turnstile(1), list[str]()

    async def think(name: str) -> None:
        async with gate.through(name, name, ""):
            inside.append(name)

    async with gate.through("first", "first", ""):
        tasks = [asyncio.create_task(think(name)) for name in ("gone", "stays")]
        await asyncio.sleep(0)
        tasks[0].cancel()  # it does not know yet when the first one leaves
    await asyncio.gather(*tasks, return_exceptions=True)
    assert inside == ["stays"] and tasks[0].cancelled() and gate._free == 1 and not gate.waiting
    async with gate.through("first", "first", ""):
        late = asyncio.create_task(think("late"))
        await asyncio.sleep(0)
    late.cancel()  # it was let in a moment ago
    await asyncio.gather(late, return_exceptions=True)
    assert gate._free == 1


def test_what_was_used_fades() -> None:
    used = turnstile.Used()
    used.add("ann", 100, at=0)
    assert used.of("ann", 0) == 100 and 30 < used.of("ann", turnstile.FADES) < 40 and used.of("bo", 0) == 0


async def test_the_queue_is_visible(monkeypatch: pytest.MonkeyPatch, settings: Settings) -> None:
    hold = asyncio.Event()

    async def thought(self: Engines, game: str, record: str, player: str) -> str:
        await hold.wait()
        return "A1"

    monkeypatch.setattr(Engines, "_thought", thought)
    monkeypatch.setattr(Engines, "wake", lambda self: None)
    async with running(replace(settings, engines=1)) as app:
        base: dict[str, Any] = {"transport": httpx.ASGITransport(app), "base_url": "http://here.test"}
        async with httpx.AsyncClient(**base) as ann, httpx.AsyncClient(**base) as bo:
            asked = {"rules": "hexbo(side=5)", "seat": 1, "level": 1}
            for client in (ann, ann, bo):
                assert (await client.post("/api/games", json=asked)).status_code == 201
            while (told := (await ann.get("/api/engine")).json())["waiting"] != 2:
                await asyncio.sleep(0.01)
            assert told["on"] and told["owed"] == 3 and [place["before"] for place in told["yours"]] == [0]
            assert [place["before"] for place in (await bo.get("/api/engine")).json()["yours"]] == [1]
            hold.set()
            while (told := (await ann.get("/api/engine")).json())["owed"]:
                await asyncio.sleep(0.01)
            assert told["waiting"] == 0 and told["yours"] == []


@pytest.mark.parametrize(
    ("host", "listens", "public", "link"),
    [
        ("localhost:8000", "0.0.0.0", None, "http://10.1.2.3:8000/games/"),
        ("127.0.0.1:8000", "127.0.0.1", None, None),
        ("localhost", "127.0.0.1", "https://play.example.org", "https://play.example.org/games/"),
        ("10.9.9.9:8000", "0.0.0.0", None, "http://10.9.9.9:8000/games/"),
    ],
)
async def test_no_loopback_link_is_offered(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Any, host: str, listens: str, public: str | None, link: str | None
) -> None:
    monkeypatch.setattr(links, "network_address", lambda: "10.1.2.3")
    settings = Settings(data=tmp_path, engines=0, host=listens, public_url=public)
    async with running(settings) as app:
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url=f"http://{host}") as ann:
            where = (await ann.post("/games", data={"rules": "hexbo", "opponent": "friend"})).headers["location"]
            page = (await ann.get(where, headers={"Cookie": f"hedgerow={session(app, ann)}"})).text
    assert "localhost:8000/games" not in page and "127.0.0.1" not in page
    assert (f'href="{link}' in page) if link else ("from this computer" in page)


def session(app: FastAPI, client: httpx.AsyncClient) -> str:
    """A secure cookie travels over HTTPS alone, so it is carried by hand here."""
    return next(cookie.value or "" for cookie in client.cookies.jar)
