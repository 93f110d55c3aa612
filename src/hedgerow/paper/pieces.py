"""Pieces to cut out: every piece that a game needs, on a grid that is cut with straight cuts."""

from __future__ import annotations

import math
from collections import Counter
from itertools import groupby
from typing import Any, NamedTuple

from hedgerow.game import Rules
from hedgerow.paper import fonts
from hedgerow.paper.boards import MARGIN
from hedgerow.paper.document import Document
from hedgerow.paper.sizes import MM, in_mm
from hedgerow.paper.tokens import draw_token

HEAD = 11 * MM
SQUARE, TRIANGLE = 0.9, 0.82
"""How large a piece is cut, in steps: so that pieces on neighbouring points do not touch, the rows of a triangular grid
being closer than its points."""
ROUND, POINTED = 1.08, 0.92
"""How much larger than on a board a piece is drawn, to fill what is cut out: discs, and shapes that reach further."""
SHARE = 0.6
"""How much of a board stones cover in a long game."""
FEW = 20
"""A small board has enough stones to be full."""


class Kind(NamedTuple):
    """A kind of piece of one seat, and how many of it are printed."""

    seat: int
    kind: str
    number: int


def kinds_of(rules: Rules[Any]) -> list[Kind]:
    """What a game needs: its supply, or as many of each kind as a seat starts with, or stones for most of the board."""
    start = rules.start()
    supply = {(tray.seat, tray.kind): tray.count for tray in rules.trays(start)}
    first = Counter(mark.seat for mark in rules.marks(start))
    full = math.ceil(len(rules.board) / rules.players)
    stones = min(full, max(FEW, math.ceil(SHARE * full)))
    several = Counter(piece.seat for piece in rules.pieces)
    return [
        Kind(
            piece.seat,
            piece.kind,
            supply.get((piece.seat, piece.kind)) or (first[piece.seat] if several[piece.seat] > 1 else stones),
        )
        for piece in rules.pieces
    ]


def add_pieces(document: Document, rules: Rules[Any], step: float) -> None:
    """Adds sheets of pieces for a board whose points are `step` apart."""
    side = step * (SQUARE if rules.board.kind == "square" else TRIANGLE)
    across = max(1, math.floor((document.width - 2 * MARGIN) / side))
    down = max(1, math.floor((document.height - 2 * MARGIN - HEAD) / side))
    wanted: list[tuple[int, str] | None] = []
    for seat, some in groupby(kinds_of(rules), lambda kind: kind.seat):
        wanted += [None] * (
            -len(wanted) % across
        )  # a player's pieces begin a new row, so that one cut parts the players
        wanted += [(seat, kind.kind) for kind in some for _ in range(kind.number)]
    sheets = math.ceil(len(wanted) / (across * down))
    for sheet in range(sheets):
        here = wanted[sheet * across * down : (sheet + 1) * across * down]
        told = f"{rules.game.title}: pieces for points {in_mm(step)} apart"
        _draw_sheet(document, told + (f", sheet {sheet + 1} of {sheets}" if sheets > 1 else ""), here, side, across)
        document.end_page()


def _draw_sheet(document: Document, told: str, pieces: list[tuple[int, str] | None], side: float, across: int) -> None:
    canvas, left, top = document.canvas, (document.width - across * side) / 2, document.height - MARGIN - HEAD
    with document.tagged("H1"):
        canvas.setFillGray(0)
        fonts.write(canvas, left, top + 5 * MM, told, fonts.BOLD, 11)
    counted = Counter(piece[1] for piece in pieces if piece)
    alt = ", ".join(f"{count} of the kind {kind}" for kind, count in counted.items())
    with document.tagged("Figure", f"Pieces to cut out: {alt}"):
        for number, piece in enumerate(pieces):
            row, column = divmod(number, across)
            if piece:
                spot = left + (column + 0.5) * side, top - (row + 0.5) * side
                draw_token(canvas, spot, side, *piece, ROUND if piece[0] < 2 else POINTED)
    with document.furniture():
        _draw_cuts(document, left, top, side, across, math.ceil(len(pieces) / across))


def _draw_cuts(document: Document, left: float, top: float, side: float, across: int, down: int) -> None:
    """Thin dashed lines between the pieces, a little longer than the grid, so that the last cut is found as well."""
    canvas, far = document.canvas, 3 * MM
    canvas.setStrokeGray(0.6)
    canvas.setLineWidth(0.35)
    canvas.setDash([1.5, 2])
    for row in range(down + 1):
        canvas.line(left - far, top - row * side, left + across * side + far, top - row * side)
    for column in range(across + 1):
        canvas.line(left + column * side, top + far, left + column * side, top - down * side - far)
    canvas.setDash([])
