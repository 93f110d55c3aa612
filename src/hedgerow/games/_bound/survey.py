"""A survey of a board: its regions and groups, who claims which region, which groups see each other."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

EMPTY = 0


class Survey:
    """The areas of a board: maximal connected sets of points that hold the same.

    An area of empty points is a region, any other a group. Areas are numbered; `touching[area]` are those beside it.
    """

    def __init__(self, board: bytes, neighbours: Sequence[Sequence[int]]) -> None:
        self.piece: list[int] = []
        """What every area holds: EMPTY, or the piece of its colour."""
        self.points: list[list[int]] = []
        self.touching: list[set[int]] = []
        self.area = [-1] * len(board)
        """The area of every point."""
        for point, piece in enumerate(board):
            if self.area[point] < 0:
                self._explore(board, neighbours, point, piece)

    def _explore(self, board: bytes, neighbours: Sequence[Sequence[int]], point: int, piece: int) -> None:
        """Adds the area of a point; areas found earlier learn that they touch it."""
        number, area, points = len(self.points), self.area, [point]
        touching: set[int] = set()
        area[point] = number
        for p in points:
            for q in neighbours[p]:
                if area[q] >= 0:
                    touching.add(area[q])
                elif board[q] == piece:
                    area[q] = number
                    points.append(q)
        touching.discard(number)
        for other in touching:
            self.touching[other].add(number)
        self.piece.append(piece)
        self.points.append(points)
        self.touching.append(touching)

    def groups(self) -> list[int]:
        return [area for area, piece in enumerate(self.piece) if piece != EMPTY]

    @cached_property
    def claimers(self) -> list[int]:
        """The piece of the only colour that touches each region, EMPTY where none or both do, and for groups."""
        return [EMPTY if piece else self._claimer(area) for area, piece in enumerate(self.piece)]

    def _claimer(self, region: int) -> int:
        colours = {self.piece[group] for group in self.touching[region]}
        return colours.pop() if len(colours) == 1 else EMPTY

    @cached_property
    def claims(self) -> bytes:
        """For every point the piece that claims it, EMPTY where none does."""
        claimers = self.claimers
        return bytes([claimers[area] for area in self.area])

    @cached_property
    def _roots(self) -> list[bool]:
        claimers = self.claimers
        return [any(claimers[area] for area in beside) for beside in self.touching]

    def is_root(self, group: int) -> bool:
        """A Root touches a claimed region; any other group is a Runner."""
        return self._roots[group]

    def seen(self, group: int) -> set[int]:
        """The other groups of its colour that a group sees: some region touches both."""
        regions = (area for area in self.touching[group] if self.piece[area] == EMPTY)
        groups = {other for region in regions for other in self.touching[region]}
        return {other for other in groups if self.piece[other] == self.piece[group]} - {group}
