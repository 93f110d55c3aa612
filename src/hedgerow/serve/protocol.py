"""Uvicorn's websocket protocol with two short cuts for many small messages.

A frame that a server sends is the same for everybody, so an event is framed once and written to every line as it is;
the application finds the protocol among the extensions of the scope and falls back to the ordinary `send` without. And
reading is not paused and resumed for every single message, which costs two system calls, but only for a client that
sends faster than it is answered.
"""

from __future__ import annotations

from typing import Any

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.http11 import Request

AHEAD = 4
"""How many messages of a client may wait before nothing more is read from it."""
EXTENSION = "hedgerow"


def framed(text: str) -> bytes:
    """A text message as a server sends it.

    >>> framed("hi")
    b'\\x81\\x02hi'
    """
    body = text.encode()
    if len(body) < 126:
        return bytes((0x81, len(body))) + body
    if len(body) < 65536:
        return b"\x81\x7e" + len(body).to_bytes(2, "big") + body
    return b"\x81\x7f" + len(body).to_bytes(8, "big") + body


def protocol_in(scope: Any) -> SocketProtocol | None:
    """The protocol of this connection, if it is ours."""
    found: SocketProtocol | None = (scope.get("extensions") or {}).get(EXTENSION, {}).get("protocol")
    return found


class SocketProtocol(WebSocketsSansIOProtocol):
    """One connection."""

    def handle_connect(self, event: Request) -> None:
        """Offers the short cut to the application, which begins to run after this."""
        super().handle_connect(event)
        if self.response.status_code == 101:
            extensions: Any = self.scope["extensions"]
            extensions[EXTENSION] = {"protocol": self}

    def write(self, frame: bytes) -> bool:
        """Writes a frame at once; False where it would have to wait, or the line is closing."""
        if self.close_sent or self.disconnected or not self.handshake_complete or not self.writable.is_set():
            return False
        if self.transport.is_closing():
            return False
        self.transport.write(frame)
        return True

    def hang_up(self) -> None:
        """Ends the connection without a word, as is due to a client that does not listen."""
        self.transport.abort()

    def send_receive_event_to_app(self) -> None:
        """Hands a message to the application; reading goes on as long as few are waiting."""
        if self.queue.qsize() >= AHEAD:
            super().send_receive_event_to_app()
            return
        paused, self.read_paused = self.read_paused, True
        super().send_receive_event_to_app()
        self.read_paused = paused
