"""Database errors: whether to try again later (a circuit breaker), or that a value cannot be stored.

Everything else is a mistake of ours and stays what it is.
"""

from __future__ import annotations

import contextlib
import logging
import sqlite3
import time
from collections.abc import Iterator

import asyncpg
from sqlalchemy.exc import DBAPIError, IntegrityError, StatementError
from sqlalchemy.exc import TimeoutError as NoneFree

from hedgerow.serve.refusals import Refused

log = logging.getLogger("hedgerow.store")

SQLITE = {
    "SQLITE_BUSY": "it is locked by another program",
    "SQLITE_LOCKED": "it is locked by another program",
    "SQLITE_PROTOCOL": "it is locked by another program",
    "SQLITE_FULL": "the disk is full",
    "SQLITE_IOERR": "the disk cannot be read or written",
    "SQLITE_READONLY": "the file can only be read",
    "SQLITE_CANTOPEN": "the file cannot be opened",
    "SQLITE_PERM": "the file may not be used",
    "SQLITE_NOMEM": "the memory is full",
    "SQLITE_CORRUPT": "the file is damaged",
    "SQLITE_NOTADB": "the file is no database",
}
"""What SQLite calls its troubles, without what comes after the second word of a name."""

POSTGRES = {
    "08": "the connection is lost",
    "25006": "it can only be read",
    "28": "it does not let this role in",
    "3D": "there is no database of that name",
    "40": "others were in the way",
    "42501": "the role may not do that",
    "53100": "its disk is full",
    "53": "it has no room left",
    "55": "something in it is locked",
    "57014": "it took too long",
    "57": "it is starting or stopping",
    "58": "its disk cannot be read or written",
    "XX": "it is damaged",
}
"""What PostgreSQL's codes begin with, the longest beginning first where two fit."""
UNKEPT = "22"
"""How PostgreSQL's codes begin when a value does not fit."""

RECENT = 5.0
"""For how many seconds a write that failed speaks against the store, if none has worked since."""
TRIPPED = 2
"""After so many failures in a row nobody tries for a moment."""
PAUSE = 1.0
"""How many seconds that moment has."""
AWAY = "the database is away; hint: try again in a moment"


def cause_of(error: BaseException) -> str | None:
    """What trouble the database is in, as the end of a sentence; None where it is none of its troubles."""
    if isinstance(error, IntegrityError):
        return None
    if isinstance(error, DBAPIError):
        return cause_of(error.orig) if error.orig and cause_of(error.orig) else _lost(error)
    if isinstance(error, NoneFree):
        return "all connections to it are in use"
    if isinstance(error, TimeoutError):
        return "it does not answer in time"
    if isinstance(error, OSError):
        return f"it cannot be reached ({error.strerror or type(error).__name__})"
    if isinstance(error, sqlite3.Error):
        name = getattr(error, "sqlite_errorname", None) or ""
        return SQLITE.get("_".join(name.split("_")[:2]))
    if code := code_of(error):
        return next((POSTGRES[code[:size]] for size in (5, 2) if code[:size] in POSTGRES), None)
    return None


def _lost(error: DBAPIError) -> str | None:
    return "the connection is lost" if error.connection_invalidated else None


def code_of(error: BaseException | None) -> str:
    """PostgreSQL's code of an error, whoever wraps it."""
    if isinstance(error, DBAPIError):
        error = error.orig
    return getattr(error, "sqlstate", None) or ""


def cannot_keep(error: BaseException) -> bool:
    """A value is nothing that this database can keep: a text with a NUL, a number of too many digits."""
    inner = error.orig if isinstance(error, StatementError) else error
    if isinstance(inner, UnicodeEncodeError | OverflowError | asyncpg.DataError):
        return True
    return code_of(inner).startswith(UNKEPT) or isinstance(inner.__cause__ if inner else None, asyncpg.DataError)


class Circuit:
    """A circuit breaker for one kind of asking: when it fails twice in a row, nobody tries for a moment.

    So those who stand in line behind a database that is away are told soon, and not one after the other. What is wrong
    is logged once, and once that it is over.
    """

    def __init__(self, what: str) -> None:
        self._what = what
        self._failures = 0
        self._cause = ""
        self._since = 0.0

    @property
    def trouble(self) -> str:
        """Why it failed a moment ago; empty where it has worked since."""
        return self._cause if time.monotonic() - self._since < RECENT else ""

    def check(self) -> None:
        """Raises Refused where it has just failed, so that nobody begins what would fail again."""
        if self._failures >= TRIPPED and time.monotonic() - self._since < PAUSE:
            raise Refused("later", AWAY)

    @contextlib.contextmanager
    def watched(self) -> Iterator[None]:
        """What the database cannot do inside becomes a refusal: `later`, or that it cannot keep what it got."""
        self.check()
        try:
            yield
        except Refused:
            raise
        except Exception as error:
            if (cause := cause_of(error)) is not None:
                self._failed(cause)
                raise Refused("later", AWAY) from error
            if cannot_keep(error):
                raise Refused("unreadable", "this cannot be kept; hint: is it a text that people can read?") from error
            raise
        self.worked()

    def _failed(self, cause: str) -> None:
        if not self._failures:
            log.warning("%s the database fails: %s", self._what, cause)
        self._failures += 1
        self._cause, self._since = cause, time.monotonic()

    def try_again(self) -> None:
        """Somebody else has just found the database there: nobody need wait to try."""
        self._failures = min(self._failures, TRIPPED - 1)

    def worked(self) -> None:
        """It did."""
        if self._failures:
            log.info("%s the database works again", self._what)
            self._failures, self._cause = 0, ""
