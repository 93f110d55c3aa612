"""What the database is asked about letters that came in, before, while and after they are carried out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import delete, func, select, update
from sqlalchemy.dialects.postgresql import insert as insert_postgres
from sqlalchemy.dialects.sqlite import insert as insert_sqlite
from sqlalchemy.ext.asyncio import AsyncConnection

from hedgerow.serve.store.rows import LetterRow
from hedgerow.serve.store.schema import letters, mails


class Arrived(NamedTuple):
    """A letter as it is kept when it arrives."""

    digest: str
    sender: str
    recipient: str
    raw: bytes


async def keep(connection: AsyncConnection, arrived: Sequence[Arrived], at: int) -> None:
    """Letters are here, and due at once; a copy of one that is known changes nothing."""
    dialect = insert_postgres if connection.dialect.name == "postgresql" else insert_sqlite
    rows = [{**letter._asdict(), "received": at, "due": at, "tries": 0} for letter in arrived]
    await connection.execute(dialect(letters).on_conflict_do_nothing(index_elements=["digest"]), rows)


async def due(connection: AsyncConnection, at: int, limit: int) -> list[LetterRow]:
    """Letters whose time has come, in the order in which they came."""
    wanted = select(letters).where(letters.c.due <= at).order_by(letters.c.due, letters.c.id).limit(limit)
    return [LetterRow._make(row) for row in await connection.execute(wanted)]


async def waiting(connection: AsyncConnection) -> int:
    """How many letters are not done."""
    return int((await connection.execute(select(func.count()).where(letters.c.due.is_not(None)))).scalar_one())


async def settle(connection: AsyncConnection, letter: int) -> bool:
    """A letter is done, and what it said is forgotten; False where somebody else has done it."""
    mine = update(letters).where(letters.c.id == letter, letters.c.due.is_not(None))
    done = await connection.execute(mine.values(due=None, raw=None, recipient="", sender=""))
    return done.rowcount == 1


async def put_off(connection: AsyncConnection, letter: int, until: int, tries: int) -> None:
    """A letter is tried again later."""
    mine = update(letters).where(letters.c.id == letter, letters.c.due.is_not(None))
    await connection.execute(mine.values(due=until, tries=tries))


async def forget(connection: AsyncConnection, before: int) -> None:
    """Letters that are done since long; a copy of one that still came would be a new letter."""
    await connection.execute(delete(letters).where(letters.c.due.is_(None), letters.c.received < before))


async def answered_since(connection: AsyncConnection, address: str, since: int) -> bool:
    """Somebody unknown at this address got an answer since then."""
    strangers = mails.c.account.is_(None) & (mails.c.kind == "answer") & (mails.c.created > since)
    asked = select(mails.c.id).where(strangers, func.lower(mails.c.address) == address.lower()).limit(1)
    return (await connection.execute(asked)).first() is not None
