"""Databases with the tables of this version and nothing in them: made once, then emptied for test after test.

Making the tables takes PostgreSQL seconds, and dropping a database waits for its disk; emptying the tables does not.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import asyncpg

from hedgerow.serve.files import make_folder
from hedgerow.serve.store import open_store
from hedgerow.serve.store.database import FILE
from hedgerow.serve.store.migrate import head
from hedgerow.serve.store.schema import metadata

COUNTED = [
    (table.name, column.name)
    for table in metadata.sorted_tables
    if (column := table.autoincrement_column) is not None and column.autoincrement is True
]
"""The columns that count up by themselves."""


async def _make(folder: Path, address: str | None) -> None:
    await (await open_store(folder, address)).close()


class SqliteTemplate:
    """A file with the tables, to be copied."""

    def __init__(self, folder: Path) -> None:
        asyncio.run(_make(folder, None))
        self._file = folder / FILE

    def copy_to(self, folder: Path) -> None:
        """An installation of its own in a folder."""
        make_folder(folder)
        made = shutil.copy(self._file, folder / FILE)
        with contextlib.closing(sqlite3.connect(made)) as database, database:
            database.execute("UPDATE meta SET value = ? WHERE name = 'installation'", [secrets.token_hex(8)])


class PostgresPool:
    """Databases on a PostgreSQL server, by their addresses."""

    def __init__(self, server: contextlib.AbstractContextManager[str], folder: Path) -> None:
        self._server, self._folder = server, folder
        self._address: str | None = None
        self._lent = False

    @contextlib.contextmanager
    def lend(self) -> Iterator[str]:
        """An installation of its own, until the next one is lent."""
        assert not self._lent, "one at a time"
        if self._address is None:
            self._address = self._server.__enter__()
            asyncio.run(_make(self._folder, self._address))
        else:
            asyncio.run(_empty(self._address))
        self._lent = True
        try:
            yield self._address
        finally:
            self._lent = False

    def close(self) -> None:
        """Nothing is left on the server."""
        if self._address is not None:
            self._server.__exit__(None, None, None)


async def _empty(address: str) -> None:
    """Whoever is still connected is sent away, and everything in the tables goes."""
    connection = await asyncpg.connect(address)
    try:
        async with connection.transaction():
            others = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()"
            await connection.execute(f"{others} AND pid <> pg_backend_pid()")
            for table in reversed(metadata.sorted_tables):
                await connection.execute(f"DELETE FROM {table.name}")
            for table, column in COUNTED:
                await connection.execute(f"SELECT setval(pg_get_serial_sequence('{table}', '{column}'), 1, false)")
            await connection.execute("UPDATE alembic_version SET version_num = $1", head())
            name = secrets.token_hex(8)
            await connection.execute("INSERT INTO meta (name, value) VALUES ('installation', $1)", name)
    finally:
        await connection.close()
