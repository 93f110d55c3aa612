"""Uvicorn's HTTP protocol with a deadline: a request that is not complete in time is closed.

Uvicorn waits for the rest of a request as long as its sender likes, and for the first byte, too; a few hundred such
lines would keep a server busy with nothing. An answer may take as long as it likes; one that would never end by itself
is told when the server stops: the application finds the protocol among the extensions of the scope.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from hedgerow.serve.protocol import EXTENSION
from hedgerow.serve.settings import DEADLINE

HEADERS = 32 * 1024
"""How many bytes may come before the headers are complete."""


def http_protocol_in(scope: Any) -> HttpProtocol | None:
    """The protocol of this connection, if it is ours."""
    found: HttpProtocol | None = (scope.get("extensions") or {}).get(EXTENSION, {}).get("protocol")
    return found


class HttpProtocol(HttpToolsProtocol):
    """One connection."""

    when_stopping: Callable[[], None] | None = None
    """Ends an answer that would go on for ever."""

    patience = DEADLINE
    deadline: asyncio.TimerHandle | None = None
    unfinished = False
    """A request has begun and is not complete."""
    heads = 0
    """Bytes that came while the headers were not complete."""
    headers_complete = True

    def connection_made(self, transport: Any) -> None:
        """Somebody is here, and should say something."""
        super().connection_made(transport)
        self.deadline = self.loop.call_later(self.patience, self.too_late)

    def data_received(self, data: bytes) -> None:
        """Part of a request, mostly all of it."""
        super().data_received(data)
        if not self.unfinished:
            self.at_ease()
        elif self.deadline is None and not self.transport.is_closing():
            self.deadline = self.loop.call_later(self.patience, self.too_late)
        if self.headers_complete:
            self.heads = 0
        else:
            self.heads += len(data)
            if self.heads > HEADERS:
                self.send_400_response("Headers too big.")

    def on_message_begin(self) -> None:
        """The first line of a request."""
        self.unfinished, self.headers_complete = True, False
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """Now the body, if any; the application begins to run after this."""
        self.headers_complete = True
        super().on_headers_complete()
        scope: Any = self.scope
        scope["extensions"] = {EXTENSION: {"protocol": self}}

    def on_message_complete(self) -> None:
        """The whole request is here."""
        self.unfinished = False
        super().on_message_complete()

    def handle_websocket_upgrade(self) -> None:
        """From now on it is another protocol's line."""
        self.at_ease()
        super().handle_websocket_upgrade()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing more will come."""
        self.at_ease()
        super().connection_lost(exc)

    def shutdown(self) -> None:
        """The server stops."""
        if self.when_stopping:
            self.when_stopping()
        super().shutdown()

    def hang_up(self) -> None:
        """Ends the connection without a word, as is due to a client that does not listen."""
        self.transport.abort()

    def at_ease(self) -> None:
        """There is nothing to wait for."""
        if self.deadline is not None:
            self.deadline.cancel()
            self.deadline = None

    def too_late(self) -> None:
        """The time is up: whoever is so slow gets no more of it."""
        self.deadline = None
        self.transport.abort()


def within(seconds: float) -> type[HttpProtocol]:
    """The same with another deadline."""
    return type("HttpProtocol", (HttpProtocol,), {"patience": seconds})
