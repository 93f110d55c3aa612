"""Talking about a game, and not hearing somebody."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Path, Query
from pydantic import BaseModel, Field

from hedgerow.serve.api.lobby import known
from hedgerow.serve.api.people import ServerHere, Visitor
from hedgerow.serve.talk import LONGEST, ChatTold, Room
from hedgerow.serve.wire import Id

router = APIRouter(prefix="/api", tags=["talk"])

Number = Annotated[Id, Path()]


class Said(BaseModel):
    """Something to say."""

    room: Room = "players"
    text: str = Field(max_length=4 * LONGEST)


class MessageTold(BaseModel):
    """Something that was said."""

    id: int
    room: Room
    account: int
    name: str
    bot: bool = Field(description="a program said it")
    text: str
    at: int


class Reason(BaseModel):
    """Why a message is reported."""

    reason: str = Field(max_length=4 * LONGEST)


class SilenceAsked(BaseModel):
    """`mute`: do not show what they say; `block`: and let them not ask for games."""

    kind: Literal["mute", "block"]


class SilenceTold(BaseModel):
    """Somebody who is not heard."""

    account: int
    name: str
    kind: Literal["mute", "block"]


def told(said: ChatTold) -> MessageTold:
    """A message as the API tells it."""
    keys = ("id", "room", "account", "name", "bot", "text", "at")
    return MessageTold(**{key: getattr(said, key) for key in keys})


@router.get("/games/{game}/chat")
async def read(
    game: str,
    server: ServerHere,
    account: Visitor,
    room: Room = "players",
    after: Annotated[int, Query(ge=0, le=2**53)] = 0,
    limit: Annotated[int, Query(ge=1, le=200)] = 100,
) -> list[MessageTold]:
    """What was said in a room, after a message that you know; players hear the watchers when the game is over."""
    found = await server.talk.read(game, account.id if account else None, room, after, limit)
    return [told(said) for said in found]


@router.post("/games/{game}/chat", status_code=201)
async def say(game: str, asked: Said, server: ServerHere, account: Visitor) -> MessageTold:
    """Say something to the other players, or among those who watch."""
    return told(await server.talk.say(game, known(account), asked.room, asked.text))


@router.post("/chat/{message}/report", status_code=204)
async def report(message: Number, asked: Reason, server: ServerHere, account: Visitor) -> None:
    """Bring a message to the notice of those who keep the server running."""
    await server.talk.report(known(account).id, message, asked.reason)


@router.get("/silences")
async def silences(server: ServerHere, account: Visitor) -> list[SilenceTold]:
    """Whom you do not hear."""
    rows = await server.talk.silences(known(account).id)
    return [SilenceTold(account=row.other, name=row.name, kind=row.kind) for row in rows]


@router.put("/silences/{account_id}", status_code=204)
async def silence(account_id: Number, asked: SilenceAsked, server: ServerHere, account: Visitor) -> None:
    """Mute or block somebody."""
    await server.talk.silence(known(account).id, account_id, asked.kind)


@router.delete("/silences/{account_id}", status_code=204)
async def hear_again(account_id: Number, server: ServerHere, account: Visitor) -> None:
    """Hear somebody again."""
    await server.talk.silence(known(account).id, account_id, None)
