"""Positions on paper: boards with captions, one or several on a sheet."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from hedgerow.match import Match
from hedgerow.paper import fonts
from hedgerow.paper.board import draw_scene, extent, fitting, place_in
from hedgerow.paper.document import Document
from hedgerow.paper.seats import LINE, draw_seats, draw_trays, seat_lines, tray_lines
from hedgerow.paper.sizes import MM, sheet_named
from hedgerow.scene import Scene

MARGIN, GAP = 16 * MM, 8 * MM
TITLE, FOOT = 13 * MM, 8 * MM
"""How much of the sheet the title and the page number take."""
MOST_COLUMNS = 6


def positions(
    entries: Sequence[tuple[Match, str]], paper: str = "a4", columns: int | None = None, title: str | None = None
) -> Document:
    """Positions with their captions, in reading order; `columns` is how many stand side by side."""
    document = Document(title or _title(entries), sheet_named(paper), "Positions of root games")
    add_positions(document, entries, columns, title)
    return document


def positions_pdf(
    entries: Sequence[tuple[Match, str]], *, paper: str = "a4", columns: int | None = None, title: str | None = None
) -> bytes:
    """The PDF of positions."""
    return positions(entries, paper, columns, title).finish()


def _title(entries: Sequence[tuple[Match, str]]) -> str:
    games = dict.fromkeys(match.rules.game.title for match, _ in entries)
    return f"{', '.join(games)}: {'a position' if len(entries) == 1 else 'positions'}"


def columns_for(count: int) -> int:
    """How many boards stand side by side where nobody says otherwise."""
    return 1 if count == 1 else 2 if count <= 12 else 3


def add_positions(
    document: Document, entries: Sequence[tuple[Match, str]], columns: int | None = None, title: str | None = None
) -> None:
    """Adds sheets with positions to a document."""
    across = max(1, min(MOST_COLUMNS, columns or columns_for(len(entries))))
    head = TITLE if title else 0.0
    width = (document.width - 2 * MARGIN - GAP * (across - 1)) / across
    room = document.height - 2 * MARGIN - head - FOOT
    told = [_told(match, caption, width, room) for match, caption in entries]
    height = max((one.height for one in told), default=room)
    down = max(1, math.floor((room + GAP) / (height + GAP)))
    sheets = math.ceil(len(entries) / (across * down)) or 1
    for sheet in range(sheets):
        _draw_head(document, title if sheet == 0 else "", f"{sheet + 1} / {sheets}" if sheets > 1 else "")
        for number, one in enumerate(told[sheet * across * down : (sheet + 1) * across * down]):
            row, column = divmod(number, across)
            top = document.height - MARGIN - head - row * (height + GAP)
            _draw_entry(document, one, MARGIN + column * (width + GAP), top)
        document.end_page()


@dataclass(frozen=True)
class _Told:
    """A position and what is said below it, as it fits into a column."""

    scene: Scene
    width: float
    step: float
    size: float
    """Of the letters."""
    lines: tuple[tuple[str, str], ...]
    """Each with its face."""

    @property
    def board(self) -> float:
        """How high the board is."""
        return self.step * extent(self.scene.board).height

    @property
    def height(self) -> float:
        return self.board + self.words

    @property
    def words(self) -> float:
        """How high the words below it are."""
        lines = len(seat_lines(self.scene, self.size, self.width)) + tray_lines(self.scene) + len(self.lines)
        return self.size * (LINE * lines + 1)


def _told(match: Match, caption: str, width: float, room: float) -> _Told:
    scene, size = match.scene(), min(11.0, max(7.0, width / 26))
    ended = fonts.wrapped(match.prompt, fonts.ITALIC, size, width) if match.outcome else []
    lines = [(fonts.ITALIC, line) for line in ended]
    lines += [(fonts.ROMAN, line) for line in fonts.wrapped(caption, fonts.ROMAN, size, width)]
    told = _Told(scene, width, 1.0, size, tuple(lines))
    return replace(told, step=fitting(scene.board, width, room - told.words))


def _draw_head(document: Document, title: str | None, number: str) -> None:
    canvas, middle = document.canvas, document.width / 2
    canvas.setFillGray(0)
    if title:
        with document.tagged("H1"):
            told = fonts.fitted(title, fonts.BOLD, 18, document.width - 2 * MARGIN)
            fonts.write(canvas, middle, document.height - MARGIN - 14, told, fonts.BOLD, 18, 0.5)
    if number:
        with document.furniture():
            fonts.write(canvas, middle, MARGIN - 4, number, fonts.ROMAN, 9, 0.5)


def _draw_entry(document: Document, told: _Told, left: float, top: float) -> None:
    """A board, who is to move or how it ended, what lies beside it, and the caption."""
    canvas, scene, size = document.canvas, told.scene, told.size
    place = place_in(scene.board, (left, top - told.board, told.width, told.board), told.step)
    with document.tagged("Figure", f"{scene.title}. {scene.description}"):
        draw_scene(canvas, scene, place)
    middle, y = left + told.width / 2, top - told.board - 1.6 * size
    with document.tagged("P"):
        y = draw_seats(canvas, scene, middle, y, size, told.width)
        y = draw_trays(canvas, scene, middle, y, size)
        canvas.setFillGray(0.15)
        for face, line in told.lines:
            fonts.write(canvas, middle, y, line, face, size, 0.5)
            y -= LINE * size
