"""The analysis page: a free board, any position as text, a record, or a game turn by turn; forms alone are enough."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse, Response
from pydantic import BaseModel, Field

from hedgerow.game import HedgerowError
from hedgerow.games import game as game_of
from hedgerow.games import games as game_names
from hedgerow.match import Match, read
from hedgerow.serve import beginners, game_pages
from hedgerow.serve.accounts import Account
from hedgerow.serve.analyst import Asked
from hedgerow.serve.api import analysis, positions
from hedgerow.serve.api.analysis import AnalysisTold, Moment
from hedgerow.serve.api.people import ServerHere, Visitor
from hedgerow.serve.api.play import named
from hedgerow.serve.api.positions import PositionAsked
from hedgerow.serve.guard import show_only_to_players
from hedgerow.serve.limits import address_of
from hedgerow.serve.looks import drawn
from hedgerow.serve.pages import form_of, page, picture
from hedgerow.serve.refusals import Refused, refusal_of
from hedgerow.serve.server import Server

router = APIRouter(include_in_schema=False)

FIRST = "hexbo"
"""The game of the board that lies there when nobody asks for another."""
LINES = 5
"""How many of the best turns are told."""
FAR = 100_000


@dataclass(frozen=True)
class Study:
    """What is on the board: a whole match, after how many of its turns it is shown, and where it comes from."""

    match: Match
    turn: int
    game: str | None = None
    error: HedgerowError | None = None
    """What was wrong with what was asked for; the match is another then."""
    typed: dict[str, str] = field(default_factory=dict)
    """What somebody typed that could not be read, so that nothing of it is lost."""

    @property
    def then(self) -> Match:
        """The match at that turn."""
        then = self.match.copy()
        while len(then.turns) > self.turn:
            then.undo_turn()
        return then

    def place(self, turn: int) -> str:
        """Where the page shows it after another turn."""
        return f"/analysis?{urlencode(self.asked)}&turn={turn}"

    @cached_property
    def asked(self) -> dict[str, str]:
        """What leads here, except the turn."""
        if self.game:
            return {"game": self.game}
        told = positions.record_told(self.match)
        asked = {"rules": told.rules, "position": told.position or "", "turns": " ".join(told.line)}
        return {name: text for name, text in asked.items() if text}

    def handed(self) -> dict[str, Any]:
        """What the page's script gets to know."""
        told = positions.record_told(self.match)
        kept = {"rules": told.rules, "position": told.position, "line": told.line, "tags": told.tags}
        return kept | {"turn": self.turn, "game": self.game}


# --- looking ----------------------------------------------------------------------------------------------------------


class Wanted(BaseModel):
    """What a link or a form asks for: a game that is kept here, or rules, a position and turns."""

    rules: str = Field(default="", max_length=200)
    position: str = Field(default="", max_length=2_000)
    turns: str = Field(default="", max_length=positions.LONGEST)
    game: str = Field(default="", max_length=64)
    turn: int | None = Field(default=None, ge=0, le=FAR)


@router.get("/analysis")
async def show(
    request: Request, server: ServerHere, account: Visitor, wanted: Annotated[Wanted, Query()]
) -> HTMLResponse:
    """A board to play both sides on, and whatever was asked for lies on it."""
    if wanted.game:
        return await shown(server, await of_game(server, account, wanted.game, wanted.turn))
    chosen = [f"{name[5:]}={value}" for name, value in request.query_params.items() if name.startswith("with-")]
    rules = f"{wanted.rules}({','.join(chosen)})" if chosen else wanted.rules
    return await shown(server, await asyncio.to_thread(free, rules, wanted.position, wanted.turns, wanted.turn))


@router.get("/analysis/{rules}")
async def show_board(rules: str, server: ServerHere) -> HTMLResponse:
    """The start of a game; a link may hold more of it, which its script reads."""
    return await shown(server, await asyncio.to_thread(free, rules[:200], "", "", None))


def free(rules: str, position: str, turns: str, turn: int | None) -> Study:
    """A board as asked for; where that cannot be, an empty one and the reason."""
    try:
        if len(rules) > 200 or len(position) > 2_000 or len(turns) > positions.LONGEST:
            raise Refused("bad_request", "that is too long; hint: bring a whole game as a record")
        asked = PositionAsked(rules=rules or beginners.board_for(FIRST), position=position.strip() or None, turns=turns)
        return study_of(asked.match(), turn)
    except HedgerowError as error:
        typed = {"position": position}
        try:
            return Study(Match(rules[:200]), 0, error=error, typed=typed)
        except HedgerowError:
            return Study(Match(beginners.board_for(FIRST)), 0, error=error, typed=typed)


def study_of(match: Match, turn: int | None, game: str | None = None) -> Study:
    """A match after a turn, the last if none or no such is asked for."""
    last = len(match.turns)
    return Study(match, last if turn is None else min(turn, last), game)


async def of_game(server: Server, account: Account | None, game: str, turn: int | None) -> Study:
    """A game that is kept here; raises Refused where it may not be looked into yet."""
    async with server.games.held(game) as live:
        show_only_to_players(live, account)
        analysis.check(live, account.id if account else None)
        return study_of(named(live), turn, game)


async def shown(server: Server, study: Study, found: AnalysisTold | None = None) -> HTMLResponse:
    """The page."""
    refusal = refusal_of(study.error) if study.error else None
    return page(
        "analysis.html",
        refusal.status if refusal else 200,
        said=str(refusal) if refusal else "",
        found=found,
        thinks=server.analyst is not None,
        games=[game_of(name) for name in sorted(game_names(), key=order)],
        **await asyncio.to_thread(laid_out, study, found),
    )


def order(name: str) -> int:
    """Where a game stands among the others, as on the first page."""
    known = list(beginners.MIDDLE)
    return known.index(name) if name in known else len(known)


def laid_out(study: Study, found: AnalysisTold | None) -> dict[str, Any]:
    """What takes a while: the picture, with the best turn marked, and the position as text."""
    then = study.then
    best = [name for points in found.lines[0].points for name in points] if found and found.lines else []
    return {
        "study": study,
        "match": then,
        "last": len(study.match.turns),
        "board": picture(drawn(then.scene(tuple(dict.fromkeys(best))))),
        "position": then.position(),
        "handed": study.handed(),
    }


# --- forms ------------------------------------------------------------------------------------------------------------


@router.post("/analysis/record")
async def bring(request: Request, server: ServerHere) -> HTMLResponse:
    """Lays a game on the board that was written down."""
    text = (await form_of(request)).get("text", "").replace("\r\n", "\n").strip("\n")
    try:
        return await shown(server, study_of(await asyncio.to_thread(read, text), None))
    except HedgerowError as error:
        nothing = Study(Match(beginners.board_for(FIRST)), 0, error=error, typed={"record": text})
        return await shown(server, nothing)


@router.post("/analysis/think")
async def think(request: Request, server: ServerHere, account: Visitor) -> Response:
    """What the engine thinks of a position; asked by a form, so that no program which follows links makes it think."""
    fields = await form_of(request)
    turn, wanted = number_of(fields.get("turn", "")), {name: fields.get(name, "") for name in ("rules", "position")}
    if game := fields.get("game", ""):
        await of_game(server, account, game, turn)
        return await of_a_game(game, request, server, account, turn)
    study = await asyncio.to_thread(free, **wanted, turns=fields.get("turns", ""), turn=turn)
    if study.error:
        return await shown(server, study)
    then = study.then
    asked = PositionAsked(rules=then.rules.name, position=then.position())
    try:
        match = await positions.prepared(server, request, account, asked)
        moment = Moment(match, study.turn, len(study.match.turns))
        who = (account.id if account else None, address_of(request))
        question = Asked(match.rules.name, match.position(), LINES, *who)
        found = await analysis.read_by(request, analysis.thought(server, moment, question, analysis.ONCE))
    except HedgerowError as error:
        return await shown(server, Study(study.match, study.turn, error=error))
    return await shown(server, study, found)


@router.post("/games/{game}/analysis")
async def think_of_a_game(game: str, request: Request, server: ServerHere, account: Visitor) -> Response:
    """The same of a game; a refusal is said on the game's page."""
    turn = number_of((await form_of(request)).get("turn", ""))
    try:
        return await of_a_game(game, request, server, account, turn)
    except HedgerowError as error:
        return await game_pages.shown(game, request, server, account, error)


async def of_a_game(
    game: str, request: Request, server: Server, account: Account | None, turn: int | None
) -> HTMLResponse:
    """What the engine thinks of a game after a turn."""
    moment, asked = await analysis.prepared(server, request, account, game, turn, LINES)
    found = await analysis.read_by(request, analysis.thought(server, moment, asked, analysis.ONCE))
    return await shown(server, await of_game(server, account, game, moment.turn), found)


def number_of(text: str) -> int | None:
    """A number that a form sent, if it is one."""
    return int(text) if text.isdecimal() and len(text) < 6 else None
