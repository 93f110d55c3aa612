"""Boards: names both ways, neighbours, lines, symmetries."""

from __future__ import annotations

import pytest

from hedgerow.boards import Board, centerless, hexhex, square

BOARDS = [
    *[hexhex(side) for side in range(3, 11)],
    hexhex(5, names="diagonals"),
    hexhex(10, names="diagonals"),
    *[centerless(side) for side in range(3, 10)],
    square(8),
    square(10),
    *[square(size, names="lines") for size in (9, 13, 19)],
]
every_board = pytest.mark.parametrize("board", BOARDS, ids=lambda b: f"{b.kind}{b.size}{b.names[0]}")


@every_board
def test_names_go_both_ways(board: Board) -> None:
    assert len(set(board.names)) == len(board) == len(board.cells)
    assert [board.point[name] for name in board.names] == list(range(len(board)))
    assert [point for row in board.rows for point in row] == list(range(len(board)))


@every_board
def test_steps_lead_back(board: Board) -> None:
    half = len(board.directions) // 2
    for point in range(len(board)):
        for direction, other in enumerate(board.steps[point]):
            assert other < 0 or board.steps[other][(direction + half) % (2 * half)] == point


@every_board
def test_neighbours_are_one_apart(board: Board) -> None:
    for point, (x, y) in enumerate(board.spots):
        near = {q for q, (u, v) in enumerate(board.spots) if 0.9 < ((x - u) ** 2 + (y - v) ** 2) ** 0.5 < 1.1}
        assert set(board.neighbours[point]) == near


@every_board
def test_symmetries_keep_neighbours_and_directions(board: Board) -> None:
    count = {"hexhex": 12, "centerless": 6, "square": 8}[board.kind]
    assert len({s.points for s in board.symmetries}) == len(board.symmetries) == count
    assert board.symmetries[0].points == tuple(range(len(board)))
    for symmetry in board.symmetries:
        for point in range(len(board)):
            for direction, other in enumerate(board.steps[point]):
                image = board.steps[symmetry.points[point]][symmetry.directions[direction]]
                assert image == (symmetry.points[other] if other >= 0 else -1)


def around(board: Board, name: str) -> set[str]:
    return {board.names[q] for q in board.neighbours[board.point[name]]}


def test_hexbo_names() -> None:
    board = hexhex(10, names="diagonals")
    assert len(board) == 271
    assert "".join(board.names[row[0]][0] for row in board.rows) == "ABCDEFGHJKLMNOPQRST"
    assert [board.names[row[0]] for row in board.rows[9:12]] == ["K1", "L2", "M3"]
    assert board.names[board.rows[-1][0]] == "T10" and board.names[-1] == "T19"
    assert around(board, "D5") == {"D4", "D6", "E5", "E6", "C5", "C4"}
    assert around(board, "T15") == {"T14", "T16", "S15", "S14"}
    assert hexhex(5, names="diagonals").names[-5:] == ("J5", "J6", "J7", "J8", "J9")


def test_root_bound_names() -> None:
    board = hexhex(7)
    assert len(board) == 127
    assert around(board, "a1") == {"a2", "b1", "b2"}
    assert around(board, "a3") == {"a2", "a4", "b3", "b4"}
    assert around(board, "m1") == {"m2", "l1", "l2"}


def test_centerless_boards() -> None:
    board = centerless(6)
    assert len(board) == 108 and len(centerless(4)) == 48
    assert [len(row) for row in board.rows] == [6, 7, 8, 9, 10, 11, 12, 11, 10, 9, 8, 7]
    assert board.names[0] == "l1" and board.names[5] == "l6"
    assert board.names[-7] == "a1" and board.names[-1] == "a7"
    assert around(board, "a1") == {"a2", "b1", "b2"}


def test_square_names() -> None:
    assert square(8).names[0] == "a8" and square(8).names[-1] == "h1"
    assert around(square(10), "a10") == {"a9", "b10"}
    assert square(19, names="lines").names[-1] == "T19"
