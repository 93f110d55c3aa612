"""What the database is asked for an account's event stream: its running games, what waits, and how others ended."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import and_, or_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from hedgerow.serve.store.queries import AnyRow
from hedgerow.serve.store.schema import games, seats, turns


async def running(connection: AsyncConnection, account: int, at: int) -> Sequence[AnyRow]:
    """Games an account sits in or is invited to that are not over; those whose time is up first before the others."""
    sits = seats.c.account == account
    stands = or_(games.c.expires.is_(None), games.c.expires > at)
    asked = and_(seats.c.invited == account, seats.c.account.is_(None), games.c.state == "open", stands)
    mine = select(seats.c.game).where(or_(seats.c.account == account, seats.c.invited == account))
    here = select(seats.c.game).where(seats.c.game == games.c.id, or_(sits, asked)).exists()
    wanted = select(games).where(games.c.id.in_(mine), games.c.state.in_(("open", "playing")), here)
    return (await connection.execute(wanted.order_by(games.c.due.is_(None), games.c.due, games.c.moved))).all()


async def rows_of(connection: AsyncConnection, ids: Sequence[str]) -> dict[str, AnyRow]:
    """Some games, by their ids."""
    found = await connection.execute(select(games).where(games.c.id.in_(ids)))
    return {row.id: row for row in found}


async def why_called_off(connection: AsyncConnection, game: str) -> str:
    """What was said when a game that had not begun was called off."""
    wanted = select(turns.c.text).where(turns.c.game == game, turns.c.kind == "abort")
    return (await connection.execute(wanted)).scalars().first() or ""
