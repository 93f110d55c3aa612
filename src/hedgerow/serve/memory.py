"""Gives memory back to the system after many people have left.

Nearly all of it is free as soon as the last socket is, because connections leave no circles of objects behind; what the
C library keeps of it goes back to the system. The few circles that there are take a search, which stops everybody for a
second where a thousand games are in memory, so it is only done when hardly anybody plays.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc

CROWD = 200
"""How many sockets must have gone."""
LARGE = 256 * 1024
"""How many bytes are a large block: a hash of a password takes 19 MiB."""
M_MMAP_THRESHOLD = -3
"""glibc's name for it."""
QUIET = 100
"""At most so many turns were stored since the last look."""


class Memory:
    """Looks now and then whether a crowd has gone."""

    def __init__(self) -> None:
        self._most = 0
        self._searched = True
        self._turns = 0

    def check(self, sockets: int, turns: int) -> bool:
        """Told how many sockets are open and how many turns were ever stored; whether garbage was searched for."""
        quiet = turns - self._turns <= QUIET
        self._most, self._turns = max(self._most, sockets), turns
        if self._most - sockets >= CROWD:
            self._most, self._searched = sockets, False
            trim()
        if self._searched or not quiet:
            return False
        self._searched = True
        gc.collect()
        trim()
        return True


def return_large_blocks() -> None:
    """From now on the C library hands every large block back as soon as it is free, and does not learn to keep them."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).mallopt(M_MMAP_THRESHOLD, LARGE)


def trim() -> None:
    """Hands free pages to the system where the C library can."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
