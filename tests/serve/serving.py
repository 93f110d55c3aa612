"""Servers to test: in this process, on SQLite and on PostgreSQL where there is one; and real processes."""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager
from html.parser import HTMLParser
from pathlib import Path

import httpx
import pytest
import uvicorn
from databases import PostgresPool, SqliteTemplate
from fastapi import FastAPI
from sqlalchemy import create_engine, text
from sqlalchemy.ext.asyncio import create_async_engine

from hedgerow.serve.process.app import create
from hedgerow.serve.process.run import config_of, listen
from hedgerow.serve.server import Server
from hedgerow.serve.settings import Settings

POSTGRES = os.environ.get("HEDGEROW_TEST_POSTGRES", "postgresql://postgres@127.0.0.1:5432/test")
REQUIRED = os.environ.get("HEDGEROW_REQUIRE_SERVICES") == "1"
HOW = "set HEDGEROW_TEST_POSTGRES to a server where databases may be made (now {}): {}"


async def _do(statement: str) -> None:
    engine = create_async_engine(POSTGRES.replace("postgresql:", "postgresql+asyncpg:"), isolation_level="AUTOCOMMIT")
    try:
        async with engine.connect() as connection:
            await connection.execute(text(statement))
    finally:
        await engine.dispose()


@contextlib.contextmanager
def empty_database() -> Iterator[str]:
    """The address of an empty database on PostgreSQL, gone afterwards."""
    name = f"hedgerow_{secrets.token_hex(6)}"
    try:
        asyncio.run(_do(f"CREATE DATABASE {name}"))
    except OSError as error:
        if REQUIRED:
            raise
        pytest.skip(HOW.format(POSTGRES, error))
    yield f"{POSTGRES.rsplit('/', 1)[0]}/{name}"
    asyncio.run(_do(f"DROP DATABASE {name} WITH (FORCE)"))


@pytest.fixture
def postgres() -> Iterator[str]:
    """The address of an empty database, gone after the test."""
    with empty_database() as address:
        yield address


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> SqliteTemplate:
    return SqliteTemplate(tmp_path_factory.mktemp("template"))


@pytest.fixture(scope="session")
def postgres_pool(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PostgresPool]:
    pool = PostgresPool(empty_database(), tmp_path_factory.mktemp("pool"))
    yield pool
    pool.close()


@pytest.fixture
def lent_postgres(postgres_pool: PostgresPool) -> Iterator[str]:
    """The address of a database with the tables of this version and nothing in them."""
    with postgres_pool.lend() as address:
        yield address


async def first_turns(game: str, *clients: httpx.AsyncClient) -> None:
    """Everybody makes a first turn; before that, a rated game that somebody leaves is called off."""
    for number, client in enumerate(clients):
        text = (await client.get(f"/api/games/{game}")).json()["legal"][0]["text"]
        played = await client.post(f"/api/games/{game}/turns", json={"number": number, "text": text})
        assert played.status_code < 300, played.text


@pytest.fixture(params=["sqlite", "postgres"])
def settings(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Settings]:
    """Settings for both databases, without engines; the tables are there and empty."""
    if request.param == "postgres":
        with request.getfixturevalue("postgres_pool").lend() as address:
            yield Settings(data=tmp_path / "data", database=address, engines=0)
    else:
        request.getfixturevalue("sqlite_template").copy_to(tmp_path / "data")
        yield Settings(data=tmp_path / "data", engines=0)


@pytest.fixture
async def server(settings: Settings) -> AsyncIterator[Server]:
    """The parts of a server, without the web."""
    made = await Server.start(settings)
    yield made
    await made.stop()


@contextlib.asynccontextmanager
async def running(settings: Settings) -> AsyncIterator[FastAPI]:
    """The application with its server started."""
    app = create(settings)
    async with app.router.lifespan_context(app):
        yield app


@contextlib.asynccontextmanager
async def listening(app: FastAPI, settings: Settings) -> AsyncIterator[int]:
    """The application, not yet started, at a real socket in this process; its port."""
    at = listen("127.0.0.1", 0)
    server = uvicorn.Server(config_of(app, settings))
    task = asyncio.create_task(server.serve(sockets=[at]))
    while not server.started:
        assert not task.done(), task.exception()
        await asyncio.sleep(0.01)
    yield at.getsockname()[1]
    server.should_exit = True
    await task


@pytest.fixture
async def app(settings: Settings) -> AsyncIterator[FastAPI]:
    async with running(settings) as made:
        yield made


Visit = Callable[[], AbstractAsyncContextManager[httpx.AsyncClient]]


@pytest.fixture
def visit(app: FastAPI) -> Visit:
    """A new browser without cookies every time it is called."""
    return lambda: httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://here.test")


VOID = ("area", "base", "br", "col", "hr", "img", "input", "link", "meta", "option", "source", "wbr")


class _Seen(HTMLParser):
    """Reads a page, and leaves out what is hidden on it."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=False)
        self.parts: list[str] = []
        self.open: list[str] = []
        """The tags round here, from the first that is hidden."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if not self.open and tag != "template" and "hidden" not in dict(attrs):
            self.parts.append(self.get_starttag_text() or "")
        elif tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_data(self.get_starttag_text() or "")

    def handle_endtag(self, tag: str) -> None:
        if not self.open:
            self.parts.append(f"</{tag}>")
        elif self.open.pop() != tag:
            raise AssertionError(f"a <{tag}> is closed that was not open")

    def handle_data(self, data: str) -> None:
        if not self.open:
            self.parts.append(data)

    def handle_entityref(self, name: str) -> None:
        self.handle_data(f"&{name};")

    def handle_charref(self, name: str) -> None:
        self.handle_data(f"&#{name};")


def seen(page: str) -> str:
    """A page as people see it: without what is there and hidden.

    >>> seen('<p>a<b hidden>no<i>no</i></b>&amp;</p><form hidden><input></form><br>')
    '<p>a&amp;</p><br>'
    """
    reader = _Seen()
    reader.feed(page)
    reader.close()
    return "".join(reader.parts)


async def _postgres_rows(address: str, query: str) -> list[tuple[object, ...]]:
    engine = create_async_engine(address.replace("postgresql:", "postgresql+asyncpg:"))
    try:
        async with engine.connect() as connection:
            return [tuple(row) for row in await connection.execute(text(query))]
    finally:
        await engine.dispose()


def rows(where: Path | str, query: str) -> list[tuple[object, ...]]:
    """What a database holds, read from outside: a SQLite file, or the address of one on PostgreSQL."""
    if isinstance(where, str):
        return asyncio.run(_postgres_rows(where, query))
    engine = create_engine(f"sqlite:///{where}")
    with engine.connect() as connection:
        found = [tuple(row) for row in connection.execute(text(query))]
    engine.dispose()
    return found
