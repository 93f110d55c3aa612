"""Pages with lists, which need no scripts: the lobby, your games, the archive, notices, leaders."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Annotated, Literal, NamedTuple, get_args

from fastapi import Query, Request
from fastapi.responses import HTMLResponse, Response
from sqlalchemy.ext.asyncio import AsyncConnection

from hedgerow.draw.themes import LOOKS
from hedgerow.game import HedgerowError
from hedgerow.games import game as game_of
from hedgerow.games import games as game_names
from hedgerow.games import make
from hedgerow.serve import inputs
from hedgerow.serve.api.asking import ServerHere, Visitor, with_session
from hedgerow.serve.api.routing import Router
from hedgerow.serve.people.accounts import digest
from hedgerow.serve.people.sessions import token_of
from hedgerow.serve.play import standings
from hedgerow.serve.play.ratings import PROVISIONAL
from hedgerow.serve.play.standings import RatingView, StepView
from hedgerow.serve.play.views.lists import ArchivedView, ArchivePage, ChallengeView, WatchView, YoursView
from hedgerow.serve.refusals import Refused, refusal_of
from hedgerow.serve.store import people
from hedgerow.serve.store.archive import Wanted
from hedgerow.serve.store.rows import AccountRow
from hedgerow.serve.web.beginners import board_for
from hedgerow.serve.web.graphs import rating_graph
from hedgerow.serve.web.miniatures import small
from hedgerow.serve.web.pages import form_of, onwards, page, together
from hedgerow.serve.web.rows import row
from hedgerow.serve.web.wording import ladder_title, titled

router = Router(include_in_schema=False)

Result = Literal["win", "loss", "draw"]


@router.get("/lobby")
async def lobby_page(server: ServerHere, account: Visitor) -> HTMLResponse:
    """Who waits for somebody to play with, and who has asked for you."""
    number = account.id if account else None

    async def ask(connection: AsyncConnection) -> tuple[list[ChallengeView], list[ChallengeView], list[WatchView]]:
        return (
            await server.lists.lobby(connection, number, 50),
            await server.lists.challenges(connection, number),
            await server.lists.to_watch(connection, 20),
        )

    waiting, named, watch = await together(server, ask)
    return await page("lobby.html", boards=boards_asked_for(), row=row, waiting=waiting, named=named, watch=watch)


def boards_asked_for() -> dict[str, str]:
    """What can be asked for in the lobby: every game on its usual board, for two or more, and on a small one.

    >>> boards_asked_for()["hexbo(side=5)"], boards_asked_for()["hexbo(players=3)"]
    ('Hexbo, side 5', 'Hexbo, 3 players')
    """
    usual = [rules.name for rules in LADDERS.values()]
    small = [board_for(name) for name in game_names()]
    return {name: titled(name) for name in sorted({*usual, *small})}


@router.get("/new")
async def new_game(rules: Annotated[str, Query(max_length=200)] = "hexbo(players=3)") -> HTMLResponse:
    """A game with any mix of players: a form with a choice for every seat."""
    asked = make(rules)
    boards = boards_asked_for()
    return await page("new.html", boards={asked.name: titled(asked.name)} | boards, rules=asked)


@router.post("/games/{game}/cancel")
async def cancel(game: str, server: ServerHere, account: Visitor) -> Response:
    """Takes a challenge back, or says no to one."""
    await server.lobby.cancel(game, with_session(account).id)
    return onwards("/lobby", server)


@router.get("/your-games")
async def your_games(server: ServerHere, account: Visitor) -> HTMLResponse:
    """Your games: those that wait for you, for others, for somebody to come, and those that are over."""
    number = account.id if account else None
    yours = await together(server, lambda asked: server.lists.yours(asked, number, None, 200))
    return await page("your_games.html", yours=yours, groups=grouped(yours.games))


def grouped(games: list[YoursView]) -> dict[str, list[YoursView]]:
    """Games by what they wait for, in the order of the page."""
    groups: dict[str, list[YoursView]] = {"you": [], "them": [], "somebody": [], "nothing": []}
    for game in games:
        waits = {"over": "nothing", "open": "somebody"}.get(game.state, "you" if game.your_turn else "them")
        groups[waits].append(game)
    return groups


@router.get("/your-games/next")
async def next_game(server: ServerHere, account: Visitor, after: Annotated[str, Query(max_length=40)] = "") -> Response:
    """To the next game that waits for you, after one; where none does, to all of them."""
    number = account.id if account else None
    found = await server.store.together(lambda asked: server.lists.next_of(asked, number, inputs.one_line(after)))
    return onwards(f"/games/{found.next}" if found.next else "/your-games", server)


@router.get("/games/{game}/small.svg")
async def small_board(game: str, server: ServerHere, account: Visitor, look: str = "") -> Response:
    """The board of a game, small; its address names the version, so that a browser may keep it."""
    here = await server.games.look(game)
    here.check_visible(account.id if account else None)
    drawn = await asyncio.to_thread(small, here.match, game, look if look in LOOKS else LOOKS[0], True)
    return Response(drawn, media_type="image/svg+xml", headers={"Cache-Control": "private, max-age=604800"})


@router.get("/archive")
async def archive(request: Request, server: ServerHere, account: Visitor) -> HTMLResponse:
    """Every game that is over, with a form to look for some."""
    asked = {key: value[:200].strip() for key, value in request.query_params.items()}
    fields = {key: asked.get(key, "") for key in ("player", "rules", "since", "until", "result", "before")}
    number = account.id if account else None

    async def ask(connection: AsyncConnection) -> ArchivePage:
        wanted = await server.lists.wanted(
            connection,
            player=fields["player"][:40].replace("\x00", "") or None,
            rules=fields["rules"] or None,
            since=_date(fields["since"]),
            until=_date(fields["until"]),
            result=_result(fields["result"]),
            before=fields["before"][:40].replace("\x00", "") or None,
        )
        return await server.lists.archive(connection, number, wanted, 50)

    games, said, status = ArchivePage(games=[], next=None), "", 200
    try:
        games = await together(server, ask)
    except HedgerowError as error:
        refusal = refusal_of(error)
        said, status = str(refusal), refusal.status
    every = [game_of(name) for name in game_names()]
    return await page("archive.html", status, page=games, fields=fields, games=every, said=said)


def _date(text: str) -> date | None:
    try:
        return date.fromisoformat(text) if text else None
    except ValueError:
        raise Refused("bad_request", f"cannot read the day {text!r:.20}; hint: like 2026-11-15") from None


def _result(text: str) -> Result | None:
    return next((result for result in get_args(Result) if result == text), None)


# --- notices ----------------------------------------------------------------------------------------------------------


@router.get("/notices")
async def notices_page(request: Request, server: ServerHere, account: Visitor) -> Response:
    """What has happened that you may want to know."""
    if account is None:
        return onwards("/sign-in", server)
    told, push = await server.notices.of(account.id, 100), await server.push.wanted(digest(token_of(request) or ""))
    return await page("notices.html", told=told, push=push)


@router.post("/notices/read")
async def read_notices(request: Request, server: ServerHere, account: Visitor) -> Response:
    """You have read them all, or those about a game."""
    if account is None:
        return onwards("/sign-in", server)
    await server.notices.read(account.id, game=(await form_of(request)).get("game"))
    return onwards("/notices", server)


# --- ratings ----------------------------------------------------------------------------------------------------------

LADDERS = {
    f"{name}/{players}": make(name if players == 2 else f"{name}(players={players})")
    for name in game_names()
    for players in next((option.values for option in game_of(name).options if option.name == "players"), (2,))
}
"""Every ladder, and the rules of its games."""


@router.get("/leaders")
async def leaders(request: Request, server: ServerHere) -> HTMLResponse:
    """The best at a game."""
    asked = request.query_params.get("ladder", "")
    ladder = asked if asked in LADDERS else next(iter(LADDERS))
    rules = LADDERS[ladder].name
    best = await together(server, lambda asked: standings.leaders(asked, rules, 100))
    ladders = {name: ladder_title(name) for name in LADDERS}
    return await page("leaders.html", best=best, ladder=ladder, ladders=ladders, games_needed=PROVISIONAL)


class Profile(NamedTuple):
    """What is shown of somebody."""

    who: AccountRow | None
    stands: Sequence[RatingView]
    histories: Mapping[str, Sequence[StepView]]
    """The steps on every ladder."""
    recent: Sequence[ArchivedView]


@router.get("/people/{number}")
async def person(number: int, server: ServerHere, account: Visitor) -> HTMLResponse:
    """Where somebody stands, how they came there, and what they played last."""
    reader = account.id if account else None

    async def ask(connection: AsyncConnection) -> Profile:
        stands = await standings.ratings_of(connection, number)
        rules = {one.ladder: LADDERS[one.ladder].name for one in stands}
        return Profile(
            await people.account_row(connection, number),
            stands,
            {name: await standings.history(connection, number, rules[name], 200) for name in rules},
            (await server.lists.archive(connection, reader, Wanted(player=number), 10)).games,
        )

    profile = await together(server, ask)
    titles = {ladder: ladder_title(ladder) for ladder in profile.histories}
    return await page(
        "person.html",
        titles=titles,
        graphs={ladder: rating_graph(titles[ladder], some) for ladder, some in profile.histories.items() if some},
        boards=boards_asked_for(),
        who=profile.who,
        stands=profile.stands,
        histories=profile.histories,
        recent=profile.recent,
    )
