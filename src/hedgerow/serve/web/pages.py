"""What all pages share, and the form that starts a game."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from contextvars import ContextVar
from pathlib import Path
from typing import NamedTuple, TypeVar
from urllib.parse import parse_qs

from fastapi import Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from jinja2 import Environment, PackageLoader, select_autoescape
from sqlalchemy.ext.asyncio import AsyncConnection
from starlette.staticfiles import StaticFiles

from hedgerow.lessons import lesson_of
from hedgerow.serve import inputs
from hedgerow.serve.api.asking import ServerHere, Visitor, new_guest
from hedgerow.serve.api.routing import Router
from hedgerow.serve.people.accounts import Account
from hedgerow.serve.people.sessions import set_session, token_of
from hedgerow.serve.play.new_games import HIGHEST, ClockAsked, NewGame, SeatAsked, levels
from hedgerow.serve.play.pairing import LENGTHS, Length
from hedgerow.serve.play.views import looks
from hedgerow.serve.play.views.live import NO_NEWS, Live, live_for
from hedgerow.serve.refusals import Refused
from hedgerow.serve.server import Server
from hedgerow.serve.store import mailbox
from hedgerow.serve.web import texts, wording

router = Router(include_in_schema=False)
STATIC = Path(__file__).parent / "static"
static = StaticFiles(directory=STATIC)
templates = Environment(
    loader=PackageLoader("hedgerow.serve.web"), autoescape=select_autoescape(), trim_blocks=True, auto_reload=False
)
texts.speak(templates)
templates.filters |= wording.FILTERS

Found = TypeVar("Found")


class Reader(NamedTuple):
    """Who looks at which page, how many notices wait for them, and how they like it."""

    account: Account | None = None
    unread: int | None = 0
    """None where it was not asked yet."""
    looks: looks.Looks = looks.Looks()
    path: str = ""
    server: Server | None = None
    live: Live = NO_NEWS
    """What calls for them elsewhere than on this page."""


NOBODY = Reader()
_reader: ContextVar[Reader] = ContextVar("reader", default=NOBODY)


async def greet(request: Request) -> None:
    """For every page, before it is made: its language, and who is there."""
    server: Server = request.app.state.server
    texts.listen(request.headers.get("accept-language", ""))
    account = await server.accounts.of(token_of(request))
    _reader.set(Reader(account, None if account else 0, looks.liked(), request.scope["path"], server))


def greet_nobody() -> None:
    """Where the database is away, a page is for nobody in particular."""
    _reader.set(NOBODY)


async def together(server: Server, work: Callable[[AsyncConnection], Coroutine[object, None, Found]]) -> Found:
    """What a page asks the database, in one step with what every page asks about its reader."""
    reader = _reader.get()

    async def ask(connection: AsyncConnection) -> tuple[int, Live, Found]:
        if reader.account is None:
            return 0, NO_NEWS, await work(connection)
        number, here = reader.account.id, reader.path.removeprefix("/games/")
        unread = await mailbox.unread(connection, number)
        return unread, await live_for(connection, number, here, bool(unread)), await work(connection)

    unread, live, found = await server.store.together(ask)
    _reader.set(reader._replace(unread=unread, live=live))
    return found


def elsewhere(path: str) -> None:
    """What is made now is a part of the page with that path."""
    _reader.set(_reader.get()._replace(path=path))


async def _nothing_else(_: AsyncConnection) -> None:
    """For a page that asks nothing but what every page asks."""


def unread() -> int:
    """How many notices the reader has not read, once that was asked."""
    return _reader.get().unread or 0


def look() -> str:
    """The look of the boards that the reader has chosen."""
    return _reader.get().looks.look


async def page(name: str, /, status: int = 200, **values: object) -> HTMLResponse:
    """A page of that name."""
    reader = _reader.get()
    if reader.unread is None and reader.server:
        await together(reader.server, _nothing_else)
    made = templates.get_template(name).render(_reader.get()._asdict() | values)
    return HTMLResponse(made, status, {"Vary": "Accept-Language, Cookie"})


async def form_of(request: Request) -> dict[str, str]:
    """The fields of a form, the first of each name."""
    try:
        fields = parse_qs((await request.body()).decode(), max_num_fields=30)
    except ValueError:
        raise Refused("bad_request", "cannot read the form; hint: use the pages here") from None
    return inputs.fields({name: values[0] for name, values in fields.items()})


async def known(server: Server, request: Request, account: Account | None) -> tuple[Account, str | None]:
    """Who it is; somebody new becomes a guest, with the token for the cookie."""
    return (account, None) if account else await new_guest(server, request)


def onwards(where: str, server: Server, token: str | None = None) -> Response:
    """To another page, with the cookie of somebody new."""
    response = RedirectResponse(where, 303)
    if token:
        set_session(response, token, server.settings.secure)
    return response


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
templates.globals["lengths"] = {name: asked.control() for name, asked in LENGTHS.items()}
templates.globals["lesson_of"] = lesson_of


@router.post("/games")
async def start(request: Request, server: ServerHere, account: Visitor) -> Response:
    """Starts a game from the form on the home page."""
    wanted = wanted_game(await form_of(request))
    somebody, token = await known(server, request, account)
    made = await server.new_games.start(somebody, wanted)
    return onwards(f"/games/{made.id}", server, token)


@router.post("/pair")
async def pair(request: Request, server: ServerHere, account: Visitor) -> Response:
    """Quick pairing: any game of about some length."""
    fields = await form_of(request)
    somebody, token = await known(server, request, account)
    length: Length = fields.get("length", "")  # type: ignore[assignment]
    found = await server.pairing.pair(somebody, length, fields.get("rated") == "yes")
    return onwards(f"/games/{found.id}", server, token)


def wanted_game(fields: dict[str, str]) -> NewGame:
    """The game that a form asks for; what it does not say is as usual."""
    level, seat = fields.get("level", "3"), fields.get("seat", "0")
    if not (level.isdecimal() and len(level) < 3 and int(level) in range(1, HIGHEST + 1) and seat in ("0", "1", "any")):
        raise Refused("bad_request", f"no level {level!r:.20}; hint: 1 is the gentlest")
    chosen = [f"{name.removeprefix('with-')}={value}" for name, value in fields.items() if name.startswith("with-")]
    rules = fields.get("rules", "") + (f"({','.join(chosen)})" if chosen else "")
    every = [fields[f"seat-{number}"] for number in range(6) if f"seat-{number}" in fields]
    if every:
        fields = fields | {"opponent": "lobby" if "lobby" in every else "friend", "name": ""}
    opponent = "named" if fields.get("name", "").strip() else fields.get("opponent", "machine")
    return NewGame(
        rules=inputs.one_line(rules)[:200],
        opponent=opponent if opponent in ("friend", "lobby", "named") else "machine",  # type: ignore[arg-type]
        level=int(level),
        seat=None if seat == "any" else int(seat),
        name=inputs.one_line(fields.get("name", ""))[:40],
        seats=[_seat(who, fields.get(f"name-{number}", "")) for number, who in enumerate(every)] or None,
        welcome=fields.get("welcome") == "yes",
        clock=CLOCKS.get(fields.get("clock", ""), CLOCKS["none"]),
        rated=fields.get("rated") == "yes",
        private=fields.get("private") == "yes",
    )


def _seat(who: str, name: str) -> SeatAsked:
    """Who is to sit somewhere, as a form says it."""
    if who in ("me", "named"):
        return SeatAsked(who="me" if who == "me" else "named", name=inputs.one_line(name)[:40])
    if who in ("link", "lobby"):
        return SeatAsked(who="anyone")
    if not (who.isdecimal() and len(who) < 3 and int(who) in range(1, HIGHEST + 1)):
        raise Refused("bad_request", f"no player {who!r:.20}; hint: me, link, lobby, named, or a level of the machine")
    return SeatAsked(who="machine", level=int(who))
