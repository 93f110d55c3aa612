"""Lists of games: your own and the next that waits, those to watch, the archive, and all games in one file."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, date, datetime
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, Field
from sqlalchemy.ext.asyncio import AsyncConnection

from hedgerow.games import make
from hedgerow.serve.accounts import Account
from hedgerow.serve.api.people import LICENCE, ServerHere, Visitor
from hedgerow.serve.archive import dump
from hedgerow.serve.clocks import LAG
from hedgerow.serve.games import seated
from hedgerow.serve.limits import address_of
from hedgerow.serve.names import keys_of
from hedgerow.serve.refusals import Refused
from hedgerow.serve.server import Server
from hedgerow.serve.store import archive, queries
from hedgerow.serve.store.archive import Wanted
from hedgerow.serve.store.schema import now

TEXT = r"^[^\x00]*$"
"""Text that every database takes."""
BOTS = Field(description="the seats that programs have")

router = APIRouter(prefix="/api", tags=["lists"])


class YoursTold(BaseModel):
    """A game of yours."""

    id: str
    rules: str
    state: Literal["open", "playing", "over"]
    rated: bool
    seats: list[str]
    bots: list[int] = BOTS
    version: int
    your_turn: bool
    left: int | None = Field(description="milliseconds to whoever is to move")
    moved: int | None


class YourGames(BaseModel):
    """Your games; those that wait for you come first, the most urgent at the top."""

    waiting: int = Field(description="how many wait for your turn")
    next: str | None = Field(description="the one to play in next")
    games: list[YoursTold]


class WatchTold(BaseModel):
    """A game that can be watched."""

    id: str
    rules: str
    rated: bool
    seats: list[str]
    bots: list[int] = BOTS
    version: int
    watchers: int
    moved: int | None


class ArchivedTold(BaseModel):
    """A game that is over."""

    id: str
    rules: str
    rated: bool
    seats: list[str]
    bots: list[int] = BOTS
    ended: int
    reason: str
    winners: list[int]
    scores: list[int] | None


class ArchivePage(BaseModel):
    """A page of the archive, the latest game first."""

    games: list[ArchivedTold]
    next: str | None = Field(description="where the next page begins; ask for it with `before`")


async def names_of(server: Server, rows: Sequence[Any]) -> dict[str, list[Any]]:
    """The seats of every game in a list."""
    async with server.store.read() as connection:
        return await chairs_of(connection, rows)


async def chairs_of(connection: AsyncConnection, rows: Sequence[Any]) -> dict[str, list[Any]]:
    """The same, with a connection."""
    chairs = await queries.seat_rows(connection, [row.id for row in rows]) if rows else []
    found: dict[str, list[Any]] = {row.id: [] for row in rows}
    for chair in chairs:
        found[chair.game].append(chair)
    return found


@router.get("/your-games")
async def your_games(
    server: ServerHere,
    account: Visitor,
    state: Literal["open", "playing", "over"] | None = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> YourGames:
    """Whose turn it is in your games and how much time is left."""
    if account is None:
        return YourGames(waiting=0, next=None, games=[])
    number = account.id

    async def ask(connection: AsyncConnection) -> tuple[Sequence[Any], Sequence[Any], dict[str, list[Any]]]:
        urgent = await archive.waiting(connection, number)
        rows = await queries.games_of(connection, number, state, limit)
        return urgent, rows, await chairs_of(connection, rows)

    (urgent, rows, chairs), at = await server.store.together(ask), now()
    order = {row.id: place for place, row in enumerate(urgent)}
    rows = sorted(rows, key=lambda row: order.get(row.id, len(order)))
    games = [
        YoursTold(
            **{name: getattr(row, name) for name in ("id", "rules", "state", "rated", "version", "moved")},
            **seated(chairs[row.id]),
            your_turn=row.id in order,
            left=None if row.due is None else max(0, row.due - LAG - at),
        )
        for row in rows
    ]
    return YourGames(waiting=len(urgent), next=urgent[0].id if urgent else None, games=games)


@router.get("/your-games/next")
async def next_game(
    server: ServerHere, account: Visitor, after: Annotated[str, Query(max_length=16, pattern=TEXT)] = ""
) -> YourGames:
    """The next game that waits for you, another than the one you come from."""
    if account is None:
        return YourGames(waiting=0, next=None, games=[])
    async with server.store.read() as connection:
        ids = [row.id for row in await archive.waiting(connection, account.id)]
    place = ids.index(after) + 1 if after in ids else 0
    others = [game for game in ids[place:] + ids[:place] if game != after]
    return YourGames(waiting=len(ids), next=others[0] if others else None, games=[])


@router.get("/watch")
async def watch(server: ServerHere, limit: Annotated[int, Query(ge=1, le=200)] = 50) -> list[WatchTold]:
    """Public games that are being played, those with the most watchers first."""

    async def ask(connection: AsyncConnection) -> tuple[Sequence[Any], dict[str, list[Any]]]:
        rows = await archive.going_on(connection, limit)
        return rows, await chairs_of(connection, rows)

    rows, chairs = await server.store.together(ask)
    found = [
        WatchTold(
            **{name: getattr(row, name) for name in ("id", "rules", "rated", "version", "moved")},
            **seated(chairs[row.id]),
            watchers=server.spectators.count(row.id),
        )
        for row in rows
    ]
    return sorted(found, key=lambda game: -game.watchers)


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
    wanted = await _wanted(server, player, rules, since, until, result, before)
    return await found(server, account, wanted, limit)


async def _wanted(
    server: Server,
    player: str | None,
    rules: str | None,
    since: date | None,
    until: date | None,
    result: str | None,
    before: str | None,
) -> Wanted:
    """What was asked for, as the database understands it; raises Refused where it cannot be."""
    number = None
    if player:
        async with server.store.read() as connection:
            found = await queries.account_named(connection, keys_of(player))
        if found is None:
            raise Refused("not_found", f"nobody here is called {player!r:.42}; hint: guests cannot be looked for")
        number = found.id
    elif result in ("win", "loss"):
        raise Refused("bad_request", f"a {result} of whom? hint: name a player, too")
    day = 86_400_000
    return Wanted(
        player=number,
        rules=make(rules).name if rules else None,
        since=_start(since) if since else None,
        until=_start(until) + day if until else None,
        result=result,
        before=_cursor(before) if before else None,
    )


def _start(day: date) -> int:
    """When a day begins, in milliseconds."""
    return int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp() * 1000)


def _cursor(text: str) -> tuple[int, str]:
    at, _, game = text.partition("-")
    if not at.isdecimal() or len(at) > 15 or not game:
        raise Refused("bad_request", f"cannot read the page {text!r:.42}; hint: use `next` of the page before")
    return int(at), game


async def found(server: Server, account: Account | None, wanted: Wanted, limit: int) -> ArchivePage:
    """A page of what was found."""
    async with server.store.read() as connection:
        rows = await archive.archive(connection, wanted, account.id if account else None, limit + 1)
    rows, more = rows[:limit], len(rows) > limit
    chairs = await names_of(server, rows)
    games = []
    for row in rows:
        outcome = json.loads(row.outcome)
        columns = {name: getattr(row, name) for name in ("id", "rules", "rated", "ended")}
        told = {name: outcome[name] for name in ("reason", "winners", "scores")}
        games.append(ArchivedTold(**columns, **told, **seated(chairs[row.id])))
    return ArchivePage(games=games, next=f"{rows[-1].ended}-{rows[-1].id}" if more else None)


@router.get("/archive/dump", response_class=StreamingResponse)
async def everything(request: Request, server: ServerHere) -> StreamingResponse:
    """All public games that are over, as text, for everybody (CC0 1.0)."""
    await server.limits.check_everywhere("dump", address_of(request))
    headers = {"Content-Disposition": 'attachment; filename="hedgerow-games.txt"', "X-Licence": LICENCE}
    return StreamingResponse(dump(server.store), media_type="text/plain; charset=utf-8", headers=headers)
