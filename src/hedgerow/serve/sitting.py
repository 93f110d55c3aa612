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
    here: bool | None
    """Whether a person in a game that goes on is at it."""


def shape_of(seat: int) -> Markup:
    """The body of a seat's pieces, to be drawn beside a name."""
    return Markup(token(seat, "owner"))


async def seats_of(server: Server, live: LiveGame, told: Sequence[SeatTold]) -> list[Sitter]:
    """Everybody at a game."""
    rated, changes = await _ratings(server, live)
    there = server.spectators.seats(live.id)
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
                here=number in there if seat.account and not one.machine and not live.over else None,
            )
        )
    return found


async def _ratings(server: Server, live: LiveGame) -> tuple[dict[int, kept.Rated], dict[int, kept.Change]]:
    """How the people at a game are rated, and what it changed; a game that is just over is rated first."""
    accounts, ladder = [seat.account for seat in live.seats if seat.account], ladder_of(live.match.rules)
    rated, changes = await _read(server, live.id, accounts, ladder)
    if live.rated and live.over and not changes:
        await server.ratings.rate(live.id)
        rated, changes = await _read(server, live.id, accounts, ladder)
    return rated, changes


async def _read(
    server: Server, game: str, accounts: list[int], ladder: str
) -> tuple[dict[int, kept.Rated], dict[int, kept.Change]]:
    async with server.store.read() as connection:
        return await kept.rated(connection, accounts, ladder), await kept.changes(connection, game)
