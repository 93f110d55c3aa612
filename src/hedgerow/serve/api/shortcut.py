"""A short cut from a route to its connection, an ASGI extension of our own.

Our protocols offer it; under another server, or in a test without one, it is not there, and a route does without.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

EXTENSION = "hedgerow"
"""Its name among the extensions of a scope."""


class SocketLine(Protocol):
    """The connection of a websocket."""

    def write(self, frame: bytes) -> bool:
        """Writes a frame that is made already; False where that is not possible now."""

    def hang_up(self) -> None:
        """Closes it without a word, as far as it is open."""


class StreamLine(Protocol):
    """The connection of an answer that does not end."""

    when_stopping: Callable[[], None] | None
    """What to do when the server stops."""

    def hang_up(self) -> None:
        """Closes it without a word, as far as it is open."""


def socket_line(scope: Mapping[str, Any]) -> SocketLine | None:
    """The websocket's connection, if it is one of ours."""
    found: SocketLine | None = _offered(scope)
    return found


def stream_line(scope: Mapping[str, Any]) -> StreamLine | None:
    """The request's connection, if it is one of ours."""
    found: StreamLine | None = _offered(scope)
    return found


def _offered(scope: Mapping[str, Any]) -> Any:
    return (scope.get("extensions") or {}).get(EXTENSION, {}).get("protocol")
