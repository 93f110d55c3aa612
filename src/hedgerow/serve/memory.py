"""Memory that a crowd has used is given back when it has gone.

Every socket leaves objects that refer to each other, and Python is set up to look for such garbage rarely, because the
look stops everybody. When hundreds have left and hardly anybody plays, it is a good moment. What C libraries have freed
goes back to the system, too; what Python keeps in its own arenas stays for the next crowd, which then needs no more.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc

CROWD = 200
"""How many sockets must have gone."""
QUIET = 100
"""At most so many turns were stored since the last look."""


class Memory:
    """Looks now and then whether a crowd has gone."""

    def __init__(self) -> None:
        self._most = 0
        self._turns = 0

    def consider(self, sockets: int, turns: int) -> bool:
        """Told how many sockets are open and how many turns were ever stored; whether memory was given back."""
        quiet = turns - self._turns <= QUIET
        self._most, self._turns = max(self._most, sockets), turns
        if not quiet or self._most - sockets < CROWD:
            return False
        self._most = sockets
        give_back()
        return True


def give_back() -> None:
    """Finds garbage, and hands free pages to the system where the C library can."""
    gc.collect()
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
