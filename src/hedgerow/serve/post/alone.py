"""Of several processes on one database, one at a time carries letters out, so that they are done in order."""

from __future__ import annotations

import contextlib

from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection

from hedgerow.serve.store import Store

KEY = 7_267_727
"""The number of the lock on PostgreSQL (an advisory lock)."""


class Alone:
    """A lock that ends with the process that holds it. On SQLite there is one process anyway.

    Where two should hold it for a moment, a letter still acts once: every step is marked with what it stores.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._line: AsyncConnection | None = None

    async def held(self) -> bool:
        """It is ours now."""
        if self._store.engine.dialect.name != "postgresql":
            return True
        try:
            if self._line is None:
                self._line = await self._taken()
            else:
                await self._line.execute(text("SELECT 1"))
        except (SQLAlchemyError, OSError):
            await self.release()
        return self._line is not None

    async def _taken(self) -> AsyncConnection | None:
        line = await self._store.engine.connect()
        try:
            await line.execution_options(isolation_level="AUTOCOMMIT")
            if (await line.execute(text("SELECT pg_try_advisory_lock(:key)"), {"key": KEY})).scalar_one():
                return line
        except BaseException:
            await line.close()
            raise
        await line.close()
        return None

    async def release(self) -> None:
        """Another process may have it."""
        line, self._line = self._line, None
        if line is not None:
            with contextlib.suppress(SQLAlchemyError, OSError):
                await line.invalidate()  # a lock stays with its connection; so that does not go back to the others
                await line.close()
