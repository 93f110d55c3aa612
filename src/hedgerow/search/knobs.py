"""How a search weighs things: numbers that can be turned, and what they do."""

from __future__ import annotations

from typing import NamedTuple


class Knobs(NamedTuple):
    """How a search weighs things."""

    explore: float = 0.5
    """The weight of the exploration bonus in UCB1."""
    unvisited: float = 1.0
    """The value of a child never tried (first play urgency)."""
    rave: float = 0.0
    """RAVE: after how many visits a child's own value outweighs that of its action played later; 0: off."""
    expand: int = 8
    """How many visits a leaf needs to get children."""
    candidates: int = 1
    """A playout takes the best of so many random actions, by their means so far; 1: purely random."""
    prior_weight: float = 0.0
    """The weight of priors (PUCT), instead of `explore`; 0: off."""
    prior_sharpness: float = 5.0
    """The inverse temperature of the softmax that makes priors of the actions' means."""
    pairs: bool = True
    """The two orders of a pair of placements share a node."""
