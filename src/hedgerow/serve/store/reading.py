"""Reading from SQLite: a query is one hop to a thread and back, where aiosqlite takes five.

Pages ask several small questions each, and the hops cost more than the answers; `together` is one hop for all of them.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Protocol, TypeVar, cast

from sqlalchemy import Connection, Executable, Result, create_engine, event
from sqlalchemy.engine import URL
from sqlalchemy.ext.asyncio import AsyncConnection
from sqlalchemy.pool import QueuePool

Found = TypeVar("Found")

THREADS = 4
KEPT = 16
"""How many connections stay open: tasks that ask several questions keep one meanwhile, and a new one takes a while."""


Parameters = Mapping[str, object] | Sequence[Mapping[str, object]] | None


class SqliteConnection(Protocol):
    """A new connection of a SQLite driver, with or without asyncio."""

    isolation_level: str | None

    def execute(self, statement: str, /) -> object:
        """Does a statement."""


class SqliteReads:
    """Connections to a SQLite file, for those who read, and for writing in one step."""

    def __init__(
        self, path: Path, settle: Callable[[SqliteConnection, object], None], begin: Callable[[Connection], None]
    ) -> None:
        address = URL.create("sqlite", database=str(path))
        self.threads = ThreadPoolExecutor(THREADS, "sqlite-reads")
        self.engine = create_engine(
            address,
            poolclass=QueuePool,
            pool_size=KEPT,
            max_overflow=-1,
            connect_args={"check_same_thread": False},
            hide_parameters=True,
        )
        event.listen(self.engine, "connect", settle)
        event.listen(self.engine, "begin", begin)

    def together(self, work: Callable[[AsyncConnection], Coroutine[object, None, Found]]) -> Found:
        """Does work that asks several questions and waits for nothing else, in this thread."""
        with self.engine.connect() as connection:
            return _at_once(work, connection)

    def written_together(self, work: Callable[[AsyncConnection], Coroutine[object, None, Found]]) -> Found:
        """Does work that writes, and waits for nothing else, in this thread and in one transaction."""
        with self.engine.connect() as connection:
            connection.execution_options(hedgerow_write=True)
            with connection.begin():
                return _at_once(work, connection)

    def close(self) -> None:
        """Lets go of the file."""
        self.threads.shutdown()
        self.engine.dispose()


def _at_once(work: Callable[[AsyncConnection], Coroutine[object, None, Found]], connection: Connection) -> Found:
    """Runs a coroutine that never has to wait, because its connection answers at once."""
    asked = work(cast(AsyncConnection, Direct(connection)))
    try:
        asked.send(None)
    except StopIteration as answered:
        found: Found = answered.value
        return found
    finally:
        asked.close()
    raise RuntimeError("what is asked together waits for nothing but the database")


class Direct:
    """A connection in the thread that it is asked in."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self.dialect = connection.dialect

    async def execute(self, statement: Executable, parameters: Parameters = None) -> Result[Any]:
        """The answer to one question, at once."""
        return self._connection.execute(statement, parameters)


class Reading:
    """What a task reads, all of it at one moment of the file, by a connection that has what questions need."""

    def __init__(self, reads: SqliteReads) -> None:
        self._reads = reads
        self.dialect = reads.engine.dialect
        self._connection: Connection | None = None
        self._asked = False
        self._one = threading.Lock()
        """A task that is cancelled leaves while its question is still being answered."""

    async def execute(self, statement: Executable, parameters: Parameters = None) -> Result[Any]:
        """The whole answer to one question."""
        self._asked = True
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._reads.threads, self._execute, statement, parameters)

    def _execute(self, statement: Executable, parameters: Parameters) -> Result[Any]:
        with self._one:
            if self._connection is None:
                self._connection = self._reads.engine.connect()
            return self._connection.execute(statement, parameters).freeze()()

    def leave(self) -> None:
        """Nothing more is read; nobody waits for that."""
        if self._asked:
            self._reads.threads.submit(self._close)

    def _close(self) -> None:
        with self._one:
            if self._connection is not None:
                self._connection.close()
