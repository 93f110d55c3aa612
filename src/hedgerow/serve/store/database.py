"""A database opened: SQLite in a folder, or PostgreSQL by its address; its tables brought up to date."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import IO, TypeVar, cast

from sqlalchemy import Connection, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from hedgerow.game import HedgerowError
from hedgerow.serve.files import make_file, make_folder
from hedgerow.serve.store import postgres
from hedgerow.serve.store.hints import explained, named
from hedgerow.serve.store.migrate import check, migrate
from hedgerow.serve.store.postgres import PostgresTurns
from hedgerow.serve.store.reading import Reading, SqliteConnection, SqliteReads
from hedgerow.serve.store.sqlite import PATIENCE, PRAGMAS, SqliteTurns
from hedgerow.serve.store.together import AllOf, Item, Together, each
from hedgerow.serve.store.trouble import Circuit, cause_of
from hedgerow.serve.store.writer import TurnRow, Writer

Found = TypeVar("Found")

FILE = "hedgerow.db"
PROBED = 1.0
"""For how many seconds it is believed that a small write worked."""
PROBING = 2.0
"""How many seconds it may take."""


class Store:
    """What is kept, and the ways to it: `read`, `write`, and `writer` for turns."""

    def __init__(
        self,
        engine: AsyncEngine,
        turns: SqliteTurns | PostgresTurns,
        lock: IO[str] | None = None,
        reads: SqliteReads | None = None,
    ) -> None:
        self.engine = engine
        self._reads = reads
        self._reading, self._writing = Circuit("reading from"), Circuit("writing to")
        self.writer = Writer(self._commit)
        self._together = Together(self.write_together)
        self._turns = turns
        self._lock = lock
        self._one: asyncio.Lock | None = asyncio.Lock() if isinstance(turns, SqliteTurns) else None
        self._probe: asyncio.Task[str] | None = None

    @contextlib.asynccontextmanager
    async def read(self) -> AsyncIterator[AsyncConnection]:
        """A connection to look things up with; on SQLite it never waits for those who write."""
        with self._reading.watched():
            if self._reads:
                reading = Reading(self._reads)
                try:
                    yield cast(AsyncConnection, reading)
                finally:
                    reading.leave()
            else:
                async with self.engine.connect() as connection:
                    yield connection

    async def together(self, work: Callable[[AsyncConnection], Coroutine[object, None, Found]]) -> Found:
        """Does work that asks several questions and waits for nothing else; on SQLite that is one step."""
        if self._reads is None:
            async with self.read() as connection:
                return await work(connection)
        with self._reading.watched():
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(self._reads.threads, self._reads.together, work)

    @contextlib.asynccontextmanager
    async def write(self) -> AsyncIterator[AsyncConnection]:
        """A transaction: committed at the end, or undone as a whole when something goes wrong in it."""
        with self._writing.watched():
            async with self._in_turn(), self.engine.connect() as connection:
                await connection.execution_options(hedgerow_write=True)
                async with connection.begin():
                    yield connection

    def check_writing(self) -> None:
        """Raises Refused where nothing can be stored just now."""
        self._writing.check()

    async def write_together(self, work: Callable[[AsyncConnection], Coroutine[object, None, Found]]) -> Found:
        """Does work in a transaction that waits for nothing but the database; on SQLite that is one step."""
        if self._reads is None:
            async with self.write() as connection:
                return await work(connection)
        with self._writing.watched():
            async with self._in_turn():
                loop = asyncio.get_running_loop()
                return await loop.run_in_executor(self._reads.threads, self._reads.written_together, work)

    async def write_shared(self, work: Callable[[AsyncConnection], Coroutine[object, None, Found]]) -> Found:
        """The same, in one transaction with what others want to store by then; it may be undone and done again."""
        found: Found = await self._together.store_with_others(each, work)
        return found

    async def write_alike(self, do: AllOf[Item, Found], item: Item) -> Found:
        """The same, where many do the same: what `do` makes of this item, asked about all who come by then at once."""
        return await self._together.store_with_others(do, item)

    async def _commit(self, rows: list[TurnRow]) -> list[bool]:
        """What the writer does with a batch of turns."""
        with self._writing.watched():
            async with self._in_turn():
                return await self._turns(rows)

    def _in_turn(self) -> AbstractAsyncContextManager[None]:
        return _queue(self._one) if self._one else contextlib.nullcontext()

    async def trouble(self) -> str:
        """Why nothing can be stored just now, after a small try; empty where it can."""
        probe = self._probe  # which may be forgotten while we wait
        if probe is None or (probe.done() and probe.result()):
            probe = self._probe = asyncio.create_task(self._tried(), name="probe")
        await asyncio.wait({probe}, timeout=PROBING)
        if not probe.done():
            return "it does not answer in time"
        return probe.result() or self._writing.trouble

    async def _tried(self) -> str:
        try:
            async with self._in_turn():
                await self._turns.probe()
        except Exception as error:
            return cause_of(error) or type(error).__name__
        self._reading.try_again()
        self._writing.try_again()
        asyncio.get_running_loop().call_later(PROBED, self._forget_probe)
        return ""

    def _forget_probe(self) -> None:
        self._probe = None

    async def close(self) -> None:
        """Stores what is waiting, then lets go of everything."""
        await self.writer.stop()
        await self._together.stop()
        await self._turns.close()
        await self.engine.dispose()
        if self._reads:
            await asyncio.to_thread(self._reads.close)
        if self._lock:
            self._lock.close()


@contextlib.asynccontextmanager
async def _queue(one: asyncio.Lock) -> AsyncIterator[None]:
    """Those who write to SQLite from here stand in line.

    By itself SQLite lets them try again and again, and the longer somebody waits, the less often: under load newcomers
    go first, and somebody waits for seconds.
    """
    async with asyncio.timeout(PATIENCE):
        await one.acquire()
    try:
        yield
    finally:
        one.release()


async def open_store(folder: Path, database: str | None = None, beside: bool = False) -> Store:
    """The store at `database`, or in a file of the folder; raises HedgerowError where that cannot be.

    With `beside` a server may be running on it: its tables are taken as they are, and must be those of this version.
    """
    if database:
        return await _open_postgres(database, beside)
    path = folder / FILE
    if beside and not path.exists():
        raise HedgerowError(f"no games are kept in {str(folder)!r}; hint: say where with --data or --database")
    if not beside:
        make_folder(folder)
    with explained(f"the database {str(path)!r}"):
        lock = None if beside else _locked(folder)
        if not beside:
            make_file(path)
        engine = create_async_engine(URL.create("sqlite+aiosqlite", database=str(path)), hide_parameters=True)
        event.listen(engine.sync_engine, "connect", _settle)
        event.listen(engine.sync_engine, "begin", _begin)
        try:
            await (_checked if beside else _migrated)(engine)
        except BaseException:
            if lock:
                lock.close()
            await engine.dispose()
            raise
    return Store(engine, SqliteTurns(path), lock, SqliteReads(path, _settle, _begin))


async def _open_postgres(database: str, beside: bool = False) -> Store:
    url = read_address(database)
    with explained(named(url)):
        first = postgres.engine_of(url, alone=True)
        try:
            await (_checked if beside else _migrated)(first)
        finally:
            await first.dispose()
    engine = postgres.engine_of(url, alone=beside)
    return Store(engine, PostgresTurns(engine))


def read_address(database: str) -> URL:
    """The address of a PostgreSQL database; raises HedgerowError where it is none."""
    try:
        url = make_url(database)
    except (ArgumentError, ValueError):
        raise HedgerowError("cannot read the address of the database; hint: postgresql://user@host/name") from None
    if url.get_backend_name() != "postgresql":
        raise HedgerowError(
            f"cannot use the database {url.get_backend_name()!r:.40}; hint: postgresql://user@host/name, "
            "or none at all for SQLite in the data folder"
        )
    return url


async def _checked(engine: AsyncEngine) -> None:
    async with engine.connect() as connection:
        await connection.run_sync(check)


async def _migrated(engine: AsyncEngine) -> None:
    async with engine.connect() as connection:
        await connection.execution_options(hedgerow_write=True)
        async with connection.begin():
            if engine.dialect.name == "postgresql":  # several processes may start at once; one takes the steps
                await connection.exec_driver_sql("SELECT pg_advisory_xact_lock(7267726)")
            await connection.run_sync(migrate)


def _settle(connection: SqliteConnection, _: object) -> None:
    """A new connection of SQLite: transactions begin where we say so, not where Python guesses."""
    connection.isolation_level = None
    for pragma in PRAGMAS:
        connection.execute(pragma)


def _begin(connection: Connection) -> None:
    writes = connection.get_execution_options().get("hedgerow_write")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _locked(folder: Path) -> IO[str]:
    """A lock on the folder for as long as the file is open, so that two servers never play in one."""
    import fcntl

    make_file(folder / "lock")
    file = (folder / "lock").open("w")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        raise HedgerowError(
            f"another server is using the data folder {str(folder)!r}; hint: stop it, or choose another with --data"
        ) from None
    return file
