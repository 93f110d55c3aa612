"""Tanbo said plainly: growing roots on a square board, for two players."""

from __future__ import annotations

from hedgerow.boards import square
from hedgerow.game import Game, Value
from hedgerow.games._growth.plain import GrowthPlain

LINES = {19: (1, 7, 13, 19), 13: (1, 5, 9, 13), 9: (2, 8)}  # RULES 1.3: where lines with first stones cross, by size


class TanboPlain(GrowthPlain):
    """The judge of Tanbo."""

    def __init__(self, game: Game, options: dict[str, Value]) -> None:
        self.size = int(options["size"])
        super().__init__(game, options, square(self.size, names="lines"), 2)

    def seeds(self) -> tuple[tuple[int, ...], ...]:
        """Black and White stones in turn, like the squares of a chessboard, Black in the upper left."""
        found: tuple[list[int], list[int]] = ([], [])
        for i, row in enumerate(LINES[self.size]):
            for j, column in enumerate(LINES[self.size]):
                found[(i + j) % 2].append((row - 1) * self.size + column - 1)
        return tuple(found[0]), tuple(found[1])
