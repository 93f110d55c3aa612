"""Push messages for one's browser: the server's key, and saying yes or no."""

from __future__ import annotations

from fastapi import Request
from pydantic import BaseModel, Field

from hedgerow.serve.api.asking import Known, ServerHere
from hedgerow.serve.api.routing import Router
from hedgerow.serve.people.accounts import digest
from hedgerow.serve.people.sessions import token_of

router = Router(prefix="/api/account/push", tags=["notices"])


class PushView(BaseModel):
    """Whether this browser gets push messages, and the key that it asks its maker's service with."""

    key: str
    on: bool


class BrowserKeys(BaseModel):
    """What a message is encrypted with."""

    p256dh: str = Field(max_length=100)
    auth: str = Field(max_length=40)


class PushAsked(BaseModel):
    """A browser's subscription, as its `toJSON` writes it."""

    endpoint: str = Field(max_length=1000, examples=["https://push.example.org/send/1"])
    keys: BrowserKeys


@router.get("")
async def push(request: Request, server: ServerHere, account: Known) -> PushView:
    """Whether this browser gets push messages."""
    return PushView(key=await server.push.public_key(), on=await server.push.wanted(_session(request)))


@router.put("", status_code=204)
async def subscribe(asked: PushAsked, request: Request, server: ServerHere, account: Known) -> None:
    """Send what your notices say to this browser, until its session ends."""
    keys = asked.keys
    await server.push.subscribe(account.id, _session(request), asked.endpoint, keys.p256dh, keys.auth)


@router.delete("", status_code=204)
async def unsubscribe(request: Request, server: ServerHere, account: Known) -> None:
    """Send this browser nothing any more."""
    await server.push.unsubscribe(_session(request))


def _session(request: Request) -> str:
    """The session of the browser that asks, as it is kept."""
    return digest(token_of(request) or "")
