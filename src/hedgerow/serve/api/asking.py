"""Dependencies of API and pages: the server, the account of a request, its client, and checks that it has a session."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Annotated, TypeVar

from fastapi import Depends, Path, Request, Response

from hedgerow.serve.inputs import Id
from hedgerow.serve.people.accounts import Account, device_of
from hedgerow.serve.people.limits import address_of
from hedgerow.serve.people.mail import Post
from hedgerow.serve.people.members import Client
from hedgerow.serve.people.sessions import set_session, token_of
from hedgerow.serve.play.workshop import Payer
from hedgerow.serve.refusals import Refused
from hedgerow.serve.server import Server

Found = TypeVar("Found")

Number = Annotated[Id, Path()]
"""The number of an account, a message or a token in a path."""


async def server_of(request: Request) -> Server:
    """The server that this request came to; a coroutine, because FastAPI takes plain functions to a thread and back."""
    found: Server = request.app.state.server
    return found


ServerHere = Annotated[Server, Depends(server_of)]


def client_of(request: Request) -> Client:
    """The address, the device and the token that a request comes with."""
    device = device_of(request.headers.get("user-agent", ""))
    return Client(address_of(request), device, token_of(request))


def payer_of(request: Request, account: Account | None) -> Payer:
    """Who asks, and pays for the work."""
    return Payer(account.id if account else None, address_of(request))


# --- accounts ---------------------------------------------------------------------------------------------------------


async def visitor(request: Request, server: ServerHere) -> Account | None:
    """Who is asking, if they have a session."""
    return await server.accounts.of(token_of(request))


async def new_guest(server: Server, request: Request) -> tuple[Account, str]:
    """A new guest and its token; raises Refused where guests may not play."""
    client = client_of(request)
    account, token = await server.members.new_guest(client)
    server.seen(account.id, client.address)
    return account, token


async def somebody(request: Request, response: Response, server: ServerHere) -> Account:
    """Who is asking; somebody new is a guest from now on."""
    account = await server.accounts.of(token_of(request))
    if account is None:
        account, token = await new_guest(server, request)
        set_session(response, token, server.settings.secure)
    return account


Visitor = Annotated[Account | None, Depends(visitor)]
Somebody = Annotated[Account, Depends(somebody)]


def with_session(account: Account | None) -> Account:
    """Who is asking about a game; raises Refused without a session."""
    if account is None:
        raise Refused("signed_out", "you have no session; hint: join the game first")
    return account


def signed_in(account: Account | None) -> Account:
    """Who is asking about their account; raises Refused where nobody is signed in."""
    if account is None:
        raise Refused("signed_out", "you are not signed in; hint: sign in first")
    return account


def with_password(account: Account | None) -> Account:
    """The same; raises Refused for guests, too, who have no password."""
    if (found := signed_in(account)).kind == "guest":
        raise Refused("forbidden", "guests have no password; hint: sign up to keep your games")
    return found


async def known(account: Visitor) -> Account:
    """`signed_in` as a dependency."""
    return signed_in(account)


async def person(account: Visitor) -> Account:
    """`with_password` as a dependency."""
    return with_password(account)


Known = Annotated[Account, Depends(known)]
PersonHere = Annotated[Account, Depends(person)]


async def post_here(server: ServerHere) -> Post:
    """The post office; raises Refused where there is none."""
    if server.post is None:
        raise Refused("not_found", "this server sends no mail; hint: ask whoever runs it")
    return server.post


PostHere = Annotated[Post, Depends(post_here)]


# --- waiting ----------------------------------------------------------------------------------------------------------


async def read_by(request: Request, work: Coroutine[object, None, Found]) -> Found:
    """What comes of some work, which ends at once when whoever asked for it has gone."""
    working, leaving = asyncio.create_task(work), asyncio.create_task(_gone(request))
    try:
        await asyncio.wait((working, leaving), return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise Refused("later", "nobody waits for the answer; hint: stay until there is one")
        return working.result()
    finally:
        working.cancel()
        leaving.cancel()


async def _gone(request: Request) -> None:
    """Returns when nobody waits for the answer any more."""
    while (await request.receive())["type"] != "http.disconnect":
        pass
