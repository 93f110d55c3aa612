"""Any position, without a game that is kept: what analysis, lessons and free boards show and ask about."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from dataclasses import asdict
from typing import Annotated

from fastapi import Query, Request
from fastapi.responses import PlainTextResponse, Response, StreamingResponse
from pydantic import BaseModel, Field

from hedgerow.draw.themes import THEMES
from hedgerow.games import make
from hedgerow.match import Match
from hedgerow.serve.api import analysis
from hedgerow.serve.api.analysis import NDJSON, UNBUFFERED, Lines, line_of
from hedgerow.serve.api.asking import ServerHere, Visitor, payer_of
from hedgerow.serve.api.routing import Router
from hedgerow.serve.engine import turning_points
from hedgerow.serve.engine.analyst import Analyst, Asked
from hedgerow.serve.people.accounts import Account
from hedgerow.serve.play import fairplay, replays
from hedgerow.serve.play.replays import MAX_TURNS_CHARS, Judged, PositionView, Question, RecordView, SentGame
from hedgerow.serve.refusals import Refused
from hedgerow.serve.server import Server

router = Router(prefix="/api/positions", tags=["positions"])


class PositionAsked(BaseModel):
    """Where from, and what was played since; the last turn may be unfinished.

    Among the turns may stand `resign 1`, `flag 1` or `draw`, as in a record.
    """

    rules: str = Field(max_length=200, examples=["hexbo(side=5)"])
    position: str | None = Field(default=None, max_length=2_000, description="as text; without it, the start")
    turns: str = Field(
        default="", max_length=MAX_TURNS_CHARS, description="the words of all turns, one after the other"
    )

    def line(self) -> SentGame:
        """The same for the workshop."""
        return SentGame(self.rules, self.position, self.turns)


class RecordAsked(BaseModel):
    """A whole game as text."""

    text: str = Field(max_length=MAX_TURNS_CHARS)


@router.post("", response_model=PositionView)
async def look(request: Request, asked: PositionAsked, server: ServerHere, account: Visitor) -> Response:
    """A position as a board shows it."""
    told = await server.workshop.do(payer_of(request, account), replays.look, asked.line())
    return Response(told, media_type="application/json")


@router.post("/why-not")
async def why_not(
    request: Request,
    asked: PositionAsked,
    server: ServerHere,
    account: Visitor,
    text: Annotated[str, Query(max_length=200, description="a move")] = "",
    pressed: Annotated[list[str] | None, Query(max_length=10, description="or what was pressed for one")] = None,
) -> Judged:
    """Whether a move may be played there, and the rule that forbids it."""
    return await server.workshop.do(payer_of(request, account), replays.judge, asked.line(), text, pressed or ())


@router.post("/record")
async def read_record(request: Request, asked: RecordAsked, server: ServerHere, account: Visitor) -> RecordView:
    """Reads a game that was written down."""
    return await server.workshop.do(payer_of(request, account), replays.record_read, asked.text)


class RecordWanted(PositionAsked):
    """A game, and who played it where and when."""

    tags: dict[str, Annotated[str, Field(max_length=200)]] = Field(default={}, max_length=30)


@router.post("/record/text", response_class=PlainTextResponse)
async def write_record(
    request: Request, asked: RecordWanted, server: ServerHere, account: Visitor
) -> PlainTextResponse:
    """Writes a game down, to keep and to read elsewhere."""
    payer = payer_of(request, account)
    return PlainTextResponse(await server.workshop.do(payer, replays.record_written, asked.line(), asked.tags))


# --- pictures ---------------------------------------------------------------------------------------------------------


@router.get("/picture", response_class=Response, responses={200: {"content": {"image/svg+xml": {}}}})
async def picture(
    request: Request,
    asked: Annotated[PositionAsked, Query()],
    server: ServerHere,
    account: Visitor,
    theme: Annotated[str, Query(description=", ".join(THEMES))] = "day",
    size: Annotated[int, Query(ge=50, le=4000, description="pixels across")] = 800,
    labels: bool = True,
) -> Response:
    """A picture of a position as an SVG file that needs nothing else."""
    if theme not in THEMES:
        raise Refused("bad_request", f"no theme {theme!r:.40}; hint: {', '.join(THEMES)}")
    game = make(asked.rules).game.name
    payer = payer_of(request, account)
    drawn = await server.workshop.do(payer, replays.picture, asked.line(), theme, labels, size)
    name = f'inline; filename="hedgerow-{game}.svg"'
    return Response(drawn, media_type="image/svg+xml", headers={"Content-Disposition": name})


# --- what the engine thinks -------------------------------------------------------------------------------------------


async def prepared(
    server: Server,
    request: Request,
    account: Account | None,
    line: SentGame,
    whole: bool = False,
    turn: int | None = None,
) -> Question:
    """A line after a turn or after all, or all its positions; raises Refused where the engine may not be asked."""
    analysis.here(server)
    payer = payer_of(request, account)
    asked = await server.workshop.do(payer, replays.question, line, whole, turn)
    await fairplay.check(server.games, server.workshop, payer, make(asked.rules), asked.nearby)
    server.limits.check("analysis", payer.account or payer.address)
    return asked


@router.post("/analysis/stream", response_class=StreamingResponse, responses={200: {"content": {NDJSON: {}}}})
async def think(
    request: Request,
    asked: PositionAsked,
    server: ServerHere,
    account: Visitor,
    seconds: Annotated[float, Query(ge=0.1, le=analysis.MAX_SECONDS)] = 20.0,
    every: Annotated[float, Query(ge=0.25, le=10, description="seconds between two lines")] = 0.5,
    lines: Lines = 5,
) -> StreamingResponse:
    """What the engine thinks of a position, better with every line, as for a game."""
    found = await prepared(server, request, account, asked.line())
    if found.over:
        raise Refused("over", "the game is over; hint: ask about a position before its end")
    moment = analysis.Moment(Match(found.rules, position=found.position), found.turns, found.turns)
    question = Asked(found.rules, found.position, lines, *payer_of(request, account))
    steps = analysis.streamed(analysis.here(server), moment, question, seconds, every)
    return StreamingResponse(steps, media_type=NDJSON, headers=UNBUFFERED)


@router.post("/analysis/graph", response_class=StreamingResponse, responses={200: {"content": {NDJSON: {}}}})
async def graph(request: Request, asked: PositionAsked, server: ServerHere, account: Visitor) -> StreamingResponse:
    """How a game went: a line for every position from the first to the last, then one with the `turning` points.

    That last line has all `values` anew, when it can be told what being to move seems to be worth in this game.
    """
    found = await prepared(server, request, account, asked.line(), whole=True)
    lines = went(analysis.here(server), found, *payer_of(request, account))
    return StreamingResponse(lines, media_type=NDJSON, headers=UNBUFFERED)


async def went(analyst: Analyst, asked: Question, account: int | None, address: str) -> AsyncIterator[bytes]:
    """The lines of the stream."""
    found: list[turning_points.Chance] = []
    rules = make(asked.rules)
    if not analyst.ready(asked.rules):
        yield line_of({"preparing": True})
    try:
        async with contextlib.aclosing(turning_points.chances(analyst, rules, asked.moments, account, address)) as each:
            async for chance in each:
                found.append(chance)
                yield line_of(asdict(chance))
        found = turning_points.balanced(found)
        points = [asdict(point) for point in turning_points.turning_points(found)]
        yield line_of({"turning": points, "values": [chance.values for chance in found]})
    except Refused as refused:
        yield line_of({"code": refused.code, "message": str(refused)})
