"""How a search weighs things: numbers that can be turned, and what they do."""

from __future__ import annotations

from typing import NamedTuple


class Knobs(NamedTuple):
    """How a search weighs things."""

    explore: float = 0.5
    """How much a child that was tried little is favoured."""
    unvisited: float = 1.0
    """The hope of a child never tried."""
    rave: float = 0.0
    """After how many visits a child's own value outweighs that of its action played later; 0: never look at that."""
    expand: int = 8
    """How many visits a leaf needs to get children."""
    duel: int = 1
    """Among how many random actions a random game takes the one that did best so far; 1: any will do."""
    trust: float = 0.0
    """How much a child is favoured for its prior, instead of `explore`; 0: not at all."""
    sharp: float = 5.0
    """How strongly priors tell actions that did well so far from those that did not."""
    pairs: bool = True
    """The two orders of a pair of placements share a node."""
