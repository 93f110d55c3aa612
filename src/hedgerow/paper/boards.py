"""Boards true to scale for real pieces: on one sheet, or tiled over several that are cut and glued together."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from reportlab.pdfgen.canvas import Canvas

from hedgerow.boards import Board
from hedgerow.draw import geometry
from hedgerow.draw.layout import pad
from hedgerow.game import BadOption, Rules
from hedgerow.paper import fonts
from hedgerow.paper.board import PRINTED, Ink, Place, draw_grid, draw_labels, extent, fitting
from hedgerow.paper.document import Document
from hedgerow.paper.sizes import MM, Sheet, in_mm
from hedgerow.paper.tokens import draw_token
from hedgerow.scene import Scene

MARGIN, STRIP, OVERLAP = 10 * MM, 9 * MM, 8 * MM
"""What a printer leaves white; what the words below a board take; what two sheets have in common."""
LEAST, MOST = 4 * MM, 60 * MM
"""How far points may be apart."""
MOST_SHEETS = 64


class Tiling(NamedTuple):
    """How a board lies over sheets: the sheet, how many across and down, and the window of each (width, height)."""

    sheet: Sheet
    across: int
    down: int
    width: float
    height: float

    @property
    def sheets(self) -> int:
        return self.across * self.down


def window_of(sheet: Sheet) -> tuple[float, float]:
    """The width and the height of what can be drawn on a sheet, without the words below it."""
    return sheet.width - 2 * MARGIN, sheet.height - 2 * MARGIN - STRIP


def fitted_step(board: Board, sheet: Sheet) -> tuple[Sheet, float]:
    """The largest step at which the board fits on one sheet, and how that lies."""
    ways = [(one, fitting(board, *window_of(one))) for one in (sheet, sheet.lying)]
    upright, lying = ways
    return lying if lying[1] > 1.02 * upright[1] else upright


def tiling(board: Board, step: float, sheet: Sheet) -> Tiling:
    """The fewest sheets that a board takes at this step; raises BadOption where they are too many."""
    needs = extent(board)
    ways = [_tiled(needs.width * step, needs.height * step, one) for one in (sheet, sheet.lying)]
    found = min(ways, key=lambda way: way.sheets)
    if found.sheets > MOST_SHEETS:
        raise BadOption(f"a board of {found.sheets} sheets; hint: a spacing that takes at most {MOST_SHEETS}")
    return found


def _tiled(width: float, height: float, sheet: Sheet) -> Tiling:
    across, down = window_of(sheet)
    columns, rows = (
        max(1, math.ceil((whole - OVERLAP - 1e-6) / (window - OVERLAP)))
        for whole, window in ((width, across), (height, down))
    )
    return Tiling(sheet, columns, rows, across, down)


def add_board(document: Document, rules: Rules[Any], spacing: float | None = None) -> None:
    """Adds the sheets of a board; without a spacing it fills one sheet."""
    upright, scene = document.sheet, rules.scene(rules.start())
    sheet, step = fitted_step(rules.board, upright)
    tiles = Tiling(sheet, 1, 1, *window_of(sheet)) if spacing is None else tiling(rules.board, spacing, upright)
    document.turn(tiles.sheet)
    for row in range(tiles.down):
        for column in range(tiles.across):
            _draw_tile(document, scene, tiles, row, column, step if spacing is None else spacing)
            document.end_page()
    document.turn(upright)


def _draw_tile(document: Document, scene: Scene, tiles: Tiling, row: int, column: int, step: float) -> None:
    canvas, board = document.canvas, scene.board
    left, bottom = MARGIN, MARGIN + STRIP
    place = _place(board, tiles, row, column, step, document.height)
    with document.tagged("Figure", f"The board of {scene.title}" + _which(tiles, row, column)):
        canvas.saveState()
        if tiles.sheets > 1:
            clip = canvas.beginPath()
            clip.rect(left, bottom, tiles.width, tiles.height)
            canvas.clipPath(clip, stroke=0, fill=0)
        draw_empty_board(canvas, scene, place)
        canvas.restoreState()
    if tiles.sheets > 1:
        with document.furniture():
            _draw_cutting_marks(canvas, (left, bottom, tiles.width, tiles.height), tiles, row, column)
    with document.tagged("P"):
        _draw_strip(document, f"{scene.title}{_which(tiles, row, column)}", f"points {in_mm(step)} apart")


def _place(board: Board, tiles: Tiling, row: int, column: int, step: float, height: float) -> Place:
    """The board is in the middle of all windows together; each sheet shows its part."""
    needs = extent(board)
    whole = tiles.across * tiles.width - (tiles.across - 1) * OVERLAP
    high = tiles.down * tiles.height - (tiles.down - 1) * OVERLAP
    x = MARGIN + whole / 2 + (needs.left - needs.right) / 2 * step - column * (tiles.width - OVERLAP)
    top = height - MARGIN - high / 2 + (needs.below - needs.above) / 2 * step
    return Place(x, top + row * (tiles.height - OVERLAP), step)


def _which(tiles: Tiling, row: int, column: int) -> str:
    """Which sheet this is, by the letter of its row and the number of its column."""
    if tiles.sheets == 1:
        return ""
    return f", sheet {chr(65 + row)}{column + 1} of {chr(64 + tiles.down)}{tiles.across}"


def draw_empty_board(canvas: Canvas, scene: Scene, place: Place, ink: Ink = PRINTED, framed: bool = True) -> None:
    """A board with its frame, and small pieces where the first ones stand."""
    if framed and not scene.board.squares:
        _draw_frame(canvas, scene.board, place, ink)
    draw_grid(canvas, scene.board, place, ink, scene.divide)
    draw_labels(canvas, scene.board, place, ink)
    for mark in scene.marks:
        draw_token(canvas, place.at(scene.board.spots[mark.point]), place.step, mark.seat, mark.kind, 0.36)


def _draw_frame(canvas: Canvas, board: Board, place: Place, ink: Ink) -> None:
    """A rounded line round the board: a thick stroke along its outermost points, and a white one just inside."""
    first, *others = (place.at(spot) for spot in geometry.hull(board.spots))
    path = canvas.beginPath()
    path.moveTo(*first)
    for corner in others:
        path.lineTo(*corner)
    path.close()
    canvas.setLineJoin(1)
    canvas.setFillGray(1)
    for grey, more in ((ink.line, 2 * ink.line_pt), (1.0, 0.0)):
        canvas.setStrokeGray(grey)
        canvas.setLineWidth(2 * (pad(board) - 0.12) * place.step + more)
        canvas.drawPath(path, stroke=1, fill=1)


# --- round the board --------------------------------------------------------------------------------------------------


def _draw_cutting_marks(
    canvas: Canvas, box: tuple[float, float, float, float], tiles: Tiling, row: int, column: int
) -> None:
    """Marks at the corners of the window; a dashed line where this sheet is cut, so that it lies over the next one."""
    left, bottom, width, height = box
    far, near = 5 * MM, 1 * MM
    canvas.setStrokeGray(0)
    canvas.setLineWidth(0.4)
    for x, way in ((left, -1), (left + width, 1)):
        for y, up in ((bottom, -1), (bottom + height, 1)):
            canvas.line(x + way * near, y, x + way * far, y)
            canvas.line(x, y + up * near, x, y + up * far)
    canvas.setStrokeGray(0.55)
    canvas.setDash([3, 3])
    if column + 1 < tiles.across:
        canvas.line(left + width - OVERLAP / 2, bottom - far, left + width - OVERLAP / 2, bottom + height + far)
    if row + 1 < tiles.down:
        canvas.line(left - far, bottom + OVERLAP / 2, left + width + far, bottom + OVERLAP / 2)
    canvas.setDash([])


RULER = 50 * MM


def _draw_strip(document: Document, told: str, spaced: str) -> None:
    """What the board is, how far its points are apart, and a line to check the printer with."""
    canvas, y = document.canvas, MARGIN
    canvas.setFillGray(0.2)
    canvas.setStrokeGray(0.2)
    canvas.setLineWidth(0.5)
    fonts.write(canvas, MARGIN, y, told, fonts.BOLD, 9)
    fonts.write(canvas, MARGIN + fonts.width(told, fonts.BOLD, 9), y, f"  ·  {spaced}", fonts.ROMAN, 9)
    right = document.width - MARGIN
    canvas.line(right - RULER, y + 2, right, y + 2)
    for number in range(6):
        canvas.line(right - number * RULER / 5, y + 2, right - number * RULER / 5, y + (6 if number in (0, 5) else 4))
    hint = "5 cm, if printed at 100 %"
    fonts.write(canvas, right - RULER - 4, y, hint, fonts.ITALIC, 8, 1)
