"""Turns that are shown first and played when they are confirmed: one for a player and a game, for two weeks."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

from hedgerow.serve.people.accounts import digest
from hedgerow.serve.play.clocks import DAY
from hedgerow.serve.store import people
from hedgerow.serve.store.letters import Once
from hedgerow.serve.store.play import put as put_row
from hedgerow.serve.store.schema import now, one_time_tokens

if TYPE_CHECKING:
    from hedgerow.serve.store import Store

KIND = "submit"
HOLDS = 14 * DAY


class Turn(NamedTuple):
    """A turn and its number in the game."""

    number: int
    text: str


def key_of(game: str, account: int) -> str:
    """Under what the turn is kept."""
    return digest(f"{KIND} {game} {account}")


async def put(store: Store, game: str, account: int, turn: Turn, once: Once | None = None) -> None:
    """Keeps a turn, instead of the one before."""
    at = now()
    values = {"kind": KIND, "account": account, "about": json.dumps(turn), "created": at, "expires": at + HOLDS}
    async with store.write() as connection:
        if once:
            await once.mark(connection)
        await put_row(connection, one_time_tokens, {"token": key_of(game, account)}, {**values, "used": None})


async def get(store: Store, game: str, account: int) -> Turn | None:
    """The turn that was submitted last, if one was; the game may have moved on since."""
    async with store.read() as connection:
        row = await people.one_time_token(connection, KIND, key_of(game, account), now())
    return Turn(*json.loads(row.about)) if row else None
