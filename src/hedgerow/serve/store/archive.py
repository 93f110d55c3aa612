"""Queries for lists of games: one's own, running public ones, and the archive."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import and_, exists, func, or_, select, tuple_
from sqlalchemy.ext.asyncio import AsyncConnection
from sqlalchemy.sql import ColumnElement

from hedgerow.serve.store.prepared import Prepared, Question, Value
from hedgerow.serve.store.rows import GameRow, PlayedRow, all_of
from hedgerow.serve.store.schema import IS_DRAWN, IS_PLAYING, games, seats, turns

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


WON = {"win": 1, "draw": 0, "loss": -1}


def _where(wanted: Wanted) -> tuple[Question, ColumnElement[int], ColumnElement[str]]:
    """The games to look through, by the index that leads to the fewest; and when they ended, and their ids."""
    if wanted.player is None and wanted.result != "draw":
        counts = (games.c.ended.is_not(None), games.c.outcome.not_like(CALLED_OFF))
        return select(games).where(*counts), games.c.ended, games.c.id
    chosen = select(games).join(seats, seats.c.game == games.c.id)
    if wanted.player is None:
        chosen = chosen.where(IS_DRAWN)
    elif wanted.result is not None:
        chosen = chosen.where(seats.c.account == wanted.player, seats.c.won == WON[wanted.result])
    else:
        chosen = chosen.where(seats.c.account == wanted.player, seats.c.won.is_not(None))
    return chosen.where(seats.c.ended.is_not(None)), seats.c.ended, seats.c.game


async def archive(connection: AsyncConnection, wanted: Wanted, reader: int | None, limit: int) -> list[GameRow]:
    """Games that are over, the latest first; private ones only for those who played in them."""
    query, ended, game = _where(wanted)
    own = seats.alias("own")
    # By the seats of the game, not by all games that the reader has played: hence neither `account =` nor EXISTS,
    # which PostgreSQL would answer by looking through all seats once.
    sits = and_(own.c.game == games.c.id, func.coalesce(own.c.account, 0) == reader)
    mine = select(func.count()).select_from(own).where(sits).scalar_subquery() > 0
    query = query.where(games.c.private.is_(False) if reader is None else or_(games.c.private.is_(False), mine))
    if wanted.rules is not None:  # all boards of a game, or the one that is named with its options
        query = query.where((games.c.rules if "(" in wanted.rules else games.c.game_name) == wanted.rules)
    if wanted.since is not None:
        query = query.where(ended >= wanted.since)
    if wanted.until is not None:
        query = query.where(ended < wanted.until)
    if wanted.before is not None:
        query = query.where(tuple_(ended, game) < wanted.before)
    found: list[GameRow] = await all_of(connection, GameRow, query.order_by(ended.desc(), game.desc()).limit(limit))
    return found


async def public_after(connection: AsyncConnection, at: int, game: str, limit: int) -> list[GameRow]:
    """Public games that are over, the oldest first, after one of them."""
    query = select(games).where(games.c.private.is_(False), games.c.outcome.not_like(CALLED_OFF))
    query = query.where(games.c.ended.is_not(None), tuple_(games.c.ended, games.c.id) > (at, game))
    return await all_of(connection, GameRow, query.order_by(games.c.ended, games.c.id).limit(limit))


async def turns_of(connection: AsyncConnection, ids: Sequence[str]) -> list[PlayedRow]:
    """The turns of some games, game by game."""
    query = select(turns).where(turns.c.game.in_(ids))
    return await all_of(connection, PlayedRow, query.order_by(turns.c.game, turns.c.number))


@Prepared
def _public_running(limit: Value) -> Question:
    person = exists().where(seats.c.game == games.c.id, seats.c.account.is_not(None))
    query = select(games).where(IS_PLAYING, games.c.private.is_(False), person)
    return query.order_by(games.c.moved.desc()).limit(limit)


async def public_running(connection: AsyncConnection, limit: int) -> list[GameRow]:
    """Public games between people or with them, the latest turn first."""
    return await _public_running.rows(connection, GameRow, limit=limit)


@Prepared
def _waiting(account: Value) -> Question:
    its_seat = and_(seats.c.game == games.c.id, seats.c.seat == games.c.to_move, seats.c.account == account)
    query = select(games.c.id).join(seats, its_seat).where(seats.c.ended.is_(None), games.c.state == "playing")
    return query.order_by(games.c.due.is_(None), games.c.due, games.c.moved)


async def waiting(connection: AsyncConnection, account: int) -> Sequence[str]:
    """The ids of the games that wait for an account's turn, the one whose time is up first before the others."""
    return (await _waiting(connection, account=account)).scalars().all()
