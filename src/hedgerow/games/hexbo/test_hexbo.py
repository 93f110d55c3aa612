"""Hexbo: the first stones for every board and number of players, and that they are fair."""

from __future__ import annotations

from typing import Any

import pytest

import hedgerow as hg

STARTS = {  # RULES 1.3
    (10, 2): ("A1 E10 K5 K19 P15 T10", "A10 E5 K1 K15 P10 T19"),
    (10, 3): ("A1 T19 K5 K15", "A10 T10 E5 P15", "K19 K1 E10 P10"),
    (10, 6): ("A1 P15", "A10 P10", "K19 K5", "T19 E5", "T10 E10", "K1 K15"),
    (5, 2): ("B2 E8 H5", "B5 E2 H8"),
    (5, 3): ("B2 H8", "B5 H5", "E8 E2"),
    (5, 6): ("B2", "B5", "E8", "H8", "H5", "E2"),
}
EVERY_START = pytest.mark.parametrize(("side", "players"), STARTS)


@EVERY_START
def test_first_stones(side: int, players: int) -> None:
    match = hg.Match(f"hexbo(side={side},players={players})")
    assert match.cells() == {
        point: str(seat) for seat, names in enumerate(STARTS[side, players]) for point in names.split()
    }
    assert match.to_move == 0 and match.outcome is None
    assert match.rules.seats == ("Black", "White", "Red", "Blue", "Green", "Yellow")[:players]


@EVERY_START
def test_a_turn_by_sixty_degrees_takes_each_seat_to_the_next(side: int, players: int) -> None:
    rules: Any = hg.make(f"hexbo(side={side},players={players})")
    clockwise = next(s for s in rules.symmetries if s.directions == (1, 2, 3, 4, 5, 0))
    start = rules.start()
    turned = rules.turned(start, clockwise).board
    assert bytes(1 + stone % players if stone else 0 for stone in turned) == start.board


def test_rows_of_the_lower_half_do_not_begin_with_1() -> None:
    rows = {side: [row[0] for row in hg.make(f"hexbo(side={side})").board.rows] for side in (10, 5)}
    names = {side: [hg.make(f"hexbo(side={side})").board.names[p] for p in rows[side]] for side in rows}
    assert names[10][9:12] == ["K1", "L2", "M3"] and names[10][-1] == "T10"
    assert names[5] == ["A1", "B1", "C1", "D1", "E1", "F2", "G3", "H4", "J5"]


def test_turns_go_round_the_seats() -> None:
    match = hg.Match("hexbo(side=5,players=6)")
    for seat, move in enumerate(("B1", "B4", "E7", "H7", "H6", "E3")):
        assert match.to_move == seat
        match.play(move)
    assert match.to_move == 0 and match.turns == ("B1", "B4", "E7", "H7", "H6", "E3")
