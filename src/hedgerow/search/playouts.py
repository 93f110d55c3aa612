"""Random games in compiled code, for statistics and for benchmarks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hedgerow.game import HedgerowError, Rules
from hedgerow.match import Match

MOST = 1_000_000_000

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
    whole = all(type(number) is int for number in (count, seed, threads))
    if not whole or not 0 <= count <= MOST or not 1 <= threads <= 1024:
        wrong = f"cannot play {count} games with seed {seed} on {threads} threads"
        raise HedgerowError(f"{wrong}; hint: whole numbers, at most {MOST:,} games and 1024 threads")
    rules = Match(game).rules
    games: Playouts = rules.fast.playouts(count, seed, threads)
    return games
