"""Pieces on paper: the shapes of `draw`, in greys that a cheap printer keeps apart."""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from reportlab.pdfgen.canvas import Canvas
from reportlab.pdfgen.pathobject import PDFPathObject

from hedgerow.draw.shapes import BODY_PARTS, EMBLEM_PARTS, SMALLER, UNIT, Part
from hedgerow.draw.themes import THEMES

Spot = tuple[float, float]
_WORD = re.compile(r"[MLHVCQZ]|-?\d*\.?\d+")
_NUMBERS = {"M": 2, "L": 2, "H": 1, "V": 1, "Q": 4, "C": 6, "Z": 0}
"""How many numbers follow each command of a path."""


class Greys(NamedTuple):
    """The greys of a seat, 0 is black: of its pieces, of their edge, and of what is drawn on them."""

    fill: float
    edge: float
    ink: float


@cache
def greys(seat: int) -> Greys:
    """How a seat's pieces are printed."""
    values = THEMES["paper"].light
    shades = (values[f"seat-{seat}{part}"] for part in ("", "-edge", "-ink"))
    fill, edge, ink = (int(shade[1:3], 16) / 255 for shade in shades)
    return Greys(fill, min(fill, edge), ink)  # on white paper no piece needs a light edge


@cache
def commands(path: str) -> tuple[tuple[str, tuple[float, ...]], ...]:
    """A path taken apart: each command with its numbers.

    >>> commands("M0 -1.5H3Z")
    (('M', (0.0, -1.5)), ('H', (3.0,)), ('Z', ()))
    """
    words, found = iter(_WORD.findall(path)), []
    for command in words:
        found.append((command, tuple(float(next(words)) for _ in range(_NUMBERS[command]))))
    return tuple(found)


def trace(target: PDFPathObject, path: str) -> PDFPathObject:
    """Draws a path; a quadratic curve becomes the cubic one that is the same."""
    x = y = 0.0
    for command, numbers in commands(path):
        if command == "Z":
            target.close()
            continue
        if command in "HV":
            numbers = (numbers[0], y) if command == "H" else (x, numbers[0])
        if command == "M":
            target.moveTo(*numbers)
        elif command in "LHV":
            target.lineTo(*numbers)
        elif command == "C":
            target.curveTo(*numbers)
        else:
            over, up, to_x, to_y = numbers
            target.curveTo(
                x + (over - x) * 2 / 3,
                y + (up - y) * 2 / 3,
                to_x + (over - to_x) * 2 / 3,
                to_y + (up - to_y) * 2 / 3,
                to_x,
                to_y,
            )
        x, y = numbers[-2:]
    return target


def draw_token(canvas: Canvas, spot: Spot, step: float, seat: int, kind: str = "stone", scale: float = 1.0) -> None:
    """A piece about a spot of the page; `step` is how far neighbouring points are apart."""
    size = step / UNIT * scale * SMALLER.get(kind, 1.0)
    shades = greys(seat)
    canvas.saveState()
    canvas.translate(*spot)
    canvas.scale(size, -size)
    for part in (*BODY_PARTS[seat], *EMBLEM_PARTS.get(kind, ())):
        _draw_part(canvas, part, shades)
    canvas.restoreState()


class _Manner(NamedTuple):
    fill: float | None
    stroke: float | None
    width: float = 0.0


def _manner(kind: str, shades: Greys) -> _Manner:
    """How a part is drawn: its grey inside, the grey and the width of its line."""
    return {
        "body": _Manner(shades.fill, shades.edge, 1.7),
        "inner": _Manner(None, (shades.ink + shades.fill) / 2, 1.3),
        "emblem": _Manner(shades.ink, None),
        "stroke": _Manner(None, shades.ink, 2.2),
        "vein": _Manner(None, shades.fill, 1.1),
    }[kind]


def _draw_part(canvas: Canvas, part: Part, shades: Greys) -> None:
    fill, stroke, width = _manner(part.kind, shades)
    canvas.setLineCap(1)
    canvas.setLineJoin(1)
    canvas.setLineWidth(width)
    if fill is not None:
        canvas.setFillGray(fill)
    if stroke is not None:
        canvas.setStrokeGray(stroke)
    drawn = {"stroke": int(stroke is not None), "fill": int(fill is not None)}
    if part.path:
        canvas.drawPath(trace(canvas.beginPath(), part.path), **drawn)
    else:
        canvas.circle(0, 0, part.radius, **drawn)
