"""A fair queue for the engine: addresses take turns, and accounts within an address.

Thinking time is counted for the account that made a game, and for the address it came from. What was used in the last
minute decides who comes next, by address first: however many accounts come from one address, together they have one
place in the order. What was used in the last hour is a budget; an account or address beyond it is not refused, but
waits until nobody within theirs does.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections import Counter, OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

ACCOUNT = 600.0
"""Seconds of thinking within an hour, for one account."""
ADDRESS = 3600.0
"""The same for everybody at one address."""
FADES = 3600.0
LATELY = 30.0
"""How soon what decides about the order fades, in seconds."""
STEP = 0.1
"""As many seconds at least are counted for whoever was let in, so that others come first."""
KEPT = 20_000


class Used:
    """Seconds used by key, fading with time."""

    def __init__(self, fades: float = FADES) -> None:
        self._fades = fades
        self._used: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def of(self, key: str, at: float) -> float:
        """What is still counted."""
        seconds, since = self._used.get(key, (0.0, at))
        return seconds * math.exp(-(at - since) / self._fades)

    def add(self, key: str, seconds: float, at: float) -> None:
        """So much more."""
        self._used[key] = (self.of(key, at) + seconds, at)
        self._used.move_to_end(key)
        if len(self._used) > KEPT:
            self._used.popitem(last=False)


@dataclass
class Waiting:
    """One game that waits for a machine's turn."""

    game: str
    account: str
    address: str
    number: int
    go: asyncio.Future[None]
    later: bool = False
    """It is let in when nobody waits who is not."""

    @property
    def where(self) -> str:
        """Its address; an account that was not seen yet stands for itself."""
        return self.address or f"account {self.account}"


class Turnstile:
    """Lets so many through at once, in a fair order."""

    def __init__(self, slots: int) -> None:
        self._free = slots
        self._waiting: list[Waiting] = []
        self._inside: Counter[str] = Counter()
        self._accounts, self._addresses = Used(), Used()
        self._lately = Used(LATELY)
        self._count = 0

    @property
    def waiting(self) -> int:
        """How many wait, without those who may come later."""
        return sum(not one.later for one in self._waiting)

    @property
    def full(self) -> bool:
        """Whoever comes now has to wait."""
        return not self._free

    def place(self, game: str) -> int | None:
        """How many are before this game; None where it does not wait."""
        order = [one.game for one in self._in_order()]
        return order.index(game) if game in order else None

    def _in_order(self) -> list[Waiting]:
        at = time.monotonic()

        def rank(one: Waiting) -> tuple[bool, bool, int, int, int, int]:
            used, there = self._accounts.of(one.account, at), self._addresses.of(one.address, at)
            lately = self._inside[one.where] + self._steps(one.where, at)
            theirs = self._steps(f"account {one.account}", at)
            return one.later, used > ACCOUNT or there > ADDRESS, lately, theirs, round(used), one.number

        return sorted(self._waiting, key=rank)

    def _steps(self, key: str, at: float) -> int:
        """What was used lately; small differences do not count."""
        return round(self._lately.of(key, at) / STEP)

    @asynccontextmanager
    async def through(self, game: str, account: str, address: str, later: bool = False) -> AsyncIterator[None]:
        """Waits for its turn, `later` than everybody else if so asked; the time inside is counted."""
        self._count += 1
        one = Waiting(game, account, address, self._count, asyncio.get_running_loop().create_future(), later)
        await self._enter(one)
        begun = time.monotonic()
        self._inside[one.where] += 1
        try:
            yield
        finally:
            self._inside[one.where] -= 1
            self._inside += Counter()  # forgets those of whom none is inside
            self._count_in(one, time.monotonic() - begun)
            self._leave()

    def _count_in(self, one: Waiting, seconds: float) -> None:
        """So much was used."""
        at = time.monotonic()
        self._accounts.add(one.account, seconds, at)
        for key in {one.where, f"account {one.account}"}:
            self._lately.add(key, max(STEP, seconds), at)
        if one.address:
            self._addresses.add(one.address, seconds, at)

    async def _enter(self, one: Waiting) -> None:
        if self._free:
            self._free -= 1
            return
        self._waiting.append(one)
        try:
            await one.go
        except asyncio.CancelledError:
            if one in self._waiting:
                self._waiting.remove(one)
            elif not one.go.cancelled():  # it was just let in
                self._leave()
            raise

    def _leave(self) -> None:
        """Lets the next one in who still waits: somebody may have gone who has not been told so yet."""
        for following in self._in_order():
            self._waiting.remove(following)
            if not following.go.done():
                following.go.set_result(None)
                return
        self._free += 1
