"""Every variant of every game, and random walks through them, for the tests that hold all games to the protocol."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Iterator
from typing import Any

import hedgerow as hg

LONG = bool(os.environ.get("HEDGEROW_LONG"))

SETUP = "setup=2k2k2/1k1r1k2/8/8/8/2K5/1KRK1RK1/8"

OURS = (
    *[f"hexbo(side={side},players={players})" for side in (10, 5) for players in (2, 3, 6)],
    *[f"tanbo(size={size})" for size in (19, 13, 9)],
    *[f"root_bound(side={side})" for side in range(3, 11)],
    *[f"root_bound(side={side},centerless=yes)" for side in range(3, 10)],
    "root_bound(side=3,tie_pass=final)",
    "root_bound(side=3,centerless=yes,tie_pass=final)",
    *[f"rootbound(side={side})" for side in range(3, 11)],
    *[f"root_down(activating_roots={a},repetition={r})" for a in ("any", "own") for r in (3, 0)],
    f"root_down({SETUP})",
    *[f"root_and_thorn(removed={removed})" for removed in ("return", "discard")],
)

VARIANTS = (*OURS, *(name for name in hg.games() if not any(known.startswith(name) for known in OURS)))
"""A game that is not among ours (HEDGEROW_GAMES) is held to the protocol as it is by default."""
DEFAULTS = hg.games()


def choose(rules: Any, legal: list[int], chance: random.Random) -> int:
    """A random action; pass and done are rare, so that games are long, but they do come."""
    extra = rules.actions.points * len(rules.actions.planes)
    ordinary = [action for action in legal if action < extra]
    return chance.choice(ordinary if ordinary and chance.random() < 0.9 else legal)


def walk(rules: Any, seed: int, position: Any = None) -> Iterator[tuple[Any, int | None]]:
    """A random game: each position with the action played in it, the last with None."""
    chance = random.Random(f"{rules.name} {seed}")
    position = rules.start() if position is None else position
    while legal := rules.legal(position):
        action = choose(rules, legal, chance)
        yield position, action
        position = rules.play(position, action)
    yield position, None


def seeds(seconds: float, games: int) -> Iterator[int]:
    """Seeds for a time-boxed sample, at least one; for `games` games in a long run."""
    end = time.monotonic() + seconds
    yield 0
    for seed in range(1, games):
        if not LONG and time.monotonic() > end:
            return
        yield seed
