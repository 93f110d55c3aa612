"""Plain pages with lists: the lobby, your games, the archive, notices, the best players. Forms alone, no script."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any, Literal, get_args

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, Response

from hedgerow.game import HedgerowError
from hedgerow.games import game as game_of
from hedgerow.games import games as game_names
from hedgerow.games import make
from hedgerow.serve.api import lists, lobby, notices, ratings
from hedgerow.serve.api.people import ServerHere, Visitor
from hedgerow.serve.clocks import Control
from hedgerow.serve.pages import onwards, page, templates
from hedgerow.serve.ratings import PROVISIONAL
from hedgerow.serve.refusals import Refused, refusal_of
from hedgerow.serve.store import people

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
    """The clock of a game in a list, in words."""
    return control(Control(game.clock, game.base_ms, game.increment_ms))


def control(control: Control) -> str:
    """A clock in words.

    >>> control(Control("live", 180_000, 2_000)), control(Control("days", 86_400_000)), control(Control())
    ('3 minutes and 2 seconds a turn', '1 day a turn', 'no clock')
    """
    if control.kind == "live":
        return f"{control.base_ms / 60_000:g} minutes and {control.increment_ms / 1000:g} seconds a turn"
    days = control.base_ms // 86_400_000
    return f"{days} day{'' if days == 1 else 's'} a turn" if control.kind == "days" else "no clock"


def titled(rules: str) -> str:
    """A game by its title, with the options that are not the usual ones.

    >>> titled("hexbo"), titled("root_bound(side=5)"), titled("hexbo(side=5,players=3)")
    ('Hexbo', 'Root Bound, side 5', 'Hexbo, side 5, players 3')
    """
    found = make(rules)
    chosen = [f"{o.name} {found.options[o.name]}" for o in found.game.options if found.options[o.name] != o.default]
    return ", ".join([found.game.title, *chosen]).replace("_", " ")


templates.filters |= {"day": day, "span": span, "clock": clock, "control": control, "titled": titled}


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


# --- notices ----------------------------------------------------------------------------------------------------------


@router.get("/notices")
async def notices_page(server: ServerHere, account: Visitor) -> Response:
    """What has happened that you may want to know."""
    if account is None:
        return onwards("/sign-in", server)
    return page("notices.html", told=await notices.notices(server, account, 100))


@router.post("/notices/read")
async def read_notices(server: ServerHere, account: Visitor) -> Response:
    """You have read them all."""
    if account is None:
        return onwards("/sign-in", server)
    await notices.read(notices.Read(), server, account)
    return onwards("/notices", server)


# --- ratings ----------------------------------------------------------------------------------------------------------

LADDERS = {
    f"{name}/{players}": make(name if players == 2 else f"{name}(players={players})")
    for name in game_names()
    for players in next((option.values for option in game_of(name).options if option.name == "players"), (2,))
}
"""Every ladder, and the rules of its games."""


def ladder_title(ladder: str) -> str:
    """A ladder in words.

    >>> ladder_title("hexbo/3"), ladder_title("tanbo/2")
    ('Hexbo for 3', 'Tanbo')
    """
    name, _, players = ladder.partition("/")
    return game_of(name).title + ("" if players == "2" else f" for {players}")


@router.get("/leaders")
async def leaders(request: Request, server: ServerHere) -> HTMLResponse:
    """The best at a game."""
    asked = request.query_params.get("ladder", "")
    ladder = asked if asked in LADDERS else next(iter(LADDERS))
    best = await ratings.leaders(server, LADDERS[ladder].name, 100)
    ladders = {name: ladder_title(name) for name in LADDERS}
    return page("leaders.html", best=best, ladder=ladder, ladders=ladders, games_needed=PROVISIONAL)


@router.get("/people/{account}")
async def person(account: int, server: ServerHere) -> HTMLResponse:
    """Where somebody stands, and how they came there."""
    stands = await ratings.ratings_of(account, server)
    async with server.store.read() as connection:
        row = await people.account_row(connection, account)
    histories = {one.ladder: await ratings.history(account, server, LADDERS[one.ladder].name, 200) for one in stands}
    graphs = {ladder: graph([step.after for step in steps]) for ladder, steps in histories.items()}
    titles = {ladder: ladder_title(ladder) for ladder in histories}
    return page("person.html", who=row, stands=stands, histories=histories, graphs=graphs, titles=titles)


def graph(ratings: list[int]) -> str:
    """Ratings in the order of the games as the points of a line, 300 wide and 80 high; the best is at the top.

    >>> graph([1500, 1600, 1550])
    '4,76 150,4 296,40'
    """
    low, high = min(ratings), max(ratings)
    across, up = 292 / max(1, len(ratings) - 1), 72 / max(1, high - low)
    return " ".join(f"{4 + n * across:g},{76 - (one - low) * up:g}" for n, one in enumerate(ratings))
