"""Lists of games: your own and the next that waits, those to watch, the archive, and all games in one file."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Literal

from fastapi import Query, Request
from fastapi.responses import StreamingResponse
from sqlalchemy.ext.asyncio import AsyncConnection

from hedgerow.serve.api.asking import ServerHere, Visitor
from hedgerow.serve.api.people import LICENCE
from hedgerow.serve.api.routing import Router
from hedgerow.serve.people.limits import address_of
from hedgerow.serve.play.archive import dump
from hedgerow.serve.play.views.lists import ArchivePage, WatchView, YourGames

TEXT = r"^[^\x00]*$"
"""Text that every database takes."""

router = Router(prefix="/api", tags=["lists"])


@router.get("/your-games")
async def your_games(
    server: ServerHere,
    account: Visitor,
    state: Literal["open", "playing", "over"] | None = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> YourGames:
    """Whose turn it is in your games and how much time is left."""
    number = account.id if account else None
    return await server.store.together(lambda asked: server.lists.yours(asked, number, state, limit))


@router.get("/your-games/next")
async def next_game(
    server: ServerHere, account: Visitor, after: Annotated[str, Query(max_length=16, pattern=TEXT)] = ""
) -> YourGames:
    """The next game that waits for you, another than the one you come from."""
    number = account.id if account else None
    return await server.store.together(lambda asked: server.lists.next_of(asked, number, after))


@router.get("/watch")
async def watch(server: ServerHere, limit: Annotated[int, Query(ge=1, le=200)] = 50) -> list[WatchView]:
    """Public games that are being played, those with the most watchers first."""
    return await server.store.together(lambda asked: server.lists.to_watch(asked, limit))


@router.get("/archive")
async def search(
    server: ServerHere,
    account: Visitor,
    player: Annotated[str | None, Query(max_length=40, pattern=TEXT, description="by name")] = None,
    rules: Annotated[str | None, Query(max_length=200, description="a game, or one of its boards")] = None,
    since: Annotated[date | None, Query(description="the first day")] = None,
    until: Annotated[date | None, Query(description="the last day")] = None,
    result: Annotated[Literal["win", "loss", "draw"] | None, Query(description="as the player sees it")] = None,
    before: Annotated[str | None, Query(max_length=40, pattern=TEXT, description="`next` of the page before")] = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> ArchivePage:
    """Every game that is over, by player, game, date and result."""
    number = account.id if account else None

    async def ask(connection: AsyncConnection) -> ArchivePage:
        wanted = await server.lists.wanted(connection, player, rules, since, until, result, before)
        return await server.lists.archive(connection, number, wanted, limit)

    return await server.store.together(ask)


@router.get("/archive/dump", response_class=StreamingResponse)
async def everything(request: Request, server: ServerHere) -> StreamingResponse:
    """All public games that are over, as text, for everybody (CC0 1.0)."""
    await server.limits.check_everywhere("dump", address_of(request))
    headers = {"Content-Disposition": 'attachment; filename="hedgerow-games.txt"', "X-Licence": LICENCE}
    return StreamingResponse(dump(server.store), media_type="text/plain; charset=utf-8", headers=headers)
