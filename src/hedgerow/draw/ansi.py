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
from itertools import groupby

from hedgerow.draw.labels import around, columns_of
from hedgerow.draw.themes import SEAT_CODES
from hedgerow.scene import Scene

CLAIMED = "+=~:^&"
"""What stands on an empty point claimed by each seat."""


def text(scene: Scene, labels: bool = True, color: bool = False) -> str:
    """The board in characters, then the trays; without labels only the points of the board."""
    page = _Page()
    _draw_points(page, scene)
    _draw_signs(page, scene)
    _draw_divide(page, scene)
    if labels:
        _draw_labels(page, scene)
    notes = [*(_legend(scene) if labels else ()), *_trays(scene)]
    return "\n".join([*page.lines(color), *([""] if notes else []), *notes])


class _Page:
    """Characters by line and column, either of which may be negative, each with an ANSI code or none."""

    def __init__(self) -> None:
        self.chars: dict[tuple[int, int], tuple[str, str]] = {}

    def write(self, line: int, column: int, words: str, code: str = "") -> None:
        for offset, char in enumerate(words):
            self.chars[line, column + offset] = char, code

    def lines(self, color: bool) -> Iterator[str]:
        """Every line from the top, without blanks at its end."""
        left = min(column for _, column in self.chars)
        for line, columns in groupby(sorted(self.chars), key=lambda at: at[0]):
            inked = [column for _, column in columns]
            cells = [self.chars.get((line, column), (" ", "")) for column in range(left, inked[-1] + 1)]
            yield "".join(_coloured(char, code if color else "") for char, code in cells)


def _coloured(char: str, code: str) -> str:
    return f"\x1b[{code}m{char}\x1b[0m" if code else char


def _at(scene: Scene, row: int, column: int) -> tuple[int, int]:
    """Line and column of the page: two characters a point, half a point to the left per row of a triangular grid."""
    line = row + (0 < scene.divide <= row)
    return line, 2 * column - (0 if scene.board.kind == "square" else row)


def _draw_points(page: _Page, scene: Scene) -> None:
    shown = dict.fromkeys(range(len(scene.board)), (".", ""))
    shown |= {point: (CLAIMED[seat], SEAT_CODES[seat]) for point, seat in scene.claimed}
    shown |= {mark.point: (mark.glyph, f"1;{SEAT_CODES[mark.seat]}") for mark in scene.marks}
    for point, (glyph, code) in shown.items():
        page.write(*_at(scene, *scene.board.cells[point]), glyph, code)


def _draw_signs(page: _Page, scene: Scene) -> None:
    """The signs left and right of the last move's pieces and of the highlights."""
    standing = {mark.point for mark in scene.marks}
    signs = {point: "><" for point in scene.last if point in standing} | dict.fromkeys(scene.highlights, "()")
    for point, pair in sorted(signs.items()):
        line, column = _at(scene, *scene.board.cells[point])
        page.write(line, column - 1, "|" if (line, column - 1) in page.chars else pair[0])
        page.write(line, column + 1, pair[1])


def _draw_divide(page: _Page, scene: Scene) -> None:
    if scene.divide:
        page.write(scene.divide, 0, "-" * (2 * scene.board.width - 1))


def _draw_labels(page: _Page, scene: Scene) -> None:
    labels, board = around(scene.board), scene.board
    for row, (points, head) in enumerate(zip(board.rows, labels.rows)):
        line, column = _at(scene, *board.cells[points[0]])
        page.write(line, column - len(head) - 2, f"{head}-")
        if labels.ends:
            page.write(line, column + 2 * len(points), f"-{labels.ends[row]}")
    for column_points, head in zip(columns_of(board), labels.columns):
        _draw_column_label(page, scene, column_points, head, labels.from_top)


def _draw_column_label(page: _Page, scene: Scene, points: list[int], head: str, from_top: bool) -> None:
    """Over a leaning column a slash leads to the number; over an upright one its digits are stacked."""
    row, column = scene.board.cells[points[0 if from_top else -1]]
    if scene.board.kind != "square":
        page.write(*_at(scene, row - 1, column), "/")
        page.write(*_at(scene, row - 2, column), head)
        return
    first = row - len(head) if from_top else row + 1
    for offset, char in enumerate(head):
        page.write(*_at(scene, first + offset, column), char)


def _legend(scene: Scene) -> list[str]:
    owners = sorted({seat for _, seat in scene.claimed})
    return [", ".join(f"{CLAIMED[seat]} claimed by {scene.seats[seat]}" for seat in owners)] if owners else []


def _trays(scene: Scene) -> list[str]:
    """One line a seat: "Dark: 1 maple, 25 undergrowth"."""
    return [
        f"{scene.seats[seat]}: " + ", ".join(f"{tray.count} {tray.kind}" for tray in trays)
        for seat, trays in groupby(sorted(scene.trays, key=lambda tray: tray.seat), key=lambda tray: tray.seat)
    ]
