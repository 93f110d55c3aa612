"""After a game against machines: where it turned, and a new game that continues from there."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncGenerator

from fastapi import Request
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, Field

from hedgerow.serve.api.analysis import NDJSON, ndjson
from hedgerow.serve.api.asking import ServerHere, Visitor, payer_of, with_session
from hedgerow.serve.api.play import GameBoardView, game_view
from hedgerow.serve.api.routing import Router
from hedgerow.serve.engine.analyses import Analyses, GameInquiry

router = Router(prefix="/api/games/{game}", tags=["games"])


class ContinuationAsked(BaseModel):
    """After how many turns of the old game the new one goes on."""

    turn: int = Field(ge=0, le=100_000)


@router.post("/again", status_code=201)
async def again(game: str, asked: ContinuationAsked, server: ServerHere, account: Visitor) -> GameBoardView:
    """A new friendly game against the same machines, which goes on after a turn of this one; this one must be over."""
    me = with_session(account)
    made = await server.new_games.continue_from(me, game, asked.turn)
    return await game_view(server, made.id, me.id, picture=False)


@router.get("/turning-point", response_class=StreamingResponse, responses={200: {"content": {NDJSON: {}}}})
async def turning_point(request: Request, game: str, server: ServerHere, account: Visitor) -> StreamingResponse:
    """Where your game against the machine turned: a line of JSON for every position looked at, the point in the last.

    A line with a `code` and a `message` comes last where something went wrong.
    """
    payer = payer_of(request, with_session(account))
    return ndjson(turning_point_lines(server.analyses, *await server.analyses.of_lost_game(payer, game)))


async def turning_point_lines(analyses: Analyses, inquiry: GameInquiry, seat: int) -> AsyncGenerator[bytes]:
    """The lines of that stream."""
    async with contextlib.aclosing(analyses.turning_point(inquiry, seat)) as steps:
        async for step in steps:
            yield step.model_dump_json().encode() + b"\n"
