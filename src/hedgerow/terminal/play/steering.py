"""Where the cursor goes: along a row, and up or down to the point nearest to where that began.

>>> from hedgerow.boards import hexhex
>>> board = hexhex(3); cursor = Cursor(board, board.point["c3"])
>>> cursor.go(0, -1), cursor.go(0, -1), cursor.go(1, 0), cursor.go(0, 1)
('d2', 'e2', 'e3', 'd3')
"""

from __future__ import annotations

from collections.abc import Iterable

from hedgerow.boards import Board

SLACK = 0.1


class Cursor:
    """A point of a board that can be moved about."""

    def __init__(self, board: Board, point: int | None = None) -> None:
        self.board = board
        self.point = self._middle() if point is None else point
        self.turned = False
        """The board is seen from its other side."""
        self._aim: float | None = None

    def _middle(self) -> int:
        spots = self.board.spots
        return min(range(len(self.board)), key=lambda point: (spots[point][0] ** 2 + spots[point][1] ** 2, point))

    @property
    def name(self) -> str:
        """The name of the point."""
        return self.board.names[self.point]

    def jump(self, name: str) -> str:
        """Goes to a point at once."""
        self.point, self._aim = self.board.point[name], None
        return name

    def go(self, right: int, down: int) -> str:
        """One step; at the edge it stays. Returns where it is then."""
        if self.turned:
            right, down = -right, -down
        x, y = self.board.spots[self.point]
        aim = x if self._aim is None else self._aim
        best, least = self.point, float("inf")
        for point, (to_x, to_y) in enumerate(self.board.spots):
            along = (to_x - x) * right + (to_y - y) * down
            if along < SLACK or (right and abs(to_y - y) > SLACK):
                continue
            far = along if right else 100 * along + abs(to_x - aim)
            if far < least - SLACK / 10:
                best, least = point, far
        self.point, self._aim = best, aim if down else None
        return self.name

    def cycle(self, names: Iterable[str], back: bool = False) -> str:
        """Goes to the next of some points in reading order, or to the one before."""
        points = sorted(self.board.point[name] for name in names)
        if points:
            after = [point for point in points if point > self.point] or points
            before = [point for point in points if point < self.point] or points
            self.point, self._aim = before[-1] if back else after[0], None
        return self.name
