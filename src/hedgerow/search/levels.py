"""The players on the levels of a game, and how its search weighs things: what was measured about it."""

from __future__ import annotations

from typing import Any

from hedgerow.game import BadOption, Rules
from hedgerow.search.knobs import Knobs


def knobs_for(rules: Rules[Any]) -> Knobs:
    """How to search this game."""
    knobs: dict[str, Any] = dict(rules.game.measured.knobs)
    return Knobs()._replace(**knobs)


def ladder_for(rules: Rules[Any]) -> tuple[str, ...]:
    """The players on the levels of this game, the gentlest first; on some boards its network plays the highest."""
    measured = rules.game.measured
    highest = measured.net_levels.get(rules.name, ())
    return (*measured.ladder[: len(measured.ladder) - len(highest)], *highest)


def level_for(rules: Rules[Any], level: int) -> str:
    """The name of the player that stands on a level of this game."""
    ladder = ladder_for(rules)
    if not 1 <= level <= len(ladder):
        raise BadOption(f"{rules.game.title} has no level {level}; hint: 1 to {len(ladder)}")
    return ladder[level - 1]
