"""Before any route is taken: whoever asks too fast has to wait, and private games are shown only to their players."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.requests import HTTPConnection

from hedgerow.serve.accounts import Account
from hedgerow.serve.limits import KEYS, address_of
from hedgerow.serve.live import LiveGame
from hedgerow.serve.refusals import Refused
from hedgerow.serve.security import token_of

if TYPE_CHECKING:
    from hedgerow.serve.server import Server


async def guard(connection: HTTPConnection) -> None:
    """For every route; websockets look after themselves, because they answer in their own way."""
    if connection.scope["type"] != "http":
        return
    server: Server = connection.app.state.server
    account = await server.accounts.of(token_of(connection))
    hold_up(server, connection, account)
    if game := connection.path_params.get("game"):
        show_only_to_players(await server.games.get(game), account)


def hold_up(server: Server, connection: HTTPConnection, account: Account | None) -> None:
    """Raises TooMany for those who ask too fast."""
    limits, address = server.limits, address_of(connection)
    limits.check("address", address)
    if account:
        limits.check("account", account.id)
        server.addresses[account.id] = address
        if len(server.addresses) > KEYS:
            server.addresses.popitem(last=False)
    else:
        limits.check("anonymous", address)


def show_only_to_players(live: LiveGame, account: Account | None) -> None:
    """Raises Refused, as if there were no such game, unless it may be seen.

    A private game is seen by those who sit in it and by who made it; while a seat is free, by whoever has the link.
    """
    if not live.private or live.state == "open":
        return
    if account is None or (account.id != live.creator and live.seat_of(account.id) is None):
        raise Refused("not_found", f"no game {live.id!r:.42}; hint: is the link complete?")
