"""An ASGI extension of our own that gives a route its connection, to write frames or to hang up directly.

Our protocols offer it; under another server, or in a test without one, it is not there, and a route does without.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from starlette.types import Scope

EXTENSION = "hedgerow"
"""Its name among the extensions of a scope."""


class SocketConnection(Protocol):
    """The connection of a websocket."""

    def write(self, frame: bytes) -> bool:
        """Writes a frame that is made already; False where that is not possible now."""

    def hang_up(self) -> None:
        """Closes it without a word, as far as it is open."""


class StreamConnection(Protocol):
    """The connection of an answer that does not end."""

    when_stopping: Callable[[], None] | None
    """What to do when the server stops."""

    def hang_up(self) -> None:
        """Closes it without a word, as far as it is open."""


def socket_connection(scope: Scope) -> SocketConnection | None:
    """The websocket's connection, if it is one of ours."""
    found: SocketConnection | None = scope.get("extensions", {}).get(EXTENSION, {}).get("protocol")
    return found


def stream_connection(scope: Scope) -> StreamConnection | None:
    """The request's connection, if it is one of ours."""
    found: StreamConnection | None = scope.get("extensions", {}).get(EXTENSION, {}).get("protocol")
    return found
