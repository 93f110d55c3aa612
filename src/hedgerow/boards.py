"""Boards: points, their neighbours, names both ways, drawing spots and symmetries.

A point is a number from 0, counted in reading order: top row first, each row from the left.

>>> board = hexhex(5, names="diagonals")
>>> board.names[0], board.names[-1], board.point["E8"]
('A1', 'J9', 33)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache, cached_property

LETTERS = "ABCDEFGHJKLMNOPQRSTUVWXYZ"  # no I, as on the Hexbo sheet
Step = tuple[int, int]

HEX_STEPS: tuple[Step, ...] = ((-1, -1), (-1, 0), (0, 1), (1, 1), (1, 0), (0, -1))
"""Six directions clockwise from upper left, as (row, column); the opposite of d is d + 3."""
KING_STEPS: tuple[Step, ...] = ((-1, 0), (-1, 1), (0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1))
"""Eight directions clockwise from north; the even ones are orthogonal, the opposite of d is d + 4."""


@dataclass(frozen=True)
class Symmetry:
    """A turn or mirror image: point p goes to `points[p]`, direction d to `directions[d]`."""

    points: tuple[int, ...]
    directions: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Board:
    """A fixed set of points; `cells[p]` is p's (row, column) in a `height` x `width` grid."""

    kind: str
    size: int
    names: tuple[str, ...]
    cells: tuple[Step, ...]
    directions: tuple[Step, ...]
    squares: bool = False
    """Pieces stand in squares rather than on the crossings of lines."""

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def height(self) -> int:
        return 1 + max(row for row, _ in self.cells)

    @cached_property
    def width(self) -> int:
        return 1 + max(column for _, column in self.cells)

    @cached_property
    def point(self) -> dict[str, int]:
        """From a name to its point."""
        return {name: point for point, name in enumerate(self.names)}

    @cached_property
    def rows(self) -> tuple[tuple[int, ...], ...]:
        """The points of every row, top to bottom, each from the left."""
        rows: list[list[int]] = [[] for _ in range(self.height)]
        for point, (row, _) in enumerate(self.cells):
            rows[row].append(point)
        return tuple(tuple(row) for row in rows)

    @cached_property
    def steps(self) -> tuple[tuple[int, ...], ...]:
        """For every point, the point one step away in each direction, or -1 off the board."""
        at = {cell: point for point, cell in enumerate(self.cells)}
        return tuple(
            tuple(at.get((row + down, column + right), -1) for down, right in self.directions)
            for row, column in self.cells
        )

    @cached_property
    def neighbours(self) -> tuple[tuple[int, ...], ...]:
        """For every point, its neighbours: along the lines of the board, so never diagonal on a square one."""
        stride = 2 if self.kind == "square" else 1
        return tuple(tuple(q for q in steps[::stride] if q >= 0) for steps in self.steps)

    @cached_property
    def spots(self) -> tuple[tuple[float, float], ...]:
        """Where to draw every point: (right, down) from the middle, neighbours one apart."""
        raw = [self._spot(row, column) for row, column in self.cells]
        middle_x = sum(x for x, _ in raw) / len(raw)
        middle_y = sum(y for _, y in raw) / len(raw)
        return tuple((x - middle_x, y - middle_y) for x, y in raw)

    def _spot(self, row: int, column: int) -> tuple[float, float]:
        if self.kind == "square":
            return float(column), float(row)
        return column - row / 2, row * math.sqrt(3) / 2

    @cached_property
    def symmetries(self) -> tuple[Symmetry, ...]:
        """Every turn and mirror image of the board onto itself, the identity first."""
        count = 4 if self.kind == "square" else 6
        turns = [_turn(2 * math.pi * k / count, mirror) for mirror in (False, True) for k in range(count)]
        return tuple(symmetry for turn in turns if (symmetry := self._symmetry(turn)))

    def _symmetry(self, turn: Callable[[float, float], tuple[float, float]]) -> Symmetry | None:
        at = {_rounded(x, y): point for point, (x, y) in enumerate(self.spots)}
        points = tuple(at.get(_rounded(*turn(x, y)), -1) for x, y in self.spots)
        if -1 in points:
            return None
        ways = {_rounded(*self._spot(*step)): d for d, step in enumerate(self.directions)}
        directions = tuple(ways[_rounded(*turn(*self._spot(*step)))] for step in self.directions)
        return Symmetry(points, directions)


def _rounded(x: float, y: float) -> Step:
    return round(x * 1000), round(y * 1000)


def _turn(angle: float, mirror: bool) -> Callable[[float, float], tuple[float, float]]:
    """A turn about the middle, after a left-right mirror where asked."""
    cos, sin, flip = math.cos(angle), math.sin(angle), -1 if mirror else 1
    return lambda x, y: (cos * flip * x - sin * y, sin * flip * x + cos * y)


@cache
def hexhex(side: int, *, names: str = "rows") -> Board:
    """A hexagon with `side` points a side.

    `names="diagonals"`: row letter from the top, then the number of the "/" diagonal (Hexbo: J5).
    `names="rows"`: row letter from the bottom, then the number from the left of the row (Root Bound: c4).

    >>> hexhex(7).names[-1], hexhex(7).names[0]
    ('a7', 'm1')
    """
    cells = tuple(
        (row, column)
        for row in range(2 * side - 1)
        for column in range(max(0, row - side + 1), min(2 * side - 2, side - 1 + row) + 1)
    )
    spelled = _diagonal_names(cells) if names == "diagonals" else _row_names(cells)
    return Board("hexhex", side, spelled, cells, HEX_STEPS)


@cache
def centerless(side: int) -> Board:
    """A hexagon whose sides alternate `side + 1` (the bottom row) and `side` (the top row): its middle is a triangle.

    >>> [len(row) for row in centerless(3).rows]
    [3, 4, 5, 6, 5, 4]
    """
    cells = tuple(
        (row, column)
        for row in range(2 * side)
        for column in range(max(0, row - side), min(2 * side - 1, side - 1 + row) + 1)
    )
    return Board("centerless", side, _row_names(cells), cells, HEX_STEPS)


@cache
def square(size: int, *, names: str = "files", squares: bool = False) -> Board:
    """A `size` x `size` board.

    `names="files"`: file letter from the left, rank from the bottom (b2).
    `names="lines"`: row letter from the top without I, number from the left (Tanbo: J5).

    >>> square(8).names[0], square(9, names="lines").names[-1]
    ('a8', 'J9')
    """
    cells = tuple((row, column) for row in range(size) for column in range(size))
    spelled = (
        tuple(f"{LETTERS[row]}{column + 1}" for row, column in cells)
        if names == "lines"
        else tuple(f"{chr(97 + column)}{size - row}" for row, column in cells)
    )
    return Board("square", size, spelled, cells, KING_STEPS, squares)


def _diagonal_names(cells: Iterable[Step]) -> tuple[str, ...]:
    return tuple(f"{LETTERS[row]}{column + 1}" for row, column in cells)


def _row_names(cells: tuple[Step, ...]) -> tuple[str, ...]:
    bottom = max(row for row, _ in cells)
    first = {row: min(c for r, c in cells if r == row) for row in range(bottom + 1)}
    return tuple(f"{chr(97 + bottom - row)}{column - first[row] + 1}" for row, column in cells)
