"""The player for the meantime: it plays whole legal games of every kind, and stops when there is nothing to gain."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest

import hedgerow as hg
from hedgerow.game import Rules
from hedgerow.games import games
from hedgerow.search import meantime

SMALL = {"hexbo": "hexbo(side=5)", "tanbo": "tanbo(size=9)", "root_bound": "root_bound(side=5)"}


@pytest.mark.parametrize("name", games())
def test_its_games_end(name: str) -> None:
    match, chance = hg.Match(SMALL.get(name, name)), random.Random(3)
    while match.outcome is None:
        match.play(meantime.play(match, 0.002, chance))
        assert len(match.turns) < 400
    assert match.outcome.winners or set(match.outcome.places) == {1}, "somebody wins, or all share the first place"


def test_late_it_passes_exactly_when_nothing_raises_its_score() -> None:
    chosen = {"pass": 0, "a gain": 0}
    rules = hg.make("root_bound(side=5)")
    for position in late_positions(rules, games=6):
        gains = list(meantime.gains(rules, position, rules.legal(position)))
        action = meantime.choose(rules, position, 0.001, random.Random(1))
        assert action in gains if gains else action == rules.actions.extra(0)
        chosen["a gain" if gains else "pass"] += 1
    assert min(chosen.values()) > 3, chosen


def late_positions(rules: Rules[Any], games: int) -> Iterator[Any]:
    """Positions of random games, the same every time: most points have owners, and a pass is one choice of several."""
    for seed in range(games):
        position, chance = rules.start(), random.Random(seed)
        while rules.outcome(position) is None:
            legal = rules.legal(position)
            if len(legal) > 1 and not rules.mid_turn(position) and meantime.is_late(rules, position):
                yield position
            position = rules.play(position, chance.choice(legal))


def test_it_goes_on_while_the_board_is_open() -> None:
    match = hg.Match("root_bound(side=5)")
    match.play("e5 c3 g2 a1 i5 pass")
    for seed in range(20):
        assert meantime.play(match, 0.001, random.Random(seed)) != "pass"
