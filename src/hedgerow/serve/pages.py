"""Plain pages: what all of them share, and the first one, where games are started. Forms alone are enough."""

from __future__ import annotations

from contextvars import ContextVar
from pathlib import Path
from typing import NamedTuple
from urllib.parse import parse_qs

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from jinja2 import Environment, PackageLoader, select_autoescape
from markupsafe import Markup
from starlette.staticfiles import StaticFiles

from hedgerow.games import game as game_of
from hedgerow.games import games as game_names
from hedgerow.serve import beginners, looks, miniatures, texts, wire, wording
from hedgerow.serve.accounts import Account
from hedgerow.serve.api import lists, lobby
from hedgerow.serve.api.people import ServerHere, Visitor, new_guest
from hedgerow.serve.api.play import HIGHEST, ClockAsked, NewGame, create
from hedgerow.serve.refusals import Refused
from hedgerow.serve.security import set_session, token_of
from hedgerow.serve.server import Server
from hedgerow.serve.starting import levels
from hedgerow.serve.store import mailbox

router = APIRouter(include_in_schema=False)
router.include_router(miniatures.router)
static = StaticFiles(directory=Path(__file__).parent / "static")
templates = Environment(
    loader=PackageLoader("hedgerow.serve"), autoescape=select_autoescape(), trim_blocks=True, auto_reload=False
)
texts.speak(templates)
templates.filters |= wording.FILTERS

SHORT = 5
"""How long the lists of the first page are."""


class Reader(NamedTuple):
    """Who looks at which page, how many notices wait for them, and how they like it."""

    account: Account | None = None
    unread: int = 0
    looks: looks.Looks = looks.Looks()
    path: str = ""


NOBODY = Reader()
_reader: ContextVar[Reader] = ContextVar("reader", default=NOBODY)


async def greet(request: Request) -> None:
    """For every page, before it is made: its language, who is there and how many notices they have not read."""
    server: Server = request.app.state.server
    texts.listen(request.headers.get("accept-language", ""))
    account = await server.accounts.of(token_of(request))
    unread = 0
    if account:
        async with server.store.read() as connection:
            unread = await mailbox.unread(connection, account.id)
    liked = looks.Looks.read(request.cookies.get(looks.COOKIE))
    _reader.set(Reader(account, unread, liked, request.url.path))


def unread() -> int:
    """How many notices the reader has not read."""
    return _reader.get().unread


def look() -> str:
    """The look of the boards that the reader has chosen."""
    return _reader.get().looks.look


def page(name: str, /, status: int = 200, **values: object) -> HTMLResponse:
    """A page of that name."""
    made = templates.get_template(name).render(_reader.get()._asdict() | values)
    return HTMLResponse(made, status, {"Vary": "Accept-Language, Cookie"})


async def form_of(request: Request) -> dict[str, str]:
    """The fields of a form, the first of each name."""
    try:
        fields = parse_qs((await request.body()).decode(), max_num_fields=30)
    except ValueError:
        raise Refused("bad_request", "cannot read the form; hint: use the pages here") from None
    return wire.fields({name: values[0] for name, values in fields.items()})


async def known(server: Server, request: Request, account: Account | None) -> tuple[Account, str | None]:
    """Who it is; somebody new becomes a guest, with the token for the cookie."""
    return (account, None) if account else await new_guest(server, request)


def onwards(where: str, server: Server, token: str | None = None) -> Response:
    """To another page, with the cookie of somebody new."""
    response = RedirectResponse(where, 303)
    if token:
        set_session(response, token, server.settings.secure)
    return response


@router.get("/")
async def home(server: ServerHere, account: Visitor) -> HTMLResponse:
    """Every game with a picture and a button to start it; what goes on, who waits, and your games."""
    order = list(beginners.MIDDLE)
    names = sorted(game_names(), key=lambda name: order.index(name) if name in order else len(order))
    return page(
        "home.html",
        games=[game_of(name) for name in names],
        boards={name: beginners.board_for(name) for name in names},
        pictures={name: Markup(miniatures.still(name, look())) for name in names},
        yours=await lists.your_games(server, account, None, SHORT),
        waiting=await lobby.lobby(server, account, SHORT),
        watch=await lists.watch(server, SHORT),
    )


CLOCKS: dict[str, ClockAsked] = {
    "none": ClockAsked(),
    "3+2": ClockAsked(kind="live", minutes=3, increment=2),
    "10+5": ClockAsked(kind="live", minutes=10, increment=5),
    "30+20": ClockAsked(kind="live", minutes=30, increment=20),
    "1 day": ClockAsked(kind="days", days=1),
    "3 days": ClockAsked(kind="days", days=3),
    "7 days": ClockAsked(kind="days", days=7),
}
"""The clocks that forms offer."""
templates.globals |= {"clocks": {name: asked.control() for name, asked in CLOCKS.items()}, "levels": levels}


@router.post("/games")
async def start(request: Request, server: ServerHere, account: Visitor) -> Response:
    """Starts a game from the form on the home page."""
    wanted = wanted_game(await form_of(request))
    somebody, token = await known(server, request, account)
    made = await create(wanted, server, somebody)
    return onwards(f"/games/{made.id}", server, token)


def wanted_game(fields: dict[str, str]) -> NewGame:
    """The game that a form asks for; what it does not say is as usual."""
    level, seat = fields.get("level", "3"), fields.get("seat", "0")
    if not (level.isdecimal() and len(level) < 3 and int(level) in range(1, HIGHEST + 1) and seat in ("0", "1", "any")):
        raise Refused("bad_request", f"no level {level!r:.20}; hint: 1 is the gentlest")
    chosen = [f"{name.removeprefix('with-')}={value}" for name, value in fields.items() if name.startswith("with-")]
    rules = fields.get("rules", "") + (f"({','.join(chosen)})" if chosen else "")
    opponent = "named" if fields.get("name", "").strip() else fields.get("opponent", "machine")
    return NewGame(
        rules=wire.one_line(rules)[:200],
        opponent=opponent if opponent in ("friend", "lobby", "named") else "machine",  # type: ignore[arg-type]
        level=int(level),
        seat=None if seat == "any" else int(seat),
        name=wire.one_line(fields.get("name", ""))[:40],
        clock=CLOCKS.get(fields.get("clock", ""), CLOCKS["none"]),
        rated=fields.get("rated") == "yes",
        private=fields.get("private") == "yes",
    )
