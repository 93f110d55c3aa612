"""Open websockets by the session that opened them, so that they end with it."""

from __future__ import annotations

from collections.abc import Callable, Iterable

HangUp = Callable[[], None]


class Lines:
    """Which lines are open. A session that ends, wherever that was decided, closes its lines."""

    def __init__(self) -> None:
        self._open: dict[str, list[HangUp]] = {}

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
