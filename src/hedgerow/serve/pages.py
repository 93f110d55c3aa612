"""Plain pages: start a game, play it to the end. Forms alone are enough; a little script makes the board clickable."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import parse_qs

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from jinja2 import Environment, PackageLoader, select_autoescape
from markupsafe import Markup
from starlette.staticfiles import StaticFiles

from hedgerow.draw.themes import THEMES, style
from hedgerow.game import HedgerowError
from hedgerow.games import game as game_of
from hedgerow.games import games as game_names
from hedgerow.serve.accounts import Account
from hedgerow.serve.api.people import ServerHere, Visitor, new_guest
from hedgerow.serve.api.play import HIGHEST, NewGame, create, listed, told
from hedgerow.serve.links import shared
from hedgerow.serve.refusals import Refused, refusal_of
from hedgerow.serve.security import set_session
from hedgerow.serve.server import Server
from hedgerow.serve.starting import levels

router = APIRouter(include_in_schema=False)
static = StaticFiles(directory=Path(__file__).parent / "static")
templates = Environment(loader=PackageLoader("hedgerow.serve"), autoescape=select_autoescape(), trim_blocks=True)

STYLE = re.compile(r"<style>.*?</style>", re.DOTALL)
THEME = next(iter(THEMES))


def page(name: str, status: int = 200, **values: object) -> HTMLResponse:
    """A page of that name."""
    return HTMLResponse(templates.get_template(name).render(**values), status)


async def form_of(request: Request) -> dict[str, str]:
    """The fields of a form, the first of each name."""
    try:
        fields = parse_qs((await request.body()).decode(), max_num_fields=20)
    except ValueError:
        raise Refused("bad_request", "cannot read the form; hint: use the pages here") from None
    return {name: values[0] for name, values in fields.items()}


async def known(server: Server, request: Request, account: Account | None) -> tuple[Account, str | None]:
    """Who it is; somebody new becomes a guest, with the token for the cookie."""
    return (account, None) if account else await new_guest(server, request)


def onwards(where: str, server: Server, token: str | None = None) -> Response:
    """To another page, with the cookie of somebody new."""
    response = RedirectResponse(where, 303)
    if token:
        set_session(response, token, server.settings.secure)
    return response


@router.get("/board.css")
async def board_style() -> Response:
    """The colours of the board; the pictures in the pages come without their own, as the policy asks."""
    return Response(style(THEME), media_type="text/css", headers={"Cache-Control": "public, max-age=3600"})


@router.get("/")
async def home(server: ServerHere, account: Visitor) -> HTMLResponse:
    """Every game with a button to start it, and your games."""
    mine = await listed(server, account, mine=True, state=None, limit=20)
    return page(
        "home.html",
        games=[game_of(name) for name in game_names()],
        levels={name: levels(name) for name in game_names()},
        account=account,
        mine=mine,
    )


@router.post("/games")
async def start(request: Request, server: ServerHere, account: Visitor) -> Response:
    """Starts a game from the form on the home page."""
    fields = await form_of(request)
    opponent, level, seat = fields.get("opponent", "3"), fields.get("level", "3"), fields.get("seat", "0")
    if not (level.isdecimal() and len(level) < 3 and int(level) in range(1, HIGHEST + 1) and seat in ("0", "1", "any")):
        raise Refused("bad_request", f"no level {level!r:.20}; hint: 1 is the gentlest")
    wanted = NewGame(
        rules=fields.get("rules", "")[:200],
        opponent="friend" if opponent == "friend" else "lobby" if opponent == "lobby" else "machine",
        level=int(level),
        seat=None if seat == "any" else int(seat),
    )
    somebody, token = await known(server, request, account)
    made = await create(wanted, server, somebody)
    return onwards(f"/games/{made.id}", server, token)


@router.get("/games/{game}")
async def show(game: str, request: Request, server: ServerHere, account: Visitor) -> HTMLResponse:
    """A game: its board, and what you may do."""
    try:
        return await _shown(game, request, server, account, "")
    except HedgerowError as error:
        refusal = refusal_of(error)
        return page("refused.html", refusal.status, message=str(refusal))


async def _shown(game: str, request: Request, server: Server, account: Account | None, said: str) -> HTMLResponse:
    found = await told(server, game, account.id if account else None)
    board = Markup(STYLE.sub("", found.svg or ""))
    link = shared(request, f"/games/{game}", server.settings)
    return page("game.html", 422 if said else 200, game=found, board=board, said=said, link=link, account=account)


@router.post("/games/{game}/play")
async def play(game: str, request: Request, server: ServerHere, account: Visitor) -> Response:
    """Plays the turn in the form; a refusal is said on the game's page."""
    fields = await form_of(request)
    number = fields.get("number", "")
    try:
        if account is None or not number.isdecimal():
            raise Refused("signed_out", "you have no seat in this game; hint: start one of your own")
        await server.games.play(game, account.id, int(number[:9]), fields.get("text", ""))
    except HedgerowError as error:
        if refusal_of(error).code == "not_found":
            raise
        return await _shown(game, request, server, account, str(error))
    return onwards(f"/games/{game}", server)


@router.post("/games/{game}/join")
async def join(game: str, request: Request, server: ServerHere, account: Visitor) -> Response:
    """Takes a free seat."""
    somebody, token = await known(server, request, account)
    await server.games.join(game, somebody.id, guest=somebody.kind == "guest")
    return onwards(f"/games/{game}", server, token)


@router.post("/games/{game}/resign")
async def resign(game: str, server: ServerHere, account: Visitor) -> Response:
    """Gives up."""
    if account:
        await server.games.resign(game, account.id)
    return onwards(f"/games/{game}", server)
