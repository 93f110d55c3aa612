"""A Scene in characters, drawn as the Hexbo sheet draws its figures; colours are optional ANSI codes.

The last move stands in > <, highlighted points in ( ), and side by side such signs meet in one |.

>>> from hedgerow.boards import hexhex
>>> from hedgerow.scene import Mark
>>> board = hexhex(3)
>>> scene = Scene(board, (Mark(9, 0), Mark(10, 1, glyph="O")), "", "", ("Black", "White"), last=(9,))
>>> print(text(scene))
  e- . . . -3
 d- . . . . -4
c- . .>#<O . -5
 b- . . . . -4
  a- . . . -3
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple

from hedgerow.boards import Board
from hedgerow.draw.labels import around, columns_of
from hedgerow.draw.themes import SEAT_CODES
from hedgerow.scene import Scene

CLAIMED = "+=~:^&"
"""What stands on an empty point claimed by each seat."""
Spot = tuple[int, int]
"""A line and a column of the page; either may be negative before all of it is known."""


def text(scene: Scene, labels: bool = True, color: bool = False) -> str:
    """The board in characters, then the trays; without labels only the points of the board."""
    ground = _ground(scene.board, scene.divide, labels)
    rows = [list(row) for row in ground.rows]
    for point, seat in scene.claimed:
        ground.write(rows, point, _coloured(CLAIMED[seat], SEAT_CODES[seat] if color else ""))
    for mark in scene.marks:
        ground.write(rows, mark.point, _coloured(mark.glyph, f"1;{SEAT_CODES[mark.seat]}" if color else ""))
    _draw_signs(rows, ground, scene)
    left = min(row.index(next(char for char in row if char != " ")) for row in rows)
    notes = [*(_legend(scene) if labels else ()), *_trays(scene)]
    return "\n".join([*("".join(row[left:]).rstrip() for row in rows), *([""] if notes else []), *notes])


def _coloured(char: str, code: str) -> str:
    return f"\x1b[{code}m{char}\x1b[0m" if code else char


def _draw_signs(rows: list[list[str]], ground: _Ground, scene: Scene) -> None:
    """The signs left and right of the last move's pieces and of the highlights."""
    standing = {mark.point for mark in scene.marks}
    signs = {point: "><" for point in scene.last if point in standing} | dict.fromkeys(scene.highlights, "()")
    for point, pair in sorted(signs.items()):
        ground.write(rows, point, "|" if ground.read(rows, point, -1) != " " else pair[0], -1)
        ground.write(rows, point, pair[1], 1)


# --- the empty board, which is drawn once -----------------------------------------------------------------------------


class _Ground(NamedTuple):
    """An empty board with its labels: rows of characters with room for a sign at both ends; where its points are."""

    rows: tuple[tuple[str, ...], ...]
    spots: tuple[Spot, ...]
    """The row and the place in it of every point."""

    def write(self, rows: list[list[str]], point: int, char: str, aside: int = 0) -> None:
        """Puts a character on a point, or beside it."""
        row, place = self.spots[point]
        rows[row][place + aside] = char

    def read(self, rows: list[list[str]], point: int, aside: int) -> str:
        """What stands beside a point."""
        row, place = self.spots[point]
        return rows[row][place + aside]


@lru_cache(maxsize=128)
def _ground(board: Board, divide: int, labels: bool) -> _Ground:
    spots = [_at(board, divide, *cell) for cell in board.cells]
    chars = dict.fromkeys(spots, ".")
    if divide:
        _write(chars, (divide, 0), "-" * (2 * board.width - 1))
    if labels:
        _draw_labels(chars, board, divide)
    lines, columns = [line for line, _ in chars], [column for _, column in chars]
    top, left = min(lines), min(columns) - 1
    across, down = range(left, max(columns) + 2), range(top, max(lines) + 1)
    rows = tuple(tuple(chars.get((line, column), " ") for column in across) for line in down)
    return _Ground(rows, tuple((line - top, column - left) for line, column in spots))


def _write(chars: dict[Spot, str], at: Spot, words: str) -> None:
    line, column = at
    chars.update({(line, column + offset): char for offset, char in enumerate(words)})


def _at(board: Board, divide: int, row: int, column: int) -> Spot:
    """Line and column of the page: two characters a point, half a point to the left per row of a triangular grid."""
    line = row + (0 < divide <= row)
    return line, 2 * column - (0 if board.kind == "square" else row)


def _draw_labels(chars: dict[Spot, str], board: Board, divide: int) -> None:
    labels = around(board)
    for row, (points, head) in enumerate(zip(board.rows, labels.rows)):
        line, column = _at(board, divide, *board.cells[points[0]])
        _write(chars, (line, column - len(head) - 2), f"{head}-")
        if labels.ends:
            _write(chars, (line, column + 2 * len(points)), f"-{labels.ends[row]}")
    for column_points, head in zip(columns_of(board), labels.columns):
        for at, char in _column_label(board, divide, column_points, head, labels.from_top):
            _write(chars, at, char)


def _column_label(
    board: Board, divide: int, points: list[int], head: str, from_top: bool
) -> Iterator[tuple[Spot, str]]:
    """Over a leaning column a slash leads to the number; over an upright one its digits are stacked."""
    row, column = board.cells[points[0 if from_top else -1]]
    if board.kind != "square":
        yield _at(board, divide, row - 1, column), "/"
        yield _at(board, divide, row - 2, column), head
        return
    first = row - len(head) if from_top else row + 1
    for offset, char in enumerate(head):
        yield _at(board, divide, first + offset, column), char


# --- what stands below ------------------------------------------------------------------------------------------------


def _legend(scene: Scene) -> list[str]:
    owners = sorted({seat for _, seat in scene.claimed})
    return [", ".join(f"{CLAIMED[seat]} claimed by {scene.seats[seat]}" for seat in owners)] if owners else []


def _trays(scene: Scene) -> list[str]:
    """One line a seat: "Dark: 1 maple, 25 undergrowth"."""
    return [
        f"{scene.seats[seat]}: " + ", ".join(f"{tray.count} {tray.kind}" for tray in trays)
        for seat, trays in groupby(sorted(scene.trays, key=lambda tray: tray.seat), key=lambda tray: tray.seat)
    ]
