"""Clocks: none, live with an increment (Fischer), or so many days for every turn; and the one who watches the flags.

A clock is what the turns say: how long each took, by the server's time. So it is the same after a restart, and it went
on while the server was down.
"""

from __future__ import annotations

import asyncio
import contextlib
import heapq
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Literal

from hedgerow.serve.play.backoff import LONG, Backoff
from hedgerow.serve.store.schema import now

log = logging.getLogger("hedgerow.clocks")

PATIENCE = 10.0
"""How many seconds the fall of one flag may take, before the others have their turn."""
LAG = 300
"""How many milliseconds of a turn may be put down to the network, at most; flags fall so much later, too."""

DAY = 86_400_000


@dataclass(frozen=True, slots=True)
class Control:
    """How time is given: `none`; `live`, base and increment; `days`, base anew for every turn. In milliseconds."""

    kind: Literal["none", "live", "days"] = "none"
    base_ms: int = 0
    increment_ms: int = 0


class Clock:
    """The time every seat has left.

    >>> clock = Clock(Control("live", 60_000, 2_000), 2)
    >>> clock.charge(0, elapsed=5_200, thought=5_000), clock.left
    (5000, [57000, 60000])
    """

    __slots__ = ("control", "left")

    def __init__(self, control: Control, seats: int) -> None:
        self.control = control
        self.left = [control.base_ms] * seats

    def price(self, elapsed: int, thought: int | None) -> int:
        """What a turn costs: the time since the last one, less what its player's machine says the network took."""
        lag = 0 if thought is None else min(LAG, max(0, elapsed - max(0, thought)))
        return max(0, elapsed - lag)

    def charge(self, seat: int, elapsed: int, thought: int | None = None) -> int:
        """Takes the price of a turn from its seat and adds the increment; returns the price."""
        spent = self.price(elapsed, thought)
        self.settle(seat, spent)
        return spent

    def settle(self, seat: int, spent: int) -> None:
        """A turn that cost so much, as it was charged."""
        if self.control.kind == "live":
            self.left[seat] += self.control.increment_ms - spent

    def begin(self, seat: int, wait: int) -> None:
        """A turn of theirs begins: of days all are there again, and so many milliseconds in which they are away."""
        if self.control.kind == "days":
            self.left = [self.control.base_ms] * len(self.left)
            self.left[seat] += wait

    def too_late(self, seat: int, elapsed: int, thought: int | None = None) -> bool:
        """The flag fell before this turn."""
        return self.control.kind != "none" and self.price(elapsed, thought) >= self.left[seat]

    def due(self, seat: int, since: int) -> int | None:
        """When the flag of the seat to move falls, if its turn began then."""
        return None if self.control.kind == "none" else since + self.left[seat] + LAG

    def shown(self) -> list[int] | None:
        """What is left to every seat at the beginning of this turn."""
        return None if self.control.kind == "none" else list(self.left)


class Flags:
    """One task that knows when the next flag falls; `fall` lets it, or returns when it does where that is later.

    A game that moves on before its flag falls only changes its entry; its place in the queue is seen to when its old
    time comes, so that a fast game costs no more than a slow one.
    """

    def __init__(self, fall: Callable[[str, int], Awaitable[int | None]]) -> None:
        self._fall = fall
        self._backoff = Backoff(log, "the flag of")
        self._games: dict[str, tuple[int, int]] = {}  # due, version
        self._queue: list[tuple[int, str]] = []
        self._wake = asyncio.Event()
        self._task = asyncio.create_task(self._run(), name="flags")

    def watch(self, game: str, version: int, due: int) -> None:
        """The game's flag falls then, if it still has this version."""
        before = self._games.get(game)
        self._games[game] = due, version
        if before is None or due < before[0]:
            self._line_up(due, game)

    def forget(self, game: str) -> None:
        """The game has no flag to fall any more."""
        self._games.pop(game, None)

    def _line_up(self, due: int, game: str) -> None:
        heapq.heappush(self._queue, (due, game))
        if self._queue[0] == (due, game):
            self._wake.set()

    async def _run(self) -> None:
        while True:
            self._wake.clear()
            wait = (self._queue[0][0] - now()) / 1000 if self._queue else None
            if wait is None or wait > 0:
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(wait if wait is None else min(wait, 3600)):
                        await self._wake.wait()  # not in wait_for, which can swallow that we are told to stop
                continue
            queued, game = heapq.heappop(self._queue)
            due, version = self._games.get(game, (0, 0))
            if due > queued:
                self._line_up(due, game)
            elif self._games.pop(game, None):
                await self._let_fall(game, version)

    async def _let_fall(self, game: str, version: int) -> None:
        later: int | None = None
        try:
            with self._backoff.trying(game):
                async with asyncio.timeout(PATIENCE):
                    later = await self._fall(game, version)
        except Exception:  # the database is away: try again, a flag is never forgotten
            self.watch(game, version, now() + 1000)
        else:
            if game in self._backoff:
                later = now() + round(LONG * 1000)
            if later is not None and game not in self._games:
                self.watch(game, version, later)

    async def stop(self) -> None:
        """Watches no longer; what is due is in the database."""
        self._task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._task
