"""Uvicorn's HTTP protocol with a deadline: a request that is not complete in time is closed.

Uvicorn waits for the rest of a request as long as its sender likes, and for the first byte, too; a few hundred such
lines would keep a server busy with nothing. An answer may take as long as it likes; one that would never end by itself
is told when the server stops: the application finds the protocol among the extensions of the scope.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from hedgerow.serve.api.answers import written
from hedgerow.serve.api.shortcut import EXTENSION
from hedgerow.serve.process.porter import LINGER, Porter, Visit
from hedgerow.serve.process.protocol_ws import SocketProtocol
from hedgerow.serve.settings import DEADLINE

HEADERS = 32 * 1024
"""How many bytes may come before the headers are complete."""
TOO_BIG = f"the headers are too big; hint: at most {HEADERS} bytes"
AT_ONCE = 16
"""How many requests may come before the first is answered."""


class TooMuchError(Exception):
    """A request that is too large or one too many; ends the parsing."""


class HttpProtocol(HttpToolsProtocol):
    """One connection."""

    when_stopping: Callable[[], None] | None = None
    """Ends an answer that would go on for ever."""

    patience = DEADLINE
    porter = Porter()
    visit: Visit | None = None
    """None for somebody who was not let in."""
    deadline: asyncio.TimerHandle | None = None
    unfinished = False
    """A request has begun and is not complete."""
    heads = 0
    """Bytes that came while the headers were not complete."""
    named = 0
    """Bytes of the headers that are here."""
    headers_complete = True
    upgraded = False
    """The line is a websocket's now."""
    wrong = "this is no HTTP request; hint: is it meant for this port?"
    """What is said about a request that cannot be read."""

    # --- coming and going ---------------------------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Somebody is here, and should say something."""
        super().connection_made(transport)
        host = self.client[0] if self.client else ""
        if refusal := self.porter.refusal(host):
            self._send_away(refusal)
        else:
            self.visit = Visit(self.porter, host, transport, self.loop)
            self._wait_for_more()

    def _send_away(self, refusal: bytes) -> None:
        """Says why, and leaves a moment to read it; but not if too many are being sent away."""
        self.porter.lingering += 1
        if self.porter.lingering > self.porter.patience:
            self.transport.abort()
            return
        self.transport.write(refusal)
        self._leave_a_moment()

    def _leave_a_moment(self) -> None:
        """To read what was answered; then the connection ends."""
        self.at_ease()
        self.transport.write_eof()
        self.deadline = self.loop.call_later(LINGER, self.too_late)

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing more will come."""
        self.at_ease()
        if self.visit:
            self.visit.end()
        else:
            self.porter.lingering -= 1
        super().connection_lost(exc)
        self._let_go()

    def _let_go(self) -> None:
        """Breaks the circles that this object is part of, so that it needs no search for garbage to be forgotten."""
        self.parser = self.cycle = None  # type: ignore[assignment]
        self.pipeline.clear()
        if self.scope is not None:
            self.scope.get("extensions", {}).pop(EXTENSION, None)

    def resume_writing(self) -> None:
        """The client reads what it is sent."""
        if self.visit:
            self.visit.reads()
        super().resume_writing()

    # --- requests -----------------------------------------------------------------------------------------------------

    def data_received(self, data: bytes) -> None:
        """Part of a request, mostly all of it."""
        if self.visit is None:
            return
        super().data_received(data)
        if self.upgraded:
            return
        if self._owed():
            self._wait_for_more()
        if self.headers_complete:
            self.heads = 0
        else:
            self.heads += len(data)
            if self.heads > HEADERS and not self.transport.is_closing():
                self.wrong = TOO_BIG
                self.send_400_response("")

    def _owed(self) -> bool:
        """The client has said something that is no whole request, or nothing yet: blank lines are nothing."""
        answered = self.cycle is None or self.cycle.response_complete
        return self.unfinished or (answered and self.timeout_keep_alive_task is None)

    def _wait_for_more(self) -> None:
        if self.deadline is None and not self.transport.is_closing():
            self.deadline = self.loop.call_later(self.patience, self.too_late)

    def on_message_begin(self) -> None:
        """The first line of a request."""
        self.unfinished, self.headers_complete, self.named = True, False, 0
        super().on_message_begin()

    def on_header(self, name: bytes, value: bytes) -> None:
        """One of the headers, which may all be here at once."""
        self.named += len(name) + len(value)
        if self.named + len(self.url) > HEADERS:
            self.wrong = TOO_BIG
            raise TooMuchError
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Now the body, if any; the application begins to run after this."""
        self.headers_complete = True
        if len(self.pipeline) >= AT_ONCE:
            self.wrong = f"too many requests at once; hint: at most {AT_ONCE} before the first is answered"
            raise TooMuchError
        super().on_headers_complete()
        self.scope["extensions"] = {EXTENSION: {"protocol": self}}

    def on_message_complete(self) -> None:
        """The whole request is here."""
        self.unfinished = False
        self.at_ease()
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """An answer is given. Where its request still goes on, the rest of it is not even read."""
        if self.unfinished and self.headers_complete and not self.pipeline and not self.transport.is_closing():
            self.server_state.total_requests += 1
            self.flow.pause_reading()
            self._leave_a_moment()
        else:
            super().on_response_complete()

    def handle_websocket_upgrade(self) -> None:
        """From now on it is another protocol's line, unless an answer is still to be given here."""
        self.at_ease()
        if self.cycle and not self.cycle.response_complete:
            self.wrong = "a websocket before the last answer; hint: use a connection of its own"
            self.send_400_response("")
            return
        self.upgraded = True
        super().handle_websocket_upgrade()
        protocol = self.transport.get_protocol()
        assert isinstance(protocol, SocketProtocol) and self.visit
        protocol.visit = self.visit
        self._let_go()

    def send_400_response(self, msg: str) -> None:
        """The usual shape for what never reaches the application."""
        self.transport.write(written(400, "bad_request", self.wrong))
        self.transport.close()

    # --- ending -------------------------------------------------------------------------------------------------------

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


def within(seconds: float, porter: Porter | None = None) -> type[HttpProtocol]:
    """The same with another deadline, and a porter who has more to do."""
    return type("HttpProtocol", (HttpProtocol,), {"patience": seconds, "porter": porter or Porter()})
