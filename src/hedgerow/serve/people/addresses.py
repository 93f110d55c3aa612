"""Mail addresses: the one place that says what is an address, for people who sign up and for operators."""

from __future__ import annotations

import contextlib
import functools
from email.headerregistry import HeaderRegistry
from email.utils import formataddr
from typing import TYPE_CHECKING, Any

from hedgerow.game import HedgerowError
from hedgerow.serve.refusals import Refused

if TYPE_CHECKING:
    from collections.abc import Callable

HOME = ("local", "localhost", "test")
"""Names that email-validator refuses because they are not on the internet; a server among friends, or one that is
tried out, may mail there."""

OPTIONS = {"check_deliverability": False, "globally_deliverable": False, "strict": True}


@functools.cache
def _validate() -> Callable[..., Any]:
    """email-validator, loaded when the first address comes in."""
    import email_validator

    names = email_validator.SPECIAL_USE_DOMAIN_NAMES
    names[:] = [name for name in names if name not in HOME]
    return email_validator.validate_email


def address(text: str) -> str:
    """An address as it is kept; raises Refused where it is none, or where no letter could carry it.

    Nothing is looked up: whether somebody reads it, only a mail to it tells. Names without a dot are names in the
    operator's own network.

    >>> address(" Ann@Example.ORG "), address("ann@exämple.org")
    ('Ann@example.org', 'ann@xn--exmple-cua.org')
    """
    try:
        found = _validate()(text.strip(), **OPTIONS)
        kept = str(found.ascii_email or found.normalized)
    except ValueError:
        kept = ""
    if not kept or not carried(kept):
        raise Refused("bad_request", f"the address {text!r:.80} is none; hint: like ann@example.org")
    return kept


def spellings(text: str) -> set[str]:
    """How an address that somebody types may be kept, in small letters.

    >>> sorted(spellings("Ann@exämple.org"))
    ['ann@exämple.org', 'ann@xn--exmple-cua.org']
    """
    found = {text.strip().lower()}
    with contextlib.suppress(Refused):
        found.add(address(text).lower())
    return found


def sender_of(text: str) -> str:
    """Whom letters are from, perhaps with a name; raises HedgerowError where it is no address.

    >>> sender_of("Hedgerow <play@example.org>")
    'Hedgerow <play@example.org>'
    """
    try:
        found = _validate()(text.strip(), allow_display_name=True, **OPTIONS)
    except ValueError:
        raise HedgerowError(f"cannot send mail from {text!r:.80}; hint: an address, like play@example.org") from None
    return formataddr((found.display_name or "", address(str(found.normalized))))


@functools.lru_cache(maxsize=1000)
def carried(kept: str) -> bool:
    """A letter's header says the same again: not so for what reads as an encoded word, which addresses may hold."""
    try:
        header: Any = HeaderRegistry()("To", kept)
        return [found.addr_spec for found in header.addresses] == [kept]
    except Exception:  # the parser of headers has its own troubles with what is odd
        return False
