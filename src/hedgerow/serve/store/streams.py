"""Queries for an account's event stream: its running and open games, and how others ended."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import and_, func, or_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from hedgerow.serve.store.prepared import Prepared, Question, Value
from hedgerow.serve.store.rows import GameRow, NewsRow, all_of
from hedgerow.serve.store.schema import accounts, games, seats, turns

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


@Prepared
def _news(account: Value, at: Value, fresh: Value) -> Question:
    other = seats.alias("other")
    sits = and_(other.c.game == games.c.id, other.c.account != account)
    others = select(func.count()).select_from(other).where(sits).scalar_subquery()
    columns = ("id", "rules", "state", "begun", "clock", "base_ms", "increment_ms", "rated", "version", "to_move")
    shown = (games.c[name] for name in columns)
    wanted = select(*shown, seats.c.seat, seats.c.account, accounts.c.name, others)
    wanted = wanted.join(seats, seats.c.game == games.c.id).join(accounts, accounts.c.id == games.c.creator)
    stands = and_(games.c.state == "open", or_(games.c.expires.is_(None), games.c.expires > at))
    asked = and_(seats.c.invited == account, seats.c.ended.is_(None), seats.c.account.is_(None), stands)
    calls = or_(games.c.clock == "live", games.c.to_move == seats.c.seat, games.c.begun > fresh)
    counts = or_(games.c.state == "open", and_(games.c.state == "playing", calls))
    mine = and_(seats.c.account == account, seats.c.ended.is_(None), counts)
    return wanted.where(or_(mine, asked)).order_by(games.c.due.is_(None), games.c.due, games.c.moved)


async def news(connection: AsyncConnection, account: int, at: int) -> list[NewsRow]:
    """Games that wait for others, challenges, games that are live or have just begun, and those that wait for a turn;
    those whose time is up first before the others."""
    return await _news.rows(connection, NewsRow, account=account, at=at, fresh=at - FRESH)


async def rows_of(connection: AsyncConnection, ids: Sequence[str]) -> dict[str, GameRow]:
    """Some games, by their ids."""
    return {row.id: row for row in await all_of(connection, GameRow, select(games).where(games.c.id.in_(ids)))}


async def why_called_off(connection: AsyncConnection, game: str) -> str:
    """What was said when a game that had not begun was called off."""
    wanted = select(turns.c.text).where(turns.c.game == game, turns.c.kind == "abort")
    return (await connection.execute(wanted)).scalars().first() or ""
