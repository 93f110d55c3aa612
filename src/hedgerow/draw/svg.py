"""A Scene as one standalone SVG: no scripts, no fonts, every colour a CSS variable (see themes).

Every point is a group `<g class="point" data-point="c4">` in the group of its row, every piece in it has the classes of
its seat and kind, so that a page can listen to them and restyle them. Everything that turns with the board is in the
group `play`: half a turn is x to -x and y to `data-turn` - y. Ids begin with a digest of what is drawn, so that
many drawings can share a page; `key` keeps apart two drawings of the same position.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import wraps
from typing import ParamSpec

from hedgerow.boards import Board
from hedgerow.draw.footer import Footer, footer
from hedgerow.draw.hand import STRAIGHT, Hand
from hedgerow.draw.labels import around
from hedgerow.draw.layout import Layout, away, layout, pad, segments
from hedgerow.draw.layout import labels as label_lines
from hedgerow.draw.markup import clean, number
from hedgerow.draw.pencil import PENCIL
from hedgerow.draw.shapes import UNIT, token
from hedgerow.draw.themes import THEMES, style
from hedgerow.scene import Mark, Scene

P = ParamSpec("P")

_HATCHES = (
    "M0 8L8 0M-2 2L2 -2M6 10L10 6",
    "M0 0L8 8M-2 6L2 10M6 -2L10 2",
    "M4 0V8",
    "M0 4H8",
    "M4 0V8M0 4H8",
    "M3 4H5",
)
"""By seat: rising, falling, upright, level, crossed, dotted."""


def svg_lines(
    scene: Scene,
    theme: str | None = None,
    labels: bool = True,
    size: int | None = None,
    *,
    key: str = "",
    ident: str = "",
    across: bool = False,
    styled: bool = True,
    sparse: bool = False,
) -> list[str]:
    """The lines of the picture, some of them empty: two positions of a game have as many, and differ in few.

    `size` is its width in pixels, without it the page decides; `across` is seen from the far side; `ident` is what its
    ids begin with, instead of a digest; without `styled` its colours are left to the page; a `sparse` one leaves out
    the points where nothing is.
    """
    theme = theme or next(iter(THEMES))
    hand = PENCIL if theme == "pencil" else STRAIGHT
    frame, ident = _frame(scene, labels, hand), ident or _ident(scene, theme, labels, key)
    drawn, turn = layout(scene.board, hand, across), 2 * frame.top + frame.board
    left, top, width, height = (number(value) for value in (frame.left, frame.top, frame.width, frame.height))
    sized = f' width="{size}" height="{number(size * frame.height / frame.width)}"' if size else ""
    turned = f' transform="rotate(180) translate(0 {number(-turn)})"' if across else ""
    return [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="hedgerow theme-{theme}" role="img"'
        f' aria-labelledby="{ident}-title {ident}-desc" viewBox="{left} {top} {width} {height}"{sized}>',
        f'<title id="{ident}-title">{clean(scene.title)}</title>',
        f'<desc id="{ident}-desc">{clean(scene.description)}</desc>',
        f"<style>\n{style(theme)}\n</style>" if styled else "",
        _definitions(scene, ident, frame),
        hand.ground(frame.left, frame.top, frame.width, frame.height),
        f'<g class="play" data-turn="{number(turn)}"{turned}>',
        *_board(scene, ident, drawn, hand, across),
        *_claims(scene, ident, drawn),
        *(label_lines(scene.board, frame.letters, across) if labels else ()),
        *_links(scene, drawn),
        *_points(scene, drawn, hand, sparse),
        "</g>",
        frame.footer,
        "</svg>",
    ]


def _joined(lines: Callable[P, list[str]]) -> Callable[P, str]:
    """A function of the same parameters that gives the lines as one text."""

    @wraps(lines)
    def joined(*args: P.args, **kwargs: P.kwargs) -> str:
        return "\n".join(line for line in lines(*args, **kwargs) if line)

    joined.__name__ = joined.__qualname__ = "svg"
    joined.__doc__ = "The picture as one text.\n" + (lines.__doc__ or "").partition("\n")[2]
    return joined


svg = _joined(svg_lines)


@dataclass(frozen=True)
class _Frame:
    """Where the drawing begins and how far it reaches, how large its letters are, and what stands below the board."""

    left: float
    top: float
    width: float
    height: float
    board: float
    """How much of the height the board takes, with its labels."""
    letters: float
    footer: str


def _frame(scene: Scene, labelled: bool, hand: Hand) -> _Frame:
    board, names = scene.board, around(scene.board)
    room = away(board) + 0.5 if labelled else pad(board) + 0.2
    bare = min(room, pad(board) + 0.4)
    above, below = (room if names.columns and names.from_top == top else bare for top in (True, False))
    top = UNIT * (min(y for _, y in board.spots) - above)
    low = UNIT * (max(y for _, y in board.spots) + below)
    half = UNIT * (max(x for x, _ in board.spots) + room)
    letters = 14 * min(1.35, max(1.0, half / (6 * UNIT)))
    below_board = (
        footer(scene, 2 * half, low, 1.1 * letters, hand.bodies) if labelled or scene.trays else Footer("", 0, 0)
    )
    half = max(half, below_board.width / 2)
    return _Frame(-half, top, 2 * half, low - top + below_board.height, low - top, letters, below_board.drawn)


def _ident(scene: Scene, *more: object) -> str:
    """A short name for this drawing, the same in every run."""
    shown = [getattr(scene, field.name) for field in fields(scene) if field.name != "board"]
    told = repr((scene.board.kind, scene.board.names, shown, more))
    return "h" + hashlib.blake2s(told.encode(), digest_size=5).hexdigest()


def _definitions(scene: Scene, ident: str, frame: _Frame) -> str:
    """The shading of the board, and a hatch for every seat that has claimed something."""
    shading = (
        f'<linearGradient id="{ident}-board" gradientUnits="userSpaceOnUse" x1="{number(frame.left)}"'
        f' y1="{number(frame.top)}" x2="{number(-frame.left)}" y2="{number(-frame.top)}">'
        '<stop class="board-light" offset="0"/><stop class="board-deep" offset="1"/></linearGradient>'
    )
    hatches = [
        f'<pattern id="{ident}-hatch-{seat}" width="8" height="8" patternUnits="userSpaceOnUse">'
        f'<g class="seat-{seat}"><path class="hatch" d="{_HATCHES[seat]}"/>'
        f'<path class="hatch-edge" d="{_HATCHES[seat]}"/></g></pattern>'
        for seat in sorted({seat for _, seat in scene.claimed})
    ]
    return f"<defs>{shading}{''.join(hatches)}</defs>"


# --- the board --------------------------------------------------------------------------------------------------------


def _board(scene: Scene, ident: str, drawn: Layout, hand: Hand, across: bool) -> list[str]:
    """The wood, its edge and shadow, then squares or lines, then the line that divides it."""
    board, outline, shade = scene.board, drawn.outline, -3 if across else 3
    reach = 2 * UNIT * (pad(board) - (0.5 if board.squares else 0))
    parts = [
        f'<path class="shadow" transform="translate(0 {shade})" stroke-width="{number(reach + 3)}" d="{outline}"/>',
        f'<path class="board-edge" stroke-width="{number(reach + 2.5)}" d="{outline}"/>',
        f'<path class="board" stroke-width="{number(reach)}" d="{outline}" fill="url(#{ident}-board)"'
        f' stroke="url(#{ident}-board)"/>',
        *drawn.lines,
    ]
    return [*parts, _divide(board, scene.divide, hand)] if scene.divide else parts


def _divide(board: Board, rows: int, hand: Hand) -> str:
    y = (board.spots[board.rows[rows - 1][0]][1] + board.spots[board.rows[rows][0]][1]) / 2
    reach = max(x for x, _ in board.spots) + pad(board)
    return f'<path class="divide" d="{segments([((-reach, y), (reach, y))], hand)}"/>'


def _claims(scene: Scene, ident: str, drawn: Layout) -> list[str]:
    """The land of every seat: a tint, a hatch and a border."""
    parts = []
    for seat in range(len(scene.seats)):
        points = [point for point, owner in scene.claimed if owner == seat]
        inside, land = set(points), "".join(drawn.cells[point] for point in points)
        border = [edge for point in points for edge in drawn.edges[point] if edge[0] not in inside]
        if not points:
            parts += [""] * 4
            continue
        parts += [
            f'<path class="claim seat-{seat}" d="{land}"/>',
            f'<path class="claim-hatch" fill="url(#{ident}-hatch-{seat})" d="{land}"/>',
            f'<path class="claim-edge seat-{seat}" d="{"".join(edge[1] for edge in border)}"/>',
            f'<path class="claim-border seat-{seat}" d="{"".join(edge[2] for edge in border)}"/>',
        ]
    return parts


# --- the pieces -------------------------------------------------------------------------------------------------------


def _links(scene: Scene, drawn: Layout) -> list[str]:
    """A bar between neighbouring stones of one seat, so that a group is seen as one root."""
    if scene.board.squares:
        return []
    pairs = linked(scene)
    return [
        bar(seat, "".join(drawn.links[pair] for pair, owner in pairs if owner == seat))
        for seat in range(len(scene.seats))
    ]


def linked(scene: Scene) -> list[tuple[tuple[int, int], int]]:
    """Neighbouring stones of one seat: both points, the lower one first, and whose they are."""
    owner = {mark.point: mark.seat for mark in scene.marks if mark.kind == "stone"}
    return [
        ((point, other), owner[point])
        for point in sorted(owner)
        for other in scene.board.neighbours[point]
        if point < other and owner[point] == owner.get(other)
    ]


def bar(seat: int, path: str) -> str:
    """The bars along a path, in the colours of a seat; nothing without a path."""
    return (
        f'<path class="link-edge seat-{seat}" d="{path}"/><path class="link seat-{seat}" d="{path}"/>' if path else ""
    )


def _points(scene: Scene, drawn: Layout, hand: Hand, sparse: bool) -> list[str]:
    marks = {mark.point: mark for mark in scene.marks}
    claimed = dict(scene.claimed)
    lines = ['<g class="points">']
    for row in scene.board.rows:
        lines.append('<g class="row">')
        for point in row:
            inside = _inside(scene, point, marks.get(point), claimed.get(point), hand)
            if inside or not sparse:
                lines.append(f"{drawn.points[point]}{inside}</g>")
        lines.append("</g>")
    return [*lines, "</g>"]


def _inside(scene: Scene, point: int, mark: Mark | None, claimer: int | None, hand: Hand) -> str:
    """What stands on a point, then what points at it."""
    inside = ""
    if mark:
        inside = token(mark.seat, f"piece {mark.kind}", bodies=hand.bodies)
    elif claimer is not None:
        inside = token(claimer, "claimed", 0.3, hand.bodies)
    if point in scene.last:
        inside += _last(scene.board, mark is not None)
    if point in scene.highlights:
        inside += '<circle class="highlight" r="19"/>'
    return inside


def _last(board: Board, occupied: bool) -> str:
    """A dot on a stone; a frame round a square, whose piece has an emblem to show; a ring where nothing is left."""
    if board.squares:
        return '<rect class="last-frame" x="-18.4" y="-18.4" width="36.8" height="36.8" rx="3"/>'
    return '<circle class="last" r="5.4"/>' if occupied else '<circle class="last-frame" r="7"/>'
