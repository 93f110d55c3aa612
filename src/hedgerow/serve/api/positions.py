"""Any position, without a game that is kept: what analysis, lessons and free boards show and ask about."""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import APIRouter
from pydantic import BaseModel, Field

from hedgerow.match import Match, read
from hedgerow.serve.api.play import Judged, judged
from hedgerow.serve.showing import BoardTold, shown

router = APIRouter(prefix="/api/positions", tags=["positions"])

LONGEST = 20_000
"""How many characters a game may have as text."""


class PositionAsked(BaseModel):
    """Where from, and what was played since; the last turn may be unfinished."""

    rules: str = Field(max_length=200, examples=["hexbo(side=5)"])
    position: str | None = Field(default=None, max_length=2_000, description="as text; without it, the start")
    turns: str = Field(default="", max_length=LONGEST, description="the words of all turns, one after the other")

    def match(self) -> Match:
        """The match so far; raises where it cannot be played."""
        match = Match(self.rules, position=self.position)
        if self.turns.strip():
            match.play(self.turns)
        return match


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
async def why_not(asked: PositionAsked, text: Annotated[str, Field(max_length=200)]) -> Judged:
    """Whether a move may be played there, and the rule that forbids it."""
    return await asyncio.to_thread(lambda: judged(asked.match(), text))


@router.post("/record")
async def read_record(asked: RecordAsked) -> RecordTold:
    """Reads a game that was written down."""
    match = await asyncio.to_thread(read, asked.text)
    start = match.begin == match.rules.start()
    return RecordTold(
        rules=match.rules.name,
        position=None if start else match.rules.write(match.begin),
        turns=list(match.turns),
        tags=match.tags,
    )
