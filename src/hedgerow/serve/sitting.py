"""Who sits at a game, as its page shows them: the shape of their pieces, how they are rated, the place they took."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from hedgerow.draw.shapes import token
from hedgerow.serve.api.play import SeatTold
from hedgerow.serve.live import LiveGame
from hedgerow.serve.ratings import PROVISIONAL, Strength, ladder_of
from hedgerow.serve.server import Server
from hedgerow.serve.store import sitting as kept


@dataclass(frozen=True, slots=True)
class Sitter:
    """A seat of a game and who is in it."""

    told: SeatTold
    account: int | None
    shape: Markup
    rating: int | None
    provisional: bool
    change: int | None
    """What the game did to the rating."""


def shape_of(seat: int) -> Markup:
    """The body of a seat's pieces, to be drawn beside a name."""
    return Markup(token(seat, "owner"))


async def seats_of(server: Server, live: LiveGame, told: Sequence[SeatTold]) -> list[Sitter]:
    """Everybody at a game."""
    rated, changes = await _ratings(server, live)
    found = []
    for number, (seat, one) in enumerate(zip(live.seats, told)):
        stands, change = rated.get(seat.account or 0), changes.get(number)
        if stands is None and live.rated and not one.machine and not one.free:
            stands = kept.Rated(Strength().rating, 0)
        found.append(
            Sitter(
                told=one,
                account=seat.account,
                shape=shape_of(number),
                rating=change.after if change else stands.rating if stands else None,
                provisional=bool(stands and stands.games < PROVISIONAL),
                change=change.after - change.before if change else None,
            )
        )
    return found


async def _ratings(server: Server, live: LiveGame) -> tuple[dict[int, kept.Rated], dict[int, kept.Change]]:
    """How the people at a game are rated, and what it changed; a game that is just over is rated first."""
    accounts, ladder = [seat.account for seat in live.seats if seat.account], ladder_of(live.match.rules)
    for _ in range(2):
        async with server.store.read() as connection:
            rated = await kept.rated(connection, accounts, ladder)
            changes = await kept.changes(connection, live.id) if live.rated and live.over else {}
        if changes or not (live.rated and live.over and await server.ratings.rate(live.id)):
            break
    return rated, changes
