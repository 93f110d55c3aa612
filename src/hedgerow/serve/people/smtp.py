"""The way out: a mail server by its address, and a few connections to it that carry one letter after another."""

from __future__ import annotations

import asyncio
import contextlib
import select
import smtplib
import ssl
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from hedgerow.game import HedgerowError
from hedgerow.serve.people.addresses import sender_of

PATIENCE = 20.0
"""How many seconds the mail server may take for one answer."""
LINES = 8
"""How many connections there are at once."""
LETTERS = 100
"""After so many letters a connection is made anew; many mail servers want that."""
IDLE = 10.0
"""For how many seconds a connection that nobody needs is kept."""


@dataclass(frozen=True)
class Smtp:
    """Where mail goes out: `smtp` with STARTTLS where it is offered, `smtps` with TLS from the start."""

    host: str
    port: int
    tls: bool
    user: str | None
    password: str | None
    sender: str

    @classmethod
    def of(cls, url: str, sender: str | None) -> Smtp:
        """Read from an address; raises HedgerowError that does not repeat it, because a password is in it."""
        parts = urlsplit(url)
        hint = "hint: like smtps://user:password@mail.example.org, with --mail-from if the user is no address"
        try:
            port = parts.port
        except ValueError:
            port = -1
        if parts.scheme not in ("smtp", "smtps") or not parts.hostname or port == -1:
            raise HedgerowError(f"cannot use the mail server; {hint}")
        user = unquote(parts.username) if parts.username else None
        password = unquote(parts.password) if parts.password else None
        sender = sender or user or ""
        if "@" not in sender:
            raise HedgerowError(f"nobody to send mail from; {hint}")
        tls = parts.scheme == "smtps"
        return cls(parts.hostname, port or (465 if tls else 587), tls, user, password, sender_of(sender))

    def connect(self) -> smtplib.SMTP:
        """A connection, encrypted where the server can, and signed in."""
        context = ssl.create_default_context()
        if self.tls:
            line: smtplib.SMTP = smtplib.SMTP_SSL(self.host, self.port, timeout=PATIENCE, context=context)
        else:
            line = smtplib.SMTP(self.host, self.port, timeout=PATIENCE)
        try:
            if not self.tls and line.ehlo()[0] == 250 and line.has_extn("starttls"):
                line.starttls(context=context)
            if self.user and self.password:
                line.login(self.user, self.password)
        except BaseException:
            line.close()
            raise
        return line


@dataclass
class _Line:
    """A connection, how many letters it has carried, and when it last did."""

    smtp: smtplib.SMTP
    letters: int = 0
    used: float = 0.0

    @property
    def fresh(self) -> bool:
        """It may carry another letter: a server that hung up, or has something to say, does not listen."""
        if self.letters >= LETTERS or self.smtp.sock is None:
            return False
        return not select.select([self.smtp.sock], [], [], 0)[0]

    def close(self) -> None:
        """Says goodbye where somebody listens."""
        with contextlib.suppress(OSError, smtplib.SMTPException):
            if self.smtp.sock is not None:
                self.smtp.sock.settimeout(1)
                self.smtp.quit()
        self.smtp.close()


class Carrier:
    """Hands letters over, several at once, each on a connection of its own."""

    def __init__(self, smtp: Smtp) -> None:
        self.smtp = smtp
        self.opened = 0
        self._idle: list[_Line] = []
        self._lock = threading.Lock()
        self._threads = ThreadPoolExecutor(LINES, "smtp")

    async def carry(self, sender: str, to: str, content: bytes) -> None:
        """Hands a letter over; raises OSError or SMTPException where it was not taken."""
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(self._threads, self._carry, sender, to, content)

    def _carry(self, sender: str, to: str, content: bytes) -> None:
        line = self._taken()
        try:
            line.smtp.sendmail(sender, [to], content, () if to.isascii() else ("SMTPUTF8",))
        except (smtplib.SMTPRecipientsRefused, smtplib.SMTPSenderRefused, smtplib.SMTPDataError):
            self._put_back(line)  # the server listens on
            raise
        except BaseException:
            line.smtp.close()
            raise
        line.letters += 1
        self._put_back(line)

    def _taken(self) -> _Line:
        while True:
            with self._lock:
                line = self._idle.pop() if self._idle else None
                self.opened += line is None
            if line is None:
                return _Line(self.smtp.connect())
            if line.fresh:
                return line
            line.close()

    def _put_back(self, line: _Line) -> None:
        line.used = time.monotonic()
        with self._lock:
            self._idle.append(line)

    async def rest(self, idle: float = IDLE) -> None:
        """Closes connections that nobody has needed for so long."""
        before = time.monotonic() - idle
        with self._lock:
            old = [line for line in self._idle if line.used <= before]
            self._idle = [line for line in self._idle if line.used > before]
        if old:
            loop = asyncio.get_running_loop()
            await asyncio.gather(*(loop.run_in_executor(self._threads, line.close) for line in old))

    async def stop(self) -> None:
        """Closes all of them."""
        await self.rest(0)
        self._threads.shutdown(wait=False, cancel_futures=True)
