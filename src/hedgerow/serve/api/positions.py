"""Any position, without a game that is kept: what analysis, lessons and free boards show and ask about."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import asdict
from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import PlainTextResponse, Response, StreamingResponse
from pydantic import BaseModel, Field

from hedgerow import draw
from hedgerow.draw.themes import THEMES
from hedgerow.game import HedgerowError
from hedgerow.match import Match, read
from hedgerow.record import read_record as taken_apart
from hedgerow.serve import turning
from hedgerow.serve.accounts import Account
from hedgerow.serve.analyst import Analyst, Asked
from hedgerow.serve.api import analysis
from hedgerow.serve.api.analysis import NDJSON, UNBUFFERED, Lines, line_of
from hedgerow.serve.api.people import ServerHere, Visitor
from hedgerow.serve.api.play import Judged, judged
from hedgerow.serve.limits import address_of
from hedgerow.serve.refusals import Refused
from hedgerow.serve.server import Server
from hedgerow.serve.showing import BoardTold, shown

router = APIRouter(prefix="/api/positions", tags=["positions"])

LONGEST = 20_000
"""How many characters a game may have as text."""


class PositionAsked(BaseModel):
    """Where from, and what was played since; the last turn may be unfinished.

    Among the turns may stand `resign 1`, `flag 1` or `draw`, as in a record.
    """

    rules: str = Field(max_length=200, examples=["hexbo(side=5)"])
    position: str | None = Field(default=None, max_length=2_000, description="as text; without it, the start")
    turns: str = Field(default="", max_length=LONGEST, description="the words of all turns, one after the other")

    def match(self) -> Match:
        """The match so far; raises where it cannot be played."""
        match = Match(self.rules, position=self.position)
        play_all(match, self.turns)
        return match


def play_all(match: Match, text: str) -> None:
    """Plays turns, and lets leave who left.

    >>> m = Match("hexbo(side=5,players=3)"); play_all(m, "A1 resign 1 E1"); m.turns, m.to_move
    (('A1', 'E1'), 0)
    """
    words = iter(text.split())
    for word in words:
        if word in ("resign", "flag"):
            seat = next(words, "")
            if len(seat) != 1 or not seat.isdecimal():
                raise HedgerowError(f"cannot read {word} {seat!r:.20}; hint: like `{word} 0`, the number of a seat")
            (match.resign if word == "resign" else match.flag)(int(seat))
        elif word == "draw":
            match.agree_draw()
        else:
            match.play(word)


class PositionTold(BoardTold):
    """A position as a board shows it, and as text."""

    rules: str
    title: str
    seats: list[str]
    position: str


class RecordAsked(BaseModel):
    """A whole game as text."""

    text: str = Field(max_length=LONGEST)


class RecordTold(BaseModel):
    """What a record says."""

    rules: str
    position: str | None
    turns: list[str]
    line: list[str] = Field(description="the same, and who left when: `resign 1`, `flag 1` or `draw`")
    tags: dict[str, str]


def told(match: Match) -> PositionTold:
    """Draws and lists; for a thread."""
    rules = match.rules
    return PositionTold(
        **dict(shown(match)),
        rules=rules.name,
        title=rules.game.title,
        seats=list(rules.seats),
        position=match.position(),
    )


@router.post("")
async def look(asked: PositionAsked) -> PositionTold:
    """A position as a board shows it."""
    return await asyncio.to_thread(lambda: told(asked.match()))


@router.post("/why-not")
async def why_not(
    asked: PositionAsked,
    text: Annotated[str, Query(max_length=200, description="a move")] = "",
    pressed: Annotated[list[str] | None, Query(max_length=10, description="or what was pressed for one")] = None,
) -> Judged:
    """Whether a move may be played there, and the rule that forbids it."""

    def judge() -> Judged:
        match = asked.match()
        return judged(match, meant(match, pressed) if pressed else text)

    return await asyncio.to_thread(judge)


def meant(match: Match, pressed: list[str]) -> str:
    """The move that somebody meant: like one that begins with the same presses, but with the last one in it.

    >>> meant(Match("root_down"), ["b2", "b5"]), meant(Match("root_and_thorn"), ["a9"])
    ('b2-b5', 'Ma9')
    """
    rules, position, (*before, last) = match.rules, match.plain, pressed
    for action in [] if match.outcome else rules.legal(position):
        clicks = rules.clicks(position, action)
        if (
            list(clicks[: len(before)]) == before
            and (instead := clicks[len(before) :])
            and instead[0] in rules.board.point
        ):
            return rules.spell(position, action).replace(instead[0], last)
    return last


@router.post("/record")
async def read_record(asked: RecordAsked) -> RecordTold:
    """Reads a game that was written down."""
    return await asyncio.to_thread(lambda: record_told(read(asked.text)))


def record_told(match: Match) -> RecordTold:
    """A match as what its record says."""
    start = match.begin == match.rules.start()
    return RecordTold(
        rules=match.rules.name,
        position=None if start else match.rules.write(match.begin),
        turns=list(match.turns),
        line=[line.text for line in taken_apart(match.record()).lines],
        tags=match.tags,
    )


class RecordWanted(PositionAsked):
    """A game, and who played it where and when."""

    tags: dict[str, Annotated[str, Field(max_length=200)]] = Field(default={}, max_length=30)


@router.post("/record/text", response_class=PlainTextResponse)
async def write_record(asked: RecordWanted) -> PlainTextResponse:
    """Writes a game down, to keep and to read elsewhere."""

    def written() -> str:
        match = asked.match()
        match.tags.update(asked.tags)
        return match.record()

    return PlainTextResponse(await asyncio.to_thread(written))


# --- pictures ---------------------------------------------------------------------------------------------------------


@router.get("/picture", response_class=Response, responses={200: {"content": {"image/svg+xml": {}}}})
async def picture(
    asked: Annotated[PositionAsked, Query()],
    theme: Annotated[str, Query(description=", ".join(THEMES))] = "day",
    size: Annotated[int, Query(ge=50, le=4000, description="pixels across")] = 800,
    labels: bool = True,
) -> Response:
    """A picture of a position as an SVG file that needs nothing else."""
    if theme not in THEMES:
        raise Refused("bad_request", f"no theme {theme!r:.40}; hint: {', '.join(THEMES)}")
    match = await asyncio.to_thread(asked.match)
    drawn = await asyncio.to_thread(lambda: draw.svg(match.scene(), theme, labels, size))
    name = f'inline; filename="hedgerow-{match.rules.game.name}.svg"'
    return Response(drawn, media_type="image/svg+xml", headers={"Content-Disposition": name})


# --- what the engine thinks -------------------------------------------------------------------------------------------


async def prepared(
    server: Server, request: Request, account: Account | None, asked: PositionAsked, whole: bool = False
) -> Match:
    """The match so far, or the whole of it turn by turn; raises Refused where the engine may not be asked about it."""
    match = await asyncio.to_thread(asked.match)
    analysis.here(server)
    others = await asyncio.to_thread(turning.moments, match) if whole else []
    await analysis.check_rated(server, account, match, *(moment.plain for moment in others))
    server.limits.check("analysis", account.id if account else address_of(request))
    return match


@router.post("/analysis/stream", response_class=StreamingResponse, responses={200: {"content": {NDJSON: {}}}})
async def think(
    request: Request,
    asked: PositionAsked,
    server: ServerHere,
    account: Visitor,
    seconds: Annotated[float, Query(ge=0.1, le=analysis.LONGEST)] = 20.0,
    every: Annotated[float, Query(ge=0.25, le=10, description="seconds between two lines")] = 0.5,
    lines: Lines = 5,
) -> StreamingResponse:
    """What the engine thinks of a position, better with every line, as for a game."""
    match = await prepared(server, request, account, asked)
    if match.outcome:
        raise Refused("over", "the game is over; hint: ask about a position before its end")
    moment = analysis.Moment(match, len(match.turns), len(match.turns))
    number = account.id if account else None
    question = Asked(match.rules.name, match.position(), lines, number, address_of(request))
    told_of_it = analysis.told(analysis.here(server), moment, question, seconds, every)
    return StreamingResponse(told_of_it, media_type=NDJSON, headers=UNBUFFERED)


@router.post("/analysis/graph", response_class=StreamingResponse, responses={200: {"content": {NDJSON: {}}}})
async def graph(request: Request, asked: PositionAsked, server: ServerHere, account: Visitor) -> StreamingResponse:
    """How a game went: a line for every position from the first to the last, then one with the `turning` points.

    That last line has all `values` anew, when it can be told what being to move seems to be worth in this game.
    """
    match = await prepared(server, request, account, asked, whole=True)
    who = (account.id if account else None, address_of(request))
    told_of_it = went(analysis.here(server), match, *who)
    return StreamingResponse(told_of_it, media_type=NDJSON, headers=UNBUFFERED)


async def went(analyst: Analyst, match: Match, account: int | None, address: str) -> AsyncIterator[bytes]:
    """The lines of the stream."""
    found: list[turning.Chance] = []
    if not analyst.ready(match.rules.name):
        yield line_of({"preparing": True})
    try:
        async with contextlib.aclosing(turning.chances(analyst, match, account, address)) as each:
            async for chance in each:
                found.append(chance)
                yield line_of(asdict(chance))
        found = turning.balanced(found)
        points = [asdict(point) for point in turning.turning_points(found)]
        yield line_of({"turning": points, "values": [chance.values for chance in found]})
    except Refused as refused:
        yield line_of({"code": refused.code, "message": str(refused)})
