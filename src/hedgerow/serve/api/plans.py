"""For oneself alone: conditional turns, and notes about a game."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Request
from pydantic import BaseModel, Field

from hedgerow.serve.api.lobby import known
from hedgerow.serve.api.people import ServerHere, Visitor
from hedgerow.serve.limits import address_of
from hedgerow.serve.plan_trees import LARGEST
from hedgerow.serve.store import play
from hedgerow.serve.store.schema import now
from hedgerow.serve.wire import ManyLines, OneLine

router = APIRouter(prefix="/api/games/{game}", tags=["for yourself"])

Turn = Annotated[OneLine, Field(max_length=200)]


class PlanTold(BaseModel):
    """Lines of turns: theirs, yours, theirs, yours; each begins with the next turn of the game."""

    lines: list[list[Turn]] = Field(max_length=LARGEST, examples=[[["B3", "C4"], ["B5", "C6", "D2", "E1"]]])


class Note(BaseModel):
    """What you noted about a game; nobody else sees it."""

    text: ManyLines = Field(max_length=4000)


@router.get("/plan")
async def plan(game: str, server: ServerHere, account: Visitor) -> PlanTold:
    """Your conditional turns that can still come true."""
    return PlanTold(lines=await server.plans.get(game, known(account).id))


@router.put("/plan")
async def set_plan(game: str, asked: PlanTold, request: Request, server: ServerHere, account: Visitor) -> PlanTold:
    """Say what to play if they play this or that, in a game by correspondence; it replaces what you said before."""
    lines = await server.plans.set(game, known(account).id, asked.lines, address_of(request))
    return PlanTold(lines=lines)


@router.get("/note")
async def note(game: str, server: ServerHere, account: Visitor) -> Note:
    """Your note about this game."""
    async with server.store.read() as connection:
        row = await play.note_row(connection, game, known(account).id)
    return Note(text=row.text if row else "")


@router.put("/note")
async def set_note(game: str, asked: Note, server: ServerHere, account: Visitor) -> Note:
    """Note something about this game, for yourself."""
    me = known(account)
    await server.games.get(game)
    text = asked.text.strip()
    async with server.store.write() as connection:
        await play.put_note(connection, game, me.id, text, now())
    return Note(text=text)
