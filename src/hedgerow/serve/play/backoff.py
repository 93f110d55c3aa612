"""Backoff for a task over many items: an item that fails is retried later and logged once; the others go on."""

from __future__ import annotations

import logging
import time
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as NoConnection

from hedgerow.serve.refusals import Refused

LONG = 600.0
"""For how many seconds something is set aside that failed for reasons of its own."""
SHORT = 10.0
"""And for how many because the database is away: it is not its fault, but somebody else may come first next time."""
MOST = 10_000
AWAY = (OSError, TimeoutError, OperationalError, InterfaceError, NoConnection)
"""How it looks when the database is away."""
OVERTAKEN = ("stale", "over", "not_found")
"""Refusals that say that somebody else has done it."""


def is_away(error: BaseException) -> bool:
    """It failed because the database is away, and so would everything else now."""
    return isinstance(error, AWAY) or (isinstance(error, Refused) and error.code == "later")


class Backoff:
    """The items that failed, and when each is tried again."""

    def __init__(self, log: logging.Logger, what: str, seconds: float = LONG) -> None:
        self._log = log
        self._what = what
        self._seconds = seconds
        self._until: OrderedDict[str, float] = OrderedDict()
        """Until when each is left alone; it stays here until it succeeds, so that it is said once."""
        self._told: set[str] = set()

    def __len__(self) -> int:
        """How many things have failed."""
        return len(self._until)

    def __contains__(self, key: str) -> bool:
        """It is left alone for now."""
        return self._until.get(key, 0.0) > time.monotonic()

    @contextmanager
    def trying(self, key: str) -> Iterator[None]:
        """Something is done about this; where it fails, it is set aside. When the database is away, it says so."""
        try:
            yield
        except Exception as error:
            if isinstance(error, Refused) and error.code in OVERTAKEN:
                return
            self._set_aside(key, self._seconds if not is_away(error) else SHORT)
            if is_away(error):
                raise
            if key not in self._told:
                self._told.add(key)
                self._log.error("%s %s failed and is set aside", self._what, key, exc_info=error)
        else:
            self._until.pop(key, None)
            self._told.discard(key)

    def _set_aside(self, key: str, seconds: float) -> None:
        self._until[key] = time.monotonic() + seconds
        self._until.move_to_end(key)
        while len(self._until) > MOST:
            self._told.discard(self._until.popitem(last=False)[0])
