"""The page of a game: its board, and a form for everything one may do there; a little script makes it nicer."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from io import BytesIO
from typing import Annotated, NamedTuple

import segno
from fastapi import Query, Request
from fastapi.responses import HTMLResponse, Response
from markupsafe import Markup, escape
from sqlalchemy.ext.asyncio import AsyncConnection

from hedgerow.game import HedgerowError
from hedgerow.serve.api.asking import Number, ServerHere, Visitor, payer_of, read_by, with_session
from hedgerow.serve.api.routing import Router
from hedgerow.serve.engine.views import TurningPointSearchView
from hedgerow.serve.links import shared
from hedgerow.serve.people.accounts import Account
from hedgerow.serve.people.limits import address_of
from hedgerow.serve.play.notes import MAX_NOTE_CHARS, keep_note
from hedgerow.serve.play.offers import Kind
from hedgerow.serve.play.snapshot import Snapshot
from hedgerow.serve.play.talk import ChatEvent, ChatRoom
from hedgerow.serve.play.views import looks
from hedgerow.serve.play.views.feeds import SAID, rooms_of
from hedgerow.serve.play.views.game import Around, GameView, SeatRating, game_view, viewer_of
from hedgerow.serve.play.views.seats import asked, seat_ratings
from hedgerow.serve.refusals import Refused, refusal_of
from hedgerow.serve.server import Server
from hedgerow.serve.store import mailbox, play, talk
from hedgerow.serve.store.rows import MuteRow
from hedgerow.serve.web.game_section import Shown, section
from hedgerow.serve.web.pages import form_of, known, look, onwards, page, together, unread
from hedgerow.serve.web.texts import _
from hedgerow.serve.web.wording import titled

router = Router(include_in_schema=False)

Rated = tuple[list[SeatRating | None], bool]
"""How everybody at a game is rated, and whether that is all that will be known."""
Rooms = Mapping[ChatRoom, Sequence[ChatEvent]]
"""What was said in every room."""

# --- looking ----------------------------------------------------------------------------------------------------------


@router.get("/games/{game}")
async def show(
    game: str,
    request: Request,
    server: ServerHere,
    account: Visitor,
    turn: Annotated[int | None, Query(ge=0, le=100_000)] = None,
) -> HTMLResponse:
    """A game: its board now or after some turn, and what you may do."""
    answer = await shown_page(game, request, server, account, turn=turn)
    if account and unread():
        await _read_notices(server, game, account.id)
    return answer


async def _read_notices(server: Server, game: str, account: int) -> None:
    """Who looks at a game knows what there is to know about it."""
    async with server.store.read() as connection:
        if not await mailbox.unread(connection, account, game):
            return
    await server.notices.read(account, game=game)


async def shown_page(
    game: str,
    request: Request,
    server: Server,
    account: Account | None,
    error: HedgerowError | None = None,
    turn: int | None = None,
    found: TurningPointSearchView | None = None,
    typed: str | None = None,
) -> HTMLResponse:
    """The page of a game; where something was refused, with the reason; where its turning point was found, with it.

    What was `typed` and not said stands where it was typed, with the reason.
    """
    refusal = refusal_of(error) if error else None
    if refusal and refusal.code == "not_found":
        raise refusal
    here = await server.games.look(game)
    rules = here.match.rules
    beside = await _beside(server, here, account)
    shown = Shown(
        view=beside.view,
        board=await _picture(here, here.seat_of(account.id if account else None), turn),
        then=turn if turn != len(here.turns) else None,
        said=said(refusal, rules.game.name) if typed is None else Markup(""),
        unsaid=None if typed is None else (typed, said(refusal, rules.game.name)),
        link_for_friends=shared(request, f"/games/{game}", server.settings) if here.begun is None else None,
        rooms=beside.rooms,
        mutes=beside.mutes,
        note=beside.note,
        plan=beside.plan,
    )
    return await page(
        "game_page.html",
        refusal.status if refusal else 200,
        title=titled(rules.name),
        mine="mine" in shown.view.flags,
        section=section(here, account, look(), shown, server.analyst is not None, found),
    )


async def _picture(here: Snapshot, you: int | None, turn: int | None) -> Markup:
    """The board now, which is drawn once for all who look at it alike, or after some turn."""
    liked, far = looks.liked(), you in here.match.rules.far
    if turn is None or turn == len(here.turns):
        return Markup("\n".join(filter(None, here.drawn(liked.look, far and liked.side == "own"))))
    then = here.match.after(turn)
    return Markup(await asyncio.to_thread(looks.drawn, then.scene(), far, False))


def said(refusal: Refused | None, game: str) -> Markup:
    """Why something was refused, with a link to the rule that says so."""
    if refusal is None or refusal.reason is None or not refusal.reason.clause:
        return escape(str(refusal or ""))
    words = _("rule %(clause)s", clause=refusal.reason.clause)
    where = f"/rules/{game}#r{refusal.reason.clause}"
    return Markup('{} <a href="{}">{}</a>').format(refusal.reason.text, where, words)


class Beside(NamedTuple):
    """What a page shows beside the game itself: people, offers, talk, and what one keeps for oneself."""

    view: GameView
    rooms: Rooms
    mutes: Sequence[MuteRow]
    note: str
    plan: Sequence[Sequence[str]]


async def _beside(server: Server, here: Snapshot, account: Account | None) -> Beside:
    number = account.id if account else None
    you, there = here.seat_of(number), server.spectators

    async def ask(connection: AsyncConnection) -> tuple[Rated, Rooms, list[MuteRow], str]:
        ratings = await asked(connection, here)
        said = {room: await server.talk.asked(connection, here, number, room, SAID) for room in rooms_of(here, you)}
        if number is None:
            return ratings, said, [], ""
        note = await play.note_row(connection, here.id, number)
        return ratings, said, await talk.mute_rows(connection, number), note.text if note else ""

    (ratings, known), rooms, mutes, note = await together(server, ask)
    around = Around(
        await server.offers.standing(here),
        frozenset(there.seats(here.id)),
        there.count(here.id),
        ratings if known else await seat_ratings(server.ratings, here),
    )
    view = game_view(here, around, viewer_of(server.offers, here, number))
    plan = await server.plans.ahead(here, you) if you is not None and "plans" in view.flags else []
    return Beside(view, rooms, mutes, note, plan)


@router.get("/games/{game}/code.svg")
async def code(game: str, request: Request, server: ServerHere, account: Visitor) -> Response:
    """The link to a game that waits for somebody, as a QR code."""
    here = await server.games.look(game)
    here.check_visible(account.id if account else None)
    link = shared(request, f"/games/{game}", server.settings)
    if link is None or here.begun is not None:
        raise Refused("not_found", "there is no link to send; hint: it is for games that wait for somebody")
    drawn = BytesIO()
    segno.make_qr(link).save(drawn, kind="svg", light="#fff", scale=8)
    return Response(drawn.getvalue(), media_type="image/svg+xml", headers={"Cache-Control": "private, max-age=3600"})


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
        return await shown_page(game, request, server, account, error)
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
    seat = (await form_of(request)).get("seat", "")
    somebody, token = await known(server, request, account)
    await server.lobby.take_over(game, somebody.id, int(seat) if seat in tuple("012345") else None)
    return onwards(f"/games/{game}", server, token)


@router.post("/games/{game}/welcome")
async def welcome(game: str, request: Request, server: ServerHere, account: Visitor) -> Response:
    """Says whether people may take over the machines' seats."""
    wanted = (await form_of(request)).get("welcome") == "yes"
    try:
        await server.lobby.welcome(game, with_session(account).id, wanted)
    except HedgerowError as error:
        return await shown_page(game, request, server, account, error)
    return onwards(f"/games/{game}", server)


@router.post("/games/{game}/resign")
async def resign(game: str, server: ServerHere, account: Visitor) -> Response:
    """Gives up."""
    if account:
        await server.games.resign(game, account.id)
    return onwards(f"/games/{game}", server)


@router.post("/games/{game}/again")
async def try_again(game: str, request: Request, server: ServerHere, account: Visitor) -> Response:
    """A new game from the middle of this one."""
    turn = (await form_of(request)).get("turn", "0")
    try:
        if not turn.isdecimal() or len(turn) > 5:
            raise Refused("bad_request", f"no turn {turn!r:.20}; hint: 0 is the start")
        made = await server.new_games.continue_from(with_session(account), game, int(turn))
    except HedgerowError as error:
        return await shown_page(game, request, server, account, error)
    return onwards(f"/games/{made.id}", server)


@router.post("/games/{game}/turning-point")
async def turning_point(game: str, request: Request, server: ServerHere, account: Visitor) -> Response:
    """Looks for the turn that gave most away, for those without scripts: the page comes when it is found."""
    try:
        payer = payer_of(request, with_session(account))
        asked = await server.analyses.of_lost_game(payer, game)
        found = await read_by(request, server.analyses.found_turning_point(*asked))
    except HedgerowError as error:
        return await shown_page(game, request, server, account, error)
    return await shown_page(game, request, server, account, found=found)


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
        return await shown_page(game, request, server, account, error)
    return onwards(f"/games/{answer.game or game}", server)


# --- talking ----------------------------------------------------------------------------------------------------------


@router.post("/games/{game}/chat")
async def say(game: str, request: Request, server: ServerHere, account: Visitor) -> Response:
    """Says something."""
    fields = await form_of(request)
    room: ChatRoom = "watchers" if fields.get("room") == "watchers" else "players"
    try:
        await server.talk.say(game, with_session(account), room, fields.get("text", ""))
    except HedgerowError as error:
        return await shown_page(game, request, server, account, error, typed=fields.get("text", ""))
    return onwards(f"/games/{game}#talk", server)


@router.post("/games/{game}/chat/{message}/report")
async def report(game: str, message: Number, request: Request, server: ServerHere, account: Visitor) -> Response:
    """Brings a message to the operator's notice."""
    fields = await form_of(request)
    try:
        await server.talk.report(with_session(account).id, message, fields.get("reason", ""))
    except HedgerowError as error:
        return await shown_page(game, request, server, account, error)
    return await page("reported.html", game=game)


@router.post("/games/{game}/mutes/{account_id}")
async def mute(game: str, account_id: Number, request: Request, server: ServerHere, account: Visitor) -> Response:
    """Mutes or blocks somebody, or hears them again."""
    kind = (await form_of(request)).get("kind", "mute")
    try:
        wanted = None if kind == "hear" else "block" if kind == "block" else "mute"
        await server.talk.mute(with_session(account).id, account_id, wanted)
    except HedgerowError as error:
        return await shown_page(game, request, server, account, error)
    return onwards(f"/games/{game}#talk", server)


# --- for oneself ------------------------------------------------------------------------------------------------------


@router.post("/games/{game}/note")
async def note(game: str, request: Request, server: ServerHere, account: Visitor) -> Response:
    """Notes something about the game."""
    text = (await form_of(request)).get("text", "").strip()[:MAX_NOTE_CHARS]
    try:
        await keep_note(server.store, game, with_session(account).id, text)
    except HedgerowError as error:
        return await shown_page(game, request, server, account, error)
    return onwards(f"/games/{game}#yours", server)


@router.post("/games/{game}/plan")
async def plan(game: str, request: Request, server: ServerHere, account: Visitor) -> Response:
    """Plans ahead: a line of the form is a line of the plan, its turns between commas."""
    text = (await form_of(request)).get("lines", "")[:20_000]
    lines = [[turn.strip() for turn in line.split(",")] for line in text.splitlines() if line.strip()]
    try:
        await server.plans.set(game, with_session(account).id, lines, address_of(request))
    except HedgerowError as error:
        return await shown_page(game, request, server, account, error)
    return onwards(f"/games/{game}#yours", server)
