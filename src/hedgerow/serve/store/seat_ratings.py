"""Queries about the ratings of a game's players, and how the game changed them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from hedgerow.serve.store.prepared import Prepared, Question, Value
from hedgerow.serve.store.schema import rating_steps, ratings


class Rated(NamedTuple):
    """How somebody is rated after so many games."""

    rating: int
    games: int


class Change(NamedTuple):
    """How the rating of a seat was before a game, and after it."""

    before: int
    after: int


@Prepared
def _rated(accounts: list[Value], ladder: Value) -> Question:
    return select(ratings).where(ratings.c.account.in_(accounts), ratings.c.ladder == ladder)


async def rated(connection: AsyncConnection, accounts: Sequence[int], ladder: str) -> dict[int, Rated]:
    """The ratings of some accounts on a ladder; who has none is missing."""
    found = await _rated(connection, accounts=accounts, ladder=ladder)
    return {row.account: Rated(row.rating, row.games) for row in found}


async def changes(connection: AsyncConnection, game: str) -> dict[int, Change]:
    """What a game did to the ratings of its seats; nothing before it is rated."""
    wanted = select(rating_steps).where(rating_steps.c.game == game)
    return {row.seat: Change(row.before, row.after) for row in await connection.execute(wanted)}
