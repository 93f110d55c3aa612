"""What to write round a board so that a reader finds every point by its name.

A name is a letter and a number. Each is written at the head of the row or column whose points share it; where numbers
start anew in every row, no column shares one, and the row ends with the number of its last point instead.

>>> from hedgerow.boards import hexhex, square
>>> around(square(3)) == Labels(rows=("3", "2", "1"), columns=("a", "b", "c"), ends=(), from_top=False)
True
>>> around(hexhex(3)).ends
('3', '4', '5', '4', '3')
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from hedgerow.boards import Board


@dataclass(frozen=True)
class Labels:
    """The words round a board."""

    rows: tuple[str, ...]
    """At the left of every row, from the top."""
    columns: tuple[str, ...]
    """At the end of every column, from the left; () where columns have no name."""
    ends: tuple[str, ...]
    """At the right of every row; () where columns have names."""
    from_top: bool
    """Names are counted from the top, so that the columns' labels belong there."""


@lru_cache(maxsize=128)
def around(board: Board) -> Labels:
    """The labels of a board, read off the names of its points."""
    rows = tuple(_shared(board.names[point] for point in row) for row in board.rows)
    columns = tuple(_shared(board.names[point] for point in column) for column in columns_of(board))
    ends = tuple(board.names[row[-1]][1:] for row in board.rows)
    from_top = rows[0] < rows[-1]
    return Labels(rows, columns, (), from_top) if all(columns) else Labels(rows, (), ends, from_top)


def columns_of(board: Board) -> list[list[int]]:
    """The points of every column from the top; on a triangular grid a column leans like a slash."""
    columns: list[list[int]] = [[] for _ in range(board.width)]
    for point, (_, column) in enumerate(board.cells):
        columns[column].append(point)
    return columns


def _shared(names: Iterable[str]) -> str:
    """The letter or the number that all names have in common, or ""."""
    letters, numbers = ({*part} for part in zip(*((name[0], name[1:]) for name in names)))
    return next((part.pop() for part in (letters, numbers) if len(part) == 1), "")
