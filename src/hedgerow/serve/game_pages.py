"""The page of a game: its board, and a form for everything one may do there; a little script makes it nicer."""

from __future__ import annotations

import asyncio
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, Response

from hedgerow import draw
from hedgerow.game import HedgerowError
from hedgerow.match import Match
from hedgerow.serve.accounts import Account
from hedgerow.serve.api import analysis
from hedgerow.serve.api.analysis import AnalysisTold
from hedgerow.serve.api.lobby import known as with_session
from hedgerow.serve.api.people import ServerHere, Visitor
from hedgerow.serve.api.play import told
from hedgerow.serve.api.talk import Number
from hedgerow.serve.beginners import onward
from hedgerow.serve.links import shared
from hedgerow.serve.live import LiveGame
from hedgerow.serve.offers import WHAT, Kind
from hedgerow.serve.pages import form_of, known, onwards, page, picture
from hedgerow.serve.refusals import Refused, refusal_of
from hedgerow.serve.server import Server
from hedgerow.serve.store import mailbox, play
from hedgerow.serve.store.schema import now
from hedgerow.serve.talk import Room

router = APIRouter(include_in_schema=False)

SAID = 50
"""How many of the last messages are shown."""


# --- looking ----------------------------------------------------------------------------------------------------------


@router.get("/games/{game}")
async def show(game: str, request: Request, server: ServerHere, account: Visitor) -> HTMLResponse:
    """A game: its board, and what you may do."""
    if account:
        await _read_notices(server, game, account.id)
    return await shown(game, request, server, account)


async def _read_notices(server: Server, game: str, account: int) -> None:
    """Who looks at a game knows what there is to know about it."""
    async with server.store.read() as connection:
        if not await mailbox.unread(connection, account, game):
            return
    async with server.store.write() as connection:
        await mailbox.read_notices(connection, account, now(), game=game)


async def shown(
    game: str, request: Request, server: Server, account: Account | None, error: HedgerowError | None = None
) -> HTMLResponse:
    """The page of a game; where something was refused, with the reason."""
    refusal = refusal_of(error) if error else None
    if refusal and refusal.code == "not_found":
        raise refusal
    found = await told(server, game, account.id if account else None)
    async with server.games.held(game) as live:
        more = await _around(server, live, account)
    return page(
        "game.html",
        refusal.status if refusal else 200,
        game=found,
        board=picture(found.svg),
        said=str(refusal) if refusal else "",
        link=shared(request, f"/games/{game}", server.settings),
        watchers=server.spectators.count(game),
        onward=onward(live.match.rules, [seat.player for seat in live.seats]),
        thinks=server.analyst is not None and _may_ask(live, account),
        **more,
    )


async def _around(server: Server, live: LiveGame, account: Account | None) -> dict[str, Any]:
    """What a page shows beside the game itself: offers, talk, and what one keeps for oneself."""
    you = None if account is None else live.seat_of(account.id)
    values: dict[str, Any] = {
        "live": live,
        "people": [seat.account for seat in live.seats],
        "offers": await server.offers.standing(live),
        "possible": server.offers.possible(live, account.id) if account else [],
        "alone": not live.under_way,
        "what": WHAT,
        "rooms": {room: await _heard(server, live, account, room) for room in rooms_of(live, you)},
        "silences": await server.talk.silences(account.id) if account else [],
        "note": "",
        "plan": None,
    }
    if account:
        async with server.store.read() as connection:
            row = await play.note_row(connection, live.id, account.id)
        values["note"] = row.text if row else ""
        if you is not None and live.state == "playing" and live.clock.control.kind == "days" and live.to_move != you:
            values["plan"] = await server.plans.ahead(live, you)
    return values


def rooms_of(live: LiveGame, seat: int | None) -> tuple[Room, ...]:
    """Where somebody hears what is said."""
    return ("watchers",) if seat is None else ("players", "watchers") if live.over else ("players",)


async def _heard(server: Server, live: LiveGame, account: Account | None, room: Room) -> list[Any]:
    return await server.talk.heard(live, account.id if account else None, room, SAID)


def _may_ask(live: LiveGame, account: Account | None) -> bool:
    try:
        analysis.check(live, account.id if account else None)
    except Refused:
        return False
    return True


# --- playing ----------------------------------------------------------------------------------------------------------


@router.post("/games/{game}/play")
async def play_turn(game: str, request: Request, server: ServerHere, account: Visitor) -> Response:
    """Plays the turn in the form; a refusal is said on the game's page."""
    fields = await form_of(request)
    number = fields.get("number", "")
    try:
        if account is None or not number.isdecimal():
            raise Refused("signed_out", "you have no seat in this game; hint: start one of your own")
        await server.games.play(game, account.id, int(number[:9]), fields.get("text", ""))
    except HedgerowError as error:
        return await shown(game, request, server, account, error)
    return onwards(f"/games/{game}", server)


@router.post("/games/{game}/join")
async def join(game: str, request: Request, server: ServerHere, account: Visitor) -> Response:
    """Takes a free seat."""
    somebody, token = await known(server, request, account)
    await server.games.join(game, somebody.id, guest=somebody.kind == "guest")
    return onwards(f"/games/{game}", server, token)


@router.post("/games/{game}/take-over")
async def take_over(game: str, request: Request, server: ServerHere, account: Visitor) -> Response:
    """Sits down where a machine is."""
    somebody, token = await known(server, request, account)
    await server.lobby.take_over(game, somebody.id, None)
    return onwards(f"/games/{game}", server, token)


@router.post("/games/{game}/resign")
async def resign(game: str, server: ServerHere, account: Visitor) -> Response:
    """Gives up."""
    if account:
        await server.games.resign(game, account.id)
    return onwards(f"/games/{game}", server)


@router.post("/games/{game}/offers/{kind}")
async def offer(game: str, kind: Kind, request: Request, server: ServerHere, account: Visitor) -> Response:
    """Offers something, agrees, or says no; a rematch that is agreed on leads to the next game."""
    do = (await form_of(request)).get("do", "ask")
    try:
        me = with_session(account)
        if do == "decline":
            await server.offers.decline(game, me.id, kind)
            return onwards(f"/games/{game}", server)
        answer = await (server.offers.agree if do == "agree" else server.offers.ask)(game, me.id, kind)
    except HedgerowError as error:
        return await shown(game, request, server, account, error)
    return onwards(f"/games/{answer.game or game}", server)


# --- talking ----------------------------------------------------------------------------------------------------------


@router.post("/games/{game}/chat")
async def say(game: str, request: Request, server: ServerHere, account: Visitor) -> Response:
    """Says something."""
    fields = await form_of(request)
    room: Room = "watchers" if fields.get("room") == "watchers" else "players"
    try:
        await server.talk.say(game, with_session(account), room, fields.get("text", ""))
    except HedgerowError as error:
        return await shown(game, request, server, account, error)
    return onwards(f"/games/{game}#talk", server)


@router.post("/games/{game}/chat/{message}/report")
async def report(game: str, message: Number, request: Request, server: ServerHere, account: Visitor) -> Response:
    """Brings a message to the operator's notice."""
    fields = await form_of(request)
    try:
        await server.talk.report(with_session(account).id, message, fields.get("reason", ""))
    except HedgerowError as error:
        return await shown(game, request, server, account, error)
    return page("reported.html", game=game)


@router.post("/games/{game}/silences/{account_id}")
async def silence(game: str, account_id: Number, request: Request, server: ServerHere, account: Visitor) -> Response:
    """Mutes or blocks somebody, or hears them again."""
    kind = (await form_of(request)).get("kind", "mute")
    try:
        wanted = None if kind == "hear" else "block" if kind == "block" else "mute"
        await server.talk.silence(with_session(account).id, account_id, wanted)
    except HedgerowError as error:
        return await shown(game, request, server, account, error)
    return onwards(f"/games/{game}#talk", server)


# --- for oneself ------------------------------------------------------------------------------------------------------


@router.post("/games/{game}/note")
async def note(game: str, request: Request, server: ServerHere, account: Visitor) -> Response:
    """Notes something about the game."""
    text = (await form_of(request)).get("text", "").replace("\x00", "").strip()[:4000]
    try:
        me = with_session(account)
        async with server.store.write() as connection:
            await play.put_note(connection, game, me.id, text, now())
    except HedgerowError as error:
        return await shown(game, request, server, account, error)
    return onwards(f"/games/{game}#yours", server)


@router.post("/games/{game}/plan")
async def plan(game: str, request: Request, server: ServerHere, account: Visitor) -> Response:
    """Plans ahead: a line of the form is a line of the plan, its turns between commas."""
    text = (await form_of(request)).get("lines", "")[:20_000]
    lines = [[turn.strip() for turn in line.split(",")] for line in text.splitlines() if line.strip()]
    try:
        await server.plans.set(game, with_session(account).id, lines)
    except HedgerowError as error:
        return await shown(game, request, server, account, error)
    return onwards(f"/games/{game}#yours", server)


# --- what the engine thinks -------------------------------------------------------------------------------------------


@router.post("/games/{game}/analysis")
async def think(game: str, request: Request, server: ServerHere, account: Visitor) -> Response:
    """What the engine thinks of a position; asked by a form, so that no program which follows links makes it think."""
    turn = (await form_of(request)).get("turn", "")
    try:
        number = int(turn) if turn.isdecimal() and len(turn) < 6 else None
        moment, asked = await analysis.prepared(server, request, account, game, number, 5)
        found = await analysis.read_by(request, analysis.thought(server, moment, asked, analysis.ONCE))
    except HedgerowError as error:
        return await shown(game, request, server, account, error)
    svg = await asyncio.to_thread(lambda: draw.svg(moment.match.scene(best_points(moment.match, found))))
    return page(
        "analysis.html",
        id=game,
        board=picture(svg),
        found=found,
        title=moment.match.rules.game.title,
        seats=moment.match.rules.seats,
        last=moment.match.turns[-1] if moment.turn else None,
    )


def best_points(match: Match, found: AnalysisTold) -> tuple[str, ...]:
    """The points of the best turn."""
    rules, position, names = match.rules, match.plain, list[str]()
    for word in found.lines[0].turn.split() if found.lines else ():
        action = rules.read(position, word)
        assert isinstance(action, int)
        names += [name for name in rules.clicks(position, action) if name in rules.board.point]
        position = rules.play(position, action)
    return tuple(dict.fromkeys(names))
