"""Ratings: where somebody stands, how they came there, and who is best."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query

from hedgerow.serve.api.asking import ServerHere
from hedgerow.serve.api.routing import Router
from hedgerow.serve.play import standings
from hedgerow.serve.play.standings import LeaderView, RatingView, StepView

router = Router(prefix="/api/ratings", tags=["ratings"])

GameName = Annotated[str, Query(max_length=200, examples=["hexbo(players=3)"], description="a game, with its players")]
Limit = Annotated[int, Query(ge=1, le=500)]


@router.get("/leaders")
async def leaders(server: ServerHere, game: GameName, limit: Limit = 100) -> list[LeaderView]:
    """The best at a game, people, bots and machines alike."""
    return await server.store.together(lambda asked: standings.leaders(asked, game, limit))


@router.get("/of/{account}")
async def ratings_of(account: int, server: ServerHere) -> list[RatingView]:
    """Where somebody stands, on every ladder."""
    return await server.store.together(lambda asked: standings.ratings_of(asked, account))


@router.get("/of/{account}/history")
async def history(account: int, server: ServerHere, game: GameName, limit: Limit = 200) -> list[StepView]:
    """How somebody came there, game by game: the points of a graph."""
    return await server.store.together(lambda asked: standings.history(asked, account, game, limit))
