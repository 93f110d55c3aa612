"""Tanbo: the first stones of every size, and that they are fair."""

from __future__ import annotations

from typing import Any

import pytest

import hedgerow as hg

STARTS = {  # RULES 1.3
    19: ("A1 A13 G7 G19 N1 N13 T7 T19", "A7 A19 G1 G13 N7 N19 T1 T13"),
    13: ("A1 A9 E5 E13 J1 J9 N5 N13", "A5 A13 E1 E9 J5 J13 N1 N9"),
    9: ("B2 H8", "B8 H2"),
}


@pytest.mark.parametrize("size", STARTS)
def test_first_stones(size: int) -> None:
    match = hg.Match(f"tanbo(size={size})")
    assert match.cells() == {point: str(seat) for seat, names in enumerate(STARTS[size]) for point in names.split()}
    assert match.to_move == 0 and match.outcome is None


@pytest.mark.parametrize("size", STARTS)
def test_a_quarter_turn_swaps_the_colours(size: int) -> None:
    rules: Any = hg.make(f"tanbo(size={size})")
    quarter = next(s for s in rules.symmetries if s.directions == (2, 3, 4, 5, 6, 7, 0, 1))
    start = rules.start()
    assert rules.turned(start, quarter).board == start.board.translate(bytes.maketrans(b"\1\2", b"\2\1"))


def test_points_are_named_by_row_and_column() -> None:
    names = hg.make("tanbo").board.names
    assert (names[0], names[18], names[-1]) == ("A1", "A19", "T19")
    assert "I1" not in names and len(names) == 361
