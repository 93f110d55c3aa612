"""Hexbo said plainly: growing roots on a hexagon, for two, three or six players."""

from __future__ import annotations

from hedgerow.boards import HEX_STEPS, hexhex
from hedgerow.game import Game, Value
from hedgerow.games._growth.plain import GrowthPlain

RINGS = {10: (9, 5), 5: (3,)}  # RULES 1.3: how far from the middle the first stones stand, by the board's side
INNER_TURN = {2: 1, 3: 1, 6: 3}  # RULES 1.3: how many seats the inner ring is turned, by the number of players


class HexboPlain(GrowthPlain):
    """The judge of Hexbo."""

    def __init__(self, game: Game, options: dict[str, Value]) -> None:
        self.side = int(options["side"])
        super().__init__(game, options, hexhex(self.side, names="diagonals"), int(options["players"]))

    def seeds(self) -> tuple[tuple[int, ...], ...]:
        """One stone in each of the six directions, on each ring; the seats take them in turn."""
        found: list[list[int]] = [[] for _ in range(self.players)]
        at = {cell: point for point, cell in enumerate(self.board.cells)}
        middle = self.side - 1
        for radius, turn in zip(RINGS[self.side], (0, INNER_TURN[self.players])):
            for direction, (down, right) in enumerate(HEX_STEPS):
                seat = (direction + turn) % self.players
                found[seat].append(at[middle + radius * down, middle + radius * right])
        return tuple(tuple(sorted(points)) for points in found)
