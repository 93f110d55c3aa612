"""The ratings of a game's players, and how the game changed them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy.ext.asyncio import AsyncConnection

from hedgerow.serve.play.ratings import PROVISIONAL, Ratings, ladder_of
from hedgerow.serve.play.state import Seat
from hedgerow.serve.play.views.game import SeatRating
from hedgerow.serve.store import seat_ratings as kept
from hedgerow.serve.store.ratings import Strength

if TYPE_CHECKING:
    from hedgerow.serve.play.snapshot import Snapshot


async def seat_ratings(ratings: Ratings, game: Snapshot) -> list[SeatRating | None]:
    """How everybody at a game is rated, None for machines and free seats; a game that is just over is rated first."""
    async with ratings.store.read() as connection:
        found, known = await asked(connection, game)
    if known:
        return found
    await ratings.rate(game.id)  # unless that has just been done
    async with ratings.store.read() as connection:
        return (await asked(connection, game))[0]


async def asked(connection: AsyncConnection, game: Snapshot) -> tuple[list[SeatRating | None], bool]:
    """The same as far as it is known, and whether that is all: not where the game is over and still to be rated."""
    accounts = [seat.account for seat in game.seats if seat.account]
    rated = await kept.rated(connection, accounts, ladder_of(game.match.rules)) if accounts else {}
    ended = game.rated and game.over
    changes = await kept.changes(connection, game.id) if ended else {}
    found = [_of_seat(game, seat, rated, changes.get(number)) for number, seat in enumerate(game.seats)]
    return found, bool(changes) or not ended


def _of_seat(game: Snapshot, seat: Seat, rated: dict[int, kept.Rated], change: kept.Change | None) -> SeatRating | None:
    stands = rated.get(seat.account or 0)
    if stands is None and game.rated and seat.account is not None:
        stands = kept.Rated(Strength().rating, 0)
    if stands is None:
        return None
    provisional = stands.games < PROVISIONAL
    if change is None:
        return SeatRating(stands.rating, provisional)
    return SeatRating(change.after, provisional, change.after - change.before)
