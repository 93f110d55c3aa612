"""The player for the meantime: it plays whole legal games of every kind, and stops when there is nothing to gain."""

from __future__ import annotations

import random

import pytest

import hedgerow as hg
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


def test_it_passes_only_when_nothing_raises_its_score() -> None:
    passes = 0
    for seed in range(4):
        match, chance = hg.Match("root_bound(side=5)"), random.Random(seed)
        while match.outcome is None:
            rules, position = match.rules, match.plain
            turn = meantime.play(match, 0.002, chance)
            if turn == "pass" and len(rules.legal(position)) > 1:
                passes += 1
                assert list(meantime.gains(rules, position, rules.legal(position))) == []
            match.play(turn)
    assert passes


def test_it_goes_on_while_the_board_is_open() -> None:
    match = hg.Match("root_bound(side=5)")
    match.play("e5 c3 g2 a1 i5 pass")
    for seed in range(20):
        assert meantime.play(match, 0.001, random.Random(seed)) != "pass"
