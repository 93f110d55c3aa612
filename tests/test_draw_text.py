"""The drawings in characters, against the rule sheet's own pictures."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from hedgerow.boards import Board, centerless, hexhex, square
from hedgerow.draw import text
from hedgerow.draw.themes import SEAT_CODES
from hedgerow.scene import Mark, Scene, Tray

GLYPHS = "#OX@*%"
SEATS = ("Black", "White", "Red", "Blue", "Green", "Yellow")


def stones(board: Board, rows: str, **more: object) -> Scene:
    """The scene of stones written row by row."""
    written = rows.replace("/", "")
    assert len(written) == len(board)
    marks = tuple(Mark(p, GLYPHS.index(g), "stone", g) for p, g in enumerate(written) if g != ".")
    return replace(Scene(board, marks, "A game", "A position.", SEATS[:2]), **more)  # type: ignore[arg-type]


def points(board: Board, names: str) -> tuple[int, ...]:
    return tuple(board.point[name] for name in names.split())


FIGURE_A = """
              1 2 3 4 5 6 7 8 9 10
             / / / / / / / / / / 11
         A- # . . . . . . . . O / 12
        B- . . . . . . . . . . . / 13
       C- . . . . . . . . . . . . / 14
      D- . . . . . . . . . . . . . / 15
     E- . . . . O . . . . # . . . . / 16
    F- . . . . . . . . . . . . . . . / 17
   G- . . . . . . . . . . . . . . . . / 18
  H- . . . . . . . . . . . . . . . . . / 19
 J- . . . . . . . . . . . . . . . . . . /
K- O . . . # . . . . . . . . . O . . . #
 L- . . . . . . . . . . . . . . . . . .
  M- . . . . . . . . . . . . . . . . .
   N- . . . . . . . . . . . . . . . .
    O- . . . . . . . . . . . . . . .
     P- . . . . O . . . . # . . . .
      Q- . . . . . . . . . . . . .
       R- . . . . . . . . . . . .
        S- . . . . . . . . . . .
         T- # . . . . . . . . O"""

FIGURE_B = """
              1 2 3 4 5 6 7 8 9 10
             / / / / / / / / / / 11
         A- # . . . . . . . . O / 12
        B- . # . . . . . . # O . / 13
       C- . . # O O O . # # . O . / 14
      D- . . # O . . . # . # . . . / 15
     E- . . # . O O . # . # . . . . / 16
    F- . . # . O . O O . # . . . . . / 17
   G- # # # . . . . . . # . . . . . . / 18
  H- . O O O O . . . .>#<. . . . . . . / 19
 J- . O . . # O . . . . . . . . . . . . /
K- O O . . # . . . . . . . . . O . . . #
 L- . . . . . . . . . . . . . . . . . .
  M- . . . . . . . . . . . . . . . . .
   N- . . . . . . . . . . . . . . . .
    O- . . . . . . . . . . . . . . .
     P- . . . . O . . . . # . . . .
      Q- . . . . . . . . . . . . .
       R- . . . . . . . . . . . .
        S- . . . . . . . . . . .
         T- # . . . . . . . . O"""

FIGURE_G = """
         1 2 3 4 5
        / / / / / 6
    A- . . . O . / 7
   B- . # # # O O / 8
  C- O # . . O . # / 9
 D- O . . . # . . # /
E- . O O . . # # # .
 F- O # O . # . . #
  G- . # . O . O O
   H- . # # O O .
    J->#<. O . ."""

PREFACE_HEXBO = """
    . . . . .
   . # . . O .
  . . . . . . .
 . . . . . . . .
. O . . . . . # .
 . . . . . . . .
  . . . . . . .
   . # . . O .
    . . . . ."""

PREFACE_TANBO = """
. . . . . . . . .
. # . . . . . O .
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
. O . . . . . # .
. . . . . . . . ."""


def read_drawing(board: Board, drawing: str, last: str = "") -> Scene:
    """The stones of a drawing by the names that its own labels give them, so that a wrong name shows.

    Row letters stand at the left; a point's number is at the upper right end of the slash line through it.
    """
    lines = drawing.strip("\n").split("\n")
    number_at = {(0, m.start()): int(m[0]) for m in re.finditer(r"\d+", lines[0])}
    number_at |= {(i, m.start(1)): int(m[1]) for i, line in enumerate(lines) if (m := re.search(r"/ (\d+)$", line))}
    marks = []
    for down, line in enumerate(lines):
        for found in re.finditer(r"[#O](?!-)", line):
            if line.lstrip().startswith(("/", "1")) or found.start() < line.index("-"):
                continue
            number = next(
                number_at[down - k, found.start() + k] for k in range(99) if (down - k, found.start() + k) in number_at
            )
            glyph = found[0]
            marks.append(Mark(board.point[f"{line.strip()[0]}{number}"], GLYPHS.index(glyph), "stone", glyph))
    return Scene(board, tuple(marks), "Hexbo", "", SEATS[:2], last=points(board, last))


@pytest.mark.parametrize(
    ("side", "drawing", "last", "count"), [(10, FIGURE_A, "", 12), (10, FIGURE_B, "H10", 47), (5, FIGURE_G, "J5", 33)]
)
def test_hexbo_is_drawn_as_on_the_sheet(side: int, drawing: str, last: str, count: int) -> None:
    scene = read_drawing(hexhex(side, names="diagonals"), drawing, last)
    assert len(scene.marks) == count
    assert text(scene) == drawing.strip("\n")


def test_the_preface_has_no_labels() -> None:
    hexbo = stones(
        hexhex(5, names="diagonals"), "...../.#..O./......./......../.O.....#./......../......./.#..O./....."
    )
    assert text(hexbo, labels=False) == PREFACE_HEXBO.strip("\n")
    nine = "........."
    tanbo = stones(square(9, names="lines"), "/".join([nine, ".#.....O.", *[nine] * 5, ".O.....#.", nine]))
    assert text(tanbo, labels=False) == PREFACE_TANBO.strip("\n")


def test_tanbo_numbers_of_two_digits_are_stacked() -> None:
    board = square(11, names="lines")
    scene = stones(board, "#.........O" + "." * 110, last=points(board, "A11 C3"))
    assert text(scene).split("\n")[:4] == [
        "                     1 1",
        "   1 2 3 4 5 6 7 8 9 0 1",
        "A- # . . . . . . . . .>O<",
        "B- . . . . . . . . . . .",
    ]


def test_root_bound_rows_end_with_their_last_number() -> None:
    board = hexhex(3)
    scene = stones(
        board,
        ".../#.O./##..O/.#.O/...",
        claimed=((board.point["a1"], 0), (board.point["a3"], 1)),
        last=points(board, "c1 c2 e1"),
        highlights=points(board, "d3 a2"),
    )
    assert text(scene).split("\n") == [
        "  e- . . . -3",
        " d- # .(O). -4",
        "c->#|#<. . O -5",
        " b- . # . O -4",
        "  a- +(.)= -3",
        "",
        "+ claimed by Black, = claimed by White",
    ]
    assert "claimed" not in text(scene, labels=False)


def test_centerless_rows_end_with_their_last_number() -> None:
    lines = text(stones(centerless(3), "#../..../...../....../...../...O")).split("\n")
    assert lines == [
        "   f- # . . -3",
        "  e- . . . . -4",
        " d- . . . . . -5",
        "c- . . . . . . -6",
        " b- . . . . . -5",
        "  a- . . . O -4",
    ]


def test_squares_have_ranks_files_a_divide_and_trays() -> None:
    board = square(10, squares=True)
    marks = (Mark(board.point["a10"], 1, "maple", "m"), Mark(board.point["j1"], 0, "oak", "O"))
    trays = (Tray(0, "birch", 5), Tray(1, "oak", 3), Tray(0, "undergrowth", 25))
    scene = Scene(board, marks, "", "", ("Dark", "Light"), divide=5, trays=trays, last=points(board, "j1"))
    lines = text(scene).split("\n")
    assert lines[0] == "10- m . . . . . . . . ."
    assert lines[4:7] == [" 6- . . . . . . . . . .", "    -------------------", " 5- . . . . . . . . . ."]
    assert lines[10:] == [
        " 1- . . . . . . . . .>O<",
        "    a b c d e f g h i j",
        "",
        "Dark: 5 birch, 25 undergrowth",
        "Light: 3 oak",
    ]


def test_colours_change_nothing_but_colours() -> None:
    scene = stones(hexhex(3), "#OX/@*%./...../..../...", seats=SEATS, claimed=((18, 1),))
    painted = text(scene, color=True)
    assert re.sub(r"\x1b\[[\d;]*m", "", painted) == text(scene)
    for seat, glyph in enumerate(GLYPHS):
        assert f"\x1b[1;{SEAT_CODES[seat]}m{glyph}\x1b[0m" in painted
    assert f"\x1b[{SEAT_CODES[1]}m=\x1b[0m" in painted
    assert len(set(SEAT_CODES)) == 6
