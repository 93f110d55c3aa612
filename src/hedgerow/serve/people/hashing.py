"""Password hashes: Argon2, one at a time, in a low-priority thread.

A hash takes a core and memory for a while, on purpose, and whoever signs up or guesses can ask for many. One thread of
little weight computes them all, in the turnstile's fair order of addresses: a flood of them delays itself, a sign-in
from elsewhere by one hash, and a turn not at all. The thread runs nothing else, because a slow thread that runs Python
would hold Python's lock for long.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from argon2 import PasswordHasher
from argon2.exceptions import VerificationError

from hedgerow.serve.people.limits import VIA, Busy
from hedgerow.serve.people.passwords import check_password
from hedgerow.serve.turnstile import Turnstile

Found = TypeVar("Found")
Admit = Callable[[], Awaitable[None]]
"""What refuses whoever may not ask for a hash now."""

KIB, PASSES = 19 * 1024, 2
"""What a hash takes, as OWASP recommends for one thread."""
NICE = 10
MOST_WAITING = 400
"""How many wait at most; whoever comes then is asked to come again."""
MOST_LETTERS, LETTERS_EACH = 40, 5
"""How many letters wait at most, and how many of one host: the others are taken up again later.

A letter that waits here is one of those that are under way, and most of these are to be left for who need no hash."""


def stand_back() -> None:
    """This thread, and those that it starts, get less of a busy machine than others; on Linux threads are apart."""
    with contextlib.suppress(OSError, AttributeError):
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICE)


async def nobody_refused() -> None:
    """Everybody may try."""


class Hashing:
    """Hashes passwords and compares them."""

    def __init__(self) -> None:
        self.hasher = PasswordHasher(PASSES, KIB, parallelism=1)
        self._thread = ThreadPoolExecutor(1, "passwords", stand_back)
        self._gate = Turnstile(1)
        self._letters: Counter[str] = Counter()
        """How many letters of a host are here."""

    async def hashed(self, password: str, *about: str | None, address: str = "", admit: Admit = nobody_refused) -> str:
        """What is kept of a new password; raises Refused where it is too short, or easily guessed from `about`.

        Whoever has a place is admitted, or refused, before anything is computed: who finds none has lost nothing.
        """
        with self._place(address):
            await admit()
            await asyncio.to_thread(check_password, password, *about)
            return await self._in_turn(address, lambda: self.hasher.hash(password))

    async def fits(
        self,
        kept: str | None,
        password: str,
        address: str = "",
        admit: Admit = nobody_refused,
    ) -> bool:
        """Whether it is the password of which this was kept; it takes as long where nothing was."""
        with self._place(address):
            await admit()
            return await self._in_turn(address, lambda: self._fits(kept, password))

    def _fits(self, kept: str | None, password: str) -> bool:
        if kept is None:
            self.hasher.hash(password)
            return False
        try:
            return self.hasher.verify(kept, password)
        except VerificationError:
            return False

    async def _in_turn(self, address: str, work: Callable[[], Found]) -> Found:
        host = address.rpartition(VIA)[2]
        async with self._gate.through("", host, host):
            return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    @contextlib.contextmanager
    def _place(self, address: str) -> Iterator[None]:
        """A place to wait, for somebody who may have come by a letter of a host; raises Busy where there is none."""
        sender, _, host = address.rpartition(VIA)  # senders of mails are easily made up
        if self._gate.waiting >= MOST_WAITING or (sender and self._crowded(host)):
            raise Busy
        if not sender:
            yield
            return
        self._letters[host] += 1
        try:
            yield
        finally:
            self._letters[host] -= 1
            self._letters += Counter()  # forgets those of whom none is here

    def _crowded(self, host: str) -> bool:
        """No more letters of a host have room here."""
        return self._letters.total() >= MOST_LETTERS or self._letters[host] >= LETTERS_EACH

    def stop(self) -> None:
        """Takes nothing more."""
        self._thread.shutdown(wait=False, cancel_futures=True)
