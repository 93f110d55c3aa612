"""How somebody goes for good: running games are resigned, seats that wait are free again, the name is forgotten."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from hedgerow.game import HedgerowError
from hedgerow.serve.aside import is_away
from hedgerow.serve.refusals import Refused
from hedgerow.serve.store import people

if TYPE_CHECKING:
    from hedgerow.serve.server import Server

log = logging.getLogger("hedgerow.going")


async def delete_account(server: Server, account: int) -> None:
    """Deletes an account; its games stay, without its name."""
    async with server.store.read() as connection:
        playing = await people.games_seated(connection, account, "playing")
        every = await people.games_seated(connection, account)
    for game in playing:
        try:
            await server.games.resign(game, account)
        except Refused as refused:  # it has just ended, or was taken over
            if refused.code not in ("over", "stale", "not_yours"):
                raise
        except Exception as error:  # it cannot be replayed: nobody stays because of that
            if is_away(error):
                raise
            log.exception("%s could not be resigned for an account that goes", game)
    await server.accounts.delete(account)
    for game in every:
        if server.games.version(game) is not None:  # the name is in memory, too
            try:
                async with server.games.held(game):
                    server.games.forget(game)
            except HedgerowError:  # it went with its last player, or cannot be replayed
                server.games.forget(game)
