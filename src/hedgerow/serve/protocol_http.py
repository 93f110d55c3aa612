"""Uvicorn's HTTP protocol with a deadline: a request that is not complete in time is closed.

Uvicorn waits for the rest of a request as long as its sender likes, and for the first byte, too; a few hundred such
lines would keep a server busy with nothing.
"""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

DEADLINE = 12.0
"""Seconds from the beginning of a request, or of the connection, until all of it must be here."""
HEADERS = 32 * 1024
"""How many bytes may come before the headers are complete."""


class HttpProtocol(HttpToolsProtocol):
    """One connection."""

    deadline: asyncio.TimerHandle | None = None
    unfinished = False
    """A request has begun and is not complete."""
    heads = 0
    """Bytes that came while the headers were not complete."""
    headers_complete = True

    def connection_made(self, transport: Any) -> None:
        """Somebody is here, and should say something."""
        super().connection_made(transport)
        self.deadline = self.loop.call_later(DEADLINE, self.too_late)

    def data_received(self, data: bytes) -> None:
        """Part of a request, mostly all of it."""
        super().data_received(data)
        if not self.unfinished:
            self.at_ease()
        elif self.deadline is None and not self.transport.is_closing():
            self.deadline = self.loop.call_later(DEADLINE, self.too_late)
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
        """Now the body, if any."""
        self.headers_complete = True
        super().on_headers_complete()

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

    def at_ease(self) -> None:
        """There is nothing to wait for."""
        if self.deadline is not None:
            self.deadline.cancel()
            self.deadline = None

    def too_late(self) -> None:
        """The time is up: whoever is so slow gets no more of it."""
        self.deadline = None
        self.transport.abort()
