"""How somebody goes for good: running games are resigned, seats that wait are free again, the name is forgotten."""

from __future__ import annotations

import logging

from hedgerow.game import HedgerowError
from hedgerow.serve.people.accounts import Account, Accounts
from hedgerow.serve.people.members import Client, Members
from hedgerow.serve.play.backoff import is_away
from hedgerow.serve.play.games import Games
from hedgerow.serve.refusals import Refused
from hedgerow.serve.store import people
from hedgerow.serve.store.letters import Once

log = logging.getLogger("hedgerow.going")


async def leave(games: Games, members: Members, account: Account, password: str, client: Client) -> None:
    """Deletes one's own account, with one's password; a guest has none."""
    if account.kind != "guest":
        await members.check_password(account, password, client)
    await delete_account(games, members.accounts, account.id)


async def delete_account(games: Games, accounts: Accounts, account: int, once: Once | None = None) -> None:
    """Deletes an account; its games stay, without its name."""
    async with games.store.read() as connection:
        playing = await people.games_seated(connection, account, "playing")
        every = await people.games_seated(connection, account)
    for game in playing:
        try:
            await games.resign(game, account)
        except Refused as refused:  # it has just ended, or was taken over
            if refused.code not in ("over", "stale", "not_yours"):
                raise
        except Exception as error:  # it cannot be replayed: nobody stays because of that
            if is_away(error):
                raise
            log.exception("%s could not be resigned for an account that goes", game)
    await accounts.delete(account, once)
    for game in every:
        if games.version(game) is not None:  # the name is in memory, too
            try:
                async with games.held(game):
                    games.forget(game)
            except HedgerowError:  # it went with its last player, or cannot be replayed
                games.forget(game)
