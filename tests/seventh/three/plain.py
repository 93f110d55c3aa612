"""Three said plainly: a stone on an empty square, three in a line win."""

from __future__ import annotations

from typing import ClassVar

from hedgerow.boards import square
from hedgerow.game import Actions, Game, Outcome, Position, Reason, Rules, Value, stones

ROWS = [(0, 1, 2), (3, 4, 5), (6, 7, 8)]
LINES = (*ROWS, *zip(*ROWS), (0, 4, 8), (2, 4, 6))


class ThreePlain(Rules[Position]):
    """The judge of Three."""

    end_clauses: ClassVar = {"line": "2.1", "full": "2.2"}
    pieces = stones(2)

    def __init__(self, game: Game, options: dict[str, Value]) -> None:
        super().__init__(game, options)
        self.board = square(3, squares=True)
        self.actions = Actions(9)

    def start(self) -> Position:
        return Position(bytes(9), 0)

    def legal(self, position: Position) -> list[int]:
        return [] if self.outcome(position) else [point for point in range(9) if not position.board[point]]

    def play(self, position: Position, action: int) -> Position:
        board = bytearray(position.board)
        board[action] = 1 + position.to_move
        return Position(bytes(board), 1 - position.to_move)

    def outcome(self, position: Position) -> Outcome | None:
        for seat in (0, 1):  # RULES 2.1
            if any(all(position.board[point] == 1 + seat for point in line) for line in LINES):
                return Outcome("line", None, (seat,), (1, 2) if seat == 0 else (2, 1))
        return None if 0 in position.board else Outcome("full", None, (), (1, 1))  # RULES 2.2

    def forbids(self, position: Position, action: int) -> Reason | None:
        name = self.board.names[action]
        return (
            Reason("occupied", f"There is already a stone on {name}.", (name,), "1.1")
            if position.board[action]
            else None
        )
