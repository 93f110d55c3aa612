"""What the database is asked about letters that came in, before, while and after they are carried out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import bindparam, delete, func, select, update
from sqlalchemy.dialects.postgresql import insert as insert_postgres
from sqlalchemy.dialects.sqlite import insert as insert_sqlite
from sqlalchemy.ext.asyncio import AsyncConnection

from hedgerow.serve.store.prepared import Prepared, Question, Value
from hedgerow.serve.store.rows import LetterRow
from hedgerow.serve.store.schema import letter_steps, letters, mails


class Arrived(NamedTuple):
    """A letter as it is kept when it arrives."""

    digest: str
    sender: str
    recipient: str
    raw: bytes


async def keep(connection: AsyncConnection, arrived: Sequence[Arrived], at: int) -> None:
    """Letters are here, and due at once; a copy of one that is known changes nothing."""
    rows = [{**letter._asdict(), "received": at, "due": at, "tries": 0} for letter in arrived]
    await connection.execute(_KEEP[connection.dialect.name], rows)


_KEEP = {
    "postgresql": insert_postgres(letters).on_conflict_do_nothing(index_elements=["digest"]),
    "sqlite": insert_sqlite(letters).on_conflict_do_nothing(index_elements=["digest"]),
}


@Prepared
def _due(at: Value, most: Value) -> Question:
    return select(letters).where(letters.c.due <= at).order_by(letters.c.due, letters.c.id).limit(most)


async def due(connection: AsyncConnection, at: int, limit: int) -> list[LetterRow]:
    """Letters whose time has come, in the order in which they came."""
    return await _due.rows(connection, LetterRow, at=at, most=limit)


class Waiting(NamedTuple):
    """A letter whose time has come, and whose it is."""

    id: int
    sender: str
    recipient: str


@Prepared
def _line(at: Value, most: Value) -> Question:
    columns = letters.c.id, letters.c.sender, letters.c.recipient
    return select(*columns).where(letters.c.due <= at).order_by(letters.c.due, letters.c.id).limit(most)


async def line(connection: AsyncConnection, at: int, limit: int) -> list[Waiting]:
    """Who waits, in the order in which their letters came, without what these say."""
    return [Waiting._make(row) for row in await _line(connection, at=at, most=limit)]


@Prepared
def _these(some: list[Value]) -> Question:
    return select(letters).where(letters.c.id.in_(some), letters.c.due.is_not(None)).order_by(letters.c.id)


async def these(connection: AsyncConnection, some: Sequence[int]) -> list[LetterRow]:
    """Some letters that are not done, in the order of their numbers."""
    return await _these.rows(connection, LetterRow, some=some)


@Prepared
def _begun(some: list[Value]) -> Question:
    return select(letter_steps.c.letter).where(letter_steps.c.letter.in_(some)).distinct()


async def begun(connection: AsyncConnection, some: Sequence[int]) -> set[int]:
    """Which of some letters have done something already."""
    return set((await _begun(connection, some=some)).scalars())


async def waiting(connection: AsyncConnection) -> int:
    """How many letters are not done."""
    return int((await connection.execute(select(func.count()).where(letters.c.due.is_not(None)))).scalar_one())


async def settle(connection: AsyncConnection, some: Sequence[int]) -> set[int]:
    """Letters are done, and what they said is forgotten; those that nobody else has done."""
    return set((await connection.execute(_SETTLE, {"some": some})).scalars())


_SETTLE = (
    update(letters)
    .where(letters.c.id.in_(bindparam("some", expanding=True)), letters.c.due.is_not(None))
    .values(due=None, raw=None, recipient="", sender="")
    .returning(letters.c.id)
)


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
