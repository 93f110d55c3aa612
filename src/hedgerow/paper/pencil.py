"""Small boards to draw on with a pencil: light lines, a place for names, and a table for the score."""

from __future__ import annotations

from typing import Any, NamedTuple

from hedgerow.game import BadOption, Rules
from hedgerow.paper import fonts
from hedgerow.paper.board import PENCIL, draw_grid, draw_labels, extent, fitting, place_in
from hedgerow.paper.document import Document
from hedgerow.paper.sizes import MM, Sheet, in_mm
from hedgerow.paper.tokens import draw_token
from hedgerow.scene import Scene

MARGIN, GAP = 12 * MM, 8 * MM
ROOMY = 7 * MM
"""How far points are apart at least, so that a pencil and an eraser have room; the sheet has fewer boards for that."""
HEAD, LINE = 9 * MM, 6.5 * MM
"""The line above a board, and the lines of the table."""
TITLE, SMALL = 9.5, 8.0
"""The letters above a board and in the table."""
GRIDS = {6: (2, 3), 4: (2, 2), 3: (1, 3), 2: (1, 2), 1: (1, 1)}
"""How many boards a sheet has: so many across, so many down."""


class Plan(NamedTuple):
    """How many boards across and down, how far their points are apart, where the table is, and the sheet."""

    across: int
    down: int
    step: float
    beside: bool
    sheet: Sheet


def plan_of(rules: Rules[Any], sheet: Sheet, boards: int | None = None) -> Plan:
    """As many boards as asked for, or as many as leave room to draw; a single one may lie on its side."""
    if boards is not None and boards not in GRIDS:
        raise BadOption(f"no sheet of {boards} boards; hint: {', '.join(map(str, sorted(GRIDS)))}")
    plans = [_plan(rules, sheet, *GRIDS[count]) for count in ([boards] if boards else GRIDS)]
    found = next((plan for plan in plans if plan.step >= ROOMY), plans[-1])
    lying = _plan(rules, sheet.lying, 1, 1)
    return lying if found[:2] == (1, 1) and lying.step > found.step else found


def _plan(rules: Rules[Any], sheet: Sheet, across: int, down: int) -> Plan:
    width, height = _cell(sheet, across, down)
    table = _table_width(rules, width) + GAP / 2
    below = fitting(rules.board, width, height - HEAD - _table_height(rules, width) - GAP / 2)
    beside = fitting(rules.board, width - table, height - HEAD) if width > 2 * table else 0.0
    return Plan(across, down, max(below, beside), beside > below, sheet)


def _cell(sheet: Sheet, across: int, down: int) -> tuple[float, float]:
    width = (sheet.width - 2 * MARGIN - GAP * (across - 1)) / across
    return width, (sheet.height - 2 * MARGIN - GAP * (down - 1)) / down


def _name_line(rules: Rules[Any], width: float) -> float:
    """How long the line for a name is above a board so wide; 0 where it would be too short to write on."""
    each = (width - fonts.width(_title(rules), fonts.BOLD, TITLE) - 6 * MM) / rules.players
    return each if each >= 24 * MM else 0.0


def _title(rules: Rules[Any]) -> str:
    return rules.scene(rules.start()).title


def _rows(rules: Rules[Any], width: float) -> tuple[str, ...]:
    """What the table asks for: names where there is no line for them above, what is added up, and the score."""
    tally = rules.game.measured.tally
    counted = (*tally, "Score") if len(tally) > 1 else tally or ("Result",)
    return counted if _name_line(rules, width) else ("Name", *counted)


def _table_height(rules: Rules[Any], width: float) -> float:
    return LINE * (len(_rows(rules, width)) + 1)


def _first_column(rules: Rules[Any], width: float) -> float:
    return max(fonts.width(row, fonts.ROMAN, SMALL) for row in _rows(rules, width)) + 3 * MM


def _table_width(rules: Rules[Any], width: float) -> float:
    return _first_column(rules, width) + _column(rules) * rules.players


def _column(rules: Rules[Any]) -> float:
    return (18 if rules.players == 2 else 15 if rules.players == 3 else 12) * MM


def add_pencil_boards(document: Document, rules: Rules[Any], boards: int | None = None) -> None:
    """Adds a sheet of boards to draw on."""
    upright, scene = document.sheet, rules.scene(rules.start())
    plan = plan_of(rules, upright, boards)
    document.turn(plan.sheet)
    width, height = _cell(plan.sheet, plan.across, plan.down)
    for row in range(plan.down):
        for column in range(plan.across):
            left, top = MARGIN + column * (width + GAP), document.height - MARGIN - row * (height + GAP)
            _draw_board(document, rules, scene, plan, (left, top - height, width, height))
    document.end_page()
    document.turn(upright)


def _draw_board(
    document: Document, rules: Rules[Any], scene: Scene, plan: Plan, box: tuple[float, float, float, float]
) -> None:
    left, bottom, width, height = box
    table = _table_width(rules, width)
    aside = table + GAP / 2 if plan.beside else 0.0
    high = extent(scene.board).height * plan.step
    whole = high if plan.beside else high + GAP / 2 + _table_height(rules, width)
    low = bottom + (height - HEAD - whole) / 2 + whole - high
    room = (left, low, width - aside, high)
    _draw_head(document, rules, left, bottom + height, width)
    with document.tagged("Figure", f"An empty board of {scene.title}, points {in_mm(plan.step)} apart"):
        place = place_in(scene.board, room, plan.step)
        draw_grid(document.canvas, scene.board, place, PENCIL, scene.divide)
        draw_labels(document.canvas, scene.board, place, PENCIL)
        for mark in scene.marks:
            draw_token(document.canvas, place.at(scene.board.spots[mark.point]), plan.step, mark.seat, mark.kind, 0.7)
    if plan.beside:
        _draw_table(document, rules, width, left + width - table, low + high)
    else:
        _draw_table(document, rules, width, left + (width - table) / 2, low - GAP / 2)


def _draw_head(document: Document, rules: Rules[Any], left: float, top: float, width: float) -> None:
    """The game, and a line for the name of everybody where there is room."""
    canvas, y, each = document.canvas, top - 5 * MM, _name_line(rules, width)
    with document.tagged("P"):
        canvas.setFillGray(0.15)
        fonts.write(canvas, left, y, _title(rules), fonts.BOLD, TITLE)
        for seat in range(rules.players) if each else ():
            x = left + width - each * (rules.players - seat)
            draw_token(canvas, (x + 1.5 * MM, y + fonts.MIDDLE * TITLE), 4.4 * MM, seat)
            canvas.setStrokeGray(0.5)
            canvas.setLineWidth(0.4)
            canvas.line(x + 4.5 * MM, y - 1.5, x + each - (3 * MM if seat + 1 < rules.players else 0), y - 1.5)


def _draw_table(document: Document, rules: Rules[Any], width: float, left: float, top: float) -> None:
    """A row for everything that is asked for, a column for every seat."""
    canvas, rows, wide, each = document.canvas, _rows(rules, width), _table_width(rules, width), _column(rules)
    first = _first_column(rules, width)
    canvas.setStrokeGray(0.55)
    canvas.setLineWidth(0.4)
    for number in range(len(rows) + 1):
        canvas.line(left, top - LINE * (number + 1), left + wide, top - LINE * (number + 1))
    for seat in range(rules.players):
        x = left + first + each * seat
        canvas.line(x, top - 1 * MM, x, top - LINE * (len(rows) + 1))
    with document.tagged("P"):
        for number, words in enumerate(rows):
            canvas.setFillGray(0.25)
            face = fonts.BOLD if words in ("Score", "Result") else fonts.ROMAN
            fonts.write(canvas, left, top - LINE * (number + 2) + 2 * MM, words, face, SMALL)
        for seat, name in enumerate(rules.seats):
            x, y = left + first + each * (seat + 0.5), top - LINE + 2 * MM
            long = fonts.width(name, fonts.ROMAN, SMALL) + 4 * MM
            named = long < each - 1 * MM
            draw_token(canvas, (x - (long / 2 - 1.2 * MM) * named, y + fonts.MIDDLE * SMALL), 3.4 * MM, seat)
            canvas.setFillGray(0.25)
            fonts.write(canvas, x + long / 2, y, name if named else "", fonts.ROMAN, SMALL, 1)
