"""Random games in compiled code, for statistics and for benchmarks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hedgerow.game import HedgerowError, Rules
from hedgerow.match import Match

if TYPE_CHECKING:
    from hedgerow.kernels.fast import Playouts


def playouts(game: str | Rules[Any], count: int, *, seed: int = 0, threads: int = 1) -> Playouts:
    """`count` random games from the start: arrays of winners (-1 a draw), scores and lengths, one entry per game.

    Every choice is uniform among the placements and moves; `pass` and `done` are said only when nothing else is legal.
    The GIL is released; the same seed gives the same games on any number of threads.

    >>> games = playouts("root_and_thorn", 1000, seed=1, threads=2)
    >>> games.winners.shape, games.scores.shape, bool((games.lengths > 20).all())
    ((1000,), (1000, 2), True)
    """
    if count < 0 or threads < 1:
        raise HedgerowError(f"cannot play {count} games on {threads} threads; hint: at least 0 games and 1 thread")
    rules = Match(game).rules
    games: Playouts = rules.fast.playouts(count, seed, threads)
    return games
