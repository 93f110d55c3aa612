"""Checks of a database: integrity, durability settings, times in the future; then its games.

It is only read, in small transactions, so that a running server does not notice.
"""

from __future__ import annotations

import contextlib
import subprocess
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from urllib.parse import quote

from sqlalchemy import event, func, select, text
from sqlalchemy.engine import URL
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from hedgerow.game import HedgerowError
from hedgerow.serve.links import ANYWHERE
from hedgerow.serve.process.check import replays
from hedgerow.serve.process.check.finding import Finding, Progress, fault, fine, warning
from hedgerow.serve.store import migrate
from hedgerow.serve.store.database import FILE, read_address
from hedgerow.serve.store.hints import explained, named
from hedgerow.serve.store.postgres import engine_of
from hedgerow.serve.store.reading import SqliteConnection
from hedgerow.serve.store.schema import accounts, games, metadata, now, turns

MOST = 20
"""How many faults of one kind are told; the others are counted."""
SKEW = 60_000
"""How many milliseconds something may lie in the future: two machines never agree."""


async def look_at_folder(folder: Path, progress: Progress) -> list[Finding]:
    """What there is to say about the SQLite file of a folder."""
    if not (folder / FILE).exists():
        return []
    engine = _read_only(folder / FILE)
    try:
        found = await _looked(engine, _sqlite)
        return found + ([] if _broken(found) else await _contents(engine, progress))
    finally:
        await engine.dispose()


async def look_at_postgres(address: str, progress: Progress) -> list[Finding]:
    """What there is to say about a PostgreSQL database."""
    url = read_address(address)
    engine = engine_of(url, alone=True)
    try:
        with explained(named(url)):
            async with engine.connect() as connection:
                found = [*await _promises(connection), *_way(url)]
        found += await _looked(engine, _tables)
        return found + ([] if _broken(found) else await _contents(engine, progress))
    except HedgerowError as error:
        return [fault("database", str(error))]
    finally:
        await engine.dispose()


def _broken(found: list[Finding]) -> bool:
    return any(finding.area == "database" and finding.level == "fault" for finding in found)


async def _looked(engine: AsyncEngine, look: Callable[[AsyncConnection], Awaitable[list[Finding]]]) -> list[Finding]:
    """What a look finds; a database that cannot even be looked at is a fault, not a failure."""
    try:
        with explained("the database"):
            async with engine.connect() as connection:
                return await look(connection)
    except HedgerowError as error:
        return [fault("database", str(error))]


# --- SQLite -----------------------------------------------------------------------------------------------------------


def _read_only(path: Path) -> AsyncEngine:
    """Nothing is written, not even a write-ahead log where there is none."""
    mode = "mode=ro" if path.with_name(path.name + "-wal").exists() else "immutable=1"
    url = URL.create("sqlite+aiosqlite", database=f"file:{quote(str(path.resolve()))}")
    engine = create_async_engine(f"{url.render_as_string(hide_password=False)}?{mode}&uri=true")

    def settle(connection: SqliteConnection, _: object) -> None:
        connection.isolation_level = None
        connection.execute("PRAGMA query_only=ON")

    event.listen(engine.sync_engine, "connect", settle)
    event.listen(engine.sync_engine, "begin", lambda connection: connection.exec_driver_sql("BEGIN"))
    return engine


async def _sqlite(connection: AsyncConnection) -> list[Finding]:
    damage = (await connection.execute(text(f"PRAGMA integrity_check({MOST})"))).scalars().all()
    if list(damage) != ["ok"]:
        return [fault("database", f"the file is damaged: {line}; hint: bring back a backup") for line in damage]
    orphans = (await connection.execute(text("PRAGMA foreign_key_check"))).all()
    told = [
        fault(
            "database",
            f"row {row[1]} of {row[0]} belongs to something in {row[2]} that is not there; hint: bring back a backup",
        )
        for row in orphans[:MOST]
    ]
    if len(orphans) > MOST:
        told.append(fault("database", f"and {len(orphans) - MOST} more such rows; hint: bring back a backup"))
    return [*(told or [fine("database", "the file is whole")]), *await _tables(connection)]


async def _tables(connection: AsyncConnection) -> list[Finding]:
    """They are those of this version."""
    try:
        await connection.run_sync(migrate.check)
    except HedgerowError as error:
        return [fault("database", str(error))]
    return [fine("database", f"the tables are those of this version ({migrate.head()})")]


# --- PostgreSQL -------------------------------------------------------------------------------------------------------


async def _promises(connection: AsyncConnection) -> list[Finding]:
    """What is acknowledged is on the disk, and the role can do no more than it must."""
    found = []
    for name, bad in (("fsync", ("off",)), ("full_page_writes", ("off",)), ("synchronous_commit", ("off",))):
        value = (await connection.execute(text(f"SHOW {name}"))).scalar_one()
        if value in bad:
            found.append(fault("database", f"{name} is {value}: turns can be lost; hint: turn it on"))
    role = (await connection.execute(text("SELECT rolsuper FROM pg_roles WHERE rolname = current_user"))).scalar()
    if role:
        found.append(warning("database", "the role is a superuser; hint: make one that only owns this database"))
    return found or [fine("database", "PostgreSQL keeps what it acknowledges")]


def _way(url: URL) -> list[Finding]:
    here = (url.host or "localhost") in ("localhost", "127.0.0.1", "::1", *ANYWHERE) or (url.host or "/").startswith(
        "/"
    )
    if here or "ssl" in url.query or "sslmode" in url.query:
        return []
    return [
        warning("database", f"the way to {url.host} may be open to others; hint: ?ssl=require at the address's end")
    ]


# --- both -------------------------------------------------------------------------------------------------------------


async def _contents(engine: AsyncEngine, progress: Progress) -> list[Finding]:
    found = await _looked(engine, _clock)
    try:
        with explained("the database"):
            return found + await replays.look(lambda: _reading(engine), progress)
    except HedgerowError as error:
        return [*found, fault("games", str(error))]


@contextlib.asynccontextmanager
async def _reading(engine: AsyncEngine) -> AsyncIterator[AsyncConnection]:
    """One moment of the database."""
    async with engine.connect() as connection:
        if engine.dialect.name == "postgresql":
            await connection.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
        yield connection


async def _clock(connection: AsyncConnection) -> list[Finding]:
    """The time of this machine, against what is kept and against the network's."""
    columns = (turns.c.at, games.c.created, games.c.moved, accounts.c.created, accounts.c.seen)
    newest = max([(await connection.execute(select(func.max(column)))).scalar() or 0 for column in columns])
    rows = {
        table.name: (await connection.execute(select(func.count()).select_from(table))).scalar_one()
        for table in metadata.sorted_tables
    }
    ahead = newest - now()
    if ahead > SKEW:
        seconds = ahead // 1000
        return [
            fault("clock", f"something kept here lies {seconds} s in the future; hint: is this machine's clock slow?")
        ]
    told = [fine("database", f"{rows['accounts']} accounts, {rows['games']} games, {rows['turns']} turns")]
    return [*told, synchronised()]


def synchronised() -> Finding:
    """Whether somebody keeps the clock of this machine right, as far as it can be known."""
    command = ["timedatectl", "show", "--property=NTPSynchronized", "--value"]
    try:
        said = subprocess.run(command, capture_output=True, text=True, timeout=5).stdout.strip()
    except (OSError, subprocess.TimeoutExpired):
        said = ""
    if said == "no":
        return warning("clock", "the clock is not kept right by the network; hint: timedatectl set-ntp true")
    return fine(
        "clock",
        "the clock is kept right by the network" if said == "yes" else "the clock is later than all that is kept",
    )
