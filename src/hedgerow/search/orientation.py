"""Which way round a network sees a position: always the same for all its turned and mirrored copies.

A network has learned that boards turn, it is not made so: asked about a turned copy, it answers a little differently.
So it is asked about one of the copies only, the one whose image is the smallest when numbers are compared one by one,
and what it answers is turned back. Several symmetries lead to that image where the position is symmetric itself; then
the answer is the mean over all of them, so that actions which mean the same are thought equally likely. A search
chooses for its root, and all that lies below is seen the same way round (`NetSearch`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from hedgerow.game import Rules
from hedgerow.search.grid import Grid


class Turns(NamedTuple):
    """Symmetries of some rules, a row each."""

    features: np.ndarray
    """i4 (.., features * cells): where each number of the turned image comes from."""
    places: np.ndarray
    """i4 (.., actions): where what is said of an action stands in the answer to the turned image."""
    cells: np.ndarray
    """i4 (.., points): the same for what is said of a point."""


def turns_of(rules: Rules[Any], grid: Grid) -> Turns:
    """The turns and mirror images under which these rules stay the same, the identity first."""
    actions, symmetries = rules.actions, rules.symmetries
    turned = [[actions.turned(action, each) for action in range(actions.size)] for each in symmetries]
    return Turns(
        features=np.array([grid.turned_features(rules, each) for each in symmetries], np.int32),
        places=grid.places[np.array(turned)],
        cells=grid.cells[np.array([each.points for each in symmetries])].astype(np.int32),
    )


@njit
def orient(turns, straight, out):
    """Writes the smallest of a position's turned images; returns those that lead to it, a bit for each symmetry.

    u1 straight[feature, cell] in, u1 out[feature, cell].
    """
    seen, shown = straight.reshape(-1), out.reshape(-1)
    best, same = 0, np.uint32(1)
    for turn in range(1, len(turns.features)):
        difference = compare(seen, turns.features[turn], turns.features[best])
        if difference < 0:
            best, same = turn, np.uint32(0)
        if difference <= 0:
            same |= np.uint32(1) << np.uint32(turn)
    source = turns.features[best]
    for at in range(len(seen)):
        shown[at] = seen[source[at]]
    return same


@njit
def compare(seen, one, other):
    """Which of two turned images is the smaller: below 0, the first; 0 where they are equal."""
    for at in range(len(seen)):
        difference = np.int64(seen[one[at]]) - np.int64(seen[other[at]])
        if difference != 0:
            return difference
    return np.int64(0)


@njit
def answer(turns, same, policy, action):
    """What the network says of an action, turned back: f4 policy[place] of the image that `orient` wrote."""
    total, count = np.float32(0), np.float32(0)
    for turn in range(len(turns.places)):
        if same >> np.uint32(turn) & np.uint32(1):
            total += policy[turns.places[turn, action]]
            count += np.float32(1)
    return total / count


def on_points(turns: Turns, same: int, answered: np.ndarray) -> np.ndarray:
    """What the network says of points, turned back: (.., cells) in, (.., points) out."""
    chosen = [turn for turn in range(len(turns.cells)) if same >> turn & 1]
    return np.asarray(np.mean([answered[..., turns.cells[turn]] for turn in chosen], axis=0))
