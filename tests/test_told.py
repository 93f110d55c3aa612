"""What a turn did, in words: whoever reads it, whatever the game, and nothing that left the board is left out."""

from __future__ import annotations

import random

import pytest

import hedgerow as hg
from hedgerow.told import told

DIES = (
    "B1 A8 H9 B9 A1 G2 G8 A7 F8 G3 C1 C9 D1 D9 J8 G1 F7 G4 H7 F1 H6 D8 E8 D7 H5 H4 G6 E7 F9 D6 B3 A6",
    "J6",
)
"""A game of Tanbo on nine lines until Black may kill a root of Black's own, and the turn that does."""


@pytest.mark.parametrize(
    "name", ["hexbo(side=5,players=3)", "tanbo(size=9)", "root_bound(side=4)", "rootbound(side=4)", *hg.games()[1:4:2]]
)
def test_whatever_leaves_the_board_is_told(name: str) -> None:
    match, chance = hg.Match(name), random.Random(7)
    while not match.outcome and len(match.turns) < 120:
        before, mover = match.cells(), match.to_move
        match.play(chance.choice(match.legal()))
        if match.mid_turn:
            before |= match.cells()
            continue
        found = told(match)
        assert found is not None and found.seat == mover and "{" not in found.words(you=mover)
        pressed = match.last_turn.replace("-", " ").split()
        assert set(found.removed) >= {point for point in before if point not in match.cells()} - set(pressed)
        words = found.words(few=len(match.rules.board))
        assert all(point in words for point in found.removed)
        assert ("ou" in found.words(you=mover)) and "You" not in words and "your" not in words


def test_a_root_that_one_kills_oneself() -> None:
    match = hg.Match("tanbo(size=9)")
    match.play(" ".join(DIES))
    found = told(match)
    assert found is not None and len(found.removed) == 13
    assert found.words(you=0) == "Your J6 left your root nowhere to grow: 13 stones died."
    assert found.words() == "Black's J6 left Black's root nowhere to grow: 13 stones died."
    assert found.words(("Ann", "Bo"), you=1).startswith("Ann's J6 left Ann's root")


def test_who_cannot_place_is_passed_over_and_who_is_out_is_told() -> None:
    said: list[str] = []
    for name, seed in (("rootbound(side=4)", 0), ("hexbo(side=5,players=3)", 1)):
        match, chance = hg.Match(name), random.Random(seed)
        while not match.outcome:
            match.play(chance.choice(match.legal()))
            said += [found.words(you=1)] if not match.mid_turn and (found := told(match)) else []
    assert any("passed over." in words for words in said) and any(" out." in words for words in said)


def test_passing_claiming_and_leaving() -> None:
    match = hg.Match("root_bound(side=4)")
    assert told(match) is None
    match.play("a1 c3 g2 d4 b5 pass")
    assert told(match).words(you=1) == "You passed." and told(match).words() == "White passed."  # type: ignore[union-attr]
    match.resign(0)
    assert told(match) is None
