"""Rootbound as people see it: done but no pass, positions as text."""

from __future__ import annotations

from hedgerow.game import BadRecord, Reason
from hedgerow.games._bound.plain import BoundPosition
from hedgerow.games._bound.survey import Survey
from hedgerow.games._bound.view import BoundView
from hedgerow.games.rootbound.plain import RootboundPlain

OPENING = {1: (0, 0), 2: (1, 0)}  # RULES 3.1: pieces on the board when a turn begins


class Rootbound(BoundView[BoundPosition], RootboundPlain):
    """The rules of Rootbound, and their looks."""

    danger = "dead group"
    glossary = (
        *BoundView.glossary,
        ("", "Dead group", "a Runner that sees no other group of its colour: the enemy's turn takes it off the board."),
    )
    why_over = "Nobody can place a piece."
    counted = "claimed points"

    def word(self, position: BoundPosition) -> str:
        return "done"

    def read_word(self, position: BoundPosition, word: str) -> int | Reason:
        if word == "done":
            return self.finish
        if position.first is not None:
            return self.piece_placed()
        return self.reason("must_place", "You may not pass: place a piece.")

    def asked(self, position: BoundPosition) -> str:
        if position.turn == 1:
            return "Place your first piece anywhere."
        if position.first is None:
            return "Place one or two pieces."
        return "Place a second piece, or say done."

    def in_danger(self, survey: Survey, runner: int) -> bool:
        return not survey.is_root(runner) and not survey.seen(runner)  # RULES 4.1

    def revive(self, board: bytes, to_move: int, extras: dict[str, str]) -> BoundPosition:
        position = BoundPosition(board, to_move, self.read_turn(extras), self.read_first(extras))
        self.refuse_words(extras, "turn, first")
        self.check(position)
        other = BoundPosition(board, 1 - to_move, position.turn)
        if position.first is None and not self.can_place(position) and self.can_place(other):
            raise BadRecord(f"{self.seats[to_move]} cannot place; hint: it is {self.seats[1 - to_move]}'s turn")
        return position

    def opening(self, turn: int) -> tuple[int, int]:
        return OPENING[turn]
