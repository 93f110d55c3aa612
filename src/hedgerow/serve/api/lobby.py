"""Before a game begins: the list of games, the lobby, challenges, and taking over a machine's seat."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query
from pydantic import BaseModel, Field

from hedgerow.games import game as game_of
from hedgerow.games import games as game_names
from hedgerow.serve.api.asking import ServerHere, Somebody, Visitor, with_session
from hedgerow.serve.api.play import GameBoardView, game_view
from hedgerow.serve.api.routing import Router
from hedgerow.serve.play.new_games import levels
from hedgerow.serve.play.pairing import Length
from hedgerow.serve.play.views.lists import ChallengeView

router = Router(prefix="/api", tags=["challenges"])


class OptionView(BaseModel):
    """One option of a game; the first of its values is the usual one."""

    name: str
    values: list[int | str]
    about: str


class PlayableView(BaseModel):
    """A game that can be played here."""

    name: str
    title: str
    about: str
    options: list[OptionView]
    levels: int = Field(description="of the machine, from 1")


class WelcomeAsked(BaseModel):
    """Whether people may take over the machines' seats."""

    welcome: bool


@router.get("/playable")
async def playable() -> list[PlayableView]:
    """Every game, its options, and how many levels the machine has in it."""
    found = []
    for name in game_names():
        game = game_of(name)
        options = [OptionView(name=o.name, values=list(o.values), about=o.about) for o in game.options]
        counted = levels(name)
        found.append(PlayableView(name=name, title=game.title, about=game.about, options=options, levels=counted))
    return found


@router.get("/lobby")
async def lobby(
    server: ServerHere, account: Visitor, limit: Annotated[int, Query(ge=1, le=200)] = 50
) -> list[ChallengeView]:
    """Open challenges, the newest first, of every address in turn; join the game to accept one."""
    number = account.id if account else None
    return await server.store.together(lambda asked: server.lists.lobby(asked, number, limit))


class PairAsked(BaseModel):
    """Any game of about that length."""

    length: Length = Field(description="short: to 5 minutes, medium: to 15, long: more, days: for every turn")
    rated: bool = False


@router.post("/pair", status_code=201)
async def pair(asked: PairAsked, server: ServerHere, account: Somebody) -> GameBoardView:
    """Play whoever wants a game of about the same length, nearest by rating; where nobody does, wait in the lobby."""
    found = await server.pairing.pair(account, asked.length, asked.rated)
    return await game_view(server, found.id, account.id, picture=False)


@router.get("/challenges")
async def challenges_by_name(server: ServerHere, account: Visitor) -> list[ChallengeView]:
    """Challenges to you, and yours to others, that nobody has answered."""
    number = account.id if account else None
    return await server.store.together(lambda asked: server.lists.challenges(asked, number))


@router.post("/games/{game}/cancel")
async def cancel(game: str, server: ServerHere, account: Visitor) -> GameBoardView:
    """Take back a game that has not begun; or say no to one that you are invited to."""
    me = with_session(account)
    await server.lobby.cancel(game, me.id)
    return await game_view(server, game, me.id, picture=False)


@router.post("/games/{game}/take-over")
async def take_over(
    game: str, server: ServerHere, account: Somebody, seat: Annotated[int | None, Query(ge=0, le=5)] = None
) -> GameBoardView:
    """Sit down where a machine is, in a friendly game whose players welcome it."""
    await server.lobby.take_over(game, account.id, seat)
    return await game_view(server, game, account.id, picture=False)


@router.post("/games/{game}/welcome")
async def welcome(game: str, asked: WelcomeAsked, server: ServerHere, account: Visitor) -> GameBoardView:
    """Say whether people may take over the machines' seats."""
    me = with_session(account)
    await server.lobby.welcome(game, me.id, asked.welcome)
    return await game_view(server, game, me.id, picture=False)
