"""Queries for an account's event stream: its running and open games, and how others ended."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import and_, or_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from hedgerow.serve.store.rows import GameRow, all_of
from hedgerow.serve.store.schema import games, seats, turns

FRESH = 600_000
"""For how many milliseconds after its beginning a game without a live clock is pointed out on other pages."""


async def running(connection: AsyncConnection, account: int, at: int) -> list[GameRow]:
    """Games an account sits in or is invited to that are not over; those whose time is up first before the others."""
    stands = or_(games.c.expires.is_(None), games.c.expires > at)
    sits = select(seats.c.game).where(seats.c.account == account, seats.c.ended.is_(None))
    asked = select(seats.c.game).join(games, games.c.id == seats.c.game)
    asked = asked.where(seats.c.invited == account, seats.c.ended.is_(None), seats.c.account.is_(None))
    asked = asked.where(games.c.state == "open", stands)
    wanted = select(games).where(games.c.id.in_(sits.union(asked)), games.c.state.in_(("open", "playing")))
    return await all_of(connection, GameRow, wanted.order_by(games.c.due.is_(None), games.c.due, games.c.moved))


class Awaited(NamedTuple):
    """What an account waits for: games in which a seat is free, and one that has begun and should be looked at."""

    waiting: tuple[str, ...] = ()
    begun: str | None = None


async def awaited(connection: AsyncConnection, account: int, at: int, but: str = "") -> Awaited:
    """The games an account waits for, and the latest that is live, or that began by now and nobody has moved in."""
    fresh = and_(games.c.version == 0, games.c.begun > games.c.created, games.c.begun > at - FRESH)
    counts = or_(games.c.state == "open", games.c.clock == "live", fresh)
    wanted = select(games.c.id, games.c.state, games.c.begun).join(seats, seats.c.game == games.c.id)
    wanted = wanted.where(seats.c.account == account, seats.c.ended.is_(None), counts)
    rows = [row for row in await connection.execute(wanted) if row.id != but]
    begun = max((row for row in rows if row.state == "playing"), key=lambda row: row.begun, default=None)
    return Awaited(tuple(row.id for row in rows if row.state == "open"), begun.id if begun else None)


async def rows_of(connection: AsyncConnection, ids: Sequence[str]) -> dict[str, GameRow]:
    """Some games, by their ids."""
    return {row.id: row for row in await all_of(connection, GameRow, select(games).where(games.c.id.in_(ids)))}


async def why_called_off(connection: AsyncConnection, game: str) -> str:
    """What was said when a game that had not begun was called off."""
    wanted = select(turns.c.text).where(turns.c.game == game, turns.c.kind == "abort")
    return (await connection.execute(wanted)).scalars().first() or ""
