"""The pressed sheet: a game as one page, with its last position as a botanical plate, how it grew, and its record."""

from __future__ import annotations

import math
from calendar import month_name
from collections.abc import Sequence
from datetime import date
from itertools import pairwise

from hedgerow.match import Match
from hedgerow.paper import fonts
from hedgerow.paper.board import Ink, draw_scene, extent, fitting, place_in
from hedgerow.paper.codes import Code, codes_of, draw_code
from hedgerow.paper.document import Document
from hedgerow.paper.growth import Growth, growth_of
from hedgerow.paper.plants import LEAVES, draw_plants
from hedgerow.paper.seats import draw_seats
from hedgerow.paper.sizes import MM, sheet_named
from hedgerow.paper.tokens import draw_token, greys, trace
from hedgerow.scene import Scene

Box = tuple[float, float, float, float]
"""Left, bottom, width, height."""

FRAME, INSIDE = 11 * MM, 9 * MM
"""From the edge of the sheet to the frame, and from the frame to what is in it."""
STAGES = 6
CODE = 40 * MM
"""How large a code is where it need not be larger."""
WORDS = 31 * MM
"""How high the title with the names and the result is."""
SMALL = Ink(line=0.7, line_pt=0.2, square=0.94, labels=False, last=False)


def plates(matches: Sequence[Match], paper: str = "a4", server: str | None = None) -> Document:
    """A plate for every game; with a server a code opens the game there, without one it holds the record as text."""
    told = dict.fromkeys(
        match.rules.game.title + (f": {names}" if (names := _names(match)) else "") for match in matches
    )
    document = Document("; ".join(told)[:200], sheet_named(paper), "A finished game, pressed")
    for match in matches:
        add_plate(document, match, server)
    return document


def plate_pdf(match: Match, paper: str = "a4", server: str | None = None) -> bytes:
    """The PDF of one plate."""
    return plates([match], paper, server).finish()


def add_plate(document: Document, match: Match, server: str | None = None) -> None:
    """Adds the plate, and a sheet with codes where they do not fit on it."""
    growth, codes = growth_of(match), codes_of(match.record(), server)
    here = codes if _row_width(codes) <= document.width - 2 * (FRAME + INSIDE) else []
    _draw_frame(document)
    left, width = FRAME + INSIDE, document.width - 2 * (FRAME + INSIDE)
    bottom, top = FRAME + INSIDE, document.height - FRAME - INSIDE
    low = max([CODE, *(code.side for code in here)])
    stages = growth.stages(STAGES)
    row = _stages_height(growth.scenes[-1], width) if stages else 0.0
    plate = bottom + low + 5 * MM + row + WORDS
    _draw_top(document, match, top)
    _draw_picture(document, match, growth, (left, plate, width, top - plate - 5 * MM))
    _draw_words(document, match, plate)
    _draw_stages(document, growth, stages, (left, bottom + low + 5 * MM, width, row))
    taken = _draw_codes(document, here, left + width, bottom, bool(server))
    if not here:
        told = (
            f"The record is in {len(codes)} codes on the next sheet." if codes else "The record is too long for a code."
        )
        with document.tagged("P"):
            document.canvas.setFillGray(0.3)
            fonts.write(document.canvas, left + width, bottom - 1.2 * MM, told, fonts.ITALIC, 7.5, 1)
    _draw_graph(document, growth, (left, bottom, width - taken - (8 * MM if taken else 0), low))
    document.end_page()
    if codes and not here:
        _add_codes(document, match, codes)


def _names(match: Match) -> str:
    """Who played, where the record tells."""
    known = [match.tags.get(seat, "?") for seat in match.rules.seats]
    return " and ".join(name for name in known if name not in ("", "?"))


# --- frame and words --------------------------------------------------------------------------------------------------


def _draw_frame(document: Document) -> None:
    """Two lines round the sheet, and a sprig in every corner."""
    canvas = document.canvas
    with document.furniture():
        canvas.setStrokeGray(0.25)
        for off, width in ((0.0, 0.9), (1.3 * MM, 0.35)):
            edge = FRAME + off
            canvas.setLineWidth(width)
            canvas.rect(edge, edge, document.width - 2 * edge, document.height - 2 * edge, stroke=1, fill=0)
        for x, way in ((FRAME, 1), (document.width - FRAME, -1)):
            for y, up in ((FRAME, 1), (document.height - FRAME, -1)):
                _draw_sprig(document, x + way * 2.6 * MM, y + up * 2.6 * MM, math.degrees(math.atan2(up, way)))


def _draw_sprig(document: Document, x: float, y: float, way: float) -> None:
    canvas = document.canvas
    canvas.saveState()
    canvas.translate(x, y)
    for turn, size in ((-44, 0.62), (44, 0.62), (0, 0.8)):
        canvas.saveState()
        canvas.rotate(way + turn - 90)
        canvas.scale(size * 0.5, -size * 0.5)
        canvas.setFillGray(0.25)
        canvas.drawPath(trace(canvas.beginPath(), LEAVES[0]), stroke=0, fill=1)
        canvas.restoreState()
    canvas.restoreState()


def _draw_top(document: Document, match: Match, y: float) -> None:
    """When it was played, and how many turns it took."""
    canvas, turns = document.canvas, len(match.turns)
    with document.tagged("P"):
        canvas.setFillGray(0.25)
        fonts.write(canvas, FRAME + INSIDE, y - 3 * MM, _day(match.tags.get("Date", "")), fonts.ITALIC, 10)
        told = f"{turns} turn{'s' * (turns != 1)}"
        fonts.write(canvas, document.width - FRAME - INSIDE, y - 3 * MM, told, fonts.ITALIC, 10, 1)


def _day(text: str) -> str:
    """A date as people write it, or what the record says instead.

    >>> _day("2026-11-05"), _day("last winter")
    ('5 November 2026', 'last winter')
    """
    try:
        day = date.fromisoformat(text)
    except ValueError:
        return text[:40]
    return f"{day.day} {month_name[day.month]} {day.year}"


def _draw_words(document: Document, match: Match, top: float) -> None:
    """The game, who played, and how it ended."""
    canvas, middle = document.canvas, document.width / 2
    room = document.width - 2 * (FRAME + INSIDE)
    with document.tagged("H1"):
        canvas.setFillGray(0)
        _write_spaced(document, middle, top - 8 * MM, match.rules.game.title.upper(), 22)
    scene = match.scene()
    names = [_called(match, seat) for seat in range(len(scene.seats))]
    with document.tagged("P"):
        size = 12.0 if len(names) < 4 else 9.5
        below = draw_seats(canvas, scene, middle, top - 16 * MM, size, room, names)
        ended = match.prompt if match.outcome else f"Unfinished; {scene.seats[match.to_move]} to move."
        canvas.setFillGray(0.15)
        told = fonts.fitted(ended, fonts.ITALIC, 11, room)
        fonts.write(canvas, middle, min(top - 24 * MM, below - 1 * MM), told, fonts.ITALIC, 11, 0.5)


def _called(match: Match, seat: int) -> str:
    """The player's name with what the seat is called, or that alone."""
    name, called = match.tags.get(match.rules.seats[seat], "?"), match.rules.seats[seat]
    return called if name in ("", "?", called) else f"{name[:28]} ({called})"


def _write_spaced(document: Document, x: float, y: float, words: str, size: float) -> None:
    """A title in capitals with air between them; one text, so that it is found by searching."""
    canvas, space = document.canvas, 0.16 * size
    line = canvas.beginText()
    line.setTextOrigin(x - (fonts.width(words, fonts.ROMAN, size) + space * (len(words) - 1)) / 2, y)
    line.setFont(fonts.ROMAN, size)
    line.setCharSpace(space)
    line.textOut(words)
    line.setCharSpace(0)
    canvas.drawText(line)


# --- pictures ---------------------------------------------------------------------------------------------------------


def _draw_picture(document: Document, match: Match, growth: Growth, box: Box) -> None:
    scene = growth.scenes[-1]
    step = fitting(scene.board, box[2], box[3])
    with document.tagged("Figure", f"{scene.title}. {scene.description}"):
        draw_plants(document.canvas, scene, place_in(scene.board, box, step), growth.ages)


def _stages_height(scene: Scene, width: float) -> float:
    """How high the row of small boards is, with their captions."""
    needs = extent(scene.board, False)
    return _stage_width(width) * needs.height / needs.width + 5 * MM


def _stage_width(width: float) -> float:
    return (width - 4 * MM * (STAGES - 1)) / STAGES


def _draw_stages(document: Document, growth: Growth, stages: Sequence[int], box: Box) -> None:
    """Small boards on the way to the end."""
    left, bottom, width, height = box
    each = _stage_width(width)
    start = left + (width - each * len(stages) - 4 * MM * (len(stages) - 1)) / 2
    for number, turn in enumerate(stages):
        scene, x = growth.scenes[turn], start + number * (each + 4 * MM)
        step = fitting(scene.board, each, height - 5 * MM, False)
        with document.tagged("Figure", f"After {turn} turns. {scene.description}"):
            place = place_in(scene.board, (x, bottom + 5 * MM, each, height - 5 * MM), step, False)
            draw_scene(document.canvas, scene, place, SMALL)
        with document.tagged("P"):
            document.canvas.setFillGray(0.3)
            told = f"Fig. {number + 1}. Turn {turn}"
            fonts.write(document.canvas, x + each / 2, bottom + 1 * MM, told, fonts.ITALIC, 8, 0.5)


_DASHES: tuple[list[float], ...] = ([], [4, 2], [1, 2], [6, 2, 1, 2], [2, 2], [8, 3])
"""By seat: how the line of its growth is drawn."""


def _draw_graph(document: Document, growth: Growth, box: Box) -> None:
    """What every player had after each turn: a line each, with the player's shape at its end."""
    if growth.turns < 2 or box[2] < 40 * MM:
        return
    canvas, (left, bottom, width, height) = document.canvas, box
    most = max(max(counts) for counts in growth.counts) or 1
    inner = (left + 7 * MM, bottom + 5 * MM, width - 14 * MM, height - 11 * MM)
    ground = any(scene.claimed for scene in growth.scenes)
    with document.tagged("Figure", _graph_in_words(growth)):
        canvas.setFillGray(0.3)
        told = "Pieces and claimed points, turn by turn" if ground else "Pieces on the board, turn by turn"
        fonts.write(canvas, left, bottom + height - 3 * MM, told, fonts.ITALIC, 8)
        _draw_scale(document, inner, most, growth.turns)
        for seat in range(len(growth.counts[0])):
            spots = [
                (inner[0] + inner[2] * turn / growth.turns, inner[1] + inner[3] * counts[seat] / most)
                for turn, counts in enumerate(growth.counts)
            ]
            canvas.setStrokeGray(min(0.45, greys(seat).fill))
            canvas.setLineWidth(1.3 if seat == 0 else 0.8)
            canvas.setDash(_DASHES[seat])
            canvas.lines([(*one, *other) for one, other in pairwise(spots)])
            canvas.setDash([])
        ends = [inner[1] + inner[3] * count / most for count in growth.counts[-1]]
        for seat, y in enumerate(_apart(ends, 4 * MM)):
            draw_token(canvas, (inner[0] + inner[2] + 3 * MM, y), 4.4 * MM, seat)


def _apart(levels: Sequence[float], least: float) -> list[float]:
    """Levels raised where they must be, so that none is closer to the next one than `least`; their order stays.

    >>> _apart([5, 0, 0], 2)
    [5, 0, 2]
    """
    found, floor = dict[int, float](), -math.inf
    for index in sorted(range(len(levels)), key=lambda index: (levels[index], index)):
        found[index] = floor = max(levels[index], floor + least)
    return [found[index] for index in range(len(levels))]


def _draw_scale(document: Document, inner: Box, most: int, turns: int) -> None:
    """The axes with their ends, and nothing more."""
    canvas, (left, bottom, width, height) = document.canvas, inner
    canvas.setStrokeGray(0.6)
    canvas.setLineWidth(0.35)
    canvas.line(left, bottom, left + width, bottom)
    canvas.line(left, bottom, left, bottom + height)
    for x, y, words, align in (
        (left - 1.2 * MM, bottom + height - 2, str(most), 1.0),
        (left - 1.2 * MM, bottom - 2, "0", 1.0),
        (left + width, bottom - 4 * MM, str(turns), 0.5),
    ):
        fonts.write(canvas, x, y, words, fonts.ROMAN, 7, align)


def _graph_in_words(growth: Growth) -> str:
    seats = growth.scenes[-1].seats
    ends = ", ".join(f"{seat} {count}" for seat, count in zip(seats, growth.counts[-1]))
    return f"A graph of what each player had on the board after every turn; in the end: {ends}."


# --- codes ------------------------------------------------------------------------------------------------------------


def _row_width(codes: Sequence[Code]) -> float:
    return len(codes) * max([CODE, *(code.side for code in codes)]) + 3 * MM * (len(codes) - 1)


def _draw_codes(document: Document, codes: Sequence[Code], right: float, bottom: float, linked: bool) -> float:
    """The codes side by side up to the right, and what they are; returns how wide they are."""
    x, side = right, max([CODE, *(code.side for code in codes)])
    for number, code in reversed(list(enumerate(codes))):
        x -= side
        told = "Scan to replay the game" if linked and len(codes) == 1 else "The record, to scan"
        told = f"{told} ({number + 1} of {len(codes)})" if len(codes) > 1 else told
        _draw_code(document, code, x, bottom, side, told)
        x -= 3 * MM if number else 0
    return right - x


def _draw_code(document: Document, code: Code, left: float, bottom: float, side: float, told: str) -> None:
    with document.tagged("Figure", f"A QR code: {told}"):
        draw_code(document.canvas, code, left, bottom, side)
    with document.tagged("P"):
        document.canvas.setFillGray(0.3)
        fonts.write(document.canvas, left + side / 2, bottom - 1.2 * MM, told, fonts.ITALIC, 7.5, 0.5)


def _add_codes(document: Document, match: Match, codes: Sequence[Code]) -> None:
    """A sheet of codes, in reading order, where the plate has no room for them."""
    _draw_frame(document)
    left, y, x = FRAME + INSIDE, document.height - FRAME - INSIDE - 12 * MM, FRAME + INSIDE
    document.canvas.setFillGray(0)
    with document.tagged("H1"):
        told = f"{match.rules.game.title}: the record in {len(codes)} codes, to be scanned in order"
        fonts.write(document.canvas, left, y + 5 * MM, told, fonts.ITALIC, 11)
    for number, code in enumerate(codes):
        side = max(CODE, code.side)
        if x + side > document.width - left:
            x, y = left, y - side - 8 * MM
        _draw_code(document, code, x, y - side, side, f"{number + 1} of {len(codes)}")
        x += side + 4 * MM
    document.end_page()
