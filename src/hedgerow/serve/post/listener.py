"""Where letters are handed over, by SMTP or by LMTP: each is stored before it is accepted."""

from __future__ import annotations

import asyncio
import logging
import re
import ssl
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from email.utils import formatdate
from typing import AnyStr, cast

from aiosmtpd.lmtp import LMTP
from aiosmtpd.smtp import SMTP, Envelope, Session

from hedgerow.game import HedgerowError
from hedgerow.serve.people.limits import Limit, network_of
from hedgerow.serve.post.receiving import LARGEST, Receiver
from hedgerow.serve.post.where import Where
from hedgerow.serve.refusals import Refused

log = logging.getLogger("hedgerow.post")
logging.getLogger("mail.log").setLevel(logging.CRITICAL)  # aiosmtpd writes down every command, and addresses are secret

LINES = 500
"""How many connections there may be."""
LINES_EACH = 20
"""How many of one network address; mail servers on this machine have as many as they like."""
RECIPIENTS = 20
PATIENCE = 120.0
"""Seconds until a letter must be here, or the next command."""
PIECE = 65_536
"""How many bytes of a letter are taken at once; its lines may be of any length, as programs write HTML."""
END = b"\r\n.\r\n"
HEARD = 10 * LARGEST
"""How much of a letter that is too large is listened to before the line is cut."""
LONGEST_LOCAL = 64
PLAIN = re.compile(r"<([A-Za-z0-9_+=-]+(?:\.[A-Za-z0-9_+=-]+)*@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*)>(?= |$)")
"""An address that needs no parser."""
HERE = ("127.0.0.1", "::1", "")
AWAY = "451 4.3.0 the letter cannot be stored; try again later"
TOO_LARGE = f"552 5.3.4 a letter may have {LARGEST} bytes"


@dataclass
class Caution:
    """How much is taken from whom."""

    lines: Counter[str] = field(default_factory=Counter)
    network: Limit = field(default_factory=lambda: Limit(5, 300))
    """Letters from one network address."""
    sender: Limit = field(default_factory=lambda: Limit(1, 120))
    """Letters of one sender."""

    def enter(self, peer: str) -> bool:
        """Another connection; False where there are too many."""
        if self.lines.total() >= LINES or (peer not in HERE and self.lines[peer] >= LINES_EACH):
            return False
        self.lines[peer] += 1
        return True

    def leave(self, peer: str) -> None:
        """A connection is gone."""
        self.lines[peer] -= 1
        if not self.lines[peer]:
            del self.lines[peer]

    def wait(self, peer: str, sender: str) -> float:
        """After how many seconds another letter may come."""
        by_network = 0.0 if peer in HERE else self.network.wait(peer)
        if not sender.strip("<>"):
            return by_network
        return max(by_network, self.sender.wait(f"{peer} {sender.lower()}"))  # elsewhere it may be made up


class Handler:
    """What is said to whoever hands letters over."""

    def __init__(
        self, receiver: Receiver, ours: Callable[[str], bool], limits: bool = True, lmtp: bool = False
    ) -> None:
        self.receiver, self.ours, self.lmtp = receiver, ours, lmtp
        self.caution = Caution() if limits else None

    async def handle_EHLO(
        self, _: SMTP, session: Session, __: Envelope, hostname: str, responses: list[str]
    ) -> list[str]:
        """What we can: others may speak ahead (RFC 2920)."""
        session.host_name = hostname
        return [*responses[:-1], "250-PIPELINING", *responses[-1:]]

    async def handle_MAIL(self, _: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]) -> str:
        """Somebody begins a letter."""
        if self.caution and self.caution.wait(peer_of(session), address):
            return "450 4.7.1 too many letters; try again later"
        envelope.mail_from = address
        envelope.mail_options.extend(options)
        return "250 2.1.0 OK"

    async def handle_RCPT(self, _: SMTP, __: Session, envelope: Envelope, address: str, ___: list[str]) -> str:
        """Whom it is for: us, or nobody here."""
        if not self.ours(address):
            return "550 5.1.1 there is no such address here"
        if len(envelope.rcpt_tos) >= RECIPIENTS:
            return "452 4.5.3 too many recipients"
        envelope.rcpt_tos.append(address)
        return "250 2.1.5 OK"

    async def handle_DATA(self, _: SMTP, session: Session, envelope: Envelope) -> str:
        """The letter itself."""
        assert isinstance(envelope.content, bytes)
        raw = stamp(session.host_name or "", peer_of(session)) + envelope.content
        try:
            await self.receiver.keep(envelope.mail_from or "", envelope.rcpt_tos, raw)
            said = "250 2.0.0 it is stored"
        except Refused:
            said = AWAY
        return self.to_all(said, envelope)

    def to_all(self, said: str, envelope: Envelope) -> str:
        """What is said about a letter; by LMTP once for every recipient (RFC 2033)."""
        return "\r\n".join([said] * (len(envelope.rcpt_tos) if self.lmtp else 1))

    async def handle_exception(self, error: Exception) -> str:
        """What went wrong with us is none of their business."""
        log.error("a letter could not be taken: %s", type(error).__name__)
        return AWAY


def peer_of(session: Session) -> str:
    """The network address at the other end; empty for a socket of this machine."""
    peer = session.peer
    return network_of(str(peer[0])) if isinstance(peer, tuple) and peer else ""


def stamp(name: str, host: str) -> bytes:
    """What a mail server writes above a letter: where it comes from, and when (RFC 5321, 4.4)."""
    called, address = re.sub(r"[^\w.:\[\]-]", "", name, flags=re.ASCII)[:100] or "unknown", host.partition("/")[0]
    there = f"[IPv6:{address}]" if ":" in address else f"[{address or '127.0.0.1'}]"
    return f"Received: from {called} ({there}) by hedgerow with SMTP; {formatdate()}\r\n".encode()


TLS_BEGINS = "220 Ready to start TLS"
"""After this, the library must be ready for what comes next before anything of it is read."""


class Line(SMTP):
    """A connection: aiosmtpd's, counted, and refused where there are too many."""

    line_length_limit = PIECE
    entered: str | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Somebody is there, or goes on over TLS."""
        caution: Caution | None = self.event_handler.caution
        if self.entered is None and caution:
            peer = transport.get_extra_info("peername")
            host = network_of(str(peer[0])) if isinstance(peer, tuple) and peer else ""
            if not caution.enter(host):
                refusing = cast(asyncio.WriteTransport, transport)  # uvloop's are of no class of asyncio's
                refusing.write(b"421 4.7.0 too many connections; try again later\r\n")
                refusing.close()
                return
            self.entered = host
        super().connection_made(transport)

    def connection_lost(self, error: Exception | None) -> None:
        """They are gone."""
        if self.session is None:  # they were never let in
            return
        if self.entered is not None and self.event_handler.caution and self.transport is not None:
            self.event_handler.caution.leave(self.entered)
        super().connection_lost(error)

    def _getaddr(self, arg: str) -> tuple[str | None, str | None]:
        """The address of a command and what follows it; the library's parser takes a millisecond for what is plain."""
        if (found := PLAIN.match(arg)) and len(found[1].rpartition("@")[0]) <= LONGEST_LOCAL:
            return found[1], arg[found.end() :]
        return super()._getaddr(arg)

    async def smtp_DATA(self, arg: str) -> None:
        """A letter: the library takes one line after the other, which for a megabyte of short ones takes seconds."""
        envelope = self.envelope
        if await self.check_helo_needed() or envelope is None:
            return
        if not envelope.rcpt_tos or arg:
            await self.push("501 Syntax: DATA" if arg else "503 Error: need RCPT command")
            return
        await self.push("354 End data with <CR><LF>.<CR><LF>")
        handler: Handler = self.event_handler
        envelope.content, ended = await self._letter()
        if envelope.content is None:
            said = handler.to_all(TOO_LARGE, envelope)
        else:
            said = await handler.handle_DATA(self, cast(Session, self.session), envelope)
        self.envelope = self._create_envelope()
        await self.push(said)
        if not ended and self.transport is not None:
            self.transport.close()

    async def push(self, status: AnyStr) -> None:
        """Says something; others come in between, however much somebody asks at once."""
        await super().push(status)
        if status != TLS_BEGINS:
            await asyncio.sleep(0)

    async def _letter(self) -> tuple[bytes | None, bool]:
        """What comes up to a line with a dot alone (RFC 5321, 4.5.2), None if it is too large; and whether it ends."""
        reader = self._reader
        reader._buffer[:0] = b"\r\n"  # type: ignore[attr-defined]  # so that even an empty letter has its end
        pieces, length, done = list[bytes](), 0, False
        while not done:
            try:
                piece, done = await reader.readuntil(END), True
            except asyncio.LimitOverrunError as longer:
                piece = await reader.readexactly(longer.consumed)
            length += len(piece)
            pieces.append(piece)
            if length > LARGEST + len(END):
                pieces.clear()
            if length > HEARD:
                return None, False
        whole = b"".join(pieces).replace(b"\r\n.", b"\r\n")
        return (whole[2:-2] if pieces else None), True

    def eof_received(self) -> bool | None:
        """They say no more."""
        return super().eof_received() if self.session is not None else None


class LocalLine(Line, LMTP):
    """The same for LMTP."""


async def listen(
    where: Where, handler: Handler, hostname: str, tls: ssl.SSLContext | None = None, shared: bool = False
) -> asyncio.Server:
    """Listens for letters; raises HedgerowError where it cannot. With `shared`, several processes listen there."""
    loop = asyncio.get_running_loop()
    options = {"data_size_limit": LARGEST, "enable_SMTPUTF8": True, "hostname": hostname, "ident": "Hedgerow"}
    kind = LocalLine if where.lmtp else Line

    def line() -> Line:
        return kind(handler, timeout=PATIENCE, tls_context=tls, loop=loop, **options)  # type: ignore[arg-type]

    try:
        if where.path:
            return await loop.create_unix_server(line, where.path)
        return await loop.create_server(line, where.host or None, where.port, reuse_port=shared or None)
    except OSError as error:
        raise HedgerowError(
            f"cannot listen for mail at {where}: {error.strerror or error}; hint: ports below 1024 need rights"
        ) from None


def tls_of(file: str | None) -> ssl.SSLContext | None:
    """TLS with the certificate and the key of a file; raises HedgerowError where it holds none."""
    if file is None:
        return None
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    try:
        context.load_cert_chain(file)
    except (OSError, ssl.SSLError):
        raise HedgerowError(f"no certificate with a key in {file!r:.200}; hint: one PEM file with both") from None
    return context
