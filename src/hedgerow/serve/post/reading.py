"""A mail read: who writes, what he says himself, and whether a person says it. Whatever comes, it never raises."""

from __future__ import annotations

import contextlib
import hashlib
import ipaddress
import logging
import re
from dataclasses import dataclass
from functools import lru_cache

from hedgerow.serve.people.addresses import address
from hedgerow.serve.people.limits import network_of
from hedgerow.serve.post.automatic import Bounce, bounce_in, is_automatic
from hedgerow.serve.post.hypertext import text_of
from hedgerow.serve.post.mime import Part, text_part
from hedgerow.serve.post.quoting import flowed, own_words
from hedgerow.serve.refusals import Refused

log = logging.getLogger("hedgerow.post")

SUBJECT = 1_000
SMALL = 16_384
BODY = 20_000
"""How many characters of a mail are read."""
ANGLE = re.compile(r"<\s?([^<>\s,;:]+@[^<>\s,;:]+)\s?>")
BARE = re.compile(r"([^<>\s,;:\"()]+@[^<>\s,;:\"()]+)\s?(?:\([^()]*\)\s?)?(?:,|$)")
RECEIVED = re.compile(r"\[(?:IPv6:)?((?:\d{1,3}\.){3}\d{1,3}|[0-9A-Fa-f:]*:[0-9A-Fa-f:.]*)\]", re.IGNORECASE)
"""The network address in what a mail server writes above a letter (RFC 5321, 4.4)."""
IDENTIFIER = re.compile(r"<[^<>\s]{1,190}>")


@dataclass(frozen=True)
class Read:
    """What a mail says."""

    subject: str = ""
    body: str = ""
    """Without what is quoted, and without signatures."""
    sender: str = ""
    """Whom an answer would go to, as the mail says, which proves nothing; empty where that is no address."""
    message_id: str = ""
    references: tuple[str, ...] = ()
    automatic: bool = True
    """No person has written it: it is neither carried out nor answered."""
    forged: bool = False
    """A mail server on the way says that it does not come from where it claims to (SPF, DKIM, DMARC)."""
    host: str = ""
    """Which host it came from, as the last mail server on its way says; empty where that is this machine."""
    bounce: Bounce | None = None
    digest: str = ""
    """The same for every copy of this mail, whichever way it came."""


def read(raw: bytes) -> Read:
    """What a mail says; one that cannot be read says nothing, and counts as a machine's."""
    try:
        return _read_again(raw) if len(raw) <= SMALL else _read(raw)
    except Exception as error:  # of the library's readers; a mail may be anything
        log.warning("a mail cannot be read: %s", type(error).__name__)
        return Read(digest=_digest(raw))


@lru_cache(maxsize=256)
def _read_again(raw: bytes) -> Read:
    """A small mail, which is read when it comes and when it is carried out, a moment later."""
    return _read(raw)


def _read(raw: bytes) -> Read:
    mail = Part.of(raw)
    found = text_part(mail)
    subject, writer = mail.words("Subject")[:SUBJECT], _address(mail, "From")
    body = own_words(_text(found))[:BODY] if found else ""
    message_id = next(iter(_identifiers(mail, "Message-ID")), "")
    return Read(
        subject=subject,
        body=body,
        sender=_address(mail, "Reply-To") or writer,
        message_id=message_id,
        references=tuple((_identifiers(mail, "References") + _identifiers(mail, "In-Reply-To"))[-20:]),
        automatic=is_automatic(mail, writer),
        forged=_forged(mail),
        host=_host(mail),
        bounce=bounce_in(mail),
        digest=_digest(message_id, mail.raw("Date").strip(), writer, subject, body or _digest(mail.body)),
    )


def _digest(*parts: str | bytes) -> str:
    data = [part if isinstance(part, bytes) else part.encode("utf-8", "replace") for part in parts]
    return hashlib.sha256(b"\0".join(data)).hexdigest()


def _text(part: Part) -> str:
    if part.kind == "text/html":
        return text_of(part.text)
    if part.parameter("format").lower() == "flowed":
        return flowed(part.text, part.parameter("delsp").lower() == "yes")
    return part.text


def _address(mail: Part, header: str) -> str:
    """The first address of a header; empty where it holds none that a letter could go to."""
    told = " ".join(mail.raw(header).split())
    found = ANGLE.search(told) if "<" in told else BARE.match(told)
    return _kept(found[1]) if found else ""


@lru_cache(maxsize=4096)
def _kept(text: str) -> str:
    """An address as it is kept; empty where it is none."""
    try:
        return address(text)
    except Refused:
        return ""


def _identifiers(mail: Part, header: str) -> list[str]:
    return IDENTIFIER.findall(mail.raw(header))


def _host(mail: Part) -> str:
    """Where the topmost mail server had it from that had it from elsewhere; what is below may be made up."""
    for told in mail.all("Received"):
        found = RECEIVED.search(told.partition(" by ")[0])
        with contextlib.suppress(ValueError):  # it is no address
            if found and not ipaddress.ip_network(network_of(found[1])).is_loopback:
                return network_of(found[1])
    return ""


def _forged(mail: Part) -> bool:
    """What SPF, DKIM and DMARC found only ever speaks against a mail; so it is no use to forge their headers."""
    told = " ".join(mail.all("Authentication-Results")).lower()
    spf = "spf=fail" in told or mail.raw("Received-SPF").lower().startswith("fail")
    return "dmarc=fail" in told or (spf and "dkim=pass" not in told)
