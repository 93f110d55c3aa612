"""The analysis page: a free board, any position as text, a record, or a game turn by turn; forms alone are enough."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Annotated, ParamSpec
from urllib.parse import urlencode

from fastapi import Query, Request
from fastapi.responses import HTMLResponse, Response
from markupsafe import Markup
from pydantic import BaseModel, Field

from hedgerow.game import HedgerowError
from hedgerow.games import game as game_of
from hedgerow.serve.api.asking import ServerHere, Visitor, payer_of, read_by
from hedgerow.serve.api.routing import Router
from hedgerow.serve.engine.views import AnalysisView
from hedgerow.serve.people.accounts import Account
from hedgerow.serve.play import fairplay, replays
from hedgerow.serve.play.live import rules_of
from hedgerow.serve.play.replays import SentGame, Study
from hedgerow.serve.refusals import refusal_of
from hedgerow.serve.server import Server
from hedgerow.serve.web import beginners
from hedgerow.serve.web import game as game_page
from hedgerow.serve.web.pages import form_of, page

Params = ParamSpec("Params")

router = Router(include_in_schema=False)

LINES = 5
"""How many of the best turns are told."""
FAR = 100_000


# --- looking ----------------------------------------------------------------------------------------------------------


class Wanted(BaseModel):
    """What a link or a form asks for: a game that is kept here, or rules, a position and turns."""

    rules: str = Field(default="", max_length=200)
    position: str = Field(default="", max_length=2_000)
    turns: str = Field(default="", max_length=replays.MAX_TURNS_CHARS)
    game: str = Field(default="", max_length=64)
    turn: int | None = Field(default=None, ge=0, le=FAR)


@router.get("/analysis")
async def show(
    request: Request, server: ServerHere, account: Visitor, wanted: Annotated[Wanted, Query()]
) -> HTMLResponse:
    """A board to play both sides on, and whatever was asked for lies on it."""
    if wanted.game:
        return await shown(server, await of_game(server, request, account, wanted.game, wanted.turn), wanted.game)
    chosen = [f"{name[5:]}={value}" for name, value in request.query_params.items() if name.startswith("with-")]
    rules = f"{wanted.rules}({','.join(chosen)})" if chosen else wanted.rules
    line = SentGame(rules, wanted.position.strip() or None, wanted.turns)
    return await shown(server, await laid(server, request, account, replays.free_study, line, wanted.turn))


@router.get("/analysis/{rules}")
async def show_board(rules: str, request: Request, server: ServerHere, account: Visitor) -> HTMLResponse:
    """The start of a game; a link may hold more of it, which its script reads."""
    return await shown(server, await laid(server, request, account, replays.free_study, SentGame(rules[:200]), None))


async def laid(
    server: Server,
    request: Request,
    account: Account | None,
    work: Callable[Params, Study],
    *arguments: Params.args,
    **named: Params.kwargs,
) -> Study:
    """What comes to lie on the board, by the workshop."""
    return await server.workshop.do(payer_of(request, account), work, *arguments, **named)


async def of_game(
    server: Server, request: Request, account: Account | None, game: str, turn: int | None, best: Sequence[str] = ()
) -> Study:
    """A game that is kept here; raises Refused where it may not be looked into yet."""
    known = await server.games.look(game)
    known.check_visible(account.id if account else None)
    fairplay.check_game(known, account.id if account else None)
    return await laid(server, request, account, replays.record_study, known.named_match().record(), turn, best)


async def shown(
    server: Server, study: Study, game: str | None = None, found: AnalysisView | None = None
) -> HTMLResponse:
    """The page; `game` is the one that is kept here and lies on the board."""
    return await page(
        "analysis.html",
        study.error.status if study.error else 200,
        said=str(study.error or ""),
        found=found,
        thinks=server.analyst is not None,
        games=[game_of(name) for name in beginners.in_order()],
        study=study,
        rules=rules_of(study.rules),
        game=game,
        asked=(asked := leading_to(study, game)),
        place=f"/analysis?{urlencode(asked)}",
        printed=urlencode({"game": game} if game else {"record": study.packed}),
        board=Markup(study.board),
        handed=study.record.model_dump(exclude={"turns"}) | {"turn": study.turn, "game": game},
    )


def leading_to(study: Study, game: str | None) -> dict[str, str]:
    """What a link or a form asks for to come here, except the turn."""
    if game:
        return {"game": game}
    record = study.record
    asked = {"rules": record.rules, "position": record.position or "", "turns": " ".join(record.line)}
    return {name: text for name, text in asked.items() if text}


def best_of(found: AnalysisView) -> list[str]:
    """The points of the best turn."""
    return [name for points in found.lines[0].points for name in points] if found.lines else []


# --- forms ------------------------------------------------------------------------------------------------------------


@router.post("/analysis/record")
async def bring(request: Request, server: ServerHere, account: Visitor) -> HTMLResponse:
    """Lays a game on the board that was written down: a record, or turns alone for the board that lies there."""
    fields = await form_of(request)
    text = fields.get("text", "").replace("\r\n", "\n").strip("\n")
    work = partial(replays.written_study, text, fields.get("rules", "")[:200], fields.get("position", "").strip())
    return await shown(server, await laid(server, request, account, work))


@router.post("/analysis/think")
async def think(request: Request, server: ServerHere, account: Visitor) -> Response:
    """What the engine thinks of a position; asked by a form, so that no program which follows links makes it think."""
    fields = await form_of(request)
    turn = number_of(fields.get("turn", ""))
    if game := fields.get("game", ""):
        return await of_a_game(game, request, server, account, turn)
    line = SentGame(fields.get("rules", ""), fields.get("position", "").strip() or None, fields.get("turns", ""))
    study = await laid(server, request, account, replays.free_study, line, turn)
    if study.error:
        return await shown(server, study)
    try:
        line_here = line._replace(rules=study.rules)
        inquiry = await server.analyses.of_line(payer_of(request, account), line_here, LINES, study.turn)
        found = await read_by(request, server.analyses.answer(inquiry))
    except HedgerowError as error:
        return await shown(server, replace(study, error=refusal_of(error)))
    study = await laid(server, request, account, replays.free_study, line, turn, best_of(found))
    return await shown(server, study, found=found)


@router.post("/games/{game}/analysis")
async def think_of_a_game(game: str, request: Request, server: ServerHere, account: Visitor) -> Response:
    """The same of a game; a refusal is said on the game's page."""
    turn = number_of((await form_of(request)).get("turn", ""))
    try:
        return await of_a_game(game, request, server, account, turn)
    except HedgerowError as error:
        return await game_page.shown_page(game, request, server, account, error)


async def of_a_game(
    game: str, request: Request, server: Server, account: Account | None, turn: int | None
) -> HTMLResponse:
    """What the engine thinks of a game after a turn."""
    (await server.games.get(game)).check_visible(account.id if account else None)
    inquiry = await server.analyses.of_game(payer_of(request, account), game, turn, LINES)
    found = await read_by(request, server.analyses.answer(inquiry))
    return await shown(server, await of_game(server, request, account, game, inquiry.turn, best_of(found)), game, found)


def number_of(text: str) -> int | None:
    """A number that a form sent, if it is one."""
    return int(text) if text.isdecimal() and text.isascii() and len(text) < 6 else None
