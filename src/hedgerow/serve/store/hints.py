"""Why a database cannot be opened, in one sentence with what to do about it."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator

import asyncpg
from sqlalchemy.engine import URL
from sqlalchemy.exc import DBAPIError, IntegrityError, SQLAlchemyError

from hedgerow.game import HedgerowError
from hedgerow.serve.store.trouble import cause_of, code_of

SQLITE = {
    "SQLITE_NOTADB": "is it another program's? else bring back a backup with hedgerow admin restore",
    "SQLITE_CORRUPT": "hedgerow check says how much; bring back a backup with hedgerow admin restore",
    "SQLITE_FULL": "make room on the disk",
    "SQLITE_IOERR": "is the disk full or broken?",
    "SQLITE_BUSY": "which other program has it open?",
    "SQLITE_READONLY": "give the file to the user that runs the server",
    "SQLITE_CANTOPEN": "give the folder and the file to the user that runs the server",
}
"""What to do, by what SQLite calls it."""

POSTGRES = {
    "28P01": "is the password in the address right?",
    "28": "is the role in the address right, and does pg_hba.conf let it in?",
    "3D": "make it with createdb, or name another in the address",
    "42501": "let the role make tables: GRANT CREATE, USAGE ON SCHEMA public TO ...",
    "53": "make room there, or end some of its connections",
    "57": "try again in a moment",
    "25006": "is it a standby? name the primary",
}
"""What to do, by how PostgreSQL's code begins; the longest beginning first."""


@contextlib.contextmanager
def explained(where: str) -> Iterator[None]:
    """Raises HedgerowError instead of what a database said that could not be opened; `where` it is, for people."""
    try:
        yield
    except HedgerowError:
        raise
    except IntegrityError:
        raise
    except (SQLAlchemyError, asyncpg.PostgresError, asyncpg.InterfaceError, sqlite3.Error) as error:
        raise HedgerowError(f"cannot use {where}: {_said(error)}; hint: {_hint(error)}") from error
    except PermissionError as error:
        hint = "give the folder and the file to the user that runs this"
        raise HedgerowError(f"cannot use {where}: {error.strerror}; hint: {hint}") from error
    except OSError as error:
        raise HedgerowError(
            f"cannot reach {where}: {_said(error)}; hint: is it running, and is the address right?"
        ) from error
    except TypeError as error:  # how asyncpg is asked to take an option it does not know
        raise HedgerowError(
            f"cannot use {where}: {error}; hint: leave out what follows the ? in its address"
        ) from error


def _said(error: BaseException) -> str:
    inner = error.orig if isinstance(error, DBAPIError) and error.orig else error
    known = cause_of(error)
    own = str(inner.__cause__ or inner).strip().splitlines() or [type(inner).__name__]
    return f"{known} ({own[0]})" if known and own[0] not in known else own[0]


def _hint(error: BaseException) -> str:
    inner = error.orig if isinstance(error, DBAPIError) else error
    if isinstance(inner, sqlite3.Error):
        name = getattr(inner, "sqlite_errorname", None) or ""
        return SQLITE.get("_".join(name.split("_")[:2]), "hedgerow check FOLDER looks closer")
    code = code_of(error)
    return next((POSTGRES[code[:size]] for size in (5, 2) if code[:size] in POSTGRES), "is the address right?")


def named(url: URL) -> str:
    """A database as people know it, without its password."""
    return f"the database {url.database or ''} at {url.host or 'this machine'}".replace("  ", " ")
