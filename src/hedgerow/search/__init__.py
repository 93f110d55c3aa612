"""Search and random play over any rules: it is handed `Rules` and knows no game."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hedgerow.search.players import Player


def player(text: str) -> Player:
    """The player of that name: `random`, `greedy`, `level(1)` and up, `uct(seconds=1)`, `uct(iterations=100)`.

    Its `choose(match)` gives the text of the rest of the current turn, ready for `match.play`.

    >>> import hedgerow as hg
    >>> m = hg.Match("root_down")
    >>> player("uct(iterations=200,seed=1)").choose(m) in m.legal()
    True
    """
    from hedgerow.search import naming  # it imports Numba, which has to wait until it is needed

    return naming.player(text)
