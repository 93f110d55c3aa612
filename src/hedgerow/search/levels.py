"""What was measured about each game: how its search weighs things best, and its ladder of levels."""

from __future__ import annotations

from typing import Any

from hedgerow.game import BadOption, Rules
from hedgerow.search.knobs import Knobs

KNOBS = {
    "hexbo": Knobs(rave=300, explore=0.1),
    "tanbo": Knobs(rave=300, explore=0.1),
    "root_bound": Knobs(rave=300, explore=0.1, duel=2),
    "rootbound": Knobs(rave=300, explore=0.1, duel=2),
    "root_and_thorn": Knobs(rave=300, explore=0.2, duel=2),
}
"""The knobs that won their matches at equal time, by game (docs/search.md); Knobs() where nothing beat it."""

KIND = {"root_down": "alphabeta"}
"""The kind of player that plays a game best at equal time, where that is not `uct`."""

LADDERS = {
    "hexbo": (
        "uct(iterations=150,sight=0.2)",
        "uct(iterations=150,sight=0.5)",
        "uct(iterations=150,sight=0.94)",
        "uct(iterations=400)",
        "uct(iterations=1400)",
        "uct(iterations=5600)",
        "uct(iterations=22000)",
        "uct(iterations=90000)",
    ),
    "tanbo": (
        "uct(iterations=150,sight=0.18)",
        "uct(iterations=150,sight=0.3)",
        "uct(iterations=150,sight=0.54)",
        "uct(iterations=150,sight=0.82)",
        "uct(iterations=220)",
        "uct(iterations=490)",
        "uct(iterations=1400)",
        "uct(iterations=3200)",
        "uct(iterations=7500)",
        "uct(iterations=10500)",
    ),
    "root_bound": (
        "uct(iterations=150,sight=0.15)",
        "uct(iterations=150,sight=0.29)",
        "uct(iterations=150,sight=0.53)",
        "uct(iterations=150,sight=0.98)",
        "uct(iterations=270)",
        "uct(iterations=440)",
        "uct(iterations=760)",
        "uct(iterations=1500)",
        "uct(iterations=3400)",
        "uct(iterations=9000)",
        "uct(iterations=25000)",
        "uct(iterations=70000)",
    ),
    "rootbound": (
        "uct(iterations=150,sight=0.15)",
        "uct(iterations=150,sight=0.28)",
        "uct(iterations=150,sight=0.45)",
        "uct(iterations=150,sight=0.7)",
        "uct(iterations=200)",
        "uct(iterations=330)",
        "uct(iterations=650)",
        "uct(iterations=1400)",
        "uct(iterations=2600)",
        "uct(iterations=7000)",
        "uct(iterations=19000)",
        "uct(iterations=50000)",
    ),
    "root_and_thorn": (
        "uct(iterations=150,sight=0.1)",
        "uct(iterations=150,sight=0.41)",
        "uct(iterations=160)",
        "uct(iterations=580)",
        "uct(iterations=2600)",
        "uct(iterations=14000)",
    ),
    "root_down": (
        "alphabeta(plays=1000,sight=0.1)",
        "alphabeta(plays=1000,sight=0.22)",
        "alphabeta(plays=1000,sight=0.4)",
        "alphabeta(plays=1000,sight=0.74)",
        "alphabeta(plays=4000)",
        "alphabeta(plays=22000)",
        "alphabeta(plays=61000)",
        "alphabeta(plays=240000)",
        "alphabeta(plays=1500000)",
        "alphabeta(plays=9000000)",
    ),
}
"""The players that stand on the levels from 1, by game (docs/levels.md)."""

UNTRIED = (
    "uct(iterations=200,sight=0.1)",
    "uct(iterations=200,sight=0.3)",
    "uct(iterations=200)",
    "uct(iterations=800)",
    "uct(iterations=3000)",
    "uct(iterations=12000)",
)
"""For a game that nobody has measured yet."""


def knobs_for(rules: Rules[Any]) -> Knobs:
    """How to search this game."""
    return KNOBS.get(rules.game.name, Knobs())


def ladder_for(rules: Rules[Any]) -> tuple[str, ...]:
    """The players on the levels of this game, the gentlest first."""
    return LADDERS.get(rules.game.name, UNTRIED)


def level_for(rules: Rules[Any], level: int) -> str:
    """The name of the player that stands on a level of this game."""
    ladder = ladder_for(rules)
    if not 1 <= level <= len(ladder):
        raise BadOption(f"{rules.game.title} has no level {level}; hint: 1 to {len(ladder)}")
    return ladder[level - 1]
