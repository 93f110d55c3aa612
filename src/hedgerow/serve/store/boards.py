"""What the database is asked about boards: the short number that commands call a game by."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert as insert_postgres
from sqlalchemy.dialects.sqlite import insert as insert_sqlite
from sqlalchemy.ext.asyncio import AsyncConnection

from hedgerow.serve.store.schema import boards


async def number_of(connection: AsyncConnection, game: str) -> int:
    """The number of a game, given to it when it is first asked for; in a transaction that writes."""
    if game in (known := await numbers_of(connection, [game])):
        return known[game]
    dialect = insert_postgres if connection.dialect.name == "postgresql" else insert_sqlite
    await connection.execute(dialect(boards).values(game=game).on_conflict_do_nothing(index_elements=["game"]))
    return (await numbers_of(connection, [game]))[game]


async def numbers_of(connection: AsyncConnection, ids: Iterable[str]) -> dict[str, int]:
    """The numbers of those of these games that have one."""
    wanted = select(boards.c.game, boards.c.number).where(boards.c.game.in_(list(ids)))
    return {row.game: row.number for row in await connection.execute(wanted)}


async def game_of(connection: AsyncConnection, number: int) -> str | None:
    """The game of that number."""
    wanted = select(boards.c.game).where(boards.c.number == number)
    found: str | None = (await connection.execute(wanted)).scalar_one_or_none()
    return found
