"""Root Bound and Rootbound said plainly, as far as they agree: where a piece may go, turns of one or two, clean-up."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import ClassVar, TypeVar

from hedgerow.boards import Board, Symmetry
from hedgerow.game import Actions, Game, Position, Reason, Rules, Value, listed, stones, turned_board
from hedgerow.games._bound.survey import EMPTY, Survey


@dataclass(frozen=True, slots=True)
class BoundPosition(Position):
    """Pieces, the player to move, the number of the turn, and the point of the piece already placed this turn."""

    turn: int
    """From 1; it stops counting at the turn from which regions are claimed."""
    first: int | None = None


B = TypeVar("B", bound=BoundPosition)


class BoundPlain(Rules[B]):
    """The judge of Root Bound and Rootbound."""

    claims_from: ClassVar[int]
    """The first turn in which regions are claimed and groups removed."""
    clauses: ClassVar[dict[str, str]]
    """Where RULES.md states the rule behind each reason."""

    def __init__(self, game: Game, options: dict[str, Value], board: Board) -> None:
        super().__init__(game, options)
        self.board = board
        self.pieces = stones(2)
        self.actions = Actions(len(board), ("place",), ("done",))
        self.finish = self.actions.extra(0)
        self.corners = tuple(
            tuple((q, r) for q, r in zip(steps, steps[1:] + steps[:1]) if q >= 0 and r >= 0) for steps in board.steps
        )
        """For every point, the pairs of neighbours with which it is a small triangle."""
        self.survey = lru_cache(maxsize=512)(lambda pieces: Survey(pieces, board.neighbours))
        self.hindrances: dict[str, Callable[[B, int], list[int]]] = {"triangle": self.triangle, "line": self.line}
        """Each rule that own pieces may forbid a point by, and the finder of those pieces."""

    # --- where a piece may go -----------------------------------------------------------------------------------------

    def placements(self, position: B) -> Iterator[int]:
        """Every point where the player to move may place a piece now, in rising order."""
        finders = tuple(self.hindrances.values())
        return (p for p in self.unclaimed(position) if not any(find(position, p) for find in finders))

    def unclaimed(self, position: B) -> list[int]:
        """The empty points that nobody had claimed when the turn began."""
        return [p for p, (piece, owner) in enumerate(zip(position.board, self.claims(position))) if not piece | owner]

    def claims(self, position: B) -> bytes:
        """The piece that claims each point, EMPTY where none does, as it was when the turn began."""
        if position.turn < self.claims_from:
            return bytes(len(position.board))
        return self.survey(self.before(position)).claims

    def before(self, position: B) -> bytes:
        """The board as it was when the turn began."""
        return position.board if position.first is None else emptied(position.board, [position.first])

    def triangle(self, position: B, point: int) -> list[int]:
        """The own pieces that would form small triangles with a piece on this point."""
        board, own = position.board, 1 + position.to_move
        return sorted({p for q, r in self.corners[point] if board[q] == own == board[r] for p in (q, r)})

    def line(self, position: B, point: int) -> list[int]:
        """The pieces in a straight line with this point, if it is beside the piece placed this turn."""
        first, board, own, steps = position.first, position.board, 1 + position.to_move, self.board.steps
        if first is None or point not in steps[first]:
            return []
        way = steps[first].index(point)
        beyond, behind = steps[point][way], steps[first][(way + 3) % 6]
        found = sorted(p for p in (beyond, behind) if p >= 0 and board[p] == own)
        return [*found, first] if found else []

    # --- a turn -------------------------------------------------------------------------------------------------------

    def place(self, position: B, point: int) -> B:
        """The position after a piece is placed: still the same turn as long as a second piece fits."""
        board = bytearray(position.board)
        board[point] = 1 + position.to_move
        after = replace(position, board=bytes(board), first=point)
        goes_on = position.turn > 1 and position.first is None and self.can_place(after)
        return after if goes_on else self.end_turn(after)

    def mid_turn(self, position: B) -> bool:
        return position.first is not None

    def can_place(self, position: B) -> bool:
        return any(True for _ in self.placements(position))

    def end_turn(self, position: B) -> B:
        """The other player's turn, after the clean-up."""
        board, other = position.board, 1 - position.to_move
        if position.turn >= self.claims_from:
            board = self.cleaned(board, 1 + other)
        turn = min(position.turn + 1, self.claims_from)
        return replace(position, board=board, to_move=other, turn=turn, first=None)

    def cleaned(self, board: bytes, piece: int) -> bytes:
        """The board without the Runners of one colour that see no other group of that colour."""
        survey = self.survey(board)
        groups = [group for group in survey.groups() if survey.piece[group] == piece]
        lost = [group for group in groups if not survey.is_root(group) and not survey.seen(group)]
        return emptied(board, (point for group in lost for point in survey.points[group]))

    def owners(self, position: B) -> list[int]:
        """The seat whose piece stands on each point or that has claimed it, -1 where there is none."""
        return [(piece or claimer) - 1 for piece, claimer in zip(position.board, self.claims(position))]

    # --- why not ------------------------------------------------------------------------------------------------------

    def forbids(self, position: B, action: int) -> Reason | None:
        if action == self.finish:
            return self.forbids_finish(position)
        if position.board[action] != EMPTY:
            text = f"There is already a piece on {self.board.names[action]}."
            return replace(self.reason("occupied", text, [action]), clause=self.empty_clause(position))
        return self._forbids_claimed(position, action) or self._forbids_hindered(position, action)

    def empty_clause(self, position: B) -> str:
        """Where RULES.md says, for this turn, that a piece goes on an empty point."""
        return self.clauses["occupied"]

    @abstractmethod
    def forbids_finish(self, position: B) -> Reason | None:
        """Why the turn may not be ended now."""

    def _forbids_claimed(self, position: B, point: int) -> Reason | None:
        piece = self.claims(position)[point]
        if piece == EMPTY:
            return None
        text = f"{self.board.names[point]} is in a region claimed by {self.seats[piece - 1]}."
        return self.reason("claimed", text, self.claiming(self.before(position), point))

    def claiming(self, board: bytes, point: int) -> list[int]:
        """The pieces round a claimed region, and those behind them, until nobody would claim it without them."""
        pieces: set[int] = set()
        while self.survey(board).claims[point] != EMPTY:
            survey = self.survey(board)
            region = survey.points[survey.area[point]]
            pieces.update(q for p in region for q in self.board.neighbours[p] if board[q] != EMPTY)
            board = emptied(board, pieces)
        return sorted(pieces)

    def _forbids_hindered(self, position: B, point: int) -> Reason | None:
        for code, find in self.hindrances.items():
            if pieces := find(position, point):
                return self.reason(code, self.explained(code, [self.board.names[p] for p in pieces]), pieces)
        return None

    def explained(self, code: str, names: list[str]) -> str:
        """The sentence for a rule that these own pieces forbid a point by."""
        if code == "triangle":
            return f"It would close {'a triangle' if len(names) == 2 else 'triangles'} with {listed(names)}."
        *others, first = names
        return f"With {first}, which you have just placed, it would make a straight line with {listed(others)}."

    def reason(self, code: str, text: str, points: Iterable[int] = ()) -> Reason:
        """A Reason with the names of its points and the clause of its rule."""
        return Reason(code, text, tuple(self.board.names[point] for point in points), self.clauses[code])

    # --- the same position, changed -----------------------------------------------------------------------------------

    def turned(self, position: B, symmetry: Symmetry) -> B:
        first = None if position.first is None else symmetry.points[position.first]
        return replace(position, board=turned_board(position.board, symmetry), first=first)

    def without(self, position: B, points: Iterable[int]) -> B:
        gone = set(points)
        first = None if position.first in gone else position.first
        return replace(position, board=emptied(position.board, gone), first=first)


def emptied(board: bytes, points: Iterable[int]) -> bytes:
    """The board with these points empty."""
    left = bytearray(board)
    for point in points:
        left[point] = EMPTY
    return bytes(left)
