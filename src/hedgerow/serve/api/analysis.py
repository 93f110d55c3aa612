"""What the engine thinks of a game, turn by turn: once, or in a stream that gets better while one looks."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Annotated, Any

import msgspec
from fastapi import Query, Request
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, Field

from hedgerow.match import Match
from hedgerow.serve.api.asking import ServerHere, Visitor, payer_of, read_by
from hedgerow.serve.api.routing import Router
from hedgerow.serve.engine.analyst import Analyst, Asked
from hedgerow.serve.people.accounts import Account
from hedgerow.serve.play import fairplay
from hedgerow.serve.play.replays import leading
from hedgerow.serve.refusals import Refused
from hedgerow.serve.server import Server

router = Router(prefix="/api/games/{game}/analysis", tags=["analysis"])

ONCE = 2.0
"""How many seconds of thinking a single answer gets."""
MAX_SECONDS = 60.0
"""The same at most for a stream."""
NDJSON = "application/x-ndjson"
UNBUFFERED = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
"""Neither a cache nor a proxy keeps a line back."""

Turn = Annotated[int | None, Query(ge=0, le=100_000, description="after how many turns; the last position if not told")]
Lines = Annotated[int, Query(ge=1, le=20, description="how many of the best turns are told")]

encode = msgspec.json.Encoder().encode


class LineView(BaseModel):
    """One turn and what is expected after it."""

    turn: str
    visits: int = Field(description="how often the search looked at it")
    values: list[float] = Field(description="every seat's chance to win; a draw is an equal share")
    lead: float | None = Field(description="the score of seat 0 less that of seat 1, where there are scores")
    proven: int | None = Field(description="the seat that wins by force, -1 for a draw")
    variation: list[str] = Field(description="this turn and those expected after it; the last may be unfinished")
    points: list[list[str]] = Field(description="for every action of the turn the points that are pressed for it")


class AnalysisView(BaseModel):
    """What the engine has found out about a position so far."""

    game: str = Field(description="the rules")
    turn: int = Field(description="how many turns were played before it")
    turns: int = Field(description="the last turn that can be asked about")
    position: str
    to_move: int
    iterations: int
    nodes: int
    seconds: float
    proven: int | None = Field(description="as of a line, for the position itself")
    lines: list[LineView] = Field(description="the best turns, the best first")
    heat: dict[str, float] = Field(description="how much it looks at each point; the hottest has 1")
    scores: list[float] | None = Field(description="the expected score of every seat, where there are scores")
    owners: dict[str, list[float]] | None = Field(description="how likely each seat is to own a point in the end")


@dataclass(frozen=True)
class Moment:
    """A game after so many turns."""

    match: Match
    turn: int
    turns: int
    """The last one that can be asked about."""


def moment_of(match: Match, turn: int | None) -> Moment:
    """A game as it stood after that turn, or before its end; raises Refused where there is no such turn."""
    then = match.copy()
    while then.outcome:
        then.undo_turn()
    last = left = len(then.turns)
    if turn is not None and turn > last:
        why = "the game was over" if turn <= len(match.turns) else f"the game has {len(match.turns)} turns"
        raise Refused("bad_request", f"nothing to think about after turn {turn}: {why}; hint: 0 to {last}")
    while turn is not None and left > turn:
        left -= then.actions[-1] != -1  # somebody who leaves is no turn
        then.undo_turn()
    return Moment(then, left, last)


def here(server: Server) -> Analyst:
    """Who thinks; raises Refused where nobody does."""
    if server.analyst is None:
        raise Refused("not_found", "no engine thinks here; hint: whoever runs this server has turned it off")
    return server.analyst


async def prepared(
    server: Server, request: Request, account: Account | None, game: str, turn: int | None, lines: int
) -> tuple[Moment, Asked]:
    """The position, and the question about it; raises Refused where it may not be asked."""
    payer = payer_of(request, account)
    known = await server.games.look(game)
    fairplay.check_game(known, payer.account)
    match = known.match
    here(server)
    moment = await asyncio.to_thread(moment_of, match, turn)
    await fairplay.check(server.games, server.workshop, payer, match.rules, leading(moment.match))
    server.limits.check("analysis", payer.account or payer.address)
    return moment, Asked(match.rules.name, moment.match.position(), lines, *payer)


async def thought(server: Server, moment: Moment, asked: Asked, seconds: float) -> AnalysisView:
    """What the engine thinks after a while."""
    async with contextlib.aclosing(here(server).study(asked, seconds)) as study:
        async for found in study:
            return AnalysisView.model_validate(pointed(found, moment))
    raise Refused("later", "the engine found nothing; hint: ask again")


@router.get("")
async def once(
    request: Request,
    game: str,
    server: ServerHere,
    account: Visitor,
    turn: Turn = None,
    seconds: Annotated[float, Query(ge=0.1, le=5)] = ONCE,
    lines: Lines = 5,
) -> AnalysisView:
    """What the engine thinks of a position of a game that is over, or of yours against the machine alone.

    Never of a rated game that goes on, nor of a position that stands in one, or a turn away from it.
    """
    moment, asked = await prepared(server, request, account, game, turn, lines)
    return await read_by(request, thought(server, moment, asked, seconds))


@router.get("/stream", response_class=StreamingResponse, responses={200: {"content": {NDJSON: {}}}})
async def stream(
    request: Request,
    game: str,
    server: ServerHere,
    account: Visitor,
    turn: Turn = None,
    seconds: Annotated[float, Query(ge=0.1, le=MAX_SECONDS)] = 20.0,
    every: Annotated[float, Query(ge=0.25, le=10, description="seconds between two lines")] = 0.5,
    lines: Lines = 5,
) -> StreamingResponse:
    """The same, better with every line (JSON, one object a line), until the time is up or you hang up.

    A line `{"waiting": n}` comes first where so many others are before you, `{"preparing": true}` where the machine has
    to get ready for this game; one with a `code` and a `message` comes last where something went wrong.
    """
    moment, asked = await prepared(server, request, account, game, turn, lines)
    analyst = here(server)
    lines_of_it = streamed(analyst, moment, asked, seconds, every)
    return StreamingResponse(lines_of_it, media_type=NDJSON, headers=UNBUFFERED)


async def streamed(
    analyst: Analyst, moment: Moment, asked: Asked, seconds: float, every: float
) -> AsyncIterator[bytes]:
    """The lines of a stream."""
    if analyst.table.full:
        yield line_of({"waiting": analyst.table.waiting + 1})
    if not analyst.ready(asked.rules):
        yield line_of({"preparing": True})
    try:
        async with contextlib.aclosing(analyst.study(asked, seconds, every)) as study:
            async for found in study:
                yield line_of(pointed(found, moment))
    except Refused as refused:
        yield line_of({"code": refused.code, "message": str(refused)})


def pointed(found: dict[str, Any], moment: Moment) -> dict[str, Any]:
    """What was found, where in the game it is, and what would be pressed for every turn."""
    lines = [line | {"points": points_of(moment.match, line["turn"])} for line in found["lines"]]
    return found | {"turn": moment.turn, "turns": moment.turns, "lines": lines}


def points_of(match: Match, turn: str) -> list[list[str]]:
    """For every action of a turn the points that are pressed for it, without those of buttons beside the board.

    >>> points_of(Match("root_down"), "b2-b4"), points_of(Match("root_and_thorn"), "Me3")
    ([['b2', 'b4']], [['e3']])
    """
    rules, position, found = match.rules, match.plain, list[list[str]]()
    for word in turn.split():
        action = rules.read(position, word)
        assert isinstance(action, int)
        found.append([name for name in rules.clicks(position, action) if name in rules.board.point])
        position = rules.play(position, action)
    return found


def line_of(value: dict[str, Any]) -> bytes:
    """One line of JSON."""
    return encode(value) + b"\n"
