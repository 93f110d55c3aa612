"""A Scene on paper: thin lines, labels, claimed land, pieces and what points at them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

from reportlab.pdfgen.canvas import Canvas
from reportlab.pdfgen.pathobject import PDFPathObject

from hedgerow.boards import Board
from hedgerow.draw import geometry
from hedgerow.draw.labels import around
from hedgerow.draw.layout import LEAN, away, pad, written
from hedgerow.draw.shapes import UNIT
from hedgerow.paper import fonts
from hedgerow.paper.tokens import draw_token, greys
from hedgerow.scene import Mark, Scene

Spot = tuple[float, float]


class Extent(NamedTuple):
    """How far a drawn board reaches from its middle, in steps."""

    left: float
    above: float
    right: float
    below: float

    @property
    def width(self) -> float:
        return self.left + self.right

    @property
    def height(self) -> float:
        return self.above + self.below


@dataclass(frozen=True)
class Ink:
    """How dark (0 is black) and how thick, in points, a board is printed."""

    line: float = 0.42
    line_pt: float = 0.6
    square: float = 0.9
    label: float = 0.3
    labels: bool = True
    letters: float = 0.0
    """How high labels are, in points; 0 for what goes well with the board."""
    last: bool = True
    """Show which turn was the last."""


PRINTED = Ink()
PENCIL = Ink(line=0.72, line_pt=0.4, square=0.95, label=0.5)
"""For boards to draw on: what is drawn with a pencil is darker, and an eraser leaves them as they are."""


class Place(NamedTuple):
    """Where the middle of a board is on the page, and how far its neighbouring points are apart, in points."""

    x: float
    y: float
    step: float

    def at(self, spot: Spot) -> Spot:
        """A spot of the board on the page."""
        return self.x + spot[0] * self.step, self.y - spot[1] * self.step


def extent(board: Board, labelled: bool = True) -> Extent:
    """How much room a board needs."""
    names, far = around(board), away(board) + 0.3
    bare = pad(board)
    above, below = (far if labelled and names.columns and names.from_top == top else bare for top in (True, False))
    left = right = max(x for x, _ in board.spots)
    top, low = (pick(y for _, y in board.spots) for pick in (min, max))
    ends = far if labelled and names.ends else bare
    lean = 0.0 if board.kind == "square" or not names.columns or not labelled else far * LEAN[0] - ends
    return Extent(
        left + (far if labelled else bare), above - top, right + max(ends, ends + min(0.0, lean)), low + below
    )


def fitting(board: Board, width: float, height: float, labelled: bool = True) -> float:
    """The step at which a board fills a box."""
    needs = extent(board, labelled)
    return min(width / needs.width, height / needs.height)


def place_in(board: Board, box: tuple[float, float, float, float], step: float, labelled: bool = True) -> Place:
    """The place in the middle of a box (left, bottom, width, height)."""
    left, bottom, width, height = box
    needs = extent(board, labelled)
    x = left + width / 2 + (needs.left - needs.right) / 2 * step
    return Place(x, bottom + height / 2 + (needs.below - needs.above) / 2 * step, step)


def draw_scene(canvas: Canvas, scene: Scene, place: Place, ink: Ink = PRINTED) -> None:
    """Draws a position."""
    canvas.saveState()
    draw_grid(canvas, scene.board, place, ink, scene.divide)
    draw_claims(canvas, scene, place)
    if ink.labels:
        draw_labels(canvas, scene.board, place, ink)
    _draw_links(canvas, scene, place)
    for mark in scene.marks:
        draw_token(canvas, place.at(scene.board.spots[mark.point]), place.step, mark.seat, mark.kind)
    _draw_signs(canvas, scene, place, ink)
    canvas.restoreState()


# --- the board --------------------------------------------------------------------------------------------------------


def draw_grid(canvas: Canvas, board: Board, place: Place, ink: Ink = PRINTED, divide: int = 0) -> None:
    """The lines of a board, or its squares, and the line that divides it."""
    if board.squares:
        canvas.setFillGray(ink.square)
        dark = (geometry.cell(board, p) for p, (row, column) in enumerate(board.cells) if (row + column) % 2)
        canvas.drawPath(_polygons(canvas, dark, place), stroke=0, fill=1)
        edges = geometry.grid(board)
    else:
        edges = [(board.spots[start], board.spots[end]) for start, end in geometry.lines(board)]
    canvas.setLineCap(1)
    canvas.setStrokeGray(ink.line)
    canvas.setLineWidth(ink.line_pt)
    canvas.lines([(*place.at(start), *place.at(end)) for start, end in edges])
    if divide:
        y = (board.spots[board.rows[divide - 1][0]][1] + board.spots[board.rows[divide][0]][1]) / 2
        reach = max(x for x, _ in board.spots) + pad(board)
        canvas.setStrokeGray(ink.line / 2)
        canvas.setLineWidth(3 * ink.line_pt)
        canvas.line(*place.at((-reach, y)), *place.at((reach, y)))


def _polygons(canvas: Canvas, polygons: Iterable[Iterable[Spot]], place: Place) -> PDFPathObject:
    path = canvas.beginPath()
    for corners in polygons:
        first, *others = (place.at(corner) for corner in corners)
        path.moveTo(*first)
        for corner in others:
            path.lineTo(*corner)
        path.close()
    return path


def draw_labels(canvas: Canvas, board: Board, place: Place, ink: Ink = PRINTED) -> None:
    """The words round a board."""
    size = ink.letters or min(11.0, max(4.0, 0.36 * place.step))
    canvas.setFillGray(ink.label)
    for point, shift, words in written(board, away(board) - 0.08):
        x, y = place.at((board.spots[point][0] + shift[0], board.spots[point][1] + shift[1]))
        fonts.write(canvas, x, y - fonts.MIDDLE * size, words, fonts.ROMAN, size, 0.5)


# --- what lies on it --------------------------------------------------------------------------------------------------


def draw_claims(canvas: Canvas, scene: Scene, place: Place, border: float = 0.25) -> None:
    """The land of every seat: hatched in its own way, with a border; a small piece on every point of it."""
    for seat in range(len(scene.seats)):
        points = [point for point, owner in scene.claimed if owner == seat]
        if points:
            cells = [geometry.cell(scene.board, point) for point in points]
            _hatch(canvas, cells, place, seat)
            canvas.setStrokeGray(border)
            canvas.setLineWidth(0.03 * place.step)
            canvas.lines([(*place.at(start), *place.at(end)) for start, end in geometry.borders(cells)])
        for point in points:
            draw_token(canvas, place.at(scene.board.spots[point]), place.step, seat, scale=0.3)


_SLANTS = ((45.0,), (-45.0,), (90.0,), (0.0,), (0.0, 90.0), (30.0, -30.0))
"""By seat: how the lines of its hatch run, in degrees."""


def _hatch(canvas: Canvas, cells: list[list[Spot]], place: Place, seat: int) -> None:
    canvas.saveState()
    canvas.clipPath(_polygons(canvas, cells, place), stroke=0, fill=0)
    canvas.setStrokeGray(0.45 if seat == 0 else 0.68)
    canvas.setLineWidth(0.02 * place.step)
    reach = max(abs(value) for corner in chain.from_iterable(cells) for value in corner) * math.sqrt(2)
    for slant in _SLANTS[seat]:
        along = (math.cos(math.radians(slant)), math.sin(math.radians(slant)))
        for number in range(-round(reach / 0.16), round(reach / 0.16) + 1):
            middle = (-along[1] * 0.16 * number, along[0] * 0.16 * number)
            start, end = ((middle[0] + way * along[0], middle[1] + way * along[1]) for way in (-reach, reach))
            canvas.line(*place.at(start), *place.at(end))
    canvas.restoreState()


def _draw_links(canvas: Canvas, scene: Scene, place: Place) -> None:
    """A bar between neighbouring stones of one seat, so that a group is seen as one root."""
    if scene.board.squares:
        return
    owner = {mark.point: mark.seat for mark in scene.marks if mark.kind == "stone"}
    spots, unit = scene.board.spots, place.step / UNIT
    for seat in range(len(scene.seats)):
        bars = [
            (*place.at(spots[point]), *place.at(spots[other]))
            for point in sorted(owner)
            for other in scene.board.neighbours[point]
            if point < other and owner[point] == seat == owner.get(other)
        ]
        shades = greys(seat)
        for grey, width in ((shades.edge, 9.4), (shades.fill, 6.4)):
            canvas.setLineCap(0)
            canvas.setStrokeGray(grey)
            canvas.setLineWidth(width * unit)
            canvas.lines(bars)


def _draw_signs(canvas: Canvas, scene: Scene, place: Place, ink: Ink) -> None:
    """What the last turn was, and what is pointed at."""
    marks = {mark.point: mark for mark in scene.marks}
    for point in scene.last if ink.last else ():
        _draw_last(canvas, scene.board, place.at(scene.board.spots[point]), place.step / UNIT, marks.get(point))
    canvas.setStrokeGray(0)
    canvas.setLineWidth(2.2 * place.step / UNIT)
    canvas.setDash([5 * place.step / UNIT, 3.4 * place.step / UNIT])
    for point in scene.highlights:
        canvas.circle(*place.at(scene.board.spots[point]), 19 * place.step / UNIT, stroke=1, fill=0)
    canvas.setDash([])


def _draw_last(canvas: Canvas, board: Board, spot: Spot, unit: float, mark: Mark | None) -> None:
    """A dot on a stone; a frame round a square, whose piece has an emblem to show; a ring where nothing is left."""
    canvas.setStrokeGray(0.35)
    canvas.setLineWidth(2.2 * unit)
    if board.squares:
        half = 18.2 * unit
        canvas.roundRect(spot[0] - half, spot[1] - half, 2 * half, 2 * half, 3 * unit, stroke=1, fill=0)
    elif mark:
        canvas.setFillGray(greys(mark.seat).ink)
        canvas.circle(*spot, 4.6 * unit, stroke=0, fill=1)
    else:
        canvas.circle(*spot, 7 * unit, stroke=1, fill=0)
