"""Open websockets and streams: by the session that opened them, so that they end with it, and by address."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable

from hedgerow.serve.people.limits import TooMany

HangUp = Callable[[], None]

MOST = 400
"""How many lines may be open from one address: room for a school."""
AGAIN = 10.0
"""After how many seconds one should try again."""


class Connections:
    """Which sockets and streams are open. A session that ends, in whichever process, closes its own."""

    def __init__(self, most: int | None = None) -> None:
        self.most = most
        self._open: dict[str, list[HangUp]] = {}
        self._addresses: Counter[str] = Counter()

    def come(self, address: str) -> Callable[[], None]:
        """Counts a line until the returned function is called; raises TooMany where the address has enough."""
        if self.most is not None and self._addresses[address] >= self.most:
            raise TooMany("too many lines are open from your address", AGAIN)
        self._addresses[address] += 1

        def leave() -> None:
            self._addresses[address] -= 1
            if not self._addresses[address]:
                del self._addresses[address]

        return leave

    @property
    def sessions(self) -> list[str]:
        """The sessions that have a line open."""
        return list(self._open)

    def join(self, session: str, hang_up: HangUp) -> Callable[[], None]:
        """A line is open until the returned function is called."""
        self._open.setdefault(session, []).append(hang_up)

        def leave() -> None:
            left = [other for other in self._open.get(session, ()) if other is not hang_up]
            if left:
                self._open[session] = left
            else:
                self._open.pop(session, None)

        return leave

    def end(self, sessions: Iterable[str]) -> None:
        """These sessions are over."""
        for session in sessions:
            for hang_up in self._open.pop(session, ()):
                hang_up()
