"""QR codes that hold a whole game: an address on a server, or the record itself as text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import segno
from reportlab.pdfgen.canvas import Canvas

from hedgerow.paper.packed import address
from hedgerow.paper.sizes import MM
from hedgerow.record import compact_record

MODULE = 0.34 * MM
"""How large the squares of a code are at least, so that a phone reads them from cheap paper."""
QUIET = 4
"""How many squares round a code stay white."""
MOST_BYTES = 1200
"""How much text goes into one code; more is split, because large codes are hard to scan."""
MOST_IN_AN_ADDRESS = 2900
MOST_CODES = 12
"""A record that needs more of them has none."""


class Code(NamedTuple):
    """A code: what a phone reads, and its rows of squares, dark ones True."""

    text: str
    squares: tuple[tuple[bool, ...], ...]

    @property
    def side(self) -> float:
        """How large it must be at least, in points, the white round it included."""
        return MODULE * (len(self.squares) + 2 * QUIET)


def codes_of(record: str, server: str | None = None) -> list[Code]:
    """The codes of a game: one with an address where there is a server and it fits, else the record as text.

    None where the record is too long.
    """
    if server and len(linked := address(server, record)) <= MOST_IN_AN_ADDRESS:
        return [code(linked)]
    parts = readable_parts(record)
    return [code(part) for part in parts] if len(parts) <= MOST_CODES else []


def readable_parts(record: str, most: int = MOST_BYTES) -> list[str]:
    """A record as texts that fit into codes: as it is, or in its compact spelling, which is split between two turns.

    Put together, the parts are a record again.
    """
    if len(record.encode()) <= most:
        return [record]
    head, _, play = compact_record(record).partition("\n\n")
    parts = [*_cut(f"{head}\n\n", most)]
    for turn in play.strip("\n").split(";")[1:]:
        if len(parts[-1].encode()) + len(turn.encode()) + 1 > most:
            parts.append("")
        parts[-1] += f";{turn}"
    return parts


def _cut(text: str, most: int) -> Iterator[str]:
    """A text in pieces of at most so many bytes, no letter cut in two."""
    data = text.encode()
    while data:
        piece = data[:most].decode(errors="ignore")
        yield piece
        data = data[len(piece.encode()) :]


def code(text: str) -> Code:
    """A QR code."""
    made = segno.make_qr(text, error="l", encoding=None if text.isascii() else "utf-8")
    return Code(text, tuple(tuple(bool(square) for square in row) for row in made.matrix))


def draw_code(canvas: Canvas, drawn: Code, left: float, bottom: float, side: float) -> None:
    """Draws a code into a square; neighbouring dark squares of a row are one bar, so that no printer parts them."""
    step = side / (len(drawn.squares) + 2 * QUIET)
    path = canvas.beginPath()
    for row, squares in enumerate(drawn.squares):
        column = 0
        while column < len(squares):
            start = column
            while column < len(squares) and squares[column]:
                column += 1
            if column > start:
                x, y = left + step * (QUIET + start), bottom + side - step * (QUIET + row + 1)
                path.rect(x, y, step * (column - start), step * 1.01)
            column += 1
    canvas.setFillGray(0)
    canvas.drawPath(path, stroke=0, fill=1, fillMode=1)
