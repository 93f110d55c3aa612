"""How people sign up, in and out."""

from __future__ import annotations

from fastapi import Request, Response
from pydantic import BaseModel, Field
from pydantic.config import JsonDict

from hedgerow.serve.api.asking import ServerHere, Somebody, Visitor, client_of
from hedgerow.serve.api.routing import Router
from hedgerow.serve.people.accounts import Account
from hedgerow.serve.people.sessions import drop_session, set_session, token_of

router = Router(prefix="/api", tags=["people"])

MAIL: JsonDict = {"format": "email"}
"""What OpenAPI says of a mail address; `addresses` says what is one."""


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


def person_view(account: Account) -> Person:
    """An account as the API tells it."""
    return Person(id=account.id, name=account.name, kind=account.kind, bot=account.bot)


@router.get("/me")
async def me(account: Visitor) -> Me:
    """Who you are."""
    return Me(account=person_view(account) if account else None)


@router.post("/guest")
async def guest(account: Somebody) -> Person:
    """Be somebody: a guest, if you are not known yet."""
    return person_view(account)


@router.post("/sign-up")
async def sign_up(asked: SignUp, request: Request, response: Response, server: ServerHere, account: Visitor) -> Person:
    """Make an account; a guest keeps the games. Finished public games are in the public domain (CC0 1.0)."""
    made, token = await server.members.sign_up(
        asked.name, asked.password, asked.mail, asked.invitation, account, client_of(request)
    )
    set_session(response, token, server.settings.secure)
    return person_view(made)


@router.post("/sign-in")
async def sign_in(asked: SignIn, request: Request, response: Response, server: ServerHere) -> Person:
    """Begin a session on this device."""
    found, token = await server.members.sign_in(asked.name, asked.password, client_of(request))
    set_session(response, token, server.settings.secure)
    return person_view(found)


@router.post("/sign-out", status_code=204)
async def sign_out(request: Request, response: Response, server: ServerHere) -> None:
    """End the session on this device."""
    if token := token_of(request):
        await server.accounts.sign_out(token)
    drop_session(response)
