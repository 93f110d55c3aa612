"""A board in characters for a screen: where every point stands at a scale, and what is written where in which role.

The small scale is that of `draw.text`; larger ones have lines between the points and pieces of several characters.
Roles are names of the palette's colours, so that nothing here knows a terminal.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from hedgerow.boards import Board
from hedgerow.draw.ansi import CLAIMED
from hedgerow.draw.labels import around, columns_of
from hedgerow.scene import Scene


class Scale(NamedTuple):
    """How many columns and lines lie between neighbouring points."""

    across: int
    down: int


SCALES = (Scale(2, 1), Scale(4, 2), Scale(6, 3))
SQUARE_SCALES = (Scale(2, 1), Scale(5, 2), Scale(7, 3))
"""Squares are as wide as an odd number of characters, so that a piece stands in their middle."""
STONES, BARE_STONES = "●●■◆▲★", "●○■◆▲★"
"""What stands for each seat's stone in colour, and without."""


@dataclass(frozen=True)
class Marks:
    """What is shown on a board besides the position."""

    cursor: str = ""
    legal: frozenset[str] = frozenset()
    pressed: tuple[str, ...] = ()
    lit: tuple[str, ...] = ()
    area: frozenset[str] = frozenset()
    removed: tuple[str, ...] = ()
    """Where a piece has just been taken off, or would be."""
    changed: tuple[str, ...] = ()
    letters: Mapping[str, str] = field(default_factory=dict)
    """A sign to show on an empty point: the rank of a good turn, a distance."""


@dataclass(frozen=True)
class Glyphs:
    """How pieces are written: with signs for stones, or with the letters that records have."""

    stones: str = STONES
    empty: str = "·"
    legal: str = "∘"
    fancy: bool = True

    @staticmethod
    def plain() -> Glyphs:
        """For terminals that only know ASCII."""
        return Glyphs("", ".", "o", False)

    @staticmethod
    def bare() -> Glyphs:
        """For terminals without colours."""
        return Glyphs(BARE_STONES)


def scales_of(board: Board) -> tuple[Scale, ...]:
    """The scales that a board can be drawn at, the smallest first."""
    return SQUARE_SCALES if board.squares else SCALES


class Cell(NamedTuple):
    """One character: what is written, the role of its ink, and the role of its ground."""

    char: str
    ink: str
    ground: str


Spot = tuple[int, int]


@dataclass(frozen=True)
class Layout:
    """Where everything of a board stands, in lines and columns from the upper left corner of the picture."""

    scale: Scale
    spots: tuple[Spot, ...]
    labels: tuple[tuple[int, int, str], ...]
    width: int
    height: int

    def point_at(self, line: int, column: int) -> int | None:
        """The point nearest to a place, if it is near one."""
        across, down = self.scale

        def far(point: int) -> tuple[float, float]:
            its_line, its_column = self.spots[point]
            return abs(line - its_line) / down, abs(column - its_column) / across

        best = min(range(len(self.spots)), key=lambda point: sum(far(point)))
        return best if max(far(best)) <= 0.51 else None


@lru_cache(maxsize=64)
def layout_of(board: Board, scale: Scale, divide: int = 0, turned: bool = False) -> Layout:
    """The places of a board's points and of the labels round it."""
    raw = [_raw(board, scale, divide, row, column) for row, column in board.cells]
    if turned:
        bottom, right = max(line for line, _ in raw), max(column for _, column in raw)
        raw = [(bottom - line, right - column) for line, column in raw]
    labels = list(_labels(board, scale, raw, turned))
    margin, rise = max(scale.across // 2, 1), _rise(scale)
    left = min([column for _, column, _ in labels] + [column - margin for _, column in raw])
    top = min([line for line, _, _ in labels] + [line - rise for line, _ in raw])
    spots = tuple((line - top, column - left) for line, column in raw)
    placed = tuple((line - top, column - left, text) for line, column, text in labels)
    edges = [column + margin for _, column in spots] + [column + len(text) - 1 for _, column, text in placed]
    below = scale.down // 2 if board.squares else rise
    bottoms = [line + below for line, _ in spots] + [line for line, _, _ in placed]
    return Layout(scale, spots, placed, 1 + max(edges), 1 + max(bottoms))


def _rise(scale: Scale) -> int:
    """How many lines a piece needs above its own."""
    return scale.down // 3


def _raw(board: Board, scale: Scale, divide: int, row: int, column: int) -> Spot:
    line = row * scale.down + (scale.down == 1 and 0 < divide <= row)
    shift = 0 if board.kind == "square" else row * scale.across // 2
    return line, column * scale.across - shift


def _labels(board: Board, scale: Scale, raw: list[Spot], turned: bool) -> Iterable[tuple[int, int, str]]:
    labels = around(board)
    for row, (points, head) in enumerate(zip(board.rows, labels.rows)):
        line = raw[points[0]][0]
        columns = sorted(raw[point][1] for point in points)
        gap = max(2, scale.across // 2 + 1)
        yield line, columns[0] - gap - len(head) + 1 - (scale.across == 2), head
        if labels.ends:
            first, last = ("1", labels.ends[row])
            yield line, columns[-1] + gap + 1, first if turned else last
    for column_points, head in zip(columns_of(board), labels.columns):
        yield from _column_label(board, scale, raw, column_points, head, labels.from_top != turned)


def _column_label(
    board: Board, scale: Scale, raw: list[Spot], points: list[int], head: str, above: bool
) -> Iterable[tuple[int, int, str]]:
    """At the head of a column: straight over it, or where a leaning one would go on."""
    line, column = (min if above else max)(raw[point] for point in points)
    away = -1 if above else 1
    if board.kind == "square":
        if scale.across > 2 or len(head) == 1:
            beyond = 1 + (_rise(scale) if above or not board.squares else scale.down // 2)
            yield line + away * beyond, column - (len(head) - 1) // 2, head
        else:
            first = line - len(head) if above else line + 1
            yield from ((first + offset, column, char) for offset, char in enumerate(head))
        return
    half = scale.across // 2
    lean = -away * half  # a column leans like a slash: up is right
    if scale.down == 1:
        yield line + away, column + lean, "/"
        yield line + 2 * away, column + 2 * lean, head
    else:
        beyond = 1 + _rise(scale)
        yield line + away * beyond, column + lean * beyond // scale.down, head


# --- painting ---------------------------------------------------------------------------------------------------------


class Picture:
    """The characters of a drawn board."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.cells: dict[Spot, Cell] = {}

    def put(self, line: int, column: int, text: str, ink: str, ground: str | None = None) -> None:
        """Writes over what is there; without a ground, on the one that is there."""
        for offset, char in enumerate(text):
            at = line, column + offset
            under = self.cells[at].ground if at in self.cells else "screen"
            self.cells[at] = Cell(char, ink, under if ground is None else ground)

    def shade(self, line: int, column: int, width: int, ground: str) -> None:
        """Changes the ground under what is written."""
        for at in ((line, column + offset) for offset in range(width)):
            char, ink, _ = self.cells.get(at, Cell(" ", "line", ""))
            self.cells[at] = Cell(char, ink, ground)

    def line(self, number: int) -> list[Cell]:
        """The characters of one line, from the left."""
        blank = Cell(" ", "text", "screen")
        return [self.cells.get((number, column), blank) for column in range(self.layout.width)]

    def changed(self, before: Picture) -> set[int]:
        """The lines that differ from an earlier picture of the same layout."""
        cells, earlier = self.cells, before.cells
        return {at[0] for at in cells.keys() | earlier.keys() if cells.get(at) != earlier.get(at)}

    def text(self) -> str:
        """The picture without colours."""
        lines = ("".join(cell.char for cell in self.line(number)) for number in range(self.layout.height))
        return "\n".join(line.rstrip() for line in lines)


def painted(scene: Scene, layout: Layout, marks: Marks, glyphs: Glyphs) -> Picture:
    """The picture of a scene with its marks."""
    picture = Picture(layout)
    picture.cells = dict(_bare(scene.board, layout, scene.divide, glyphs))
    _claims(picture, scene)
    _points(picture, scene, marks, glyphs)
    _signs(picture, scene, marks)
    return picture


@lru_cache(maxsize=32)
def _bare(board: Board, layout: Layout, divide: int, glyphs: Glyphs) -> dict[Spot, Cell]:
    """The board without anything on it: its ground, lines and labels, which are the same all through a game."""
    picture = Picture(layout)
    _ground(picture, board)
    _divide(picture, board, divide)
    if layout.scale.down > 1:
        _lines(picture, board, glyphs)
    for line, column, text in layout.labels:
        picture.put(line, column, text, "label", "screen")
    return picture.cells


def _ground(picture: Picture, board: Board) -> None:
    """Wood under every point: a square each, or one surface."""
    scale = picture.layout.scale
    aside, rise = scale.across // 2, _rise(scale)
    lines = [line for line, _ in picture.layout.spots]
    first, last = min(lines), max(lines)
    for point, (line, column) in enumerate(picture.layout.spots):
        if board.squares:
            _square(picture, point, sum(board.cells[point]) % 2 == 1, "")
            continue
        for other in range(max(first - rise, line - scale.down + 1), min(last + rise, line + scale.down - 1) + 1):
            inside = first <= other <= last and board.kind != "square"
            reach = aside - abs(other - line) * aside // scale.down if inside else aside
            picture.shade(other, column - reach, 2 * reach + 1, "board")


def _square(picture: Picture, point: int, dark: bool, ground: str) -> None:
    """The whole square of a point in one colour."""
    (line, column), scale = picture.layout.spots[point], picture.layout.scale
    for down in range(scale.down):
        top = line - (scale.down - 1) // 2
        picture.shade(
            top + down, column - (scale.across - 1) // 2, scale.across, ground or ("square" if dark else "board")
        )


def _claims(picture: Picture, scene: Scene) -> None:
    """The ground of claimed points."""
    aside = picture.layout.scale.across // 2
    for point, seat in scene.claimed:
        line, column = picture.layout.spots[point]
        if scene.board.squares:
            _square(picture, point, False, f"claim-{seat}")
        else:
            picture.shade(line, column - aside + (aside > 1), 2 * aside + 1 - 2 * (aside > 1), f"claim-{seat}")


def _divide(picture: Picture, board: Board, divide: int) -> None:
    """The line across the board, where a game has one."""
    if not divide:
        return
    spots, down = picture.layout.spots, picture.layout.scale.down
    above, below = (spots[board.rows[row][0]][0] for row in (divide - 1, divide))
    row = board.rows[divide - 1]
    if down > 1:
        for column in range(*_across(picture, row)):
            picture.put(min(above, below) + down // 2, column, "▁", "divide")
    else:
        first, last = min(spots[point][1] for point in row), max(spots[point][1] for point in row)
        picture.put(min(above, below) + 1, first, "─" * (last - first + 1), "divide", "board")


def _across(picture: Picture, row: tuple[int, ...]) -> tuple[int, int]:
    """Where the squares of a row begin and end."""
    columns, half = [picture.layout.spots[point][1] for point in row], picture.layout.scale.across // 2
    return min(columns) - half, max(columns) + half + 1


def _lines(picture: Picture, board: Board, glyphs: Glyphs) -> None:
    """The lines between neighbours, where points are crossings."""
    if board.squares:
        return
    spots = picture.layout.spots
    upright, flat, rising, falling = "│─╱╲" if glyphs.fancy else "|-/\\"
    for point, others in enumerate(board.neighbours):
        line, column = spots[point]
        for other in others:
            to_line, to_column = spots[other]
            if to_line == line and to_column > column:
                picture.put(line, column + 1, flat * (to_column - column - 1), "line")
            elif to_line > line:
                steps = to_line - line
                for step in range(1, steps):
                    at = column + (to_column - column) * step / steps
                    sign = upright if to_column == column else falling if to_column > column else rising
                    picture.put(line + step, round(at), sign, "line")


def _points(picture: Picture, scene: Scene, marks: Marks, glyphs: Glyphs) -> None:
    names, spots = scene.board.names, picture.layout.spots
    claims, tile = dict(scene.claimed), scene.board.squares
    standing = {mark.point: mark for mark in scene.marks}
    for point, name in enumerate(names):
        line, column = spots[point]
        if point in standing:
            _piece(picture, line, column, standing[point].seat, _glyph(standing[point], glyphs), glyphs, tile)
        elif name in marks.letters:
            picture.put(line, column, marks.letters[name][:1], "letter")
        elif name in marks.removed:
            picture.put(line, column, "×" if glyphs.fancy else "x", "removed")
        elif name in marks.legal:
            picture.put(line, column, glyphs.legal, "legal")
        elif point in claims:
            picture.put(line, column, CLAIMED[claims[point]], f"claimed-{claims[point]}")
        elif not (picture.layout.scale.down > 1 and not scene.board.squares):
            picture.put(line, column, glyphs.empty, "line")
        else:
            picture.put(line, column, _crossing(scene.board, point, glyphs), "line")


_CROSSINGS = {15: "┼", 14: "┬", 7: "┤", 11: "┴", 13: "├", 6: "┐", 12: "┌", 3: "┘", 9: "└"}
"""By the sum of 1 for a neighbour above, 8 to the right, 4 below and 2 to the left."""


def _crossing(board: Board, point: int, glyphs: Glyphs) -> str:
    """How an empty point looks where lines meet in it."""
    if board.kind != "square" or not glyphs.fancy:
        return glyphs.empty
    above, right, below, left = (other >= 0 for other in board.steps[point][::2])
    return _CROSSINGS.get(above + 8 * right + 4 * below + 2 * left, glyphs.empty)


def _glyph(mark: object, glyphs: Glyphs) -> str:
    kind, seat, letter = getattr(mark, "kind", ""), getattr(mark, "seat", 0), getattr(mark, "glyph", "#")
    return glyphs.stones[seat] if kind == "stone" and glyphs.stones else letter


def _piece(picture: Picture, line: int, column: int, seat: int, glyph: str, glyphs: Glyphs, tile: bool) -> None:
    """A piece: one character, or with room around it a disc of its colour."""
    scale = picture.layout.scale
    lettered = glyph.isalpha()
    if scale.down == 1 or not glyphs.fancy or glyphs.stones == BARE_STONES:
        if lettered and glyphs.stones == STONES:
            picture.put(line, column, glyph, f"ink-{seat}", f"seat-{seat}")
        else:
            picture.put(line, column, glyph, f"seat-{seat}")
        return
    if scale.down == 2:
        picture.put(line, column - 1, "▐", f"seat-{seat}")
        picture.put(line, column, glyph if lettered or seat > 1 else " ", f"ink-{seat}", f"seat-{seat}")
        picture.put(line, column + 1, "▌", f"seat-{seat}")
        if tile:
            picture.put(line + 1, column - 1, "▝▀▘", f"seat-{seat}")
        return
    picture.put(line - 1, column - 1, "▄▄▄", f"seat-{seat}")
    picture.put(line, column - 2, "▐", f"seat-{seat}")
    picture.put(line, column - 1, f" {glyph if lettered or seat > 1 else ' '} ", f"ink-{seat}", f"seat-{seat}")
    picture.put(line, column + 2, "▌", f"seat-{seat}")
    picture.put(line + 1, column - 1, "▀▀▀", f"seat-{seat}")


def _signs(picture: Picture, scene: Scene, marks: Marks) -> None:
    """What stands left and right of points: the last turn, what is lit, what is pressed, the cursor."""
    board, spots = scene.board, picture.layout.spots
    standing = {mark.point for mark in scene.marks}
    for name in sorted(marks.area):
        line, column = spots[board.point[name]]
        picture.shade(line, column - 1, 3, "area-ground")
    wanted: list[tuple[int, str, str]] = [(point, "><", "last") for point in scene.last if point in standing]
    wanted += [(board.point[name], "<>", "changed") for name in marks.changed]
    wanted += [(board.point[name], "()", "lit") for name in marks.lit if name in board.point]
    wanted += [(board.point[name], "{}", "pressed") for name in marks.pressed if name in board.point]
    wanted += [(board.point[marks.cursor], "[]", "cursor")] if marks.cursor else []
    aside = picture.layout.scale.across // 2
    for point, pair, role in wanted:
        line, column = spots[point]
        picture.put(line, column - aside, pair[0], role, f"{role}-ground")
        picture.put(line, column + aside, pair[1], role, f"{role}-ground")
        if role in ("cursor", "lit", "pressed") and point not in standing:
            picture.shade(line, column - aside + 1, 2 * aside - 1, f"{role}-ground")
