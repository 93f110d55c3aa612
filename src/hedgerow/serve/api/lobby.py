"""Before a game begins: what can be played, the lobby, challenges by name, and seats that machines leave to people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field

from hedgerow.games import game as game_of
from hedgerow.games import games as game_names
from hedgerow.serve import wishes
from hedgerow.serve.accounts import Account
from hedgerow.serve.api.people import ServerHere, Somebody, Visitor
from hedgerow.serve.api.play import GameTold, told
from hedgerow.serve.games import seat_of, seated
from hedgerow.serve.refusals import Refused
from hedgerow.serve.server import Server
from hedgerow.serve.starting import levels
from hedgerow.serve.store import play, queries
from hedgerow.serve.store.schema import now

router = APIRouter(prefix="/api", tags=["challenges"])


class OptionTold(BaseModel):
    """One option of a game; the first of its values is the usual one."""

    name: str
    values: list[int | str]
    about: str


class PlayableTold(BaseModel):
    """A game that can be played here."""

    name: str
    title: str
    about: str
    options: list[OptionTold]
    levels: int = Field(description="of the machine, from 1")


class ChallengeTold(BaseModel):
    """A game that waits for somebody."""

    id: str
    rules: str
    by: str
    by_bot: bool = Field(description="a program asks")
    rated: bool
    clock: Literal["none", "live", "days"]
    base_ms: int
    increment_ms: int
    seats: list[str] = Field(description="who sits there, empty where a seat is free")
    bots: list[int] = Field(description="the seats that programs have")
    invited: list[int] = Field(description="the seats that are kept for you")
    yours: bool
    created: int
    expires: int | None


class WelcomeAsked(BaseModel):
    """Whether people may take over the machines' seats."""

    welcome: bool


def known(account: Account | None) -> Account:
    """Who is asking; raises Refused without a session."""
    if account is None:
        raise Refused("signed_out", "you have no session; hint: join the game first")
    return account


@router.get("/playable")
async def playable() -> list[PlayableTold]:
    """Every game, its options, and how many levels the machine has in it."""
    found = []
    for name in game_names():
        game = game_of(name)
        options = [OptionTold(name=o.name, values=list(o.values), about=o.about) for o in game.options]
        counted = levels(name)
        found.append(PlayableTold(name=name, title=game.title, about=game.about, options=options, levels=counted))
    return found


@router.get("/lobby")
async def lobby(
    server: ServerHere, account: Visitor, limit: Annotated[int, Query(ge=1, le=200)] = 50
) -> list[ChallengeTold]:
    """Open challenges, the newest first, of every address in turn; join the game to accept one."""
    async with server.store.read() as connection:
        rows = await play.lobby(connection, now(), wishes.LISTED)
    return await challenges(server, wishes.fairly(rows, server.address)[:limit], account)


@router.get("/challenges")
async def challenges_by_name(server: ServerHere, account: Visitor) -> list[ChallengeTold]:
    """Challenges to you, and yours to others, that nobody has answered."""
    if account is None:
        return []
    async with server.store.read() as connection:
        rows = await play.invitations(connection, account.id, now())
    return await challenges(server, rows, account)


async def challenges(server: Server, rows: Sequence[Any], account: Account | None) -> list[ChallengeTold]:
    """Open games as challenges."""
    if not rows:
        return []
    async with server.store.read() as connection:
        chairs = await queries.seat_rows(connection, [row.id for row in rows])
    number = account.id if account else None
    found = []
    for row in rows:
        here = [chair for chair in chairs if chair.game == row.id]
        columns = ("id", "rules", "rated", "clock", "base_ms", "increment_ms", "created", "expires")
        by = next((seat_of(chair) for chair in here if chair.account == row.creator), None)
        found.append(
            ChallengeTold(
                **{name: getattr(row, name) for name in columns},
                by=by.name if by else "",
                by_bot=by is not None and by.bot,
                **seated(here),
                invited=[chair.seat for chair in here if chair.account is None and chair.invited == number is not None],
                yours=row.creator == number,
            )
        )
    return found


@router.post("/games/{game}/cancel")
async def cancel(game: str, server: ServerHere, account: Visitor) -> GameTold:
    """Take back a game that has not begun; or say no to one that you are invited to."""
    me = known(account)
    await server.lobby.cancel(game, me.id)
    return await told(server, game, me.id, picture=False)


@router.post("/games/{game}/take-over")
async def take_over(
    game: str, server: ServerHere, account: Somebody, seat: Annotated[int | None, Query(ge=0, le=5)] = None
) -> GameTold:
    """Sit down where a machine is, in a friendly game whose players welcome it."""
    await server.lobby.take_over(game, account.id, seat)
    return await told(server, game, account.id, picture=False)


@router.post("/games/{game}/welcome")
async def welcome(game: str, asked: WelcomeAsked, server: ServerHere, account: Visitor) -> GameTold:
    """Say whether people may take over the machines' seats."""
    me = known(account)
    await server.lobby.welcome(game, me.id, asked.welcome)
    return await told(server, game, me.id, picture=False)
