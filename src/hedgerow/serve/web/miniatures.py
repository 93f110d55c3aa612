"""Animated miniatures of a game: some turns as frames that share most of their SVG lines."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from functools import cache

from fastapi import Request, Response
from pydantic import BaseModel

from hedgerow import draw
from hedgerow.games import games
from hedgerow.lessons import lesson_of
from hedgerow.match import Match
from hedgerow.serve.api.routing import Router
from hedgerow.serve.play.views.looks import COOKIE, Looks
from hedgerow.serve.refusals import Refused

router = Router(include_in_schema=False)

FRAMES = 12
"""How many positions a miniature goes through."""


class Living(BaseModel):
    """Every line that any frame has, and the lines of every frame; the last frame is the still picture."""

    lines: list[str]
    frames: list[list[int]]


def small(match: Match, key: str, look: str, styled: bool = False) -> str:
    """A small picture: no names, no supplies, no points where nothing is; `styled` where it stands alone."""
    scene = replace(match.scene(), trays=())
    return draw.svg(scene, look, labels=False, ident=f"mini-{key}", styled=styled, sparse=True)


def middle(game: str) -> Match:
    """A game in its middle; one that nobody has played for us stands at its start."""
    lesson = lesson_of(game)
    match = Match(lesson.play)
    if lesson.middle:
        match.play(lesson.middle)
    return match


@cache
def still(game: str, look: str) -> str:
    """A small picture of a game in its middle."""
    return small(middle(game), game, look)


@cache
def living(game: str, look: str) -> Living:
    """How it came there, turn by turn."""
    match, drawn = middle(game), list[str]()
    while len(drawn) < FRAMES:
        drawn.append(small(match, game, look))
        if not match.turns:
            break
        match.undo_turn()
    pages = [svg.splitlines()[1:-1] for svg in reversed(drawn)]
    number = {line: place for place, line in enumerate(dict.fromkeys(line for page in pages for line in page))}
    return Living(lines=list(number), frames=[[number[line] for line in page] for page in pages])


@router.get("/miniatures/{name}")
async def miniature(name: str, request: Request, response: Response) -> Living:
    """The frames of one game; a script shows them one after the other."""
    if name not in games():
        raise Refused("not_found", f"no game {name!r:.42}; hint: {', '.join(games())}")
    response.headers.update({"Cache-Control": "private, max-age=3600", "Vary": "Cookie"})
    return await asyncio.to_thread(living, name, Looks.read(request.cookies.get(COOKIE)).look)
