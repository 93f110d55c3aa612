"""Root Bound said plainly: what Spring asks, when Summer ends, how Fall withers and Winter counts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from hedgerow.boards import centerless, hexhex
from hedgerow.game import Game, Outcome, Reason, Value, listed, outcome_of_scores
from hedgerow.games._bound.plain import BoundPlain, BoundPosition, emptied
from hedgerow.games._bound.survey import Survey

SUMMER = 4  # RULES 4: the first turn of Summer


@dataclass(frozen=True, slots=True)
class RootBoundPosition(BoundPosition):
    """A board in its season, passes in a row, and who passed first."""

    passes: int = 0
    passer: int | None = None


class RootBoundPlain(BoundPlain[RootBoundPosition]):
    """The judge of Root Bound."""

    end_clauses: ClassVar = {"passes": "5.1"}
    claims_from = SUMMER
    clauses: ClassVar = {
        "occupied": "4.1",
        "claimed": "4.1",
        "triangle": "4.2",
        "line": "4.3",
        "spring_apart": "3.2",
        "spring_isolated": "3.3",
        "must_place": "3.4",
        "nothing_placed": "4.4",
        "piece_placed": "4.4",
    }

    def __init__(self, game: Game, options: dict[str, Value]) -> None:
        side = int(options["side"])
        super().__init__(game, options, centerless(side) if options["centerless"] == "yes" else hexhex(side))
        self.first_pass_of_all = options["tie_pass"] == "game"  # RULES 6.3
        self.hindrances = {"spring_apart": self.apart, "spring_isolated": self.isolated} | self.hindrances

    def start(self) -> RootBoundPosition:
        return RootBoundPosition(bytes(len(self.board)), 0, 1)

    def legal(self, position: RootBoundPosition) -> list[int]:
        if position.passes == 2:
            return []
        extras = [] if self.forbids_finish(position) else [self.finish]
        return [*self.placements(position), *extras]

    # --- Spring -------------------------------------------------------------------------------------------------------

    def apart(self, position: RootBoundPosition, point: int) -> list[int]:
        """White's first two pieces may not touch each other. RULES 3.2"""
        board, own = position.board, 1 + position.to_move
        return [q for q in self.board.neighbours[point] if board[q] == own] if position.turn == 2 else []

    def isolated(self, position: RootBoundPosition, point: int) -> list[int]:
        """One of Black's first three pieces must touch neither of the others. RULES 3.3"""
        if position.turn != 3:
            return []
        own = [p for p, piece in enumerate(position.board) if piece == 1 + position.to_move]
        three = [*own, point]
        lonely = [p for p in three if not any(q in self.board.neighbours[p] for q in three)]
        return own if len(three) == 3 and not lonely else []

    # --- Summer -------------------------------------------------------------------------------------------------------

    def play(self, position: RootBoundPosition, action: int) -> RootBoundPosition:
        if action != self.finish:
            passer = position.passer if self.first_pass_of_all else None
            return self.place(replace(position, passes=0, passer=passer), action)
        if position.first is not None:
            return self.end_turn(position)
        passer = position.to_move if position.passer is None else position.passer
        passed = self.end_turn(replace(position, passes=position.passes + 1, passer=passer))
        return replace(passed, board=self.fall(passed.board)) if passed.passes == 2 else passed  # RULES 5.1

    # --- Fall and Winter ----------------------------------------------------------------------------------------------

    def fall(self, board: bytes) -> bytes:
        """The board after the smallest weak Runners have withered, again and again. RULES 5.3"""
        while withering := self.withering(board):
            board = emptied(board, withering)
        return board

    def withering(self, board: bytes) -> list[int]:
        """The points of the smallest weak Runners of both colours."""
        survey = self.survey(board)
        runners = [survey.points[group] for group in survey.groups() if is_weak(survey, group)]
        smallest = min(map(len, runners), default=0)
        return [point for runner in runners if len(runner) == smallest for point in runner]

    def outcome(self, position: RootBoundPosition) -> Outcome | None:
        if position.passes < 2:
            return None
        return outcome_of_scores("passes", self.scores(position), position.passer)  # RULES 6.2, 6.3

    def scores(self, position: RootBoundPosition) -> tuple[int, int]:
        """Pieces on the board and points in claimed regions. RULES 6.1"""
        owners = self.owners(position)
        return owners.count(0), owners.count(1)

    # --- why not ------------------------------------------------------------------------------------------------------

    def empty_clause(self, position: RootBoundPosition) -> str:
        return super().empty_clause(position) if position.turn >= SUMMER else f"3.{position.turn}"

    def forbids_finish(self, position: RootBoundPosition) -> Reason | None:
        if position.turn >= SUMMER:
            return None
        pieces = "one piece" if position.turn == 1 else "two pieces"
        return self.reason("must_place", f"In Spring you must place; this turn has exactly {pieces}.")

    def explained(self, code: str, names: list[str]) -> str:
        if code == "spring_apart":
            return f"Your first two pieces may not touch each other; {names[0]} is beside it."
        if code == "spring_isolated":
            return f"It would hang together with {listed(names)}; one of your first three must stand apart."
        return super().explained(code, names)


def is_weak(survey: Survey, group: int) -> bool:
    """A weak Runner sees no Root of its colour. RULES 5.2"""
    return not survey.is_root(group) and not any(survey.is_root(other) for other in survey.seen(group))
