"""The rules of a game as a leaflet: one or two sheets in two columns, with the drawn examples below their clauses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from reportlab.lib.colors import Color
from reportlab.lib.styles import ParagraphStyle
from reportlab.platypus import Flowable, Paragraph, Table, TableStyle

from hedgerow.game import Game, Rules
from hedgerow.lessons import Figure, lesson_of
from hedgerow.match import Match
from hedgerow.paper import fonts
from hedgerow.paper.board import PRINTED, draw_scene, extent, fitting, place_in
from hedgerow.paper.document import Document
from hedgerow.paper.rules_text import Block, blocks, introduction, marked_up
from hedgerow.paper.sizes import MM
from hedgerow.scene import Scene

MARGIN, GUTTER, FOOT = 15 * MM, 8 * MM, 8 * MM
PICTURE = 62 * MM
"""How wide the picture at the head is."""
SIZES = (11.4, 11.1, 10.8, 10.5, 10.2, 9.9, 9.6, 9.3, 9.0, 8.7, 8.4, 8.1, 7.8, 7.5, 7.2, 6.9)
"""The letters get smaller until everything is on two sheets."""
SMALLEST_WITH_RULINGS = 8.4
"""Where the rulings would make the letters smaller than this, they are left to the screen."""
DRAWN, DRAWN_SMALL = 5.4 * MM, 4.4 * MM
"""How wide a drawn example is for each point of the letters' size; the small ones make room for the rulings."""
SHEETS = 2


class Item(NamedTuple):
    """Something that stands in a column: what it is to a screen reader, and whether the next one stays with it."""

    flowable: Flowable
    role: str = "P"
    alt: str = ""
    keeps: bool = False
    before: float = 0.0
    """The white above it, except at the top of a column."""


class Picture(Flowable):
    """A board in the middle of a column."""

    def __init__(self, scene: Scene, most: float) -> None:
        super().__init__()
        self.scene, self.most = scene, most

    def wrap(self, width: float, height: float) -> tuple[float, float]:
        """How much room it takes."""
        wide = min(width, self.most)
        self.step = fitting(self.scene.board, wide, wide)
        self.width, self.height = width, self.step * extent(self.scene.board).height
        return self.width, self.height

    def draw(self) -> None:
        """Draws it on the canvas that the flowable was given."""
        place = place_in(self.scene.board, (0, 0, self.width, self.height), self.step)
        draw_scene(self.canv, self.scene, place, PRINTED)


# --- what stands in it ------------------------------------------------------------------------------------------------


def _style(size: float, **more: Any) -> ParagraphStyle:
    settled: dict[str, Any] = {"fontName": fonts.ROMAN, "fontSize": size, "leading": 1.3 * size} | more
    return ParagraphStyle("leaflet", **settled)


def items(game: Game, size: float, rulings: bool, drawn: float, wide: float) -> list[Item]:
    """Everything below the head, in reading order, for columns so wide."""
    lesson, found = lesson_of(game.name), list[Item]()
    for block in blocks(game.rules_text(), rulings):
        found.append(_item(block, size, wide))
        for figure in lesson.drawn_below(block.number) if block.kind == "clause" else ():
            found += _figure(figure, size, drawn * size)
    return found


def _item(block: Block, size: float, wide: float) -> Item:
    if block.kind == "table":
        return Item(_table(block, size, wide), before=0.5 * size)
    if block.kind == "heading":
        told = f"{block.number}&nbsp;&nbsp;{marked_up(block.words, fonts.BOLD)}" if block.number else block.words
        return Item(Paragraph(told, _style(1.15 * size, fontName=fonts.BOLD)), "H2", "", True, 0.9 * size)
    if block.kind == "clause":
        style = _style(size, leftIndent=2.2 * size, bulletFontName=fonts.BOLD, bulletFontSize=0.85 * size)
        return Item(Paragraph(marked_up(block.words), style, bulletText=block.number), before=0.35 * size)
    if block.kind == "item":
        style = _style(0.93 * size, leftIndent=1.1 * size, bulletFontName=fonts.ROMAN)
        return Item(Paragraph(marked_up(block.words), style, bulletText="–"), "P", before=0.2 * size)
    return Item(Paragraph(marked_up(block.words), _style(size)), before=0.35 * size)


def _figure(figure: Figure, size: float, most: float) -> Iterator[Item]:
    scene = figure.scene.picture()
    yield Item(Picture(scene, most), "Figure", scene.description, True, 0.6 * size)
    style = _style(0.9 * size, fontName=fonts.ITALIC, alignment=1, leftIndent=size, rightIndent=size, spaceAfter=0)
    yield Item(Paragraph(marked_up(figure.says, fonts.ITALIC), style), before=0.3 * size)


def _table(block: Block, size: float, wide: float) -> Table:
    """The first columns are as wide as they need, the last one has the rest."""
    small = _style(0.85 * size)
    head = _style(0.85 * size, fontName=fonts.BOLD)
    cells = [
        [Paragraph(marked_up(cell), head if number == 0 else small) for cell in row]
        for number, row in enumerate(block.rows)
    ]
    narrow = [
        max(fonts.width(row[column].strip("`"), fonts.BOLD, 0.85 * size) for row in block.rows) + size
        for column in range(len(block.rows[0]) - 1)
    ]
    table = Table(cells, colWidths=[*narrow, wide - sum(narrow)])
    grey = Color(0.6, 0.6, 0.6)
    table.setStyle(
        TableStyle(
            [
                ("FONT", (0, 0), (-1, -1), fonts.ROMAN, 0.85 * size),  # else Helvetica is named, which is not embedded
                ("VALIGN", (0, 0), (-1, -1), "TOP"),
                ("LINEBELOW", (0, 0), (-1, -1), 0.3, grey),
                ("TOPPADDING", (0, 0), (-1, -1), 1),
                ("BOTTOMPADDING", (0, 0), (-1, -1), 2),
                ("LEFTPADDING", (0, 0), (-1, -1), 0),
            ]
        )
    )
    return table


# --- how it flows -----------------------------------------------------------------------------------------------------


class Column(NamedTuple):
    """A column of the leaflet: its sheet, its left side, its top and its bottom."""

    sheet: int
    left: float
    top: float
    bottom: float


class Placed(NamedTuple):
    """An item and where it goes."""

    item: Item
    sheet: int
    left: float
    bottom: float


def columns(document: Document, head: float, last: int, raised: float) -> Iterator[Column]:
    """The columns of all sheets; the first sheet has a head, and the columns of the last may end higher up."""
    wide = column_width(document)
    sheet = 0
    while True:
        top = document.height - MARGIN - (head if sheet == 0 else 0.0)
        for number in range(2):
            bottom = MARGIN + FOOT + (raised if sheet == last else 0.0)
            yield Column(sheet, MARGIN + number * (wide + GUTTER), top, bottom)
        sheet += 1


def column_width(document: Document) -> float:
    return (document.width - 2 * MARGIN - GUTTER) / 2


def flow(document: Document, wanted: Sequence[Item], head: float, last: int = -1, raised: float = 0.0) -> list[Placed]:
    """Where everything goes, column by column; paragraphs break, headings and figures stay with what follows."""
    wide, places = column_width(document), columns(document, head, last, raised)
    column, placed, waiting = next(places), list[Placed](), list(wanted)
    y = column.top
    while waiting:
        item = waiting.pop(0)
        y -= item.before if y < column.top else 0.0
        _, high = item.flowable.wrap(wide, y - column.bottom)
        if high + _kept(waiting, item, wide) <= y - column.bottom or y == column.top:
            placed.append(Placed(item, column.sheet, column.left, y - high))
            y -= high
            continue
        parts = item.flowable.split(wide, y - column.bottom)
        if len(parts) == 2 and isinstance(item.flowable, Paragraph):
            waiting[:0] = [item._replace(flowable=part, before=0.0) for part in parts]
        else:
            waiting.insert(0, item)
            column = next(places)
            y = column.top
    return placed


def _kept(waiting: Sequence[Item], item: Item, wide: float) -> float:
    """How much room must be left below an item that stays with the next one."""
    high = 0.0
    for following in waiting if item.keeps else ():
        high += following.before + following.flowable.wrap(wide, 1e6)[1]
        if not following.keeps:
            break
    return min(high, 30 * MM) if item.role == "H2" else high


def fit(document: Document, game: Game, head: float) -> list[Placed]:
    """Everything in the largest letters with which it is on two sheets, with the rulings where they fit."""
    large = [size for size in SIZES if size >= SMALLEST_WITH_RULINGS]
    tries = [(size, True, drawn) for drawn in (DRAWN, DRAWN_SMALL) for size in large]
    tries += [(size, False, DRAWN) for size in SIZES]
    placed, wanted, wide = list[Placed](), list[Item](), column_width(document)
    for size, rulings, drawn in tries:
        wanted = items(game, size, rulings, drawn, wide)
        placed = flow(document, wanted, head)
        if placed[-1].sheet < SHEETS:
            break
    return _balanced(document, wanted, head, placed)


def _balanced(document: Document, wanted: Sequence[Item], head: float, placed: list[Placed]) -> list[Placed]:
    """The same with columns of about one length on the last sheet."""
    last, low, high = placed[-1].sheet, 0.0, document.height - 2 * MARGIN - FOOT - head - 40 * MM
    for _ in range(8):
        middle = (low + high) / 2
        found = flow(document, wanted, head, last, middle)
        if found[-1].sheet == last:
            placed, low = found, middle
        else:
            high = middle
    return placed


# --- drawing ----------------------------------------------------------------------------------------------------------


def add_leaflet(document: Document, rules: Rules[Any]) -> None:
    """Adds the sheets of a leaflet."""
    head = _draw_head(document, rules.game)
    for number, some in groupby(fit(document, rules.game, head), lambda placed: placed.sheet):
        for placed in some:
            with document.tagged(placed.item.role, placed.item.alt):
                document.canvas.setFillGray(0)
                placed.item.flowable.drawOn(document.canvas, placed.left, placed.bottom)
        with document.furniture():
            document.canvas.setFillGray(0.4)
            told = f"{rules.game.title} · {number + 1}"
            fonts.write(document.canvas, document.width / 2, MARGIN - 2 * MM, told, fonts.ITALIC, 8.5, 0.5)
        document.end_page()


def _draw_head(document: Document, game: Game) -> float:
    """The title, who made it, how it plays, and the middle of a game; returns how high that is."""
    canvas, wide = document.canvas, document.width - 2 * MARGIN
    lesson, top = lesson_of(game.name), document.height - MARGIN
    match = Match(lesson.play)
    if lesson.middle:
        match.play(lesson.middle)
    picture = Picture(match.scene(), PICTURE)
    _, high = picture.wrap(PICTURE, PICTURE)
    text = wide - PICTURE - 8 * MM
    with document.tagged("H1"):
        canvas.setFillGray(0)
        fonts.write(canvas, MARGIN, top - 24, game.title, fonts.BOLD, 30)
    y = top - 24 - 5 * MM
    for words, style in (
        (introduction(game.rules_text()), _style(10, fontName=fonts.ITALIC, leading=13.5)),
        (lesson.about, _style(11.5, leading=15.5)),
    ):
        told = Paragraph(marked_up(words, style.fontName), style)
        _, tall = told.wrap(text, 1e6)
        with document.tagged("P"):
            told.drawOn(canvas, MARGIN, y - tall)
        y -= tall + 3 * MM
    with document.tagged("Figure", match.scene().description):
        picture.drawOn(canvas, document.width - MARGIN - PICTURE, top - high)
    low = min(y, top - high - 2 * MM)
    with document.furniture():
        canvas.setStrokeGray(0.3)
        canvas.setLineWidth(0.6)
        canvas.line(MARGIN, low, document.width - MARGIN, low)
    return top - low + 3 * MM
