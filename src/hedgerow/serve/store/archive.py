"""What the database is asked for lists of games: one's own, those going on, and all that were ever played."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Text, and_, cast, exists, func, literal, or_, select
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.ext.asyncio import AsyncConnection
from sqlalchemy.sql import ColumnElement

from hedgerow.serve.store.queries import AnyRow
from hedgerow.serve.store.schema import games, seats, turns

CALLED_OFF = '{"reason":"called off"%'


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is looked for in the archive; None where it does not matter."""

    player: int | None = None
    rules: str | None = None
    since: int | None = None
    until: int | None = None
    result: str | None = None
    """win, loss or draw, as the player sees it."""
    before: tuple[int, str] | None = None
    """When the last game of the page before ended, and its id."""


def _of_game(rules: str) -> ColumnElement[bool]:
    """All boards of a game, or the one board that is named with its options."""
    if "(" in rules:
        return games.c.rules == rules
    return or_(games.c.rules == rules, games.c.rules.startswith(f"{rules}(", autoescape=True))


def _winners(connection: AsyncConnection) -> ColumnElement[str]:
    """The seats that have won, like `[0]`."""
    if connection.dialect.name == "postgresql":
        return cast(cast(games.c.outcome, JSONB)["winners"], Text)
    return func.json_extract(games.c.outcome, "$.winners")


def _played(connection: AsyncConnection, player: int, result: str | None) -> ColumnElement[bool]:
    """The player was in the game, and it ended like that for him."""
    chair = and_(seats.c.game == games.c.id, seats.c.account == player)
    if result in ("win", "loss"):
        winners = _winners(connection)
        won = winners.like(literal("%").concat(cast(seats.c.seat, Text)).concat("%"))
        chair = and_(chair, won if result == "win" else and_(~won, winners != "[]"))
    return exists().where(chair)


async def archive(connection: AsyncConnection, wanted: Wanted, reader: int | None, limit: int) -> Sequence[AnyRow]:
    """Games that are over, the latest first; private ones only for those who played in them."""
    mine = exists().where(seats.c.game == games.c.id, seats.c.account == reader)
    open_to = games.c.private.is_(False) if reader is None else or_(games.c.private.is_(False), mine)
    query = select(games).where(games.c.state == "over", games.c.outcome.not_like(CALLED_OFF), open_to)
    if wanted.player is not None:
        query = query.where(_played(connection, wanted.player, wanted.result))
    if wanted.result == "draw":
        query = query.where(_winners(connection) == "[]")
    if wanted.rules is not None:
        query = query.where(_of_game(wanted.rules))
    if wanted.since is not None:
        query = query.where(games.c.ended >= wanted.since)
    if wanted.until is not None:
        query = query.where(games.c.ended < wanted.until)
    if wanted.before is not None:
        at, game = wanted.before
        query = query.where(or_(games.c.ended < at, and_(games.c.ended == at, games.c.id < game)))
    return (await connection.execute(query.order_by(games.c.ended.desc(), games.c.id.desc()).limit(limit))).all()


async def public_after(connection: AsyncConnection, at: int, game: str, limit: int) -> Sequence[AnyRow]:
    """Public games that are over, the oldest first, after one of them."""
    query = select(games).where(games.c.state == "over", games.c.private.is_(False))
    query = query.where(games.c.outcome.not_like(CALLED_OFF))
    query = query.where(or_(games.c.ended > at, and_(games.c.ended == at, games.c.id > game)))
    return (await connection.execute(query.order_by(games.c.ended, games.c.id).limit(limit))).all()


async def turns_of(connection: AsyncConnection, ids: Sequence[str]) -> Sequence[AnyRow]:
    """The turns of some games, game by game."""
    query = select(turns).where(turns.c.game.in_(ids))
    return (await connection.execute(query.order_by(turns.c.game, turns.c.number))).all()


async def going_on(connection: AsyncConnection, limit: int) -> Sequence[AnyRow]:
    """Public games between people or with them, the latest turn first."""
    person = exists().where(seats.c.game == games.c.id, seats.c.account.is_not(None))
    query = select(games).where(games.c.state == "playing", games.c.private.is_(False), person)
    return (await connection.execute(query.order_by(games.c.moved.desc()).limit(limit))).all()


async def waiting(connection: AsyncConnection, account: int) -> Sequence[AnyRow]:
    """The games that wait for an account's turn, the one whose time is up first before the others."""
    chair = and_(seats.c.game == games.c.id, seats.c.seat == games.c.to_move, seats.c.account == account)
    query = select(games).join(seats, chair).where(games.c.state == "playing")
    return (await connection.execute(query.order_by(games.c.due.is_(None), games.c.due, games.c.moved))).all()
