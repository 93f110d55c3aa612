"""A player's private things in a game: conditional turns and notes."""

from __future__ import annotations

from typing import Annotated

from fastapi import Request
from pydantic import BaseModel, Field

from hedgerow.serve.api.asking import ServerHere, Visitor, with_session
from hedgerow.serve.api.routing import Router
from hedgerow.serve.inputs import ManyLines, OneLine
from hedgerow.serve.people.limits import address_of
from hedgerow.serve.play import notes
from hedgerow.serve.play.plan_trees import LARGEST

router = Router(prefix="/api/games/{game}", tags=["for yourself"])

Turn = Annotated[OneLine, Field(max_length=200)]


class PlanView(BaseModel):
    """Lines of turns: theirs, yours, theirs, yours; each begins with the next turn of the game."""

    lines: list[list[Turn]] = Field(max_length=LARGEST, examples=[[["B3", "C4"], ["B5", "C6", "D2", "E1"]]])


class Note(BaseModel):
    """What you noted about a game; nobody else sees it."""

    text: ManyLines = Field(max_length=notes.MAX_NOTE_CHARS)


@router.get("/plan")
async def plan(game: str, server: ServerHere, account: Visitor) -> PlanView:
    """Your conditional turns that can still come true."""
    return PlanView(lines=await server.plans.get(game, with_session(account).id))


@router.put("/plan")
async def set_plan(game: str, asked: PlanView, request: Request, server: ServerHere, account: Visitor) -> PlanView:
    """Say what to play if they play this or that, in a game by correspondence; it replaces what you said before."""
    lines = await server.plans.set(game, with_session(account).id, asked.lines, address_of(request))
    return PlanView(lines=lines)


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
