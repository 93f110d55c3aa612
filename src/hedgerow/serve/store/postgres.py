"""Committing turns to PostgreSQL: a transaction per batch, in which a turn that does not fit fails alone."""

from __future__ import annotations

import asyncio
import json
from dataclasses import asdict

from sqlalchemy import text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncEngine

from hedgerow.serve.store.writer import TurnRow

AGAIN = ("40P01", "40001")
"""What PostgreSQL calls two transactions that got in each other's way: a deadlock, a serialization failure."""
PAUSES = (0.05, 0.1, 0.2, 0.4, 0.8, 1.0, 1.0, 1.0)
"""How many seconds pass between tries when the database is away."""
LOST = ("57P01", "57P02", "57P03", "08000", "08001", "08003", "08004", "08006")
"""What it says when it is going down or coming up, or the line is gone."""

STORED = text("SELECT kind, seat, text, at, spent FROM turns WHERE game = :game AND number = :number")

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


def away(error: DBAPIError | OSError) -> bool:
    """The database cannot be reached, or the line to it broke."""
    if isinstance(error, OSError):
        return True
    return error.connection_invalidated or getattr(error.orig, "sqlstate", None) in LOST


class PostgresTurns:
    """The `Commit` of a PostgreSQL database."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def __call__(self, rows: list[TurnRow]) -> list[bool]:
        """Tries again when others were in the way, and for a while when the database is away.

        A line that breaks in a commit leaves it open whether the turns were stored; so the next try looks for them.
        """
        doubtful = False
        for pause in PAUSES:
            try:
                fits = await self._commit(rows)
                return await self._found(rows, fits) if doubtful else fits
            except (DBAPIError, OSError) as error:
                if isinstance(error, DBAPIError) and getattr(error.orig, "sqlstate", None) in AGAIN:
                    continue
                if not away(error):
                    raise
                doubtful = True
                await asyncio.sleep(pause)
        fits = await self._commit(rows)
        return await self._found(rows, fits) if doubtful else fits

    async def _found(self, rows: list[TurnRow], fits: list[bool]) -> list[bool]:
        """A turn that does not fit, because it is the very one that is stored, is stored."""
        async with self._engine.connect() as connection:
            for index, row in enumerate(rows):
                if not fits[index]:
                    kept = (await connection.execute(STORED, {"game": row.game, "number": row.number})).first()
                    fits[index] = kept is not None and tuple(kept) == (row.kind, row.seat, row.text, row.at, row.spent)
        return fits

    async def _commit(self, rows: list[TurnRow]) -> list[bool]:
        told = [asdict(row) for row in rows]
        async with self._engine.begin() as connection:
            found = await connection.execute(INSERT, {"rows": json.dumps(told)})
            stored = {(game, number) for game, number in found}
            fits = [(row.game, row.number) in stored for row in rows]
            if stored:
                kept = [row for row, fit in zip(told, fits) if fit]
                await connection.execute(UPDATE, {"rows": json.dumps(kept)})
        return fits

    async def close(self) -> None:
        """Its engine is the store's, which closes it."""
