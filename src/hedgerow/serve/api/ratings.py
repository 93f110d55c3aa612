"""Ratings: where somebody stands, how they came there, and who is best."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field
from sqlalchemy.ext.asyncio import AsyncConnection

from hedgerow.games import make
from hedgerow.serve.accounts import BOTS
from hedgerow.serve.api.people import ServerHere
from hedgerow.serve.ratings import PROVISIONAL, SCALE, ladder_of
from hedgerow.serve.refusals import Refused
from hedgerow.serve.store import ratings as kept

router = APIRouter(prefix="/api/ratings", tags=["ratings"])

GameName = Annotated[str, Query(max_length=200, examples=["hexbo(players=3)"], description="a game, with its players")]
Limit = Annotated[int, Query(ge=1, le=500)]


class RatingTold(BaseModel):
    """Where somebody stands: one number, and how far off it may well be."""

    ladder: str = Field(description="the game and how many play it, like hexbo/3")
    rating: int
    doubt: int
    games: int
    provisional: bool = Field(description=f"fewer than {PROVISIONAL} games")


class StepTold(BaseModel):
    """What one game changed."""

    game: str
    at: int
    before: int
    after: int
    doubt: int


class LeaderTold(BaseModel):
    """A place on a ladder."""

    account: int
    name: str
    kind: str = Field(description="person, bot or machine")
    bot: bool = Field(description="a program: a bot, or a machine")
    rating: int
    doubt: int
    games: int


def ladder_named(text: str) -> str:
    """The ladder of a game."""
    return ladder_of(make(text))


@router.get("/leaders")
async def leaders(server: ServerHere, game: GameName, limit: Limit = 100) -> list[LeaderTold]:
    """The best at a game, people, bots and machines alike."""
    async with server.store.read() as connection:
        rows = await kept.leaders(connection, ladder_named(game), PROVISIONAL, limit)
    columns = ("account", "name", "kind", "rating", "games")
    return [
        LeaderTold(
            **{name: getattr(row, name) for name in columns}, bot=row.kind in BOTS, doubt=round(SCALE * row.sigma)
        )
        for row in rows
    ]


@router.get("/of/{account}")
async def ratings_of(account: int, server: ServerHere) -> list[RatingTold]:
    """Where somebody stands, on every ladder."""
    async with server.store.read() as connection:
        await _known(connection, account)
        rows = await kept.ratings_of(connection, account)
    return [
        RatingTold(
            ladder=row.ladder,
            rating=row.rating,
            doubt=round(SCALE * row.sigma),
            games=row.games,
            provisional=row.games < PROVISIONAL,
        )
        for row in rows
    ]


@router.get("/of/{account}/history")
async def history(account: int, server: ServerHere, game: GameName, limit: Limit = 200) -> list[StepTold]:
    """How somebody came there, game by game: the points of a graph."""
    async with server.store.read() as connection:
        await _known(connection, account)
        rows = await kept.history_of(connection, account, ladder_named(game), limit)
    return [StepTold(**{name: getattr(row, name) for name in StepTold.model_fields}) for row in rows]


async def _known(connection: AsyncConnection, account: int) -> None:
    if not 0 < account < 2**53 or not await kept.account_exists(connection, account):
        raise Refused("not_found", f"no account {account}; hint: numbers are in the lists of games")
