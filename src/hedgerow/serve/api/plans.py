"""A player's private things in a game: conditional turns and notes."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query, Request
from fastapi.responses import Response
from pydantic import BaseModel, Field

from hedgerow.serve.api.asking import ServerHere, Visitor, payer_of, with_session
from hedgerow.serve.api.routing import Router
from hedgerow.serve.inputs import ManyLines, OneLine
from hedgerow.serve.people.limits import address_of
from hedgerow.serve.play import notes
from hedgerow.serve.play.plan_trees import LARGEST, look
from hedgerow.serve.play.replays import Judged, PositionView, judge

router = Router(prefix="/api/games/{game}", tags=["for yourself"])

Turn = Annotated[OneLine, Field(max_length=200)]


class PlanAsked(BaseModel):
    """Lines of turns: theirs, yours, theirs, yours; each begins with the next turn of the game."""

    lines: list[list[Turn]] = Field(max_length=LARGEST, examples=[[["B3", "C4"], ["B5", "C6", "D2", "E1"]]])
    number: int | None = Field(
        default=None, ge=0, le=1_000_000, description="the version of the game that you saw; without it, any"
    )


class PlanKept(BaseModel):
    """A plan as it is kept: its lines, and the version of the game that they begin at."""

    lines: list[list[str]]
    number: int


class PlanView(PlanKept):
    """The same, and whose turns they are."""

    seats: list[list[int | None]] = Field(description="for every turn of every line; null for whatever they play")


class PlanLine(BaseModel):
    """Turns that you think of after so many of the game's; the last may be unfinished."""

    turn: int = Field(ge=0, le=100_000, description="after how many turns of the game")
    turns: Annotated[OneLine, Field(max_length=4_000)] = Field(default="", description="the words of those after it")


class Note(BaseModel):
    """What you noted about a game; nobody else sees it."""

    text: ManyLines = Field(max_length=notes.MAX_NOTE_CHARS)


@router.get("/plan")
async def plan(game: str, request: Request, server: ServerHere, account: Visitor) -> PlanView:
    """Your conditional turns that can still come true."""
    found = await server.plans.told(game, payer_of(request, with_session(account)))
    return PlanView(**found._asdict())


@router.put("/plan")
async def set_plan(game: str, asked: PlanAsked, request: Request, server: ServerHere, account: Visitor) -> PlanKept:
    """Say what to play if they play this or that, in a game by correspondence; it replaces what you said before."""
    me, address = with_session(account).id, address_of(request)
    kept = await server.plans.set(game, me, asked.lines, address, number=asked.number)
    return PlanKept(lines=kept.lines, number=kept.number)


@router.post("/plan/position", response_model=PositionView)
async def plan_position(game: str, asked: PlanLine, request: Request, server: ServerHere, account: Visitor) -> Response:
    """A position that you think of while you plan ahead, as a board shows it, and what may be played there."""
    payer = payer_of(request, me := with_session(account))
    line = await server.plans.line(game, me.id, asked.turn, asked.turns)
    return Response(await server.workshop.do(payer, look, line), media_type="application/json")


@router.post("/plan/why-not")
async def plan_why_not(
    game: str,
    asked: PlanLine,
    request: Request,
    server: ServerHere,
    account: Visitor,
    pressed: Annotated[list[str], Query(min_length=1, max_length=10, description="what was pressed for a move")],
) -> Judged:
    """Whether a move may be played in a position that you think of, and the rule that forbids it."""
    payer = payer_of(request, me := with_session(account))
    line = await server.plans.line(game, me.id, asked.turn, asked.turns)
    return await server.workshop.do(payer, judge, line, "", pressed)


@router.get("/note")
async def note(game: str, server: ServerHere, account: Visitor) -> Note:
    """Your note about this game."""
    return Note(text=await notes.note_of(server.store, game, with_session(account).id))


@router.put("/note")
async def set_note(game: str, asked: Note, server: ServerHere, account: Visitor) -> Note:
    """Note something about this game, for yourself."""
    me = with_session(account)
    await server.games.get(game)
    return Note(text=await notes.keep_note(server.store, game, me.id, asked.text))
