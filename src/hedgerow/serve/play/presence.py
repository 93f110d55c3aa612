"""Who is at a game, in all processes together: how many watch and which players are there; told once a second at most.

Every process says who is with it when that changes, or when another one asks because it has just begun to look, or
may have missed something. Whoever is with a process that has died is not there any more.
"""

from __future__ import annotations

import asyncio
import secrets
from collections import Counter
from collections.abc import Callable

import msgspec

from hedgerow.serve.bus.local import Bus, Message
from hedgerow.serve.play.games import encode

PAUSE = 1.0
"""How many seconds pass at least between two counts."""


class Watching(msgspec.Struct):
    """What processes tell each other: how many watch here, whose seats are here, and whether an answer is wanted."""

    process: str
    count: int
    seats: list[int]
    asks: bool = False


class WatchersEvent(msgspec.Struct, tag_field="type", tag="watchers"):
    """How many people watch, and which seats' players are there."""

    count: int
    seats: list[int]


decode = msgspec.json.Decoder(Watching).decode


class _Crowd:
    """The players and watchers at one game."""

    __slots__ = ("elsewhere", "here", "leave", "lines", "seats", "timer", "told")

    def __init__(self) -> None:
        self.lines = self.here = 0
        self.seats: Counter[int] = Counter()
        self.elsewhere: dict[str, Watching] = {}
        self.told: tuple[int, list[int]] | None = (0, [])
        """What was told last; None when a player has come or gone since, for pages may show him already."""
        self.timer: asyncio.TimerHandle | None = None
        self.leave: Callable[[], None] = lambda: None


class Spectators:
    """Counts those who watch."""

    def __init__(self, bus: Bus) -> None:
        self.bus = bus
        self._name = f"{bus.name}/{secrets.token_hex(4)}"
        self._crowds: dict[str, _Crowd] = {}

    def count(self, game: str) -> int:
        """How many watch a game, as far as it is known here."""
        crowd = self._crowds.get(game)
        return crowd.here + sum(other.count for other in crowd.elsewhere.values()) if crowd else 0

    def seats(self, game: str) -> list[int]:
        """The seats whose players are at a game."""
        crowd = self._crowds.get(game)
        return sorted({*+crowd.seats, *(s for other in crowd.elsewhere.values() for s in other.seats)}) if crowd else []

    def busiest(self) -> dict[str, int]:
        """Every game that somebody is at, and how many watch it."""
        return {game: self.count(game) for game in self._crowds}

    def come(self, game: str, seat: int | None = None) -> Callable[[], None]:
        """Somebody is at the game, on a seat or to watch, until the returned function is called."""
        crowd = self._crowds.get(game)
        if crowd is None:
            crowd = self._crowds[game] = _Crowd()
            crowd.leave = self.bus.subscribe(f"{game}/watching", lambda message: self._hear(game, message))
            self._say(game, crowd, asks=True)
        self._count(game, crowd, seat, 1)

        def leave() -> None:
            self._count(game, crowd, seat, -1)
            if not crowd.lines:
                self._forget(game, crowd)

        return leave

    def _count(self, game: str, crowd: _Crowd, seat: int | None, more: int) -> None:
        crowd.lines += more
        if seat is None:
            crowd.here += more
        else:
            crowd.seats[seat] += more
            crowd.told = None
        self._say(game, crowd)

    def _say(self, game: str, crowd: _Crowd, asks: bool = False) -> None:
        """Tells the other processes at once, and those who are here in a moment."""
        if self.bus.shared:
            told = Watching(self._name, crowd.here, sorted(+crowd.seats), asks)
            self.bus.publish(f"{game}/watching", Message(encode(told).decode()))
        self._tell_soon(game, crowd)

    def _hear(self, game: str, message: Message) -> None:
        told, crowd = decode(message.text), self._crowds.get(game)
        if crowd is None or told.process == self._name:
            return
        before = crowd.elsewhere.get(told.process)
        if told.seats != (before.seats if before else []):
            crowd.told = None
        crowd.elsewhere[told.process] = told
        if told.asks and crowd.lines:
            self._say(game, crowd)
        self._tell_soon(game, crowd)

    def ask_again(self) -> None:
        """Something may have been missed: says who is here, and asks who is elsewhere."""
        for game, crowd in self._crowds.items():
            self._say(game, crowd, asks=True)

    def came(self, process: str) -> None:
        """Another process is heard, perhaps again after it was taken for dead."""
        self.ask_again()

    def gone(self, process: str) -> None:
        """Another process is dead, and nobody is with it."""
        for game, crowd in self._crowds.items():
            for name in [name for name in crowd.elsewhere if name.startswith(f"{process}/")]:
                if crowd.elsewhere.pop(name).seats:
                    crowd.told = None
                self._tell_soon(game, crowd)

    def _tell_soon(self, game: str, crowd: _Crowd) -> None:
        if crowd.timer is None:
            crowd.timer = asyncio.get_running_loop().call_later(PAUSE, self._tell, game, crowd)

    def _tell(self, game: str, crowd: _Crowd) -> None:
        crowd.timer = None
        if (there := (self.count(game), self.seats(game))) != crowd.told:
            crowd.told = there
            self.bus.tell_here(game, Message(encode(WatchersEvent(*there)).decode()))

    def _forget(self, game: str, crowd: _Crowd) -> None:
        crowd.leave()
        if crowd.timer:
            crowd.timer.cancel()
        self._crowds.pop(game, None)
