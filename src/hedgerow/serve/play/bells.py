"""Bells: open pages are told that something may be new for their reader, and look it up themselves.

A page that nothing happens to costs a task that sleeps. A bell says nothing of what has happened, so that nothing is
lost where two things happen at once, or none is heard: whoever hears it reads what the database says.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable

from hedgerow.serve.bus.local import Bus, Message
from hedgerow.serve.play.games import Games
from hedgerow.serve.play.listeners import Listener, Listeners
from hedgerow.serve.play.live import LiveGame
from hedgerow.serve.play.presence import Spectators
from hedgerow.serve.play.state import Seat

BEAT = 45.0
"""Every so many seconds something is said, so that no proxy takes the line for dead."""
PAUSE = 0.3
"""How many seconds pass at least between two rings."""
MOST = 20
"""How many bells of an account may hang here; one more ends the oldest."""

RING, ALIVE, BYE = b"data:\n\n", b":\n\n", b"event: bye\ndata:\n\n"
"""As server-sent events: an empty message, a comment, and the last word."""


def channel(account: int) -> str:
    """Where an account is rung for; no game is called like that."""
    return f"bell/{account}"


class Bell(Listener):
    """The line of one browser."""

    def __init__(self, bus: Bus, account: int) -> None:
        super().__init__(bus, channel(account), account)
        self.over, self.bye = False, ALIVE

    def hear(self, message: Message) -> None:
        """Something may be new; the message says nothing of it."""
        self.ring()

    def ring(self) -> None:
        """Something may be new."""
        self._wake.set()

    def end(self) -> None:
        """Nothing more is told, and the page need not ask again: its session is over, or other pages have its place."""
        self.bye = BYE
        self.stop()

    replaced = end

    def stop(self) -> None:
        """The server stops: the page asks again."""
        self.over = True
        self.end_soon()

    async def lines(self, wait: bool = True) -> AsyncIterator[bytes]:
        """A ring at once, as something may have happened since the page was made, then whenever there is one."""
        yield RING
        while wait and not self.over:
            try:
                async with asyncio.timeout(BEAT):
                    await self._wake.wait()
            except TimeoutError:
                yield ALIVE
                continue
            if not self.over:
                await asyncio.sleep(PAUSE)
                self._wake.clear()
                yield RING
        yield self.bye


class Bells:
    """All bells of this process; those of others hang on the same bus."""

    def __init__(self, games: Games, bus: Bus, spectators: Spectators) -> None:
        self.bus, self.spectators = bus, spectators
        self._open = Listeners[Bell](MOST)
        games.after.append(self.game_changed)

    def open(self, account: int) -> Bell:
        """A new bell; whoever opens it closes it."""
        return self._open.add(Bell(self.bus, account))

    def ring(self, some: Iterable[int]) -> None:
        """Something may be new for these accounts."""
        for account in some:
            if self.bus.shared or account in self._open:
                self.bus.publish(channel(account), Message("{}"))

    def ring_all(self) -> None:
        """Messages may have been missed: everybody looks."""
        for bell in self._open:
            bell.ring()

    def game_changed(self, live: LiveGame) -> None:
        """Rings for those whom a game concerns and who do not look at it."""
        if live.begun is None:
            asked = {seat.invited for seat in live.seats if seat.free}
            self._ring(asked | ({live.creator} if live.over else set()))
        elif live.version == 0 or live.over or (live.last and live.last.kind == "sit"):
            self._ring({seat.account for seat in self._elsewhere(live)})
        else:
            mover = live.match.to_move
            self._ring({seat.account for seat in self._elsewhere(live) if seat is live.seats[mover]})

    def _elsewhere(self, live: LiveGame) -> list[Seat]:
        here = self.spectators.seats(live.id)
        people = [seat for number, seat in enumerate(live.seats) if seat.account is not None and number not in here]
        alone = sum(seat.account is not None for seat in live.seats) < 2
        return [] if alone and live.clock.control.kind == "none" else people

    def _ring(self, some: Iterable[int | None]) -> None:
        self.ring(account for account in some if account is not None)
