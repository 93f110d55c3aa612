"""Committing turns to PostgreSQL: a transaction per batch, in which a turn that does not fit fails alone."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterator
from dataclasses import fields

import asyncpg
from sqlalchemy import event, text
from sqlalchemy.engine import URL, ExceptionContext
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as NoneFree
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from hedgerow.serve.store.trouble import code_of
from hedgerow.serve.store.writer import TurnRow

CONNECTING = 2.0
"""Seconds until there is a connection, a new one or a free one, while people wait for it."""
CONNECTING_ALONE = 8.0
"""The same for what nobody waits for: a server that starts on a machine where everything starts."""
COMMAND = 4.0
"""Seconds that a statement may take while people wait for it."""
ALONE = 3600.0
"""The same for what nobody waits for: new tables, an export."""
CLOSING = 0.5
"""Seconds for a polite goodbye; a server that does not answer gets none."""
IDLE = 30_000
"""Milliseconds until PostgreSQL undoes what a process has begun that it hears no more of."""
STORING = 4.0
"""Seconds until nothing more is tried for a turn; whoever played it is told to try again."""
AGAIN = ("40P01", "40001")
"""What PostgreSQL calls two transactions that got in each other's way: a deadlock, a serialization failure."""
PAUSES = (0.05, 0.1, 0.2, 0.4, 0.8)
"""How many seconds pass between tries when the database is away; the last again and again."""
LOST = ("57P01", "57P02", "57P03", "08000", "08001", "08003", "08004", "08006")
"""What it says when it is going down or coming up, or the line is gone."""

WRITTEN = text(
    "INSERT INTO meta (name, value) VALUES ('written', :at) ON CONFLICT (name) DO UPDATE SET value = excluded.value"
)

STORED = text("SELECT kind, seat, text, at, spent FROM turns WHERE game = :game AND number = :number")

TOLD = [field.name for field in fields(TurnRow) if field.name != "once"]
COLUMNS = (
    "(game text, number integer, kind text, seat smallint, text text, at bigint, spent bigint, "
    "to_move smallint, due bigint, outcome text, position text)"
)

INSERT = text(
    "INSERT INTO turns (game, number, kind, seat, text, at, spent) "
    "SELECT v.game, v.number, v.kind, v.seat, v.text, v.at, v.spent "
    f"FROM jsonb_to_recordset(CAST(:rows AS jsonb)) AS v{COLUMNS} "
    "JOIN games ON games.id = v.game AND games.version = v.number AND games.state = 'playing' "
    "ORDER BY v.game ON CONFLICT DO NOTHING RETURNING game, number"
)

UPDATE = text(
    "UPDATE games SET version = v.number + 1, moved = v.at, to_move = v.to_move, due = v.due, outcome = v.outcome, "
    "position = v.position, state = CASE WHEN v.outcome IS NULL THEN 'playing' ELSE 'over' END, "
    "ended = CASE WHEN v.outcome IS NULL THEN NULL ELSE v.at END "
    f"FROM jsonb_to_recordset(CAST(:rows AS jsonb)) AS v{COLUMNS} WHERE games.id = v.game"
)

SEATS = text(
    "UPDATE seats SET ended = v.at, won = CASE "
    "WHEN CAST(v.outcome AS jsonb) -> 'places' = '[]' THEN NULL "
    "WHEN CAST(v.outcome AS jsonb) -> 'winners' = '[]' THEN 0 "
    "WHEN CAST(v.outcome AS jsonb) -> 'winners' @> to_jsonb(seats.seat) THEN 1 ELSE -1 END "
    f"FROM jsonb_to_recordset(CAST(:rows AS jsonb)) AS v{COLUMNS} WHERE seats.game = v.game"
)
"""Tells the seats of games that are over when that was, and who has won."""

MARK = text(
    "INSERT INTO letter_steps (letter, step, result) VALUES (:letter, :step, :result) "
    "ON CONFLICT DO NOTHING RETURNING letter"
)
UNMARK = text("DELETE FROM letter_steps WHERE letter = :letter AND step = :step")


def away(error: Exception) -> bool:
    """The database cannot be reached, or the line to it broke."""
    if isinstance(error, DBAPIError):
        return error.connection_invalidated or code_of(error) in LOST
    return isinstance(error, OSError | NoneFree)


class Connection(asyncpg.Connection):  # type: ignore[misc]
    """Hangs up where the server does not answer a goodbye; asyncpg itself would wait for ever in some cases."""

    async def close(self, *, timeout: float | None = None) -> None:
        try:
            async with asyncio.timeout(CLOSING):
                await super().close(timeout=timeout)
        except TimeoutError:
            self.terminate()


def engine_of(url: URL, alone: bool = False) -> AsyncEngine:
    """Connections to a PostgreSQL that may be slow or silent: nothing waits longer than the seconds above."""
    times = {
        "timeout": CONNECTING_ALONE if alone else CONNECTING,
        "command_timeout": ALONE if alone else COMMAND,
    }
    engine = create_async_engine(
        url.set(drivername="postgresql+asyncpg"),
        pool_size=1 if alone else 10,
        pool_timeout=CONNECTING,
        pool_pre_ping=not alone,
        hide_parameters=True,
        connect_args={"connection_class": Connection, **times},
    )
    event.listen(engine.sync_engine, "handle_error", _give_up)
    if not alone:
        event.listen(engine.sync_engine, "connect", _settle)
    return engine


def _give_up(context: ExceptionContext) -> None:
    """A statement that got no answer in time: the connection is of no use to anybody any more."""
    if isinstance(context.original_exception, TimeoutError):
        context.is_disconnect = True


def _settle(connection: DBAPIConnection, _: object) -> None:
    cursor = connection.cursor()
    cursor.execute(f"SET idle_in_transaction_session_timeout = {IDLE}")
    cursor.close()
    connection.commit()


class PostgresTurns:
    """The `Commit` of a PostgreSQL database."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def __call__(self, rows: list[TurnRow]) -> list[bool]:
        """Tries again when others were in the way, and for a while when the database is away."""
        async with asyncio.timeout(STORING):
            return await self._stored(rows)

    async def _stored(self, rows: list[TurnRow]) -> list[bool]:
        """A line that breaks in a commit leaves open whether the turns were stored; so the next try looks for them."""
        doubtful = False
        for pause in _pauses():
            try:
                fits = await self._commit(rows)
                return await self._found(rows, fits) if doubtful else fits
            except (DBAPIError, OSError, NoneFree) as error:
                if code_of(error) in AGAIN:
                    continue
                if not away(error):
                    raise
                doubtful = True
                await asyncio.sleep(pause)
        raise AssertionError("there is always another pause")

    async def probe(self) -> None:
        """Writes something small; raises what goes wrong with it."""
        async with self._engine.begin() as connection:
            await connection.execute(WRITTEN, {"at": str(time.time_ns() // 1_000_000)})

    async def _found(self, rows: list[TurnRow], fits: list[bool]) -> list[bool]:
        """A turn that does not fit, because it is the very one that is stored, is stored."""
        async with self._engine.connect() as connection:
            for index, row in enumerate(rows):
                if not fits[index]:
                    kept = (await connection.execute(STORED, {"game": row.game, "number": row.number})).first()
                    fits[index] = kept is not None and tuple(kept) == (row.kind, row.seat, row.text, row.at, row.spent)
        return fits

    async def _commit(self, rows: list[TurnRow]) -> list[bool]:
        told = [{name: getattr(row, name) for name in TOLD} for row in rows]
        async with self._engine.begin() as connection:
            new = [await self._mark(connection, row) for row in rows]
            asked = [row for row, first in zip(told, new) if first]
            found = await connection.execute(INSERT, {"rows": json.dumps(asked)})
            stored = {(game, number) for game, number in found}
            fits = [first and (row.game, row.number) in stored for row, first in zip(rows, new)]
            await self._unmark(connection, [row for row, first, fit in zip(rows, new, fits) if first and not fit])
            if stored:
                kept = [row for row, fit in zip(told, fits) if fit]
                await connection.execute(UPDATE, {"rows": json.dumps(kept)})
                if over := [row for row in kept if row["outcome"] is not None]:
                    await connection.execute(SEATS, {"rows": json.dumps(over)})
        return fits

    async def _mark(self, connection: AsyncConnection, row: TurnRow) -> bool:
        """Marks the command whose effect a row is; False where it was carried out before."""
        if row.mark is None:
            return True
        found = await connection.execute(MARK, dict(zip(("letter", "step", "result"), row.mark)))
        return found.first() is not None

    async def _unmark(self, connection: AsyncConnection, rows: list[TurnRow]) -> None:
        """Nothing came of the commands of rows that do not fit."""
        for row in rows:
            if row.mark:
                await connection.execute(UNMARK, {"letter": row.mark[0], "step": row.mark[1]})

    async def close(self) -> None:
        """Its engine is the store's, which closes it."""


def _pauses() -> Iterator[float]:
    yield from PAUSES
    while True:
        yield PAUSES[-1]
