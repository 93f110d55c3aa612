"""Three as people see it: points are moves."""

from __future__ import annotations

from hedgerow.game import BadRecord, Position, Reason
from hedgerow.games.three.plain import ThreePlain
from hedgerow.scene import Scene


class Three(ThreePlain):
    """The rules of Three, and their looks."""

    def spell(self, position: Position, action: int) -> str:
        return self.board.names[action]

    def read(self, position: Position, text: str) -> int | Reason:
        if text.lower() in ("pass", "done"):
            return Reason("one_stone", "A turn is one stone, and ends by itself.", (), "1.1")
        return self.point(text, "1.1")

    def clicks(self, position: Position, action: int) -> tuple[str, ...]:
        return (self.board.names[action],)

    def prompt(self, position: Position) -> str:
        outcome = self.outcome(position)
        if outcome is None:
            return "Place a stone on an empty square."
        return (
            f"Three in a line: {self.seats[outcome.winners[0]]} wins."
            if outcome.winners
            else "The board is full: a draw."
        )

    def scene(self, position: Position, last: tuple[int, ...] = (), highlights: tuple[int, ...] = ()) -> Scene:
        counts = [f"{self.seats[seat]} has {position.board.count(1 + seat)} stones." for seat in (0, 1)]
        return Scene(
            board=self.board,
            marks=self.marks(position),
            title=self.game.title,
            description=" ".join(counts),
            seats=self.seats,
            to_move=None if self.outcome(position) else position.to_move,
            last=last,
            highlights=highlights,
        )

    def revive(self, board: bytes, to_move: int, extras: dict[str, str]) -> Position:
        if extras:
            raise BadRecord(f"no word {next(iter(extras))[:20]!r} here; hint: there are none")
        if board.count(1) - board.count(2) != to_move:
            raise BadRecord("the stones do not go with the seat to move; hint: Black begins")
        return Position(board, to_move)
