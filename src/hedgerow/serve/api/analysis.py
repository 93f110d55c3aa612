"""Engine analysis of a game's positions: one answer, or a stream of answers that improve while the search runs."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from typing import Annotated

import msgspec
from fastapi import Query, Request
from fastapi.responses import StreamingResponse

from hedgerow.serve.api.asking import ServerHere, Visitor, payer_of, read_by
from hedgerow.serve.api.routing import Router
from hedgerow.serve.engine.analyses import ONCE_SECONDS, Analyses, Inquiry
from hedgerow.serve.engine.views import AnalysisView
from hedgerow.serve.refusals import Refused

router = Router(prefix="/api/games/{game}/analysis", tags=["analysis"])

MAX_SECONDS = 60.0
"""How many seconds of thinking a stream may ask for."""
NDJSON = "application/x-ndjson"
UNBUFFERED = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
"""Neither a cache nor a proxy keeps a line back."""

Turn = Annotated[int | None, Query(ge=0, le=100_000, description="after how many turns; the last position if not told")]
Lines = Annotated[int, Query(ge=1, le=20, description="how many of the best turns are told")]

encode = msgspec.json.Encoder().encode


@router.get("")
async def once(
    request: Request,
    game: str,
    server: ServerHere,
    account: Visitor,
    turn: Turn = None,
    seconds: Annotated[float, Query(ge=0.1, le=5)] = ONCE_SECONDS,
    lines: Lines = 5,
) -> AnalysisView:
    """What the engine thinks of a position of a game that is over, or of yours against the machine alone.

    Never of a rated game that goes on, nor of a position that stands in one, or a turn away from it.
    """
    inquiry = await server.analyses.of_game(payer_of(request, account), game, turn, lines)
    return await read_by(request, server.analyses.answer(inquiry, seconds))


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
    inquiry = await server.analyses.of_game(payer_of(request, account), game, turn, lines)
    return ndjson(analysis_lines(server.analyses, inquiry, seconds, every))


async def analysis_lines(analyses: Analyses, inquiry: Inquiry, seconds: float, every: float) -> AsyncGenerator[bytes]:
    """The lines of such a stream."""
    analyst = analyses.analyst
    if analyst.table.full:
        yield line_of({"waiting": analyst.table.waiting + 1})
    if not analyst.ready(inquiry.asked.rules):
        yield line_of({"preparing": True})
    async with contextlib.aclosing(analyses.answers(inquiry, seconds, every)) as answers:
        async for view in answers:
            yield view.model_dump_json().encode() + b"\n"


def ndjson(lines: AsyncGenerator[bytes]) -> StreamingResponse:
    """An answer of JSON, one object a line; a refusal on the way is its last line."""
    return StreamingResponse(_with_refusal(lines), media_type=NDJSON, headers=UNBUFFERED)


async def _with_refusal(lines: AsyncGenerator[bytes]) -> AsyncIterator[bytes]:
    try:
        async with contextlib.aclosing(lines):
            async for line in lines:
                yield line
    except Refused as refused:
        yield line_of({"code": refused.code, "message": str(refused)})


def line_of(value: Mapping[str, object]) -> bytes:
    """One line of JSON."""
    return encode(value) + b"\n"
