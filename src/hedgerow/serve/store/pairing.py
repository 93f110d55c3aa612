"""Queries for quick pairing: open games of a kind in the lobby, and how people stand on several ladders."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import or_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from hedgerow.serve.store.rows import GameRow, all_of
from hedgerow.serve.store.schema import IS_OPEN, games, ratings


async def wishes(connection: AsyncConnection, clock: str, rated: bool, at: int, limit: int) -> list[GameRow]:
    """Open games in the lobby with that kind of clock, the oldest first."""
    stands = or_(games.c.expires.is_(None), games.c.expires > at)
    asked = select(games).where(IS_OPEN, games.c.lobby.is_(True), stands)
    asked = asked.where(games.c.clock == clock, games.c.rated.is_(rated))
    return await all_of(connection, GameRow, asked.order_by(games.c.created).limit(limit))


async def standings(
    connection: AsyncConnection, accounts: Sequence[int], ladders: Sequence[str]
) -> dict[tuple[int, str], int]:
    """The ratings of some accounts on some ladders, as far as they have any."""
    wanted = select(ratings.c.account, ratings.c.ladder, ratings.c.rating)
    wanted = wanted.where(ratings.c.account.in_(accounts), ratings.c.ladder.in_(ladders))
    return {(row.account, row.ladder): row.rating for row in await connection.execute(wanted)}
