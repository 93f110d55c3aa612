"""Uvicorn's websocket protocol for many small messages, and for clients who do not behave.

A frame that a server sends is the same for everybody, so an event is framed once and written to every line as it is;
the application finds the protocol among the extensions of the scope and falls back to the ordinary `send` without. And
reading is not paused and resumed for every single message, which costs two system calls, but only for a client that
sends faster than it is answered: of such a one nothing more is even parsed until the application has taken what waits.

Frames that are no messages (pings, pieces) are counted, and nothing piles up for a client that does not read.
"""

from __future__ import annotations

import asyncio

from uvicorn._types import ASGIReceiveEvent, ASGISendEvent
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.frames import Frame
from websockets.http11 import Request

from hedgerow.serve.api.answers import written
from hedgerow.serve.api.shortcut import EXTENSION
from hedgerow.serve.process.porter import Visit

AHEAD = 4
"""How many messages of a client may wait before nothing more is read from it."""
PIECE = 512
"""How many bytes are parsed at once: enough for any usual message, and never for thousands of empty ones."""
RATE, BURST = 10.0, 100.0
"""How many frames a second may be no messages, and how many at once."""
NOT_ALLOWED, NOT_TEXT = 1008, 1007
"""Codes of a close."""


class SocketProtocol(WebSocketsSansIOProtocol):
    """One connection."""

    visit: Visit | None = None
    unparsed = b""
    """What was read and has to wait until the application has taken what came before."""
    spare, counted = BURST, 0.0
    """How many frames that are no messages are still allowed, as of when."""

    # --- in -----------------------------------------------------------------------------------------------------------

    def data_received(self, data: bytes) -> None:
        """Parses what has come, a piece at a time, as long as the application keeps up."""
        if self.handshake_initiated:
            self._parse(self.unparsed + data)
            return
        super().data_received(data)
        if not self.handshake_initiated:
            self._refuse(400, "this is no websocket's request; hint: it has neither a body nor 128 headers")

    def _parse(self, data: bytes) -> None:
        at = 0
        while at < len(data) and not self.transport.is_closing():
            if self.queue.qsize() > AHEAD and not self.close_sent:  # after the end nobody takes anything
                break
            super().data_received(data[at : at + PIECE])
            at += PIECE
        self.unparsed = b"" if self.transport.is_closing() else data[at:]

    async def receive(self) -> ASGIReceiveEvent:
        """The next message; what waits is parsed when it is the last. Whoever has said more lets others go first."""
        message = await super().receive()
        if self.unparsed and self.queue.empty():
            self._parse(self.unparsed)
        if not self.queue.empty():
            await asyncio.sleep(0)
        return message

    def handle_connect(self, event: Request) -> None:
        """Offers the short cut to the application, which begins to run after this."""
        refused = self.conn.accept(event)
        if refused.status_code != 101:
            self.handshake_initiated = True
            self._refuse(refused.status_code, "this is no websocket's request; hint: RFC 6455 says how they begin")
            return
        super().handle_connect(event)
        self.scope["extensions"][EXTENSION] = {"protocol": self}

    def _refuse(self, status: int, message: str) -> None:
        self.handshake_complete = self.close_sent = True
        self.transport.write(written(status, "bad_request", message))
        self.transport.close()

    def send_receive_event_to_app(self) -> None:
        """Hands a message to the application; reading goes on as long as few are waiting."""
        if self.curr_msg_data_type == "text" and not self._is_text():
            self.fail(NOT_TEXT, "not UTF-8")
            return
        if self.queue.qsize() >= AHEAD:
            super().send_receive_event_to_app()
            return
        paused, self.read_paused = self.read_paused, True
        super().send_receive_event_to_app()
        self.read_paused = paused

    def _is_text(self) -> bool:
        self.frames = [b"".join(self.frames)]
        try:
            str(self.frames[0], "utf-8")
        except UnicodeDecodeError:
            return False
        return True

    # --- frames that are no messages ----------------------------------------------------------------------------------

    def handle_text(self, event: Frame) -> None:
        """A message, or the first piece of one."""
        if self._counts(event):
            super().handle_text(event)

    def handle_bytes(self, event: Frame) -> None:
        """The same, in bytes."""
        if self._counts(event):
            super().handle_bytes(event)

    def handle_cont(self, event: Frame) -> None:
        """A piece of a message; pieces may be empty, so that a message could have any number."""
        if self._may_go_on():
            super().handle_cont(event)

    def handle_ping(self) -> None:
        """Is answered, if the client reads answers."""
        if not self.writable.is_set():
            self.hang_up()
        elif self._may_go_on():
            super().handle_ping()

    def handle_pong(self, event: Frame) -> None:
        """An answer to ours, or one to nothing."""
        if self._may_go_on():
            super().handle_pong(event)

    def _counts(self, event: Frame) -> bool:
        """A whole message is counted by the application; one that comes after the end by nobody else."""
        return (event.fin and not self.close_sent) or self._may_go_on()

    def _may_go_on(self) -> bool:
        """Takes one of the frames that are no messages; whoever sends too many of them is cut off."""
        at = self.loop.time()
        self.spare = min(BURST, self.spare + (at - self.counted) * RATE) - 1
        self.counted = at
        if self.spare < 0:
            self.fail(NOT_ALLOWED, "too many frames that are no messages")
        return self.spare >= 0

    # --- out ----------------------------------------------------------------------------------------------------------

    def write(self, frame: bytes) -> bool:
        """Writes a frame at once; False where it would have to wait, or the line is closing."""
        if self.close_sent or self.disconnected or not self.handshake_complete or not self.writable.is_set():
            return False
        if self.transport.is_closing():
            return False
        self.transport.write(frame)
        return True

    async def send(self, message: ASGISendEvent) -> None:
        """What the application says; an answer instead of a websocket completes the handshake, too."""
        await super().send(message)
        if self.initial_response is not None and self.close_sent:
            self.handshake_complete = True

    def resume_writing(self) -> None:
        """The client reads what it is sent."""
        if self.visit:
            self.visit.reads()
        super().resume_writing()

    # --- ending -------------------------------------------------------------------------------------------------------

    def fail(self, code: int, why: str) -> None:
        """Closes the line with a word, if it can still be heard."""
        if self.close_sent or self.transport.is_closing() or not self.writable.is_set():
            self.hang_up()
            return
        self.conn.fail(code, why)
        self.queue.put_nowait({"type": "websocket.disconnect", "code": code, "reason": why})
        self.transport.write(b"".join(self.conn.data_to_send()))
        self.close_sent = True
        self.transport.close()

    def handle_parser_exception(self) -> None:
        """What came cannot be read; before the line is open there is no way to say so."""
        if self.conn.close_sent is None:
            self.hang_up()
        else:
            super().handle_parser_exception()

    def keepalive_timeout(self) -> None:
        """The client did not answer a ping in time; nobody waits until it reads the rest, too."""
        unread = self.transport.get_write_buffer_size()
        super().keepalive_timeout()
        if unread:
            self.hang_up()

    def hang_up(self) -> None:
        """Ends the connection without a word, as is due to a client that does not listen."""
        self.unparsed = b""
        self.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing more will come. Circles are broken, so that it needs no search for garbage to be forgotten."""
        self.unparsed = b""
        if self.visit:
            self.visit.end()
        super().connection_lost(exc)
        self.conn.parser = None  # type: ignore[assignment]
        if self.handshake_initiated and hasattr(self, "scope"):
            self.scope["extensions"].pop(EXTENSION, None)
