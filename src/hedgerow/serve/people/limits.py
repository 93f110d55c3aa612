"""Rate limits: token buckets by account and by address.

Many people can share one address, so what comes from an account is counted for the account, and an address alone has
room for a whole school. Wrong passwords are counted for the name and the address together: whoever guesses locks
himself out and nobody else. What comes by mail is counted by its sender and by the host that handed it over.
"""

from __future__ import annotations

import ipaddress
import math
import time
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from starlette.requests import HTTPConnection

from hedgerow.serve.refusals import Refused

if TYPE_CHECKING:
    from hedgerow.serve.people.shared_limits import SharedLimits

KEYS = 50_000
"""How many buckets of a kind are kept; the one not used for the longest goes first."""


@dataclass
class Limit:
    """So many at once, and so many a second after that.

    >>> limit = Limit(rate=1, burst=2)
    >>> [limit.wait("ann", at=0), limit.wait("ann", at=0), limit.wait("ann", at=0), limit.wait("bo", at=0)]
    [0.0, 0.0, 1.0, 0.0]
    """

    rate: float
    burst: float
    _buckets: OrderedDict[str, tuple[float, float]] = field(default_factory=OrderedDict, repr=False)

    def wait(self, key: str, at: float | None = None, cost: float = 1) -> float:
        """Takes one, or as many as it costs; 0, or after how many seconds there will be enough."""
        at = time.monotonic() if at is None else at
        left, since = self._buckets.pop(key, (self.burst, at))
        left = min(self.burst, left + (at - since) * self.rate)
        self._buckets[key] = (left - cost if left >= cost else left, at)
        if len(self._buckets) > KEYS:
            self._buckets.popitem(last=False)
        return 0.0 if left >= cost else (cost - left) / self.rate


def lapse(seconds: int) -> str:
    """So many seconds in words.

    >>> lapse(1), lapse(42), lapse(61), lapse(600)
    ('1 second', '42 seconds', '2 minutes', '10 minutes')
    """
    if seconds > 60:
        return f"{-(-seconds // 60)} minutes"
    return f"{seconds} second{'' if seconds == 1 else 's'}"


class TooMany(Refused):
    """Too much at once; `after` says when to ask again, in seconds."""

    def __init__(self, message: str, after: float) -> None:
        self.after = max(1, math.ceil(after))
        super().__init__("too_many", f"{message}; hint: try again in {lapse(self.after)}")


class Busy(Refused):
    """There is no room for more; `after` says when to ask again, in seconds."""

    def __init__(self) -> None:
        self.after = 2
        super().__init__("later", "the server has too much to do; hint: try again in 2 seconds")


def table() -> dict[str, Limit]:
    """What is limited: how many a second, and how many at once."""
    return {
        "account": Limit(30, 300),  # requests of one account
        "anonymous": Limit(200, 2_000),  # requests without a session, by address
        "address": Limit(500, 5_000),  # all requests of one address
        "message": Limit(200, 200),  # on websockets, by account; they wait, and are not refused
        "anonymous_message": Limit(40, 100),  # the same without a session, by address: pings and questions
        "guest": Limit(1, 1_000),  # new guests, by address
        "sign_up": Limit(0.1, 100),  # new accounts, by address
        "password": Limit(0.1, 8),  # passwords tried, by name and address
        "passwords": Limit(2, 200),  # passwords tried, by address
        "sign_up_sender": Limit(1 / 600, 10),  # the same by mail, by sender at a host
        "mail_word": Limit(0.1, 8),  # mail words tried that were not proven just now, by name and address or sender
        "mail_word_host": Limit(0.1, 50),  # the same by name and host, which may be a mail server for many
        "mail_words": Limit(4, 300),  # the same by address or host
        "mail_words_sender": Limit(0.1, 20),  # the same by mail, by sender at a host
        "chat": Limit(0.5, 6),  # messages, by account
        "analysis": Limit(0.5, 60),  # positions to think about, by account or address
        "dump": Limit(1 / 60, 3),  # all games in one file, by address
        "game": Limit(0.5, 200),  # new games, by account
        "mail_to": Limit(1 / 60, 20),  # mails to other people, by account, for each of them
        "mail": Limit(1 / 300, 5),  # mails asked for, by account or address asked about
    }


class Limits:
    """All limits of this process; they hold nobody up where the operator has turned them off.

    What is counted with every request is counted here alone, and at once. What guards something, like passwords, is
    counted in all processes together where they are several: `wait_everywhere` and `check_everywhere`.
    """

    def __init__(self, on: bool = True, shared: SharedLimits | None = None) -> None:
        self._table = table() if on else {}
        self._shared = shared

    def wait(self, what: str, key: object, cost: float = 1) -> float:
        """Takes one, or as many as it costs; how many seconds to wait if there are not enough."""
        limit = self._table.get(what)
        return limit.wait(str(key), cost=cost) if limit else 0.0

    def check(self, what: str, key: object, cost: float = 1) -> None:
        """Takes as many, or raises TooMany."""
        if after := self.wait(what, key, cost):
            raise too_many(what, after)

    async def wait_everywhere(self, what: str, key: object, cost: float = 1) -> float:
        """The same, from what all processes share. Whoever asks this one too much is not asked about elsewhere."""
        after = self.wait(what, key, cost)
        if after or self._shared is None or what not in self._table:
            return after
        return await self._shared.wait(what, self._table[what], str(key), cost)

    async def check_everywhere(self, what: str, key: object, cost: float = 1) -> None:
        """Takes as many from what all processes share, or raises TooMany."""
        if after := await self.wait_everywhere(what, key, cost):
            raise too_many(what, after)

    async def check_origin(self, what: str, where: str, about: str = "") -> None:
        """Takes one for where somebody comes from, or raises TooMany; `about` is what else is counted apart.

        What comes by mail is counted by its sender at a host, and by the host alone, for which there is more room:
        others may write from there, and senders are easily made up.
        """
        sender, _, host = where.rpartition(VIA)
        kinds = zip(MAILED[what], (where, host)) if sender else [(what, where)]
        for kind, key in kinds:
            await self.check_everywhere(kind, f"{key} {about}".strip())

    async def stop(self) -> None:
        """Counts no longer with others."""
        if self._shared:
            await self._shared.stop()


VIA = " via "
MAILED = {
    "sign_up": ("sign_up_sender", "sign_up"),
    "mail_word": ("mail_word", "mail_word_host"),
    "mail_words": ("mail_words_sender", "mail_words"),
}
"""What is counted by the sender of a mail at a host, and by the host."""


def mail_origin(sender: str, host: str) -> str:
    """Where a mail comes from, as it is counted: its sender proves nothing, and is another one at another host.

    >>> mail_origin("Ann@example.org", "192.0.2.1")
    'ann@example.org via 192.0.2.1'
    """
    return f"{sender.lower() or 'nobody'}{VIA}{host or 'here'}"


def too_many(what: str, after: float) -> TooMany:
    """The refusal of somebody who asks for too much."""
    return TooMany(MESSAGES.get(what, "too many requests"), after)


MESSAGES = {
    "guest": "too many new guests from your address",
    "sign_up": "too many new accounts from your address",
    "password": "too many tries with a password for this name",
    "passwords": "too many tries with passwords from your address",
    "sign_up_sender": "too many new accounts from your address",
    "mail_word": "too many tries with a mail word for this name",
    "mail_word_host": "too many tries with a mail word for this name",
    "mail_words": "too many tries with mail words from your address",
    "mail_words_sender": "too many tries with mail words from your address",
    "chat": "too many messages",
    "analysis": "too many positions to think about",
    "dump": "you have had all games already",
    "game": "too many new games",
    "mail_to": "too many mails to others",
    "mail": "too many mails",
}


def address_of(connection: HTTPConnection) -> str:
    """Where a request comes from, as it is counted."""
    return network_of(connection.client.host if connection.client else "")


def network_of(host: str) -> str:
    """An address as it is counted; of an IPv6 address the network, because one customer has all of it."""
    try:
        found = ipaddress.ip_address(host.split("%")[0])
    except ValueError:
        return host
    if isinstance(found, ipaddress.IPv6Address):
        if found.ipv4_mapped:
            return str(found.ipv4_mapped)
        return str(ipaddress.ip_network((found, 64), strict=False))
    return str(found)
