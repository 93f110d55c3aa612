"""Where people stand on the ladders: the best, one person's ratings, and how they came there."""

from __future__ import annotations

from pydantic import BaseModel, Field
from sqlalchemy.ext.asyncio import AsyncConnection

from hedgerow.games import make
from hedgerow.serve.people.accounts import BOTS
from hedgerow.serve.play.ratings import PROVISIONAL, ladder_of
from hedgerow.serve.refusals import Refused
from hedgerow.serve.store import ratings as kept


class RatingView(BaseModel):
    """Where somebody stands: one number, and how far off it may well be."""

    ladder: str = Field(description="the game and how many play it, like hexbo/3")
    rating: int
    doubt: int
    games: int
    provisional: bool = Field(description=f"fewer than {PROVISIONAL} games")


class StepView(BaseModel):
    """What one game changed."""

    game: str
    at: int
    before: int
    after: int
    doubt: int


class LeaderView(BaseModel):
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


async def leaders(connection: AsyncConnection, game: str, limit: int) -> list[LeaderView]:
    """The best at a game, people, bots and machines alike."""
    rows = await kept.leaders(connection, ladder_named(game), PROVISIONAL, limit)
    columns = ("account", "name", "kind", "rating", "games")
    return [
        LeaderView(
            **{name: getattr(row, name) for name in columns}, bot=row.kind in BOTS, doubt=round(kept.SCALE * row.sigma)
        )
        for row in rows
    ]


async def ratings_of(connection: AsyncConnection, account: int) -> list[RatingView]:
    """Where somebody stands, on every ladder."""
    await _known(connection, account)
    return [
        RatingView(
            ladder=row.ladder,
            rating=row.rating,
            doubt=round(kept.SCALE * row.sigma),
            games=row.games,
            provisional=row.games < PROVISIONAL,
        )
        for row in await kept.ratings_of(connection, account)
    ]


async def history(connection: AsyncConnection, account: int, game: str, limit: int) -> list[StepView]:
    """How somebody came there, game by game: the points of a graph."""
    await _known(connection, account)
    rows = await kept.history_of(connection, account, ladder_named(game), limit)
    return [StepView(**{name: getattr(row, name) for name in StepView.model_fields}) for row in rows]


async def _known(connection: AsyncConnection, account: int) -> None:
    if not 0 < account < 2**53 or not await kept.account_exists(connection, account):
        raise Refused("not_found", f"no account {account}; hint: numbers are in the lists of games")
