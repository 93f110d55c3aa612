"""Where letters are handed over, by SMTP or by LMTP: each is stored before it is accepted."""

from __future__ import annotations

import asyncio
import logging
import ssl
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

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
LONGEST_LINE = 65_536
"""How many bytes a line may have: more than it should, as programs that write HTML do."""
HERE = ("127.0.0.1", "::1", "")
AWAY = "451 4.3.0 the letter cannot be stored; try again later"


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
        return max(by_network, self.sender.wait(sender.lower()) if sender.strip("<>") else 0.0)


class Handler:
    """What is said to whoever hands letters over."""

    def __init__(
        self, receiver: Receiver, ours: Callable[[str], bool], limits: bool = True, lmtp: bool = False
    ) -> None:
        self.receiver, self.ours, self.lmtp = receiver, ours, lmtp
        self.caution = Caution() if limits else None

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

    async def handle_DATA(self, _: SMTP, __: Session, envelope: Envelope) -> str:
        """The letter itself; LMTP answers once for every recipient (RFC 2033)."""
        assert isinstance(envelope.content, bytes)
        try:
            await self.receiver.keep(envelope.mail_from or "", envelope.rcpt_tos, envelope.content)
            said = "250 2.0.0 it is stored"
        except Refused:
            said = AWAY
        return "\r\n".join([said] * (len(envelope.rcpt_tos) if self.lmtp else 1))

    async def handle_exception(self, error: Exception) -> str:
        """What went wrong with us is none of their business."""
        log.error("a letter could not be taken: %s", type(error).__name__)
        return AWAY


def peer_of(session: Session) -> str:
    """The network address at the other end; empty for a socket of this machine."""
    peer = session.peer
    return network_of(str(peer[0])) if isinstance(peer, tuple) and peer else ""


class Line(SMTP):
    """A connection: aiosmtpd's, counted, and refused where there are too many."""

    line_length_limit = LONGEST_LINE
    entered: str | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Somebody is there, or goes on over TLS."""
        caution: Caution | None = self.event_handler.caution
        if self.entered is None and caution:
            peer = transport.get_extra_info("peername")
            host = network_of(str(peer[0])) if isinstance(peer, tuple) and peer else ""
            if not caution.enter(host):
                assert isinstance(transport, asyncio.WriteTransport)
                transport.write(b"421 4.7.0 too many connections; try again later\r\n")
                transport.close()
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
