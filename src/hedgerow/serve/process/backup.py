"""Backup and restore: a copy of a SQLite file, or an export of any database as lines of JSON.

Both are made while the server runs, and both hold one moment: no game is half in them.
"""

from __future__ import annotations

import base64
import json
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TextIO

from sqlalchemy import Connection, LargeBinary, Table, func, insert, select, text
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection

from hedgerow.game import HedgerowError
from hedgerow.serve.files import make_file, make_folder, new_file
from hedgerow.serve.store import Store
from hedgerow.serve.store.database import FILE
from hedgerow.serve.store.migrate import head
from hedgerow.serve.store.schema import metadata, now

FORMAT = "hedgerow export"
TOGETHER = 500
"""How many rows are brought back at once."""
Told = Callable[[str, int], None]
"""Somebody watches, who is told the table and how many rows of it are done."""


def nobody(table: str, rows: int) -> None:
    """Nobody watches."""


# --- a copy of the file -----------------------------------------------------------------------------------------------


def copy_file(folder: Path, target: Path) -> int:
    """Copies the SQLite file of a data folder as it is at one moment, and checks the copy; its size in bytes."""
    source = folder / FILE
    if not source.exists():
        raise HedgerowError(f"no games are kept in {str(folder)!r}; hint: say where with --data")
    new_file(target).close()
    _copy(source, target)
    return target.stat().st_size


def _copy(source: Path, target: Path) -> None:
    there, here = sqlite3.connect(f"file:{source}?mode=ro", uri=True), sqlite3.connect(target)
    try:
        there.backup(here)
        here.execute("PRAGMA journal_mode=DELETE")  # the copy is one file
        found = here.execute("PRAGMA integrity_check").fetchone()[0]
    except sqlite3.DatabaseError as error:
        raise HedgerowError(f"cannot copy {str(source)!r}: {error}; hint: is it a backup?") from None
    finally:
        here.close()
        there.close()
    if found != "ok":
        raise HedgerowError(f"the copy {str(target)!r} is damaged: {found}; hint: is the disk full?")


def bring_back_file(source: Path, folder: Path) -> None:
    """Puts a copy into a data folder that has nothing in it yet; the server takes missing steps when it starts."""
    if (folder / FILE).exists():
        raise HedgerowError(f"games are already kept in {str(folder)!r}; hint: restore into an empty folder")
    make_folder(folder)
    make_file(folder / FILE)
    _copy(source, folder / FILE)


def is_file_of_sqlite(path: Path) -> bool:
    """It is a copy of the file, and no lines of JSON."""
    with path.open("rb") as file:
        return file.read(16) == b"SQLite format 3\0"


# --- lines of JSON ----------------------------------------------------------------------------------------------------


async def export(store: Store, out: TextIO, told: Told = nobody) -> dict[str, int]:
    """Writes everything, table by table; how many rows of each."""
    counts: dict[str, int] = {}
    async with store.engine.connect() as connection:
        if store.engine.dialect.name == "postgresql":
            await connection.execution_options(isolation_level="REPEATABLE READ")
        async with connection.begin():
            print(json.dumps({"format": FORMAT, "revision": head(), "at": now()}), file=out)
            for table in metadata.sorted_tables:
                counts[table.name] = await _export(connection, table, out, told)
    print(json.dumps({"rows": counts}), file=out)
    return counts


async def _export(connection: AsyncConnection, table: Table, out: TextIO, told: Told) -> int:
    count = 0
    async for row in await connection.stream(select(table).order_by(*table.primary_key.columns)):
        print(json.dumps({table.name: dict(row._mapping)}, ensure_ascii=False, default=_base64), file=out)
        count += 1
        if count % TOGETHER == 0:
            told(table.name, count)
    return count


def _base64(value: object) -> str:
    """Bytes as JSON has them."""
    if not isinstance(value, bytes):
        raise TypeError(f"no {type(value).__name__} is exported")
    return base64.b64encode(value).decode()


async def bring_back(store: Store, lines: Iterator[str], told: Told = nobody) -> dict[str, int]:
    """Reads an export into a store that nobody has used, all of it or nothing; how many rows of each table."""
    try:
        _check_first(next(lines, ""))
        return await _bring_back(store, lines, told)
    except UnicodeDecodeError:
        raise HedgerowError("this is no export; hint: hedgerow admin export writes one") from None
    except (IntegrityError, ValueError, KeyError) as error:
        if isinstance(error, HedgerowError):
            raise
        raise HedgerowError("the export is damaged; hint: export again, or try an older one") from error


async def _bring_back(store: Store, lines: Iterator[str], told: Told) -> dict[str, int]:
    counts: dict[str, int] = dict.fromkeys((table.name for table in metadata.sorted_tables), 0)
    async with store.write() as connection:
        await _empty(connection)
        waiting: list[dict[str, object]] = []
        current, last = "", None
        for line in lines:
            ((name, row),) = json.loads(line).items()
            if name == "rows":
                last = row
                break
            if name != current or len(waiting) == TOGETHER:
                await _put(connection, current, waiting)
                if current:
                    told(current, counts[current])
                current, waiting = name, []
            waiting.append(row)
            counts[name] = counts.get(name, 0) + 1
        await _put(connection, current, waiting)
        if last != counts:
            raise HedgerowError("the export is not complete; hint: export again, or try an older one")
        if store.engine.dialect.name == "postgresql":
            await connection.run_sync(_count_on)
    return counts


def _check_first(line: str) -> None:
    """Raises HedgerowError for a file that is none of ours, or of another revision."""
    try:
        first = json.loads(line)
        if first["format"] != FORMAT:
            raise ValueError
    except (ValueError, TypeError, KeyError):
        raise HedgerowError("this is no export; hint: hedgerow admin export writes one") from None
    if first["revision"] != head():
        raise HedgerowError(
            f"the export has the tables of revision {first['revision']!r:.20}, not of {head()!r}; "
            "hint: restore it with the Hedgerow that made it, then start this one on it"
        )


async def _empty(connection: AsyncConnection) -> None:
    """Makes sure of it; what the first start has put there itself may go."""
    for table in reversed(metadata.sorted_tables):
        if table.name in ("accounts", "games"):
            count = (await connection.execute(select(func.count()).select_from(table))).scalar_one()
            if count:
                raise HedgerowError(f"the database has {count} {table.name}; hint: restore into an empty one")
        await connection.execute(table.delete())


async def _put(connection: AsyncConnection, table: str, rows: list[dict[str, object]]) -> None:
    if not rows:
        return
    for column in metadata.tables[table].columns:
        for row in rows if isinstance(column.type, LargeBinary) else ():
            if row[column.name] is not None:
                row[column.name] = base64.b64decode(str(row[column.name]), validate=True)
    await connection.execute(insert(metadata.tables[table]), rows)


def _count_on(connection: Connection) -> None:
    """PostgreSQL counts ids on from the highest that came back."""
    for table in metadata.sorted_tables:
        column = table.autoincrement_column
        if column is not None and connection.scalar(
            text("SELECT pg_get_serial_sequence(:table, :column)"), {"table": table.name, "column": column.name}
        ):
            highest = connection.scalar(select(func.max(column))) or 0
            where = {"table": table.name, "column": column.name, "next": highest + 1}
            connection.execute(text("SELECT setval(pg_get_serial_sequence(:table, :column), :next, false)"), where)
