"""The lines, the outline and the cells of a board, all in steps: neighbouring points are one apart."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence

from hedgerow.boards import Board
from hedgerow.draw.markup import Edge, Spot


def lines(board: Board) -> list[tuple[int, int]]:
    """The two end points of every line of the grid."""
    half, stride = len(board.directions) // 2, 2 if board.kind == "square" else 1
    ends = []
    for way in range(0, half, stride):
        for start in range(len(board)):
            if board.steps[start][way + half] < 0 <= board.steps[start][way]:
                end = start
                while board.steps[end][way] >= 0:
                    end = board.steps[end][way]
                ends.append((start, end))
    return ends


def cell(board: Board, point: int) -> list[Spot]:
    """The corners of the part of the plane that is nearest to a point: a square or a hexagon."""
    x, y = board.spots[point]
    count, radius = (4, math.sqrt(1 / 2)) if board.kind == "square" else (6, math.sqrt(1 / 3))
    first = math.pi / 4 if board.kind == "square" else math.pi / 2
    angles = (first + 2 * math.pi * corner / count for corner in range(count))
    return [(x + radius * math.cos(angle), y + radius * math.sin(angle)) for angle in angles]


def hull(spots: Iterable[Spot]) -> list[Spot]:
    """The corners of the smallest convex shape around all spots, in order."""
    ordered = sorted({(round(x, 6), round(y, 6)) for x, y in spots})
    return _chain(ordered)[:-1] + _chain(ordered[::-1])[:-1]


def _chain(spots: Sequence[Spot]) -> list[Spot]:
    chain: list[Spot] = []
    for spot in spots:
        while len(chain) > 1 and _turn(chain[-2], chain[-1], spot) < 1e-3:
            chain.pop()
        chain.append(spot)
    return chain


def _turn(a: Spot, b: Spot, c: Spot) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def borders(polygons: Iterable[Sequence[Spot]]) -> list[Edge]:
    """The edges that belong to only one of the polygons: the outline of the land they cover together."""
    edges = [edge for corners in polygons for edge in zip(corners, [*corners[1:], corners[0]])]
    shared = Counter(undirected(edge) for edge in edges)
    return [edge for edge in edges if shared[undirected(edge)] == 1]


def undirected(edge: Edge) -> frozenset[tuple[int, int]]:
    """An edge as it is known from both sides."""
    return frozenset((round(x * 1000), round(y * 1000)) for x, y in edge)


def grid(board: Board) -> list[Edge]:
    """The lines between and around the squares of a square board."""
    reach = board.size / 2
    marks = [step - reach for step in range(board.size + 1)]
    return [((-reach, y), (reach, y)) for y in marks] + [((x, -reach), (x, reach)) for x in marks]
