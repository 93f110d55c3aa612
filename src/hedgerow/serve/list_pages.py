"""Plain pages with lists: the lobby, your games, the archive. Forms alone, no script."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any, Literal, get_args

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, Response

from hedgerow.game import HedgerowError
from hedgerow.games import game as game_of
from hedgerow.games import games as game_names
from hedgerow.serve.api import lists, lobby
from hedgerow.serve.api.people import ServerHere, Visitor
from hedgerow.serve.pages import onwards, page, templates
from hedgerow.serve.refusals import Refused, refusal_of

router = APIRouter(include_in_schema=False)

Result = Literal["win", "loss", "draw"]


def day(at: int) -> str:
    """The day of a time.

    >>> day(951_782_400_000)
    '2000-02-29'
    """
    return datetime.fromtimestamp(at / 1000, UTC).date().isoformat()


def span(left: int) -> str:
    """How long that is, roughly, in words.

    >>> span(2 * 86_400_000 + 5), span(7_260_000), span(61_000)
    ('2 days', '2 hours', '1 minute')
    """
    for unit, size in (("day", 86_400_000), ("hour", 3_600_000), ("minute", 60_000)):
        if left >= size:
            return f"{left // size} {unit}{'s' if left >= 2 * size else ''}"
    return f"{left // 1000} seconds"


def clock(game: Any) -> str:
    """A clock in words."""
    if game.clock == "live":
        return f"{game.base_ms / 60_000:g} minutes and {game.increment_ms / 1000:g} seconds a turn"
    return f"{game.base_ms // 86_400_000} days a turn" if game.clock == "days" else "no clock"


templates.filters |= {"day": day, "span": span, "clock": clock}


@router.get("/lobby")
async def lobby_page(server: ServerHere, account: Visitor) -> HTMLResponse:
    """Who waits for somebody to play with, and who has asked for you."""
    waiting = await lobby.lobby(server, account, 50)
    named = await lobby.challenges_by_name(server, account)
    watch = await lists.watch(server, 20)
    return page("lobby.html", account=account, waiting=waiting, named=named, watch=watch)


@router.post("/games/{game}/cancel")
async def cancel(game: str, server: ServerHere, account: Visitor) -> Response:
    """Takes a challenge back, or says no to one."""
    await lobby.cancel(game, server, account)
    return onwards("/lobby", server)


@router.get("/your-games")
async def your_games(server: ServerHere, account: Visitor) -> HTMLResponse:
    """Your games, those that wait for you first."""
    return page("your_games.html", account=account, yours=await lists.your_games(server, account, None, 100))


@router.get("/archive")
async def archive(request: Request, server: ServerHere, account: Visitor) -> HTMLResponse:
    """Every game that is over, with a form to look for some."""
    asked = {key: value[:200].strip() for key, value in request.query_params.items()}
    fields = {key: asked.get(key, "") for key in ("player", "rules", "since", "until", "result", "before")}
    games, said, status = lists.ArchivePage(games=[], next=None), "", 200
    try:
        games = await lists.search(
            server,
            account,
            player=fields["player"][:40].replace("\x00", "") or None,
            rules=fields["rules"] or None,
            since=_date(fields["since"]),
            until=_date(fields["until"]),
            result=_result(fields["result"]),
            before=fields["before"][:40].replace("\x00", "") or None,
            limit=50,
        )
    except HedgerowError as error:
        refusal = refusal_of(error)
        said, status = str(refusal), refusal.status
    every = [game_of(name) for name in game_names()]
    return page("archive.html", status, account=account, page=games, fields=fields, games=every, said=said)


def _date(text: str) -> date | None:
    try:
        return date.fromisoformat(text) if text else None
    except ValueError:
        raise Refused("bad_request", f"cannot read the day {text!r:.20}; hint: like 2026-11-15") from None


def _result(text: str) -> Result | None:
    return next((result for result in get_args(Result) if result == text), None)
