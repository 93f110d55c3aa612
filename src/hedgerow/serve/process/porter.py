"""Connection limits: in all and from one address; and clients that do not read what they are sent.

Some file descriptors are always left for the database, the engine and the log: whoever comes when the others are used
is told to come again, and so is an address that has more connections open than a whole school. A proxy of ours may have
as many as it likes.
"""

from __future__ import annotations

import asyncio
import contextlib
import resource
from collections import Counter

from hedgerow.serve.api.answers import written
from hedgerow.serve.people.limits import network_of
from hedgerow.serve.process.proxies import Proxies

CONNECTIONS = 800
"""How many connections of one address may be open."""
RESERVE = 256
"""How many file descriptors are kept for everything that is no connection; half of them where there are few."""
MOST = 1 << 20
"""How many file descriptors are asked for where there is no bound."""
LINGER = 1.0
"""How many seconds somebody who is refused has to read why."""
LOOK = 10.0
"""Every so many seconds it is looked whether a client takes what it is sent; twice in vain, and it is cut off."""
NONE = Proxies()
RETRY = {"Retry-After": "10"}
FULL = written(503, "later", "too many people are here just now; hint: try again in a moment", **RETRY)
TOO_MANY = written(503, "too_many", "too many connections from your address; hint: try again in a moment", **RETRY)


def raise_file_limit() -> None:
    """As many file descriptors as this process may have."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST if hard == resource.RLIM_INFINITY else hard
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with contextlib.suppress(ValueError, OSError):  # where the system allows less than it says
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def file_limit() -> int:
    """How many file descriptors this process may have."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return MOST if soft == resource.RLIM_INFINITY else soft


class Porter:
    """Counts the connections of this process."""

    def __init__(self, files: int = MOST, by_address: int | None = None, proxies: Proxies = NONE) -> None:
        reserve = min(RESERVE, files // 2)
        self.room = files - reserve
        """How many connections there may be."""
        self.patience = reserve // 4
        """How many of those who are refused may linger."""
        self.lingering = 0
        self.by_address = by_address
        self.proxies = proxies
        self.open: Counter[str] = Counter()
        self.count = 0

    def refusal(self, host: str) -> bytes | None:
        """What somebody is told who may not come in; None for the others, who are counted as from now."""
        if self.count >= self.room:
            return FULL
        address = network_of(host)
        if self.by_address is not None and self.open[address] >= self.by_address and not self.proxies.trusts(host):
            return TOO_MANY
        self.open[address] += 1
        self.count += 1
        return None

    def leave(self, host: str) -> None:
        """A connection that was counted is gone."""
        address = network_of(host)
        self.open[address] -= 1
        self.count -= 1
        if not self.open[address]:
            del self.open[address]


class Visit:
    """One connection that was let in, whatever is spoken over it."""

    def __init__(
        self, porter: Porter, host: str, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop
    ) -> None:
        self._porter, self._host, self._transport, self._loop = porter, host, transport, loop
        self._unread = 0
        self._timer: asyncio.TimerHandle | None = loop.call_later(LOOK, self._look)

    def _look(self) -> None:
        """Somebody who has taken nothing since the last look, though there was something to take, is cut off."""
        unread = self._transport.get_write_buffer_size()
        if unread and self._unread and unread >= self._unread:
            self._transport.abort()
        self._unread = unread
        self._timer = self._loop.call_later(LOOK, self._look)

    def reads(self) -> None:
        """The client has taken most of what waited for it."""
        self._unread = 0

    def end(self) -> None:
        """The connection is gone."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
            self._porter.leave(self._host)
