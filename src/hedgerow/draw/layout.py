"""What a drawing has of its board alone: places, lines, cells and labels, made once for every board and hand."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain

from hedgerow.boards import Board
from hedgerow.draw import geometry
from hedgerow.draw.hand import Hand
from hedgerow.draw.labels import around, columns_of
from hedgerow.draw.markup import Edge, Spot, clean, number, polygon, polyline
from hedgerow.draw.shapes import UNIT

LEAN = (0.5, 0.75**0.5)
"""One step along a column of a triangular grid: so far right, so far up."""


@dataclass(frozen=True, eq=False)
class Layout:
    """Pieces of markup, by point where there is one for each."""

    outline: str
    lines: tuple[str, ...]
    """The squares where there are any, then the lines of the grid."""
    points: tuple[str, ...]
    """The beginning of every point: its group, and the place to press."""
    cells: tuple[str, ...]
    edges: tuple[tuple[tuple[int, str, str], ...], ...]
    """For every point the edges of its cell: the point beyond it or -1, drawn straight, and by hand."""
    links: dict[tuple[int, int], str]
    """The lines between neighbours, by both points, the lower one first."""


def pad(board: Board) -> float:
    """How far the board reaches beyond its outermost points, in steps."""
    return 0.62 if board.squares else 0.66


def away(board: Board) -> float:
    """How far from the outermost points labels stand along a row or column: a leaning one meets the edge at a slant."""
    return (pad(board) + 0.4) / (1 if board.kind == "square" else LEAN[1])


def scaled(spot: Spot) -> Spot:
    """A spot as it is drawn."""
    return spot[0] * UNIT, spot[1] * UNIT


def segments(edges: Iterable[Edge], hand: Hand) -> str:
    """Lines between spots of the board."""
    return "".join(hand.segment((scaled(start), scaled(end))) for start, end in edges)


@lru_cache(maxsize=128)
def layout(board: Board, hand: Hand, across: bool) -> Layout:
    """The layout of a board; `across` is seen from the far side."""
    cells = [geometry.cell(board, point) for point in range(len(board))]
    hull = geometry.hull(chain.from_iterable(cells) if board.squares else board.spots)
    pairs = [(point, q) for point in range(len(board)) for q in board.neighbours[point] if point < q]
    return Layout(
        outline=_shape(hull),
        lines=tuple(_lines(board, hand)),
        points=tuple(_point(board, point, across) for point in range(len(board))),
        cells=tuple(map(_shape, cells)),
        edges=_edges(cells, hand),
        links={(p, q): segments([(board.spots[p], board.spots[q])], hand) for p, q in pairs},
    )


def _shape(corners: Iterable[Spot]) -> str:
    return polygon(map(scaled, corners))


def _lines(board: Board, hand: Hand) -> list[str]:
    if not board.squares:
        ends = ((board.spots[start], board.spots[end]) for start, end in geometry.lines(board))
        return [f'<path class="lines" d="{segments(ends, hand)}"/>']
    dark = (point for point, (row, column) in enumerate(board.cells) if (row + column) % 2)
    return [
        f'<path class="squares" d="{"".join(_shape(geometry.cell(board, p)) for p in dark)}"/>',
        f'<path class="lines" d="{segments(geometry.grid(board), hand)}"/>',
    ]


def _point(board: Board, point: int, across: bool) -> str:
    x, y = map(number, scaled(board.spots[point]))
    turned, half = " rotate(180)" if across else "", UNIT / 2
    spot = (
        f'<rect class="spot" x="-{half:g}" y="-{half:g}" width="{UNIT}" height="{UNIT}"/>'
        if board.squares
        else f'<circle class="spot" r="{half:g}"/>'
    )
    name = clean(board.names[point])
    return f'<g class="point" data-point="{name}" transform="translate({x} {y}){turned}">{spot}'


def _edges(cells: list[list[Spot]], hand: Hand) -> tuple[tuple[tuple[int, str, str], ...], ...]:
    sides = [list(zip(corners, [*corners[1:], corners[0]])) for corners in cells]
    owners: dict[frozenset[tuple[int, int]], list[int]] = {}
    for point, edges in enumerate(sides):
        for edge in edges:
            owners.setdefault(geometry.undirected(edge), []).append(point)

    def beyond(point: int, edge: Edge) -> int:
        return next((other for other in owners[geometry.undirected(edge)] if other != point), -1)

    return tuple(
        tuple((beyond(point, e), polyline(map(scaled, e)), segments([e], hand)) for e in edges)
        for point, edges in enumerate(sides)
    )


def written(board: Board, far: float) -> list[tuple[int, Spot, str]]:
    """The words round a board: beside which point, how far from it, and what.

    Row heads stand at the left, column heads where the names are counted from, row ends at the right.
    """
    names = around(board)
    words = [(row[0], (-far, 0.0), head) for row, head in zip(board.rows, names.rows)]
    words += [(row[-1], (far, 0.0), end) for row, end in zip(board.rows, names.ends)]
    right, down = (0.0, 1.0) if board.kind == "square" else LEAN
    way = -far if names.from_top else far
    for points, head in zip(columns_of(board), names.columns):
        words.append((points[0 if names.from_top else -1], (-way * right, way * down), head))
    return words


@lru_cache(maxsize=128)
def labels(board: Board, letters: float, across: bool) -> tuple[str, ...]:
    """The words round a board, as SVG."""
    texts = [_label(board.spots[point], shift, words, across) for point, shift, words in written(board, away(board))]
    return (f'<g class="labels" font-size="{number(letters)}">', *texts, "</g>")


def _label(spot: Spot, shift: Spot, words: str, across: bool) -> str:
    x, y = map(number, scaled((spot[0] + shift[0], spot[1] + shift[1])))
    upright = f' transform="rotate(180 {x} {y})"' if across else ""
    return f'<text class="label" x="{x}" y="{y}"{upright}>{clean(words)}</text>'
