"""Who sits in a game, as rows of the database tell it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypedDict

from hedgerow.serve.people.accounts import BOTS
from hedgerow.serve.play.state import Seat
from hedgerow.serve.store import queries
from hedgerow.serve.store.rows import SeatRow


def seat_of(row: SeatRow, away: Mapping[int, int] | None = None) -> Seat:
    """A row of `seats` as the game knows it; `away` says when those who are on vacation are back."""
    back = (away or {}).get(row.account or 0)
    name = row.name or "" if row.account is not None else queries.machine_name(row.player) if row.player else ""
    return Seat(
        row.account, name, row.player, row.invited, row.player is not None or row.kind in BOTS, back, row.asked or ""
    )


class Seated(TypedDict):
    """Who sits in a game, for lists."""

    seats: list[str]
    """A name for every seat, empty where nobody does."""
    bots: list[int]
    """The seats that bots have."""


def accounts_in(rows: Sequence[SeatRow]) -> list[int | None]:
    """The account of every seat, None where nobody or a machine sits."""
    return [row.account for row in rows]


def seated(rows: Sequence[SeatRow]) -> Seated:
    """Who sits in a game."""
    seats = [seat_of(row) for row in rows]
    return {
        "seats": [seat.name for seat in seats],
        "bots": [number for number, seat in enumerate(seats) if seat.bot],
    }
