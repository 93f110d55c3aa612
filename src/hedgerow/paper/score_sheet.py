"""A sheet for writing a game down: who plays, numbered places for the turns, and how it ended."""

from __future__ import annotations

import math
from typing import Any

from hedgerow.game import Rules
from hedgerow.paper import fonts
from hedgerow.paper.document import Document
from hedgerow.paper.sizes import MM
from hedgerow.paper.tokens import draw_token

MARGIN, ROW, GAP = 15 * MM, 6.6 * MM, 6 * MM


def add_score_sheet(document: Document, rules: Rules[Any]) -> None:
    """Adds a sheet for one game; its numbers are those of a record, which counts the turns of all players together."""
    top = _draw_head(document, rules)
    bottom = MARGIN + 18 * MM
    _draw_turns(document, rules, top - 4 * MM, bottom)
    _draw_foot(document, rules)
    document.end_page()


def _draw_head(document: Document, rules: Rules[Any]) -> float:
    """The game, when and where, and a line for every player; returns where the rest begins."""
    canvas, width, y = document.canvas, document.width - 2 * MARGIN, document.height - MARGIN - 6 * MM
    with document.tagged("H1"):
        canvas.setFillGray(0)
        fonts.write(canvas, MARGIN, y, rules.scene(rules.start()).title, fonts.BOLD, 18)
    with document.tagged("P"):
        _blank(document, MARGIN + width * 0.56, y, "Date", width * 0.18)
        _blank(document, MARGIN + width * 0.76, y, "Place", width * 0.24)
        across = 2 if rules.players < 6 else 3
        each = width / across
        for seat, name in enumerate(rules.seats):
            line, column = divmod(seat, across)
            left, level = MARGIN + column * each, y - 11 * MM - 9 * MM * line
            draw_token(canvas, (left + 2 * MM, level + 1.1 * MM), 5.4 * MM, seat)
            _blank(document, left + 6 * MM, level, name, each - 6 * MM - (GAP if column + 1 < across else 0))
    return y - 11 * MM - 9 * MM * (math.ceil(rules.players / across) - 1) - 3 * MM


def _blank(document: Document, x: float, y: float, words: str, width: float) -> None:
    """A word and a line to write on."""
    canvas = document.canvas
    canvas.setFillGray(0.3)
    fonts.write(canvas, x, y, words, fonts.ITALIC, 10)
    canvas.setStrokeGray(0.5)
    canvas.setLineWidth(0.4)
    canvas.line(x + fonts.width(words, fonts.ITALIC, 10) + 2 * MM, y - 1, x + width, y - 1)


def _draw_turns(document: Document, rules: Rules[Any], top: float, bottom: float) -> None:
    """Columns of numbered places, two players side by side; where more play, their turns come one below the other."""
    canvas, two = document.canvas, rules.players == 2
    columns, each = (3, 2) if two else (4, 1)
    wide = (document.width - 2 * MARGIN - GAP * (columns - 1)) / columns
    rows = math.floor((top - bottom) / ROW) - (1 if two else 0)
    with document.tagged("P"):
        for column in range(columns):
            left = MARGIN + column * (wide + GAP)
            for seat in range(2) if two else ():
                draw_token(canvas, (left + wide * (seat + 0.5) / 2, top - ROW / 2), 4.6 * MM, seat)
            for row in range(rows):
                y = top - ROW * (row + (2 if two else 1))
                _draw_row(document, left, y, wide, each, (column * rows + row) * each + 1, row % 5 == 4)


def _draw_row(document: Document, left: float, y: float, wide: float, each: int, first: int, strong: bool) -> None:
    """One line with the numbers of its turns; every fifth is a little darker, so that the eye keeps its place."""
    canvas = document.canvas
    canvas.setStrokeGray(0.45 if strong else 0.75)
    canvas.setLineWidth(0.5 if strong else 0.35)
    canvas.line(left, y, left + wide, y)
    canvas.setFillGray(0.45)
    for cell in range(each):
        x = left + wide * cell / each
        fonts.write(canvas, x + 5 * MM, y + 1.5 * MM, str(first + cell), fonts.ROMAN, 6.5, 1)
        if cell:
            canvas.setStrokeGray(0.75)
            canvas.setLineWidth(0.35)
            canvas.line(x, y, x, y + ROW)


def _draw_foot(document: Document, rules: Rules[Any]) -> None:
    """How it ended, and how turns are spelled."""
    canvas, width = document.canvas, document.width - 2 * MARGIN
    start = rules.start()
    example = rules.spell(start, rules.legal(start)[len(rules.legal(start)) // 2])
    with document.tagged("P"):
        _blank(document, MARGIN, MARGIN + 7 * MM, "Result", width * 0.56)
        _blank(document, MARGIN + width * 0.6, MARGIN + 7 * MM, "Signed", width * 0.4)
        canvas.setFillGray(0.4)
        told = f"A turn is written like {example}; what belongs to one turn stands in one place."
        fonts.write(canvas, document.width / 2, MARGIN - 1 * MM, told, fonts.ITALIC, 8.5, 0.5)
