"""The way out: a mail server by its address, and a few connections to it that carry one letter after another."""

from __future__ import annotations

import asyncio
import smtplib
import ssl
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from hedgerow.game import HedgerowError
from hedgerow.serve.people.addresses import sender_of
from hedgerow.serve.people.lines import PATIENCE, Line, SecureLine, line_of

LINES = 8
"""How many connections there are at once."""
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
        trusted = ssl.create_default_context  # it takes 20 ms to read them
        if self.tls:
            line: smtplib.SMTP = smtplib.SMTP_SSL(self.host, self.port, timeout=PATIENCE, context=trusted())
        else:
            line = smtplib.SMTP(self.host, self.port, timeout=PATIENCE)
        try:
            if not self.tls and line.ehlo()[0] == 250 and line.has_extn("starttls"):
                line.starttls(context=trusted())
            if self.user and self.password:
                line.login(self.user, self.password)
            line.ehlo_or_helo_if_needed()
        except BaseException:
            line.close()
            raise
        return line


class Unwritable(Exception):
    """What was to be sent is no letter; what made it so is its cause."""


class Carrier:
    """Hands letters over, several at once, each on a connection of its own."""

    def __init__(self, smtp: Smtp) -> None:
        self.smtp = smtp
        self.opened = 0
        self._idle: list[Line | SecureLine] = []
        self._room = asyncio.Semaphore(LINES)
        self._threads = ThreadPoolExecutor(LINES, "smtp")

    async def carry(self, sender: str, to: str, write: Callable[[], bytes]) -> None:
        """Hands over what is written; raises OSError or SMTPException where it was not taken.

        Raises Unwritable where it is no letter.
        """
        async with self._room:
            try:
                content = write()
            except Exception as error:
                raise Unwritable from error
            line = await self._taken()
            try:
                await line.hand_over(sender, to, content)
            except (smtplib.SMTPRecipientsRefused, smtplib.SMTPSenderRefused, smtplib.SMTPDataError):
                self._put_back(line)  # the server listens on
                raise
            except BaseException:
                line.abort()
                raise
            line.letters += 1
            self._put_back(line)

    async def _taken(self) -> Line | SecureLine:
        while self._idle:
            line = self._idle.pop()
            if line.fresh:
                return line
            await line.close()
        self.opened += 1
        greeted = await asyncio.get_running_loop().run_in_executor(self._threads, self.smtp.connect)
        return await line_of(greeted, self._threads)

    def _put_back(self, line: Line | SecureLine) -> None:
        line.used = time.monotonic()
        self._idle.append(line)

    async def rest(self, idle: float = IDLE) -> None:
        """Closes connections that nobody has needed for so long."""
        before = time.monotonic() - idle
        old = [line for line in self._idle if line.used <= before]
        self._idle = [line for line in self._idle if line.used > before]
        await asyncio.gather(*(line.close() for line in old))

    async def stop(self) -> None:
        """Closes all of them."""
        await self.rest(0)
        self._threads.shutdown(wait=False, cancel_futures=True)
