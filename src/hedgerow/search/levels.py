"""What was measured about each game: how its search weighs things best, and its ladder of levels."""

from __future__ import annotations

from typing import Any

from hedgerow.game import BadOption, Rules
from hedgerow.search.tree import Knobs

KNOBS: dict[str, Knobs] = {}
"""The knobs that won their matches at equal time, by game; Knobs() where nothing beat it."""

LEVELS: dict[str, tuple[tuple[int, float], ...]] = {}
"""(iterations an action, heat) of each level from 1, by game."""

DEFAULT_LADDER = ((8, 0.5), (20, 0.3), (50, 0.2), (130, 0.0), (400, 0.0), (1_300, 0.0), (5_000, 0.0), (20_000, 0.0))


def knobs_for(rules: Rules[Any]) -> Knobs:
    """How to search this game."""
    return KNOBS.get(rules.game.name, Knobs())


def level_for(rules: Rules[Any], level: int) -> tuple[int, float]:
    """The iterations and the heat of a level of this game."""
    ladder = LEVELS.get(rules.game.name, DEFAULT_LADDER)
    if not 1 <= level <= len(ladder):
        raise BadOption(f"{rules.game.title} has no level {level}; hint: 1 to {len(ladder)}")
    return ladder[level - 1]
