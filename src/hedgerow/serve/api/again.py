"""Trying again: where a game against the machine turned, and a new one from there."""

from __future__ import annotations

import contextlib
from collections import OrderedDict
from collections.abc import AsyncGenerator, AsyncIterator

from fastapi import APIRouter, Request
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, Field

from hedgerow.serve import replays, retries, turning
from hedgerow.serve.accounts import Account
from hedgerow.serve.api import analysis, positions
from hedgerow.serve.api.lobby import known
from hedgerow.serve.api.people import ServerHere, Visitor
from hedgerow.serve.api.play import GameTold, told
from hedgerow.serve.live import rules_of
from hedgerow.serve.refusals import Refused
from hedgerow.serve.replays import Line, Question
from hedgerow.serve.server import Server
from hedgerow.serve.workshop import Payer

router = APIRouter(prefix="/api/games/{game}", tags=["games"])

ITERATIONS = 1_000
"""How many games are thought through for every position."""
REMEMBERED = 1_000
"""Of how many games it is kept where they turned."""
_known: OrderedDict[tuple[str, int], SearchTold] = OrderedDict()


class AgainAsked(BaseModel):
    """After how many turns of the old game the new one goes on."""

    turn: int = Field(ge=0, le=100_000)


class PointTold(BaseModel):
    """The turn that gave most away."""

    turn: int = Field(description="how many turns were played before it")
    played: str
    better: str
    before: float = Field(description="your chance before it, 0 to 1")
    after: float


class SearchTold(BaseModel):
    """How far the search for the turning point is; `point` comes with the last line."""

    looked: int
    of: int
    done: bool = False
    point: PointTold | None = None


@router.post("/again", status_code=201)
async def again(game: str, asked: AgainAsked, server: ServerHere, account: Visitor) -> GameTold:
    """A new friendly game against the same machines, which goes on after a turn of this one; this one must be over."""
    me = known(account)
    return await told(server, await begun(server, me, game, asked.turn), me.id, picture=False)


async def begun(server: Server, account: Account, game: str, turn: int) -> str:
    """The new game."""
    await server.limits.check_everywhere("game", account.id)
    return (await retries.try_again(server.games, game, account.id, turn)).id


@router.get("/turning-point", response_class=StreamingResponse, responses={200: {"content": {analysis.NDJSON: {}}}})
async def turning_point(request: Request, game: str, server: ServerHere, account: Visitor) -> StreamingResponse:
    """Where your game against the machine turned: a line of JSON for every position looked at, the point in the last.

    A line with a `code` and a `message` comes last where something went wrong.
    """
    me = known(account)
    steps = searched(server, game, *await prepared(server, request, me, game), analysis.payer_of(request, me))
    return StreamingResponse(lines(steps), media_type=analysis.NDJSON, headers=analysis.UNBUFFERED)


async def lines(steps: AsyncIterator[SearchTold]) -> AsyncIterator[bytes]:
    """The lines of the stream."""
    try:
        async for step in steps:
            yield step.model_dump_json().encode() + b"\n"
    except Refused as refused:
        yield analysis.line_of({"code": refused.code, "message": str(refused)})


async def prepared(server: Server, request: Request, account: Account, game: str) -> tuple[int, Question | None]:
    """The seat of whoever asks, and the game turn by turn, or None where it is known where it turned.

    Raises Refused where that may not be asked.
    """
    known = await server.games.look(game)
    seat, match = retries.check(known, account.id), known.match
    analysis.here(server)
    if (game, seat) in _known:
        return seat, None
    line = Line(match.rules.name, None, " ".join(replays.record_told(match).line))
    return seat, await positions.prepared(server, request, account, line, whole=True)


async def searched(
    server: Server, game: str, seat: int, asked: Question | None, payer: Payer
) -> AsyncGenerator[SearchTold]:
    """How the search goes on, step by step; what was found before is told at once."""
    if asked is not None:
        of = asked.turns + 1
        yield SearchTold(looked=0, of=of)
        found = []
        rules, moments = rules_of(asked.rules), asked.moments
        steps = turning.chances(analysis.here(server), rules, moments, *payer, ITERATIONS)
        async with contextlib.aclosing(steps) as each:
            async for chance in each:
                found.append(chance)
                yield SearchTold(looked=len(found), of=of)
        point = worst(turning.balanced(found), seat)
        _remember(game, seat, SearchTold(looked=of, of=of, done=True, point=point))
    yield _known[game, seat]


async def last_of(steps: AsyncGenerator[SearchTold]) -> SearchTold:
    """What a search has come to in the end."""
    async with contextlib.aclosing(steps) as each:
        return [step async for step in each][-1]


def worst(found: list[turning.Chance], seat: int) -> PointTold | None:
    """The turn that cost a seat most, if one did.

    >>> went = [turning.Chance(0, (0.6, 0.4), "B3", "A1", 0), turning.Chance(1, (0.3, 0.7), "C4", None, 1)]
    >>> worst(went, 0)
    PointTold(turn=0, played='A1', better='B3', before=0.6, after=0.3)
    """
    for point in turning.turning_points(found, seat, 1):
        before = next(chance for chance in found if chance.turn == point.turn).values[seat]
        return PointTold(
            turn=point.turn, played=point.played, better=point.better, before=before, after=before - point.fall
        )
    return None


def _remember(game: str, seat: int, found: SearchTold) -> None:
    _known[game, seat] = found
    if len(_known) > REMEMBERED:
        _known.popitem(last=False)
