"""Committing turns to SQLite: one connection and one thread of its own, `synchronous=FULL` on a write-ahead log.

A whole batch is two statements, however many turns it has. That matters beyond the statements themselves: Python gives
up its lock at every step of SQLite, and getting it back from a busy event loop can take milliseconds.
"""

from __future__ import annotations

import asyncio
import sqlite3
import time
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from pathlib import Path
from urllib.parse import quote

from hedgerow.serve.store.writer import TurnRow

PATIENCE = 4.0
"""Seconds to wait for another program that is writing."""
PROBE = 1.0
"""The same for a look whether anything can be written."""

PRAGMAS = (
    "PRAGMA journal_mode=WAL",
    "PRAGMA synchronous=FULL",
    "PRAGMA foreign_keys=ON",
    f"PRAGMA busy_timeout={int(PATIENCE * 1000)}",
)

WRITTEN = "INSERT INTO meta (name, value) VALUES ('written', ?) ON CONFLICT DO UPDATE SET value = excluded.value"
"""When it was last tried whether anything can be written."""

MARK = "INSERT OR IGNORE INTO letter_steps (letter, step, result) VALUES (?, ?, ?)"
UNMARK = "DELETE FROM letter_steps WHERE letter = ? AND step = ?"


@lru_cache(maxsize=32)
def insert_of(rows: int) -> str:
    """Stores turns whose game is going on and expects their number."""
    values = ",".join(["(?,?,?,?,?,?,?)"] * rows)
    return (
        "INSERT OR IGNORE INTO turns (game, number, kind, seat, text, at, spent) "
        f"WITH v(game, number, kind, seat, text, at, spent) AS (VALUES {values}) "
        "SELECT v.* FROM v JOIN games ON games.id = v.game AND games.version = v.number AND games.state = 'playing'"
    )


@lru_cache(maxsize=32)
def update_of(rows: int) -> str:
    """Takes the games of those turns one version on."""
    values = ",".join(["(?,?,?,?,?,?,?)"] * rows)
    return (
        f"WITH v(game, number, at, to_move, due, outcome, position) AS (VALUES {values}) "
        "UPDATE games SET version = v.number + 1, moved = v.at, to_move = v.to_move, due = v.due, outcome = v.outcome, "
        "position = v.position, "
        "state = CASE WHEN v.outcome IS NULL THEN 'playing' ELSE 'over' END, "
        "ended = CASE WHEN v.outcome IS NULL THEN NULL ELSE v.at END "
        "FROM v WHERE games.id = v.game"
    )


@lru_cache(maxsize=32)
def seats_of(rows: int) -> str:
    """Tells the seats of games that are over when that was, and who has won."""
    values = ",".join(["(?,?,?)"] * rows)
    return (
        f"WITH v(game, at, outcome) AS (VALUES {values}) "
        "UPDATE seats SET ended = v.at, won = CASE "
        "WHEN json_array_length(v.outcome, '$.places') = 0 THEN NULL "
        "WHEN json_array_length(v.outcome, '$.winners') = 0 THEN 0 "
        "WHEN seats.seat IN (SELECT value FROM json_each(v.outcome, '$.winners')) THEN 1 ELSE -1 END "
        "FROM v WHERE seats.game = v.game"
    )


class SqliteTurns:
    """The `Commit` of a SQLite file."""

    def __init__(self, path: Path) -> None:
        self._thread = ThreadPoolExecutor(1, "sqlite-turns")
        self._path = path
        self._connection: sqlite3.Connection | None = None

    async def __call__(self, rows: list[TurnRow]) -> list[bool]:
        return await asyncio.get_running_loop().run_in_executor(self._thread, self.commit, rows)

    def commit(self, rows: list[TurnRow]) -> list[bool]:
        """All rows in one transaction; where one does not fit, each by itself in one transaction."""
        connection = self._connection or self._open()
        try:
            connection.execute("BEGIN IMMEDIATE")
            stored = [True] * len(rows)
            if not self._mark(connection, rows) or self._put(connection, rows) != len(rows):
                connection.execute("ROLLBACK")
                connection.execute("BEGIN IMMEDIATE")
                stored = [self._put_alone(connection, row) for row in rows]
            connection.execute("COMMIT")
            return stored
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise

    def _mark(self, connection: sqlite3.Connection, rows: list[TurnRow]) -> bool:
        """Marks the commands whose effect these rows are; False where one was carried out before."""
        return all(connection.execute(MARK, row.mark).rowcount for row in rows if row.mark)

    def _put_alone(self, connection: sqlite3.Connection, row: TurnRow) -> bool:
        """Stores one row, if it fits and its command was not carried out before."""
        if not self._mark(connection, [row]):
            return False
        stored = self._put(connection, [row]) == 1
        if row.mark and not stored:
            connection.execute(UNMARK, row.mark[:2])
        return stored

    def _put(self, connection: sqlite3.Connection, rows: list[TurnRow]) -> int:
        """How many were stored; games are moved on only if all were.

        Rows of no game fill a batch up to a power of two: a statement for every size took 45 MB that never came back.
        """
        room = 1 << (len(rows) - 1).bit_length()
        empty = room - len(rows)
        turns = [value for r in rows for value in (r.game, r.number, r.kind, r.seat, r.text, r.at, r.spent)]
        done = connection.execute(insert_of(room), turns + [None] * (7 * empty)).rowcount
        if done == len(rows):
            after = [(r.game, r.number, r.at, r.to_move, r.due, r.outcome, r.position) for r in rows]
            games = [value for row in after for value in row]
            connection.execute(update_of(room), games + [None] * (7 * empty))
            if over := [value for r in rows if r.outcome is not None for value in (r.game, r.at, r.outcome)]:
                connection.execute(seats_of(room), over + [None] * (3 * room - len(over)))
        return done

    def _open(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self._path, isolation_level=None, check_same_thread=False)
        for pragma in PRAGMAS:
            connection.execute(pragma)
        self._connection = connection
        return connection

    async def probe(self) -> None:
        """Writes something small, by a connection of its own; raises what goes wrong with it."""
        await asyncio.to_thread(self._probe)

    def _probe(self) -> None:
        connection = sqlite3.connect(f"file:{quote(str(self._path))}?mode=rw", PROBE, isolation_level=None, uri=True)
        try:
            connection.execute("PRAGMA synchronous=FULL")
            connection.execute(WRITTEN, (str(time.time_ns() // 1_000_000),))
        finally:
            connection.close()

    async def close(self) -> None:
        """Closes the connection in its thread."""
        if self._connection:
            await asyncio.get_running_loop().run_in_executor(self._thread, self._connection.close)
        self._thread.shutdown()
