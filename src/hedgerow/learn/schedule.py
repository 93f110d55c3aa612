"""How far a step of learning goes: up for the first steps of an optimiser, then down over the run like a cosine."""

from __future__ import annotations

import math

WARM = 200
"""Steps until a new optimiser knows the sizes of what it adds up."""
LOW = 0.05
"""The share of the rate that is left at the end of a run."""
HALVED = 600_000_000
"""A run that begins after so many evaluations begins with half the rate: it has less to learn, and more to lose."""


def rate(highest: float, share: float, steps: int, learned: int) -> float:
    """The rate when a share of the run has passed.

    steps: since the optimiser was begun. learned: the evaluations of all runs before this one.
    """
    warm = min(1.0, (steps + 1) / WARM)
    falling = LOW + (1 - LOW) * 0.5 * (1 + math.cos(math.pi * min(1.0, share)))
    return highest * warm * falling / math.sqrt(1 + 3 * learned / HALVED)
