"""Connections to a mail server that carry one letter after another: open ones on the event loop, others in threads.

smtplib greets and signs in. Then an open connection is taken over by the event loop: a thread for every letter would
wait for Python's lock at each step. One with TLS stays smtplib's.
"""

from __future__ import annotations

import asyncio
import contextlib
import select
import smtplib
import ssl
import time
from collections.abc import Container
from concurrent.futures import Executor
from typing import cast

from hedgerow.serve.people.handing import GONE, Reply, dialogue

PATIENCE = 20.0
"""How many seconds the mail server may take for one answer."""
LETTERS = 100
"""After so many letters a connection is made anew; many mail servers want that."""
MOST = 65_536
"""How many bytes of an answer are read."""


class Line(asyncio.Protocol):
    """A connection in the open."""

    def __init__(self, extensions: Container[str]) -> None:
        self.extensions = extensions
        self.letters, self.used = 0, time.monotonic()
        self.transport: asyncio.WriteTransport
        self._heard = b""
        self._replies: list[Reply] = []
        self._wanted = 0
        self._waiting: asyncio.Future[None] | None = None
        self._closed = False

    @classmethod
    async def of(cls, smtp: smtplib.SMTP) -> Line:
        """Takes over a connection on which nothing is under way."""
        sock, smtp.sock = smtp.sock, None
        assert sock is not None
        smtp.close()
        sock.setblocking(False)
        _, line = await asyncio.get_running_loop().create_connection(lambda: cls(smtp.esmtp_features), sock=sock)
        return line

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """It is ours."""
        self.transport = cast(asyncio.WriteTransport, transport)  # uvloop's are of no class of asyncio's

    def data_received(self, data: bytes) -> None:
        """Answers of one or several lines; the last of each has no dash after its code."""
        *lines, self._heard = (self._heard + data).split(b"\r\n")
        for line in lines:
            if line[3:4] != b"-":
                self._replies.append((int(line[:3]) if line[:3].isdigit() else -1, line[4:]))
        if len(self._heard) > MOST:
            self.transport.abort()
        self._go_on()

    def connection_lost(self, error: Exception | None) -> None:
        """They have hung up."""
        self._closed = True
        self._go_on()

    def _go_on(self) -> None:
        enough = len(self._replies) >= self._wanted or self._closed
        if self._waiting and enough and not self._waiting.done():
            self._waiting.set_result(None)

    @property
    def fresh(self) -> bool:
        """It may carry another letter: a server that hung up, or has something to say, does not listen."""
        spoken = bool(self._heard or self._replies)
        return not (self._closed or spoken or self.transport.is_closing()) and self.letters < LETTERS

    async def hand_over(self, sender: str, to: str, content: bytes) -> None:
        """Sends a letter; raises OSError or SMTPException where it is not taken."""
        talk = dialogue(sender, to, content, self.extensions)
        say, wanted = next(talk)
        with contextlib.suppress(StopIteration):
            while True:
                say, wanted = talk.send(await self._answered(say, wanted))

    async def _answered(self, say: bytes, wanted: int) -> list[Reply]:
        self.transport.write(say)
        self._wanted, self._waiting = wanted, asyncio.get_running_loop().create_future()
        self._go_on()
        try:
            async with asyncio.timeout(PATIENCE):
                await self._waiting
        finally:
            self._waiting = None
        if len(self._replies) < wanted:
            raise smtplib.SMTPServerDisconnected("the mail server has hung up")
        replies, self._replies = self._replies[:wanted], self._replies[wanted:]
        self.letters = LETTERS if _hangs_up(replies) else self.letters
        return replies

    def abort(self) -> None:
        """Nothing more can be said."""
        self.transport.abort()

    async def close(self) -> None:
        """Says goodbye where somebody listens."""
        with contextlib.suppress(OSError):
            if not self.transport.is_closing():
                self.transport.write(b"QUIT\r\n")
                self.transport.close()


class SecureLine:
    """A connection with TLS, which smtplib holds; every letter is handed over in a thread."""

    def __init__(self, smtp: smtplib.SMTP, threads: Executor) -> None:
        self.smtp, self.threads = smtp, threads
        self.letters, self.used = 0, time.monotonic()

    @property
    def fresh(self) -> bool:
        """It may carry another letter: a server that hung up, or has something to say, does not listen."""
        if self.letters >= LETTERS or self.smtp.sock is None:
            return False
        return not select.select([self.smtp.sock], [], [], 0)[0]

    async def hand_over(self, sender: str, to: str, content: bytes) -> None:
        """Sends a letter; raises OSError or SMTPException where it is not taken."""
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(self.threads, self._hand_over, sender, to, content)

    def _hand_over(self, sender: str, to: str, content: bytes) -> None:
        talk = dialogue(sender, to, content, self.smtp.esmtp_features)
        say, wanted = next(talk)
        with contextlib.suppress(StopIteration):
            while True:
                self.smtp.send(say)
                replies = [self.smtp.getreply() for _ in range(wanted)]
                self.letters = LETTERS if _hangs_up(replies) else self.letters
                say, wanted = talk.send(replies)

    def abort(self) -> None:
        """Nothing more can be said."""
        self.smtp.close()

    async def close(self) -> None:
        """Says goodbye where somebody listens."""
        await asyncio.get_running_loop().run_in_executor(self.threads, self._close)

    def _close(self) -> None:
        with contextlib.suppress(OSError, smtplib.SMTPException):
            if self.smtp.sock is not None:
                self.smtp.sock.settimeout(1)
                self.smtp.quit()
        self.smtp.close()


def _hangs_up(replies: list[Reply]) -> bool:
    """The server says that it will say no more."""
    return any(code == GONE for code, _ in replies)


async def line_of(smtp: smtplib.SMTP, threads: Executor) -> Line | SecureLine:
    """A connection that was greeted, as letters go over it."""
    return SecureLine(smtp, threads) if isinstance(smtp.sock, ssl.SSLSocket) else await Line.of(smtp)
