"""A database in trouble: everybody is told to come later, `/readyz` says so, and it is over when the trouble is."""

from __future__ import annotations

import asyncio
import os
import resource
import sqlite3
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
import websockets
from places import PATIENCE, until
from proxy import Proxy, proxy_to
from serving import listening
from sqlalchemy import insert, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError, IntegrityError
from websockets.exceptions import InvalidStatus

from hedgerow.serve.process.app import create
from hedgerow.serve.refusals import Refused
from hedgerow.serve.settings import Settings
from hedgerow.serve.store import Store, open_store
from hedgerow.serve.store.schema import accounts, now
from hedgerow.tools.serve_bench import server_process

pytestmark = pytest.mark.anyio
RULES = "hexbo(side=5)"


async def begun(ann: httpx.AsyncClient, bo: httpx.AsyncClient) -> str:
    """A game of two people who are both known already."""
    game: str = (await ann.post("/api/games", json={"rules": RULES, "opponent": "friend"})).json()["id"]
    assert (await bo.post(f"/api/games/{game}/join")).is_success
    assert (await ann.get(f"/api/games/{game}")).is_success
    return game


def told_later(answer: httpx.Response) -> bool:
    """It is a refusal that says when to come again, and nothing of the trouble itself."""
    return (answer.status_code, answer.json()["code"]) == (503, "later") and int(answer.headers["retry-after"]) > 0


async def all_later(ann: httpx.AsyncClient, game: str) -> None:
    """Every kind of writing is refused in the same way, page or API, and the server says that it is not ready."""
    answers = await asyncio.gather(
        ann.post("/api/games", json={"rules": RULES, "opponent": "machine"}),
        ann.post("/api/games", json={"rules": RULES, "opponent": "friend"}),
        ann.post(f"/api/games/{game}/turns", json={"number": 0, "text": "A1"}),
        ann.put(f"/api/games/{game}/note", json={"text": "hm"}),
        ann.post("/api/sign-up", json={"name": "Cyd", "password": "under the hedge"}),
        ann.post(f"/api/games/{game}/resign"),
    )
    assert [told_later(answer) for answer in answers] == [True] * len(answers), [answer.text for answer in answers]
    page = await ann.post("/games", data={"rules": RULES}, headers={"Accept": "text/html"})
    assert page.status_code == 503 and page.headers["retry-after"] and "<html" in page.text
    ready = await ann.get("/readyz")
    assert ready.status_code == 503 and "database" in ready.json()["status"]
    assert (await ann.get("/healthz")).status_code == 200


async def all_well(ann: httpx.AsyncClient, game: str) -> None:
    """And nothing needs to be started again."""

    async def ready() -> bool:
        return (await ann.get("/readyz")).status_code == 200

    await until(ready)
    async with httpx.AsyncClient(base_url=ann.base_url) as guest:
        assert (await guest.post("/api/guest")).status_code < 300
    played = await ann.post(f"/api/games/{game}/turns", json={"number": 0, "text": "A1"})
    assert played.status_code in (200, 201), played.text
    assert (await ann.get(f"/api/games/{game}")).json()["turns"] == ["A1"]


@asynccontextmanager
async def visitors(port: int) -> AsyncIterator[tuple[httpx.AsyncClient, httpx.AsyncClient]]:
    at = f"http://127.0.0.1:{port}"
    async with httpx.AsyncClient(base_url=at, timeout=40) as ann, httpx.AsyncClient(base_url=at, timeout=40) as bo:
        yield ann, bo


# --- SQLite -----------------------------------------------------------------------------------------------------------


async def test_a_locked_file(tmp_path: Path) -> None:
    settings = Settings(data=tmp_path / "data", engines=0, limits=False)
    async with listening(create(settings), settings) as port, visitors(port) as (ann, bo):
        game = await begun(ann, bo)
        other = sqlite3.connect(settings.data / "hedgerow.db", isolation_level=None)
        other.execute("BEGIN EXCLUSIVE")
        await all_later(ann, game)
        assert (await ann.get(f"/api/games/{game}")).status_code == 200  # looking goes on
        other.execute("ROLLBACK")
        other.close()
        await all_well(ann, game)


@contextmanager
def full_disk(process: int) -> Iterator[None]:
    """No file of a process can grow, as if the disk were full."""
    before = resource.prlimit(process, resource.RLIMIT_FSIZE)
    resource.prlimit(process, resource.RLIMIT_FSIZE, (1, before[1]))
    try:
        yield
    finally:
        resource.prlimit(process, resource.RLIMIT_FSIZE, before)


@pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="needs prlimit")
async def test_a_full_disk(tmp_path: Path) -> None:
    with server_process(str(tmp_path), "--engines", "0", "--no-limits") as (process, port):
        async with visitors(port) as (ann, bo):
            game = await begun(ann, bo)
            with full_disk(process.pid):
                await all_later(ann, game)
            await all_well(ann, game)
        process.terminate()
        assert process.stderr is not None
        said = process.stderr.read()
        assert "writing to the database fails" in said and "works again" in said and "Traceback" not in said


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a disk")
async def test_a_disk_that_is_really_full(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    if os.system(f"mount -t tmpfs -o size=3m tmpfs {disk}"):
        pytest.skip("mounting is not allowed here")
    try:
        with server_process(str(disk / "data"), "--engines", "0", "--no-limits") as (_, port):
            async with visitors(port) as (ann, bo):
                game = await begun(ann, bo)
                fill = disk / "fill"
                with fill.open("wb", 0) as file:
                    try:
                        while file.write(b"x" * 4096):
                            pass
                    except OSError:
                        pass

                async def stuck() -> bool:  # what is left of the write-ahead log is filled with notes
                    return (await ann.put(f"/api/games/{game}/note", json={"text": "x" * 3999})).status_code == 503

                await until(stuck)
                await all_later(ann, game)
                fill.unlink()
                await all_well(ann, game)
    finally:
        os.system(f"umount -l {disk}")


async def test_writers_stand_in_line(tmp_path: Path) -> None:
    """Newcomers do not overtake somebody who waits to write."""
    store = await open_store(tmp_path)
    order: list[int] = []

    async def write(number: int) -> None:
        async with store.write() as connection:
            await connection.execute(text("SELECT 1"))
            order.append(number)
            await asyncio.sleep(0.01)

    await asyncio.gather(*(write(number) for number in range(40)))
    assert order == list(range(40))
    await store.close()


# --- PostgreSQL -------------------------------------------------------------------------------------------------------


@asynccontextmanager
async def by_proxy(postgres: str, tmp_path: Path) -> AsyncIterator[tuple[Proxy, int]]:
    """A server whose database is behind a proxy."""
    url = make_url(postgres)
    async with proxy_to(url.port or 5432) as proxy:
        through = url.set(host="127.0.0.1", port=proxy.port).render_as_string(hide_password=False)
        settings = Settings(data=tmp_path, database=through, engines=0, limits=False)
        async with listening(create(settings), settings) as port:
            yield proxy, port


@pytest.mark.parametrize("how", ["silent", "refused"])
async def test_a_database_that_is_away(postgres: str, tmp_path: Path, how: str) -> None:
    async with by_proxy(postgres, tmp_path) as (proxy, port), visitors(port) as (ann, bo):
        game = await begun(ann, bo)
        if how == "silent":
            proxy.mute()
        else:
            await proxy.cut()
        for _ in range(2):
            begin = time.monotonic()
            assert (await ann.get("/readyz")).status_code == 503
            assert time.monotonic() - begin < 6  # 2 s on a machine that does nothing else
        begin = time.monotonic()
        assert told_later(await ann.post(f"/api/games/{game}/turns", json={"number": 0, "text": "A1"}))
        assert time.monotonic() - begin < 15  # 5 s likewise
        begin = time.monotonic()
        await all_later(ann, game)
        assert time.monotonic() - begin < PATIENCE
        stranger = {"Cookie": "hedgerow=somebody-else"}  # whose session would have to be looked up
        with pytest.raises(InvalidStatus) as caught:
            await websockets.connect(f"ws://127.0.0.1:{port}/api/games/{game}/socket", additional_headers=stranger)
        assert caught.value.response.status_code == 503
        await proxy.mend()
        await all_well(ann, game)


async def test_many_who_ask_a_silent_database_are_all_told_soon(postgres: str, tmp_path: Path) -> None:
    async with by_proxy(postgres, tmp_path) as (proxy, port), visitors(port) as (ann, bo):
        game = await begun(ann, bo)
        proxy.mute()
        begin = time.monotonic()
        answers = await asyncio.gather(*(ann.get(f"/api/games/{game}/chat") for _ in range(60)))
        assert all(told_later(answer) for answer in answers) and time.monotonic() - begin < PATIENCE
        await proxy.mend()
        await all_well(ann, game)


async def test_a_database_that_can_only_be_read(postgres: str, tmp_path: Path) -> None:
    settings = Settings(data=tmp_path, database=postgres, engines=0, limits=False)
    app = create(settings)
    async with listening(app, settings) as port, visitors(port) as (ann, bo):
        game = await begun(ann, bo)
        await only_read(app.state.server.store, "on")
        await all_later(ann, game)
        await only_read(app.state.server.store, "off")
        await all_well(ann, game)


async def only_read(store: Store, how: str) -> None:
    """As a standby would be."""
    name = store.engine.url.database
    async with store.engine.connect() as connection:
        await connection.execute(text("SET default_transaction_read_only = off"))
        await connection.commit()
        await connection.execute(text(f"ALTER DATABASE {name} SET default_transaction_read_only = {how}"))
        await connection.commit()
    await store.engine.dispose()


# --- what is no trouble -----------------------------------------------------------------------------------------------


async def test_what_cannot_be_kept_is_no_failure(settings: Settings) -> None:
    store = await open_store(settings.data, settings.database)
    row: dict[str, Any] = {"kind": "guest", "name": "Ann", "created": now(), "seen": now()}
    for wrong in ({"name": "a\x00b"}, {"name": "\ud800"}, {"seen": 2**70}, {"name": "x" * 41}, {"folded": "x" * 41}):
        with pytest.raises(Refused) as caught:
            async with store.write() as connection:
                await connection.execute(insert(accounts).values(**row | wrong))
        assert caught.value.status == 422, wrong
    assert not await store.trouble()
    with pytest.raises(IntegrityError):
        async with store.write() as connection:
            await connection.execute(insert(accounts).values(**row | {"name": None}))
    with pytest.raises(DBAPIError):
        async with store.read() as connection:
            await connection.execute(text("SELECT nonsense FROM nowhere"))
    await store.close()
