"""Sweeps of the database for what a dead process or a lost message left undone: fallen flags, unrated games.

Everything here may be done by several processes at once, and twice: each thing is stored once.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging

from hedgerow.serve.play.backoff import Backoff
from hedgerow.serve.play.clocks import PATIENCE
from hedgerow.serve.play.games import Games
from hedgerow.serve.play.ratings import Ratings
from hedgerow.serve.store import queries, ratings
from hedgerow.serve.store.rows import GameRow
from hedgerow.serve.store.schema import now

log = logging.getLogger("hedgerow.sweeps")

EVERY = 2.0
"""How often, in seconds, the database is asked."""
TOGETHER = 1_000
LATE = 500
"""How many milliseconds late a flag is before it is let fall here: it may be somebody else's."""


RECENT = 600_000
"""For how many milliseconds a game that has ended is looked at again, to be rated if it is not."""
KEPT = 3_600_000
"""After how many milliseconds it is kept in the database how far games are rated, for the next start."""


class Sweeps:
    """One task that looks after what others may have left undone."""

    def __init__(self, games: Games, ratings: Ratings) -> None:
        self.games = games
        self.ratings = ratings
        self._backoff = Backoff(log, "the flag of")
        self._since: int | None = None
        """From when on games are rated that are not: at first what the database says, then what has just ended."""
        self._kept = 0
        """Up to when the database says that all games are rated."""
        self._task = asyncio.create_task(self._run(), name="sweeps")

    async def _run(self) -> None:
        while True:
            for step in (self.flags, self.rate):
                try:
                    await step()
                except Exception as error:  # the database is away: the next sweep is soon
                    log.warning("could not look for what is overdue: %s", type(error).__name__)
            await asyncio.sleep(EVERY)

    async def rate(self) -> None:
        """Rates every game that is not rated and should be."""
        before = now() - RECENT
        if self._since is None:
            async with self.games.store.read() as connection:
                self._kept = self._since = await ratings.rated_until(connection)
        await self.ratings.sweep(self._since)
        self._since = before
        if before - self._kept > KEPT and not self.ratings.behind:
            async with self.games.store.write() as connection:
                await ratings.set_rated_until(connection, before)
            self._kept = before

    async def flags(self) -> None:
        """Lets every flag fall that is overdue."""
        async with self.games.store.read() as connection:
            due = await queries.flags_due(connection, now() - LATE, TOGETHER + len(self._backoff))
        for row in due:
            if row.id not in self._backoff:
                with self._backoff.trying(row.id):
                    await self._fall(row)

    async def _fall(self, row: GameRow) -> None:
        async with asyncio.timeout(PATIENCE):
            if (known := self.games.version(row.id)) is not None and known < row.version:
                self.games.forget(row.id)
            await self.games.flag(row.id, row.version)

    async def stop(self) -> None:
        """Looks no longer."""
        self._task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._task
