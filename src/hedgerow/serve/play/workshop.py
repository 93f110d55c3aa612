"""The workshop: a small process pool for replays and drawings, with a fair queue and a CPU budget for everybody.

Threads would not do: they share one lock with the event loop, and forty long replays made every turn wait for a fifth
of a second. So this is done elsewhere. What waits is in the order of the turnstile, whose addresses share alike; it is
never much, because whoever comes when the workshop is full is asked to come again; and everybody's work is counted in
seconds of computing, by account and by address.
"""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections import Counter, OrderedDict
from collections.abc import AsyncIterator, Callable
from concurrent.futures.process import BrokenProcessPool
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Generic, NamedTuple, ParamSpec, TypeVar

from hedgerow.game import HedgerowError
from hedgerow.serve.people.limits import KEYS, Busy, TooMany
from hedgerow.serve.play.views import looks
from hedgerow.serve.processes import Process
from hedgerow.serve.refusals import Refused, refusal_of
from hedgerow.serve.turnstile import Turnstile

Found = TypeVar("Found")
Params = ParamSpec("Params")

log = logging.getLogger("hedgerow.workshop")

PROCESSES = max(1, min(4, (os.cpu_count() or 2) // 2))
NICE = 5
"""How far they stand back behind those who serve people; the machines' thinking stands further back."""
MAX_SECONDS = 10.0
"""After how many seconds a piece of work is given up."""
MOST, MOST_THERE, MOST_EACH = 100, 40, 12
"""How many pieces wait or are being done at once: in all, from one address, and of one account."""
TRIES = 2
"""How often a piece is tried when the process that does it dies."""


class Payer(NamedTuple):
    """Who asks: an account, or an address alone."""

    account: int | None
    address: str

    @property
    def name(self) -> str:
        """Whose budget it is."""
        return f"at {self.address}" if self.account is None else str(self.account)


@dataclass
class Budget:
    """So many seconds of work at once, and so many a second after that; the last piece may overdraw it.

    >>> budget = Budget(rate=0.5, burst=2); budget.charge("ann", 3, at=0)
    >>> budget.wait("ann", at=0), budget.wait("ann", at=3), budget.wait("bo", at=0)
    (2.0, 0.0, 0.0)
    """

    rate: float
    burst: float
    _left: OrderedDict[str, tuple[float, float]] = field(default_factory=OrderedDict, repr=False)

    def _of(self, key: str, at: float) -> float:
        left, since = self._left.get(key, (self.burst, at))
        return min(self.burst, left + (at - since) * self.rate)

    def wait(self, key: str, at: float | None = None) -> float:
        """After how many seconds there is something left; 0 where there is now."""
        return max(0.0, -self._of(key, time.monotonic() if at is None else at) / self.rate)

    def charge(self, key: str, seconds: float, at: float | None = None) -> None:
        """Takes so much of it."""
        at = time.monotonic() if at is None else at
        self._left[key] = (self._of(key, at) - seconds, at)
        self._left.move_to_end(key)
        if len(self._left) > KEYS:
            self._left.popitem(last=False)


class Done(NamedTuple, Generic[Found]):
    """What came of a piece of work, or why it was refused; and how many seconds of computing it took."""

    result: Found | Refused
    seconds: float


def perform(liked: looks.Looks, work: Callable[[], Found]) -> Done[Found]:
    """Does a piece of work in the process, for somebody who likes boards to look so."""
    begun = time.process_time()
    looks.like(liked)
    result: Found | Refused
    try:
        result = work()
    except HedgerowError as error:
        result = refusal_of(error)
    return Done(result, time.process_time() - begun)


class Workshop:
    """Does what takes a while, without anybody who plays noticing; its processes start when they are needed."""

    def __init__(self, limited: bool = True, processes: int = PROCESSES) -> None:
        self.limited = limited
        self.accounts, self.addresses = Budget(0.25, 30.0), Budget(0.5, 60.0)
        self._processes = [Process(NICE) for _ in range(processes)]
        self._gate = Turnstile(processes)
        self._here: Counter[str] = Counter()
        self._all = 0

    async def do(
        self, payer: Payer, work: Callable[Params, Found], *arguments: Params.args, **named: Params.kwargs
    ) -> Found:
        """What comes of a piece of work; raises what it refuses, or Refused where there is no room or budget for it."""
        async with self.paid(payer):
            async with self._gate.through("", payer.name, payer.address):
                done = await self._done(partial(work, *arguments, **named))
            self.charge(payer, done.seconds)
        if isinstance(done.result, Refused):
            raise done.result
        return done.result

    @asynccontextmanager
    async def paid(self, payer: Payer) -> AsyncIterator[None]:
        """Room for something that whoever asks can pay for; raises TooMany where there is none."""
        self._check(payer)
        self._all += 1
        self._here.update((payer.name, f"all at {payer.address}"))
        try:
            yield
        finally:
            self._all -= 1
            for key in (payer.name, f"all at {payer.address}"):
                self._here[key] -= 1
                if not self._here[key]:
                    del self._here[key]

    def charge(self, payer: Payer, seconds: float) -> None:
        """So much was done for somebody."""
        self.addresses.charge(payer.address, seconds)
        if payer.account is not None:
            self.accounts.charge(payer.name, seconds)

    def _check(self, payer: Payer) -> None:
        if self.limited and (after := self.addresses.wait(payer.address)):
            raise TooMany("too much work for your address", after)
        if self.limited and payer.account is not None and (after := self.accounts.wait(payer.name)):
            raise TooMany("too much work for you", after)
        each = MOST_THERE if payer.account is None else MOST_EACH
        if self._here[payer.name] >= each or self._here[f"all at {payer.address}"] >= MOST_THERE:
            raise TooMany("you ask for more before you are answered", 1)
        if self._all >= MOST:
            raise Busy

    async def _done(self, work: Callable[[], Found]) -> Done[Found]:
        """Has a process do it that has nothing else to do; one that takes too long is ended."""
        for _ in range(TRIES):
            process = min(self._processes, key=lambda one: one.doing)
            try:
                async with asyncio.timeout(MAX_SECONDS):
                    return await process.do_once(perform, looks.liked(), work)
            except TimeoutError:
                process.stop()
                raise Refused(
                    "bad_request", f"that takes longer than {MAX_SECONDS:.0f} s; hint: ask for less"
                ) from None
            except BrokenProcessPool:
                continue
            except OSError as error:  # no process can be started
                log.error("no process for the workshop: %s", error)
                break
        raise Busy

    def stop(self) -> None:
        """Ends its processes, whatever they do."""
        for process in self._processes:
            process.stop()
