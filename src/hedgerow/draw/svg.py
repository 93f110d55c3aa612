"""A Scene as one standalone SVG: no scripts, no fonts, every colour a CSS variable (see themes).

Every point is a group `<g class="point" data-point="c4">` in the group of its row, every piece in it has the classes of
its seat and kind, so that a page can listen to them and restyle them. Everything that turns with the board is in the
group `play`: half a turn is x to -x and y to `data-turn` - y. Ids begin with a digest of what is drawn, so that
many drawings can share a page; `key` keeps apart two drawings of the same position.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, fields
from itertools import chain

from hedgerow.boards import Board
from hedgerow.draw import geometry
from hedgerow.draw.footer import Footer, footer
from hedgerow.draw.labels import around, columns_of
from hedgerow.draw.markup import Spot, clean, number, polygon, polyline
from hedgerow.draw.pencil import by_hand
from hedgerow.draw.shapes import UNIT, token
from hedgerow.draw.themes import THEMES, style
from hedgerow.draw.turned import turned
from hedgerow.scene import Mark, Scene

LEAN = (0.5, 0.75**0.5)
"""One step along a column of a triangular grid: so far right, so far up."""
_HATCHES = (
    "M0 8L8 0M-2 2L2 -2M6 10L10 6",
    "M0 0L8 8M-2 6L2 10M6 -2L10 2",
    "M4 0V8",
    "M0 4H8",
    "M4 0V8M0 4H8",
    "M3 4H5",
)
"""By seat: rising, falling, upright, level, crossed, dotted."""


def svg(
    scene: Scene,
    theme: str | None = None,
    labels: bool = True,
    size: int | None = None,
    *,
    key: str = "",
    across: bool = False,
) -> str:
    """The picture; `size` is its width in pixels, without it the page decides; `across` is seen from the far side."""
    theme = theme or next(iter(THEMES))
    frame, ident = _frame(scene, labels), _ident(scene, theme, labels, key)
    left, top, width, height = (number(value) for value in (frame.left, frame.top, frame.width, frame.height))
    sized = f' width="{size}" height="{number(size * frame.height / frame.width)}"' if size else ""
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="hedgerow theme-{theme}" role="img"'
        f' aria-labelledby="{ident}-title {ident}-desc" viewBox="{left} {top} {width} {height}"{sized}>',
        f'<title id="{ident}-title">{clean(scene.title)}</title>',
        f'<desc id="{ident}-desc">{clean(scene.description)}</desc>',
        f"<style>\n{style(theme)}\n</style>",
        _definitions(scene, ident, frame),
        f'<rect class="ground" x="{left}" y="{top}" width="{width}" height="{height}" rx="14"/>',
        f'<g class="play" data-turn="{number(2 * frame.top + frame.board)}">',
        *_board(scene, ident),
        *_claims(scene, ident),
        *(_labels(scene.board, frame.letters) if labels else ()),
        *_links(scene),
        *_points(scene),
        "</g>",
        frame.footer,
        "</svg>",
    ]
    drawn = "\n".join(part for part in parts if part)
    if across:
        drawn = turned(drawn)
    return by_hand(drawn) if theme == "pencil" else drawn


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


def _frame(scene: Scene, labels: bool) -> _Frame:
    board, names = scene.board, around(scene.board)
    room = _away(board) + 0.5 if labels else _pad(board) + 0.2
    bare = min(room, _pad(board) + 0.4)
    above, below = (room if names.columns and names.from_top == top else bare for top in (True, False))
    top = UNIT * (min(y for _, y in board.spots) - above)
    low = UNIT * (max(y for _, y in board.spots) + below)
    half = UNIT * (max(x for x, _ in board.spots) + room)
    letters = 14 * min(1.35, max(1.0, half / (6 * UNIT)))
    below_board = footer(scene, 2 * half, low, 1.1 * letters) if labels or scene.trays else Footer("", 0, 0)
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


def _pad(board: Board) -> float:
    """How far the board reaches beyond its outermost points, in steps."""
    return 0.62 if board.squares else 0.66


def _away(board: Board) -> float:
    """How far from the outermost points labels stand along a row or column: a leaning one meets the edge at a slant."""
    return (_pad(board) + 0.4) / (1 if board.kind == "square" else LEAN[1])


def _spot(spot: Spot) -> Spot:
    return spot[0] * UNIT, spot[1] * UNIT


def _shape(corners: Iterable[Spot]) -> str:
    return polygon(map(_spot, corners))


def _board(scene: Scene, ident: str) -> list[str]:
    """The wood, its edge and shadow, then squares or lines, then the line that divides it."""
    board = scene.board
    cells = (geometry.cell(board, point) for point in range(len(board)))
    outline = _shape(geometry.hull(chain.from_iterable(cells) if board.squares else board.spots))
    reach = 2 * UNIT * (_pad(board) - (0.5 if board.squares else 0))
    parts = [
        f'<path class="shadow" transform="translate(0 3)" stroke-width="{number(reach + 3)}" d="{outline}"/>',
        f'<path class="board-edge" stroke-width="{number(reach + 2.5)}" d="{outline}"/>',
        f'<path class="board" stroke-width="{number(reach)}" d="{outline}" fill="url(#{ident}-board)"'
        f' stroke="url(#{ident}-board)"/>',
    ]
    if board.squares:
        dark = (point for point, (row, column) in enumerate(board.cells) if (row + column) % 2)
        parts.append(f'<path class="squares" d="{"".join(_shape(geometry.cell(board, p)) for p in dark)}"/>')
        parts.append(f'<path class="lines" d="{_segments(geometry.grid(board))}"/>')
    else:
        ends = ((board.spots[start], board.spots[end]) for start, end in geometry.lines(board))
        parts.append(f'<path class="lines" d="{_segments(ends)}"/>')
    if scene.divide:
        parts.append(_divide(board, scene.divide))
    return parts


def _segments(edges: Iterable[geometry.Edge]) -> str:
    return "".join(polyline(map(_spot, edge)) for edge in edges)


def _divide(board: Board, rows: int) -> str:
    y = (board.spots[board.rows[rows - 1][0]][1] + board.spots[board.rows[rows][0]][1]) / 2
    reach = max(x for x, _ in board.spots) + _pad(board)
    return f'<path class="divide" d="{_segments([((-reach, y), (reach, y))])}"/>'


def _labels(board: Board, letters: float) -> list[str]:
    """Row heads at the left; column heads where the names are counted from; row ends at the right."""
    names, away = around(board), _away(board)
    written = [(row[0], (-away, 0.0), head) for row, head in zip(board.rows, names.rows)]
    written += [(row[-1], (away, 0.0), end) for row, end in zip(board.rows, names.ends)]
    right, down = (0.0, 1.0) if board.kind == "square" else LEAN
    way = -away if names.from_top else away
    for points, head in zip(columns_of(board), names.columns):
        written.append((points[0 if names.from_top else -1], (-way * right, way * down), head))
    texts = [_label(board.spots[point], shift, words) for point, shift, words in written]
    return [f'<g class="labels" font-size="{number(letters)}">', *texts, "</g>"]


def _label(spot: Spot, shift: Spot, words: str) -> str:
    x, y = _spot((spot[0] + shift[0], spot[1] + shift[1]))
    return f'<text class="label" x="{number(x)}" y="{number(y)}">{clean(words)}</text>'


def _claims(scene: Scene, ident: str) -> list[str]:
    """The land of every seat: a tint, a hatch and a border."""
    parts = []
    for seat in sorted({seat for _, seat in scene.claimed}):
        cells = [geometry.cell(scene.board, point) for point, owner in scene.claimed if owner == seat]
        land = "".join(_shape(corners) for corners in cells)
        parts.append(f'<path class="claim seat-{seat}" d="{land}"/>')
        parts.append(f'<path class="claim-hatch" fill="url(#{ident}-hatch-{seat})" d="{land}"/>')
        border = _segments(geometry.borders(cells))
        parts += [f'<path class="{part} seat-{seat}" d="{border}"/>' for part in ("claim-edge", "claim-border")]
    return parts


# --- the pieces -------------------------------------------------------------------------------------------------------


def _links(scene: Scene) -> list[str]:
    """A bar between neighbouring stones of one seat, so that a group is seen as one root."""
    if scene.board.squares:
        return []
    owner = {mark.point: mark.seat for mark in scene.marks if mark.kind == "stone"}
    parts = []
    for seat in sorted(set(owner.values())):
        pairs = [
            (scene.board.spots[point], scene.board.spots[other])
            for point in sorted(owner)
            for other in scene.board.neighbours[point]
            if point < other and owner[point] == owner.get(other) == seat
        ]
        if pairs:
            bars = _segments(pairs)
            parts.append(f'<path class="link-edge seat-{seat}" d="{bars}"/><path class="link seat-{seat}" d="{bars}"/>')
    return parts


def _points(scene: Scene) -> list[str]:
    marks = {mark.point: mark for mark in scene.marks}
    claimed = dict(scene.claimed)
    rows = ([_point(scene, point, marks.get(point), claimed.get(point)) for point in row] for row in scene.board.rows)
    return ['<g class="points">', *(line for row in rows for line in ('<g class="row">', *row, "</g>")), "</g>"]


def _point(scene: Scene, point: int, mark: Mark | None, claimer: int | None) -> str:
    """One point: a place to press, then what stands there, then what points at it."""
    board = scene.board
    x, y = _spot(board.spots[point])
    half = UNIT / 2
    inside = [
        f'<rect class="spot" x="-{half:g}" y="-{half:g}" width="{UNIT}" height="{UNIT}"/>'
        if board.squares
        else f'<circle class="spot" r="{half:g}"/>'
    ]
    if mark:
        inside.append(token(mark.seat, f"piece {mark.kind}"))
    elif claimer is not None:
        inside.append(token(claimer, "claimed", 0.3))
    if point in scene.last:
        inside.append(_last(board, mark is not None))
    if point in scene.highlights:
        inside.append('<circle class="highlight" r="19"/>')
    name = clean(board.names[point])
    return f'<g class="point" data-point="{name}" transform="translate({number(x)} {number(y)})">{"".join(inside)}</g>'


def _last(board: Board, occupied: bool) -> str:
    """A dot on a stone; a frame round a square, whose piece has an emblem to show; a ring where nothing is left."""
    if board.squares:
        return '<rect class="last-frame" x="-18.4" y="-18.4" width="36.8" height="36.8" rx="3"/>'
    return '<circle class="last" r="4.6"/>' if occupied else '<circle class="last-frame" r="7"/>'
