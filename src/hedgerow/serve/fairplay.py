"""No help from the engine with a rated game that goes on: whether a position stands in one of them, or is a turn away.

The database has the position of every such game from its third turn on: before that, too many games look alike, and
everybody could ask about nothing else than the opening. Mirrored and turned boards count as the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from hedgerow.game import Rules
from hedgerow.serve.gamestate import GameState
from hedgerow.serve.nearness import Standing, helps
from hedgerow.serve.refusals import Refused
from hedgerow.serve.store import play

if TYPE_CHECKING:
    from hedgerow.serve.games import Games
    from hedgerow.serve.workshop import Payer, Workshop

FROM = 3
"""After how many turns a rated game's position is its players' own."""


def kept_position(live: GameState) -> str | None:
    """What the database is to know of the position of a game; None where nobody would be helped by it."""
    counts = live.rated and not live.over and len(live.turns) >= FROM
    return live.match.position() if counts else None


def check_game(live: GameState, account: int | None) -> None:
    """Raises Refused where the engine does not tell what it thinks, because somebody could use it to play."""
    if live.over:
        return
    if live.begun is None:
        raise Refused("not_begun", "the game has not begun; hint: a seat is still free")
    if live.rated:
        raise Refused("not_over", "the engine does not look into rated games that go on; hint: ask when it is over")
    people = {seat.account for seat in live.seats if seat.account is not None}
    if len(people) > 1:
        raise Refused("not_over", "the engine does not look on while people play; hint: ask when the game is over")
    if account not in people:
        raise Refused("not_yours", "only who plays against the machine may ask; hint: ask when the game is over")


async def check(games: Games, workshop: Workshop, payer: Payer, rules: Rules[Any], asked: Sequence[str]) -> None:
    """Raises Refused where the engine would help with a rated game that goes on, whoever asks.

    The first of the positions is the one that is asked about; the others would be told of besides, or led to it.
    """
    async with games.store.read() as connection:
        rows = await play.rated_positions(connection, rules.game.name, FROM)
    standing: list[Standing] = [(row.rules, row.position) for row in rows if row.position]
    for row in rows:
        if row.position is None:  # it has not moved since the server began to keep positions
            live = await games.get(row.id)
            if text := kept_position(live):
                standing.append((row.rules, text))
    helped = bool(standing) and await workshop.do(payer, helps, rules.name, list(asked), standing)
    if helped:
        why = "this position stands in a rated game that goes on, or is a turn away from one"
        raise Refused("not_over", f"{why}; hint: ask when that game is over")
