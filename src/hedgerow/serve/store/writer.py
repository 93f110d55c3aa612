"""The group-commit writer: many games' turns in one transaction, and nobody is answered before it is on the disk.

While one batch is being committed the next one gathers; so the more is played, the more turns share one fsync. A turn
is stored only if its game is going on and has exactly as many turns as the number says: whatever happened elsewhere in
the meantime, one number is given once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from hedgerow.serve.store.letters import Once

LARGEST = 500
"""How many turns one transaction takes at most."""


class Conflict(Exception):
    """The game is not where the turn expects it: somebody else has played, or it is over."""


class WriterStopped(Exception):
    """The server is going down; the turn was not stored."""


@dataclass(frozen=True, slots=True)
class TurnRow:
    """One row of `turns`, and what it makes of the game's row."""

    game: str
    number: int
    kind: str
    seat: int
    text: str
    at: int
    spent: int
    to_move: int | None
    """Whose turn it is after it; None when the game is over."""
    due: int | None
    """When the flag of that seat falls."""
    outcome: str | None
    """JSON, when the game is over."""
    position: str | None = None
    """Where the game stands then, as text, if it is rated and goes on."""
    once: Once | None = None
    """The command of a letter that it is the effect of: the row is stored only if that was not done before."""

    @property
    def mark(self) -> tuple[int, int, str] | None:
        """What is kept of that command, as a row of `letter_steps`."""
        return (self.once.letter, self.once.step, self.once.kept(str(self.number))) if self.once else None


Commit = Callable[[list[TurnRow]], Awaitable[list[bool]]]
"""Commits rows of different games in one transaction; tells for each whether it was stored."""


class Writer:
    """Gathers rows and hands them to `commit`; there is one for every process that serves games."""

    def __init__(self, commit: Commit) -> None:
        self._commit = commit
        self._waiting: list[tuple[TurnRow, asyncio.Future[bool]]] = []
        self._wake = asyncio.Event()
        self._stopping = False
        self._task = asyncio.create_task(self._run(), name="writer")
        self.turns = 0
        self.batches = 0

    async def store(self, row: TurnRow) -> None:
        """Returns when the row is stored for good; raises Conflict, or whatever went wrong with the batch."""
        if self._stopping:
            raise WriterStopped("the server is stopping; hint: try again in a moment")
        future: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._waiting.append((row, future))
        self._wake.set()
        if not await future:
            raise Conflict

    async def _run(self) -> None:
        while self._waiting or not self._stopping:
            if not self._waiting:
                self._wake.clear()
                await self._wake.wait()
                continue
            batch, self._waiting = self._waiting[:LARGEST], self._waiting[LARGEST:]
            await self._store(batch)

    async def _store(self, batch: list[tuple[TurnRow, asyncio.Future[bool]]]) -> None:
        try:
            stored = await self._commit([row for row, _ in batch])
        except Exception as error:
            for _, future in batch:
                if not future.done():
                    future.set_exception(error)
            return
        self.batches += 1
        self.turns += sum(stored)
        for (_, future), done in zip(batch, stored):
            if not future.done():
                future.set_result(done)

    async def stop(self) -> None:
        """Stores what is waiting, then takes nothing more."""
        self._stopping = True
        self._wake.set()
        await self._task
