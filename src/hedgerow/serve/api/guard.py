"""Checks before every route: rate limits, what an access token may do, and who may see a private game."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.requests import HTTPConnection

from hedgerow.serve.people.accounts import Account
from hedgerow.serve.people.limits import address_of
from hedgerow.serve.people.sessions import bearer_of, token_of
from hedgerow.serve.people.tokens import check_place, check_plays, may_play, plays
from hedgerow.serve.refusals import Refused

if TYPE_CHECKING:
    from hedgerow.serve.server import Server


async def guard(connection: HTTPConnection) -> None:
    """For every route; websockets look after themselves, because they answer in their own way."""
    if connection.scope["type"] != "http":
        return
    server: Server = connection.app.state.server
    account = await server.accounts.of(token_of(connection))
    hold_up(server, connection, account)
    account = await by_token(server, connection, account)
    if game := connection.path_params.get("game"):
        (await server.games.get(game)).check_visible(account.id if account else None)


async def by_token(server: Server, connection: HTTPConnection, account: Account | None) -> Account | None:
    """Raises Refused where a token does not hold, or not for this; nobody who shows one is taken for a new guest."""
    if bearer_of(connection.headers) is None:
        return account
    if account is None:
        raise Refused("signed_out", "this token does not hold; hint: make one on your account's page")
    method, path = connection.scope.get("method", "GET"), connection.scope["path"]
    check_place(path)
    if plays(method, path):
        if not may_play(account):  # it may be a bot since a moment ago
            account = await server.accounts.of(token_of(connection), anew=True) or account
        check_plays(account)
    return account


def hold_up(server: Server, connection: HTTPConnection, account: Account | None) -> None:
    """Raises TooMany for those who ask too fast."""
    limits, address = server.limits, address_of(connection)
    limits.check("address", address)
    if account:
        limits.check("account", account.id)
        server.seen(account.id, address)
    else:
        limits.check("anonymous", address)
