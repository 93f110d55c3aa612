"""Open lines of accounts: whoever listens on the bus for an account, a few at a time, and how such a line ends."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

from hedgerow.serve.bus.local import Bus, Message

GRACE = 3.0
"""How many seconds whoever listens has to read the last line."""


class Listener:
    """One open line: it is woken when there is something to tell."""

    def __init__(self, bus: Bus, channel: str, account: int) -> None:
        self.account = account
        self.hang_up: Callable[[], None] = lambda: None
        """Ends the connection of somebody who does not listen."""
        self.forget: Callable[[], None] = lambda: None
        """Takes it out of the list that it stands in."""
        self._late: asyncio.TimerHandle | None = None
        self._wake = asyncio.Event()
        self._leave = bus.subscribe(channel, self.hear)

    def hear(self, message: Message) -> None:
        """Something has happened."""
        raise NotImplementedError

    def replaced(self) -> None:
        """A newer line has its place."""
        raise NotImplementedError

    def end_soon(self) -> None:
        """The last line is told now; whoever takes no notice of it is not waited for."""
        self._late = self._late or asyncio.get_running_loop().call_later(GRACE, self.hang_up)
        self._wake.set()

    def close(self) -> None:
        """It is over."""
        if self._late:
            self._late.cancel()
        self._leave()
        self.forget()


Kind = TypeVar("Kind", bound=Listener)


class Listeners(Generic[Kind]):
    """The open lines of one kind in this process, by account; one too many ends the oldest."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._open: dict[int, list[Kind]] = {}

    def add(self, line: Kind) -> Kind:
        """A new line; whoever opens it closes it."""
        line.forget = lambda: self._forget(line)
        mine = self._open.setdefault(line.account, [])
        mine.append(line)
        for oldest in mine[: -self.most]:
            oldest.replaced()
        return line

    def _forget(self, line: Kind) -> None:
        left = [other for other in self._open.get(line.account, ()) if other is not line]
        if left:
            self._open[line.account] = left
        else:
            self._open.pop(line.account, None)

    def __contains__(self, account: int) -> bool:
        return account in self._open

    def __iter__(self) -> Iterator[Kind]:
        return iter([line for lines in self._open.values() for line in lines])

    def __len__(self) -> int:
        return sum(map(len, self._open.values()))
