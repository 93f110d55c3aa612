"""Who may let the machine think next: everybody has a budget, and whoever has used least of it comes first.

Thinking time is counted for the account that made a game, and for the address it came from, and fades over an hour. An
account or address beyond its budget is not refused: it waits until nobody within theirs does.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

ACCOUNT = 600.0
"""Seconds of thinking within an hour, for one account."""
ADDRESS = 3600.0
"""The same for everybody at one address."""
FADES = 3600.0
KEPT = 20_000


class Used:
    """Seconds used by key, fading with time."""

    def __init__(self) -> None:
        self._used: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def of(self, key: str, at: float) -> float:
        """What is still counted."""
        seconds, since = self._used.get(key, (0.0, at))
        return seconds * math.exp(-(at - since) / FADES)

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


class Turnstile:
    """Lets so many through at once, in a fair order."""

    def __init__(self, slots: int) -> None:
        self._free = slots
        self._waiting: list[Waiting] = []
        self._accounts, self._addresses = Used(), Used()
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

        def rank(one: Waiting) -> tuple[bool, bool, float, int]:
            used, there = self._accounts.of(one.account, at), self._addresses.of(one.address, at)
            return one.later, used > ACCOUNT or there > ADDRESS, round(used), one.number

        return sorted(self._waiting, key=rank)

    @asynccontextmanager
    async def through(self, game: str, account: str, address: str, later: bool = False) -> AsyncIterator[None]:
        """Waits for its turn, `later` than everybody else if so asked; the time inside is counted."""
        await self._enter(game, account, address, later)
        begun = time.monotonic()
        try:
            yield
        finally:
            at = time.monotonic()
            self._accounts.add(account, at - begun, at)
            if address:
                self._addresses.add(address, at - begun, at)
            self._leave()

    async def _enter(self, game: str, account: str, address: str, later: bool) -> None:
        if self._free:
            self._free -= 1
            return
        self._count += 1
        one = Waiting(game, account, address, self._count, asyncio.get_running_loop().create_future(), later)
        self._waiting.append(one)
        try:
            await one.go
        except asyncio.CancelledError:
            if one in self._waiting:
                self._waiting.remove(one)
            else:  # it was just let in
                self._leave()
            raise

    def _leave(self) -> None:
        if not self._waiting:
            self._free += 1
            return
        following = self._in_order()[0]
        self._waiting.remove(following)
        following.go.set_result(None)
