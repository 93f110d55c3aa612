"""Stores a game that continues another from its middle: a copy of its row and seats, and its first turns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from hedgerow.serve.store.queries import NewSeat, add_game, game_row, seat_rows
from hedgerow.serve.store.schema import turns

FRESH = {
    "ended": None,
    "due": None,
    "outcome": None,
    "lobby": False,
    "expires": None,
    "rematch": None,
    "position": None,
}
"""What a game that has just begun does not know yet."""
FRIENDLY = {"rated": False, "welcome": False, "clock": "none", "base_ms": 0, "increment_ms": 0}
"""Neither rated nor timed."""


class FirstTurn(NamedTuple):
    """A turn that the new game begins with."""

    seat: int
    text: str


async def copy_game(
    connection: AsyncConnection, game: str, made: str, creator: int, begun: Sequence[FirstTurn], to_move: int, at: int
) -> None:
    """Makes a friendly game with the same players, in which these turns are already played."""
    row, old_seats = await game_row(connection, game), await seat_rows(connection, [game])
    assert row is not None
    now: dict[str, object] = {
        "id": made,
        "creator": creator,
        "state": "playing",
        "created": at,
        "begun": at,
        "moved": at,
    }
    now |= {"version": len(begun), "to_move": to_move}
    seats: list[NewSeat] = [{"account": seat.account, "player": seat.player, "invited": None} for seat in old_seats]
    await add_game(connection, row._asdict() | FRESH | FRIENDLY | now, seats)
    if begun:
        same = {"game": made, "kind": "turn", "at": at, "spent": 0}
        await connection.execute(insert(turns), [same | {"number": n} | turn._asdict() for n, turn in enumerate(begun)])
