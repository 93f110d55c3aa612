"""Trying again: where a game against the machine turned, and a new one from there."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncGenerator, AsyncIterator

from fastapi import Request
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, Field

from hedgerow.serve.api import analysis, positions
from hedgerow.serve.api.asking import ServerHere, Visitor, payer_of, with_session
from hedgerow.serve.api.play import GameBoardView, game_view
from hedgerow.serve.api.routing import Router
from hedgerow.serve.engine import turning_points
from hedgerow.serve.people.accounts import Account
from hedgerow.serve.play import again as retry
from hedgerow.serve.play import replays
from hedgerow.serve.play.live import rules_of
from hedgerow.serve.play.replays import Question, SentGame
from hedgerow.serve.play.workshop import Payer
from hedgerow.serve.refusals import Refused
from hedgerow.serve.server import Server

router = Router(prefix="/api/games/{game}", tags=["games"])


class AgainAsked(BaseModel):
    """After how many turns of the old game the new one goes on."""

    turn: int = Field(ge=0, le=100_000)


class PointView(BaseModel):
    """The turn that gave most away."""

    turn: int = Field(description="how many turns were played before it")
    played: str
    better: str
    before: float = Field(description="your chance before it, 0 to 1")
    after: float


class SearchView(BaseModel):
    """How far the search for the turning point is; `point` comes with the last line."""

    looked: int
    of: int
    done: bool = False
    point: PointView | None = None


@router.post("/again", status_code=201)
async def again(game: str, asked: AgainAsked, server: ServerHere, account: Visitor) -> GameBoardView:
    """A new friendly game against the same machines, which goes on after a turn of this one; this one must be over."""
    me = with_session(account)
    return await game_view(server, await begun(server, me, game, asked.turn), me.id, picture=False)


async def begun(server: Server, account: Account, game: str, turn: int) -> str:
    """The new game."""
    await server.limits.check_everywhere("game", account.id)
    return (await retry.try_again(server.games, game, account.id, turn)).id


@router.get("/turning-point", response_class=StreamingResponse, responses={200: {"content": {analysis.NDJSON: {}}}})
async def turning_point(request: Request, game: str, server: ServerHere, account: Visitor) -> StreamingResponse:
    """Where your game against the machine turned: a line of JSON for every position looked at, the point in the last.

    A line with a `code` and a `message` comes last where something went wrong.
    """
    me = with_session(account)
    steps = searched(server, *await prepared(server, request, me, game), payer_of(request, me))
    return StreamingResponse(lines(steps), media_type=analysis.NDJSON, headers=analysis.UNBUFFERED)


async def lines(steps: AsyncIterator[SearchView]) -> AsyncIterator[bytes]:
    """The lines of the stream."""
    try:
        async for step in steps:
            yield step.model_dump_json().encode() + b"\n"
    except Refused as refused:
        yield analysis.line_of({"code": refused.code, "message": str(refused)})


async def prepared(server: Server, request: Request, account: Account, game: str) -> tuple[int, Question]:
    """The seat of whoever asks, and the game turn by turn; raises Refused where that may not be asked."""
    known = await server.games.look(game)
    seat, match = retry.check(known, account.id), known.match
    line = SentGame(match.rules.name, None, " ".join(replays.record_view(match).line))
    return seat, await positions.prepared(server, request, account, line, whole=True)


async def searched(server: Server, seat: int, asked: Question, payer: Payer) -> AsyncGenerator[SearchView]:
    """How the search goes on, position by position; positions that were searched before take no time."""
    of, found = asked.turns + 1, list[turning_points.Chance]()
    yield SearchView(looked=0, of=of)
    steps = turning_points.chances(analysis.here(server), rules_of(asked.rules), asked.moments, *payer)
    async with contextlib.aclosing(steps) as each:
        async for chance in each:
            found.append(chance)
            yield SearchView(looked=len(found), of=of)
    point = turning_points.worst(turning_points.balanced(found), seat)
    yield SearchView(
        looked=of, of=of, done=True, point=PointView.model_validate(point, from_attributes=True) if point else None
    )


async def last_of(steps: AsyncGenerator[SearchView]) -> SearchView:
    """What a search has come to in the end."""
    async with contextlib.aclosing(steps) as each:
        return [step async for step in each][-1]
