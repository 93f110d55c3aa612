"""Who is asking, and how people sign up, in and out."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Request, Response
from pydantic import BaseModel, Field
from pydantic.config import JsonDict

from hedgerow.serve.accounts import Account, device_of
from hedgerow.serve.addresses import address
from hedgerow.serve.limits import address_of
from hedgerow.serve.names import skeleton_of
from hedgerow.serve.refusals import Refused
from hedgerow.serve.security import drop_session, set_session, token_of
from hedgerow.serve.server import Server

router = APIRouter(prefix="/api", tags=["people"])

MAIL: JsonDict = {"format": "email"}
"""What OpenAPI says of a mail address; `addresses` says what is one."""


def server_of(request: Request) -> Server:
    """The server that this request came to."""
    found: Server = request.app.state.server
    return found


ServerHere = Annotated[Server, Depends(server_of)]


async def visitor(request: Request, server: ServerHere) -> Account | None:
    """Who is asking, if they have a session."""
    return await server.accounts.of(token_of(request))


async def new_guest(server: Server, request: Request) -> tuple[Account, str]:
    """A new guest and its token; raises Refused where guests may not play."""
    if not server.settings.guests:
        raise Refused("signed_out", "nobody plays here without an account; hint: sign in")
    await server.limits.check_everywhere("guest", address_of(request))
    account, token = await server.accounts.guest(device(request))
    server.seen(account.id, address_of(request))
    return account, token


def device(request: Request) -> str:
    """What the browser that asks is, in words."""
    return device_of(request.headers.get("user-agent", ""))


async def somebody(request: Request, response: Response, server: ServerHere) -> Account:
    """Who is asking; somebody new is a guest from now on."""
    account = await server.accounts.of(token_of(request))
    if account is None:
        account, token = await new_guest(server, request)
        set_session(response, token, server.settings.secure)
    return account


Visitor = Annotated[Account | None, Depends(visitor)]
Somebody = Annotated[Account, Depends(somebody)]


class Person(BaseModel):
    """An account as others may see it."""

    id: int
    name: str
    kind: str = Field(description="guest, person or bot")
    bot: bool = Field(description="a program plays for it")


class Me(BaseModel):
    """Who you are; nobody before you have played or signed in."""

    account: Person | None


LICENCE = "CC0-1.0"
"""Under which licence the records of public games are given to everybody."""


class SignUp(BaseModel):
    """A new account. The records of its public games are given to everybody under CC0 1.0 (public domain)."""

    name: str = Field(max_length=40)
    password: str = Field(max_length=200)
    mail: str | None = Field(default=None, max_length=254, json_schema_extra=MAIL)
    invitation: str | None = Field(default=None, max_length=100, description="where new accounts need one")


class SignIn(BaseModel):
    """A name and its password."""

    name: str = Field(max_length=40)
    password: str = Field(max_length=200)


async def try_password(server: Server, request: Request, name: str) -> None:
    """Raises TooMany where an address has tried too many passwords for a name, or for too many names."""
    address = address_of(request)
    await server.limits.check_everywhere("passwords", address)
    await server.limits.check_everywhere("password", f"{address} {skeleton_of(name)}")


def told(account: Account) -> Person:
    """An account as the API tells it."""
    return Person(id=account.id, name=account.name, kind=account.kind, bot=account.bot)


@router.get("/me")
async def me(account: Visitor) -> Me:
    """Who you are."""
    return Me(account=told(account) if account else None)


@router.post("/guest")
async def guest(account: Somebody) -> Person:
    """Be somebody: a guest, if you are not known yet."""
    return told(account)


@router.post("/sign-up")
async def sign_up(asked: SignUp, request: Request, response: Response, server: ServerHere, account: Visitor) -> Person:
    """Make an account; a guest keeps the games. Finished public games are in the public domain (CC0 1.0)."""
    await server.limits.check_everywhere("sign_up", address_of(request))
    mail = address(asked.mail) if asked.mail is not None else None
    made, token = await server.accounts.sign_up(
        asked.name, asked.password, mail, account, asked.invitation, device(request)
    )
    set_session(response, token, server.settings.secure)
    if mail and server.post:
        await server.post.ticket("confirm", made.id, mail)
    return told(made)


@router.post("/sign-in")
async def sign_in(asked: SignIn, request: Request, response: Response, server: ServerHere) -> Person:
    """Begin a session on this device."""
    await try_password(server, request, asked.name)
    found, token = await server.accounts.sign_in(asked.name, asked.password, device(request))
    set_session(response, token, server.settings.secure)
    return told(found)


@router.post("/sign-out", status_code=204)
async def sign_out(request: Request, response: Response, server: ServerHere) -> None:
    """End the session on this device."""
    if token := token_of(request):
        await server.accounts.sign_out(token)
    drop_session(response)
