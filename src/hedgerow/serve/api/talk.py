"""Chat in a game, reports, and muting or blocking people."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import Query
from pydantic import BaseModel, Field

from hedgerow.serve.api.asking import Number, ServerHere, Visitor, with_session
from hedgerow.serve.api.routing import Router
from hedgerow.serve.play.talk import MAX_MESSAGE_CHARS, ChatEvent, ChatRoom

router = Router(prefix="/api", tags=["talk"])


class Said(BaseModel):
    """Something to say."""

    room: ChatRoom = "players"
    text: str = Field(max_length=4 * MAX_MESSAGE_CHARS)


class MessageView(BaseModel):
    """Something that was said."""

    id: int
    room: ChatRoom
    account: int
    name: str
    bot: bool = Field(description="a program said it")
    text: str
    at: int


class Reason(BaseModel):
    """Why a message is reported."""

    reason: str = Field(max_length=4 * MAX_MESSAGE_CHARS)


class MuteAsked(BaseModel):
    """`mute`: do not show what they say; `block`: and let them not ask for games."""

    kind: Literal["mute", "block"]


class MuteView(BaseModel):
    """Somebody who is muted or blocked."""

    account: int
    name: str
    kind: Literal["mute", "block"]


def message_view(said: ChatEvent) -> MessageView:
    """A message as the API tells it."""
    keys = ("id", "room", "account", "name", "bot", "text", "at")
    return MessageView(**{key: getattr(said, key) for key in keys})


@router.get("/games/{game}/chat")
async def read(
    game: str,
    server: ServerHere,
    account: Visitor,
    room: ChatRoom = "players",
    after: Annotated[int, Query(ge=0, le=2**53)] = 0,
    limit: Annotated[int, Query(ge=1, le=200)] = 100,
) -> list[MessageView]:
    """What was said in a room, after a message that you know; players hear the watchers when the game is over."""
    found = await server.talk.read(game, account.id if account else None, room, after, limit)
    return [message_view(said) for said in found]


@router.post("/games/{game}/chat", status_code=201)
async def say(game: str, asked: Said, server: ServerHere, account: Visitor) -> MessageView:
    """Say something to the other players, or among those who watch."""
    return message_view(await server.talk.say(game, with_session(account), asked.room, asked.text))


@router.post("/chat/{message}/report", status_code=204)
async def report(message: Number, asked: Reason, server: ServerHere, account: Visitor) -> None:
    """Bring a message to the notice of those who keep the server running."""
    await server.talk.report(with_session(account).id, message, asked.reason)


@router.get("/mutes")
async def mutes(server: ServerHere, account: Visitor) -> list[MuteView]:
    """Whom you do not hear."""
    rows = await server.talk.mutes(with_session(account).id)
    return [MuteView(account=row.other, name=row.name, kind=row.kind) for row in rows]


@router.put("/mutes/{account_id}", status_code=204)
async def mute(account_id: Number, asked: MuteAsked, server: ServerHere, account: Visitor) -> None:
    """Mute or block somebody."""
    await server.talk.mute(with_session(account).id, account_id, asked.kind)


@router.delete("/mutes/{account_id}", status_code=204)
async def hear_again(account_id: Number, server: ServerHere, account: Visitor) -> None:
    """Hear somebody again."""
    await server.talk.mute(with_session(account).id, account_id, None)
