"""A database opened: SQLite in a folder, or PostgreSQL by its address; its tables brought up to date."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import IO, Any

from sqlalchemy import Connection, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from hedgerow.game import HedgerowError
from hedgerow.serve.refusals import Refused
from hedgerow.serve.store.migrate import check, migrate
from hedgerow.serve.store.postgres import PostgresTurns, away
from hedgerow.serve.store.sqlite import PRAGMAS, SqliteTurns
from hedgerow.serve.store.writer import Writer

FILE = "hedgerow.db"


@contextlib.contextmanager
def _said_plainly() -> Iterator[None]:
    """A database that is away for a moment is a refusal like others: whoever asked may try again."""
    try:
        yield
    except (DBAPIError, OSError) as error:
        if away(error):
            raise Refused("later", "the database is away; hint: try again in a moment") from error
        raise


class Store:
    """What is kept, and the ways to it: `read`, `write`, and `writer` for turns."""

    def __init__(self, engine: AsyncEngine, turns: SqliteTurns | PostgresTurns, lock: IO[str] | None = None) -> None:
        self.engine = engine
        self.writer = Writer(turns)
        self._turns = turns
        self._lock = lock

    @contextlib.asynccontextmanager
    async def read(self) -> AsyncIterator[AsyncConnection]:
        """A connection to look things up with; on SQLite it never waits for those who write."""
        with _said_plainly():
            async with self.engine.connect() as connection:
                yield connection

    @contextlib.asynccontextmanager
    async def write(self) -> AsyncIterator[AsyncConnection]:
        """A transaction: committed at the end, or undone as a whole when something goes wrong in it."""
        with _said_plainly():
            async with self.engine.connect() as connection:
                await connection.execution_options(hedgerow_write=True)
                async with connection.begin():
                    yield connection

    async def close(self) -> None:
        """Stores what is waiting, then lets go of everything."""
        await self.writer.stop()
        await self._turns.close()
        await self.engine.dispose()
        if self._lock:
            self._lock.close()


async def open_store(folder: Path, database: str | None = None, beside: bool = False) -> Store:
    """The store at `database`, or in a file of the folder; raises HedgerowError where that cannot be.

    With `beside` a server may be running on it: its tables are taken as they are, and must be those of this version.
    """
    if database:
        return await _open_postgres(database, beside)
    if beside and not (folder / FILE).exists():
        raise HedgerowError(f"no games are kept in {str(folder)!r}; hint: say where with --data or --database")
    folder.mkdir(parents=True, exist_ok=True)
    lock = None if beside else _locked(folder)
    engine = create_async_engine(URL.create("sqlite+aiosqlite", database=str(folder / FILE)), hide_parameters=True)
    event.listen(engine.sync_engine, "connect", _settle)
    event.listen(engine.sync_engine, "begin", _begin)
    try:
        await (_checked if beside else _migrated)(engine)
    except BaseException:
        if lock:
            lock.close()
        await engine.dispose()
        raise
    return Store(engine, SqliteTurns(folder / FILE), lock)


async def _open_postgres(database: str, beside: bool = False) -> Store:
    try:
        url = make_url(database)
    except ArgumentError:
        raise HedgerowError("cannot read the address of the database; hint: postgresql://user@host/name") from None
    if url.get_backend_name() != "postgresql":
        raise HedgerowError(
            f"cannot use the database {url.get_backend_name()!r:.40}; hint: postgresql://user@host/name, "
            "or none at all for SQLite in the data folder"
        )
    asyncpg = url.set(drivername="postgresql+asyncpg")
    engine = create_async_engine(asyncpg, pool_size=10, pool_pre_ping=True, hide_parameters=True)
    try:
        await (_checked if beside else _migrated)(engine)
    except OSError as error:
        await engine.dispose()
        raise HedgerowError(f"cannot reach the database at {url.host}: {error}; hint: is it running?") from error
    return Store(engine, PostgresTurns(engine))


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


def _settle(connection: Any, _: object) -> None:
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

    file = (folder / "lock").open("w")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        raise HedgerowError(
            f"another server is using the data folder {str(folder)!r}; hint: stop it, or choose another with --data"
        ) from None
    return file
