"""Fair play: no engine analysis of a position that stands in a running rated game, or is a turn away from one.

The database has the position of every such game from its third turn on: before that, too many games look alike, and
everybody could ask about nothing else than the opening. Mirrored and turned boards count as the same.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING

from hedgerow.game import HedgerowError, Rules
from hedgerow.game.rules import P
from hedgerow.serve.play.state import GameState
from hedgerow.serve.play.symmetry import Standing, helps
from hedgerow.serve.refusals import Refused
from hedgerow.serve.store import play

if TYPE_CHECKING:
    from hedgerow.serve.play.games import Games
    from hedgerow.serve.play.workshop import Payer, Workshop

log = logging.getLogger("hedgerow.fairplay")

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


async def check(games: Games, workshop: Workshop, payer: Payer, rules: Rules[P], asked: Sequence[str]) -> None:
    """Raises Refused where the engine would help with a rated game that goes on, whoever asks.

    The first of the positions is the one that is asked about; the others would be told of besides, or led to it.
    """
    async with games.store.read() as connection:
        standing: list[Standing] = [*await play.rated_positions(connection, rules.game.name)]
    helped = bool(standing) and await workshop.do(payer, helps, rules.name, list(asked), standing)
    if helped:
        why = "this position stands in a rated game that goes on, or is a turn away from one"
        raise Refused("not_over", f"{why}; hint: ask when that game is over")


async def keep_positions(games: Games) -> None:
    """Keeps the positions of games that an older version has not kept; once, when the server starts."""
    async with games.store.read() as connection:
        lacking = await play.without_position(connection, FROM)
    for game in lacking:
        try:
            live = await games.get(game)
        except HedgerowError as error:  # a game that cannot be replayed stops nothing
            log.warning("the position of %s is not known: %s", game, error)
            continue
        if text := kept_position(live):
            async with games.store.write() as connection:
                await play.keep_position(connection, game, live.version, text)
        games.forget(game)
