"""Positions that belong to no stored game: what analysis, lessons and free boards show and ask about."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncGenerator
from dataclasses import asdict
from typing import Annotated

from fastapi import Query, Request
from fastapi.responses import PlainTextResponse, Response, StreamingResponse
from pydantic import BaseModel, Field

from hedgerow.draw.themes import THEMES
from hedgerow.games import make
from hedgerow.serve.api import analysis
from hedgerow.serve.api.analysis import NDJSON, Lines, line_of
from hedgerow.serve.api.asking import ServerHere, Visitor, payer_of
from hedgerow.serve.api.routing import Router
from hedgerow.serve.engine import turning_points
from hedgerow.serve.engine.analyses import Analyses, GameInquiry
from hedgerow.serve.play import replays
from hedgerow.serve.play.drafts import DraftView, SentDraft, drafted
from hedgerow.serve.play.replays import MAX_TURNS_CHARS, Judged, PositionView, RecordView, SentGame
from hedgerow.serve.refusals import Refused

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
    variations: str = Field(
        default="", max_length=MAX_TURNS_CHARS, description="what else was tried, as a tree: `A1,E1(B2,C3),D4+E4`"
    )


@router.post("/record/text", response_class=PlainTextResponse)
async def write_record(
    request: Request, asked: RecordWanted, server: ServerHere, account: Visitor
) -> PlainTextResponse:
    """Writes a game down, to keep and to read elsewhere."""
    payer = payer_of(request, account)
    tags = asked.tags | ({"Variations": asked.variations} if asked.variations else {})
    return PlainTextResponse(await server.workshop.do(payer, replays.record_written, asked.line(), tags))


# --- setting up -------------------------------------------------------------------------------------------------------


class DraftAsked(BaseModel):
    """What lies on the board, and what is put where: nothing, or what stands there already, is a piece taken off."""

    rules: str = Field(max_length=200, examples=["root_down"])
    rows: str = Field(
        default="", max_length=1_000, description="rows from the top joined by `/`; without them, the start"
    )
    to_move: int = Field(default=0, ge=0, le=9)
    point: str = Field(default="", max_length=10)
    glyph: str = Field(default="", max_length=1)


@router.post("/draft")
async def draft(request: Request, asked: DraftAsked, server: ServerHere, account: Visitor) -> DraftView:
    """A position that is being set up, and whether the game can be played from there."""
    sent = SentDraft(asked.rules, asked.rows, asked.to_move, asked.point, asked.glyph)
    return await server.workshop.do(payer_of(request, account), drafted, sent)


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
    inquiry = await server.analyses.of_line(payer_of(request, account), asked.line(), lines)
    return analysis.ndjson(analysis.analysis_lines(server.analyses, inquiry, seconds, every))


@router.post("/analysis/graph", response_class=StreamingResponse, responses={200: {"content": {NDJSON: {}}}})
async def graph(request: Request, asked: PositionAsked, server: ServerHere, account: Visitor) -> StreamingResponse:
    """How a game went: a line for every position from the first to the last, then one with the `turning` points.

    That last line has all `values` anew, when it can be told what being to move seems to be worth in this game.
    """
    inquiry = await server.analyses.of_whole_line(payer_of(request, account), asked.line())
    return analysis.ndjson(graph_lines(server.analyses, inquiry))


async def graph_lines(analyses: Analyses, inquiry: GameInquiry) -> AsyncGenerator[bytes]:
    """The lines of that stream."""
    found: list[turning_points.Chance] = []
    if not analyses.analyst.ready(inquiry.question.rules):
        yield line_of({"preparing": True})
    async with contextlib.aclosing(analyses.chances(inquiry)) as each:
        async for chance in each:
            found.append(chance)
            yield line_of(asdict(chance))
    found = turning_points.balanced(found)
    points = [asdict(point) for point in turning_points.turning_points(found)]
    yield line_of({"turning": points, "values": [chance.values for chance in found]})
