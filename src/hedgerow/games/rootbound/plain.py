"""Rootbound said plainly: nobody passes, a stuck player is skipped, and only claimed points count."""

from __future__ import annotations

from typing import ClassVar

from hedgerow.boards import hexhex
from hedgerow.game import Game, Outcome, Reason, Value, outcome_of_scores
from hedgerow.games._bound.plain import BoundPlain, BoundPosition


class RootboundPlain(BoundPlain[BoundPosition]):
    """The judge of Rootbound."""

    end_clauses: ClassVar = {"stuck": "5.2"}
    claims_from = 3  # RULES 2.3
    clauses: ClassVar = {
        "occupied": "3.2",
        "claimed": "3.3",
        "triangle": "3.4",
        "line": "3.5",
        "must_place": "3.1",
        "piece_placed": "3.1",
    }

    def __init__(self, game: Game, options: dict[str, Value]) -> None:
        super().__init__(game, options, hexhex(int(options["side"])))

    def start(self) -> BoundPosition:
        return BoundPosition(bytes(len(self.board)), 0, 1)

    def legal(self, position: BoundPosition) -> list[int]:
        extras = [] if position.first is None else [self.finish]
        return [*self.placements(position), *extras]

    def play(self, position: BoundPosition, action: int) -> BoundPosition:
        return self.end_turn(position) if action == self.finish else self.place(position, action)

    def end_turn(self, position: BoundPosition) -> BoundPosition:
        """The turn of the next player who can place; a skipped turn ends with a clean-up too. RULES 5.1"""
        position = super().end_turn(position)
        for _ in range(self.players):
            if self.can_place(position):
                break
            position = super().end_turn(position)
        return position

    def outcome(self, position: BoundPosition) -> Outcome | None:
        if position.first is not None or self.can_place(position):
            return None
        return outcome_of_scores("stuck", self.scores(position))  # RULES 5.2, 5.4

    def scores(self, position: BoundPosition) -> tuple[int, int]:
        """The empty points in claimed regions. RULES 5.3"""
        claims = self.claims(position)
        return claims.count(1), claims.count(2)

    def forbids_finish(self, position: BoundPosition) -> Reason | None:
        if position.first is not None:
            return None
        return self.reason("must_place", "You must place a piece before your turn can end.")
