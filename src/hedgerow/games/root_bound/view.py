"""Root Bound as people see it: the seasons in words, pass and done, positions as text."""

from __future__ import annotations

from hedgerow.game import BadRecord, Reason
from hedgerow.games._bound.survey import Survey
from hedgerow.games._bound.view import BoundView
from hedgerow.games.root_bound.plain import SUMMER, RootBoundPlain, RootBoundPosition, is_weak

OPENING = {1: (0, 0), 2: (1, 0), 3: (1, 2)}  # RULES 3: pieces on the board when a turn of Spring begins


class RootBound(BoundView[RootBoundPosition], RootBoundPlain):
    """The rules of Root Bound, and their looks."""

    danger = "weak Runner"
    passes = True
    glossary = (
        *BoundView.glossary,
        ("", "Weak Runner", "a Runner that sees no Root of its colour: it withers in Fall, the smallest first."),
    )
    why_over = "Both passed."
    counted = "pieces and claimed points"

    @property
    def tie_won(self) -> str:
        """By which pass a tie was won. RULES 6.3"""
        return "by passing first in the game" if self.first_pass_of_all else "by the first of the two last passes"

    def word(self, position: RootBoundPosition) -> str:
        return "pass" if position.first is None else "done"

    def read_word(self, position: RootBoundPosition, word: str) -> int | Reason:
        if position.turn < SUMMER or word == self.word(position):
            return self.finish
        if word == "pass":
            return self.piece_placed()
        return self.reason("nothing_placed", "You have placed nothing this turn: say pass to end it.")

    def asked(self, position: RootBoundPosition) -> str:
        if position.turn == 1:
            return "Place your first piece anywhere."
        if position.turn < SUMMER:
            return self._asked_in_spring(position)
        if position.first is not None:
            return "Place a second piece, or say done."
        ending = " (a pass now ends the game)" if position.passes else ""
        if not self.can_place(position):
            return f"You have nothing to place: pass{ending}."
        return f"Place one or two pieces, or pass{ending}."

    def _asked_in_spring(self, position: RootBoundPosition) -> str:
        if position.first is None:
            return "Place the first of your two pieces anywhere."
        if position.turn == 2:
            return "Place the second of your two pieces, not next to the first."
        return "Place the second of your two pieces; one of your three must touch neither of the others."

    def title(self) -> str:
        return super().title() + (", centerless" if self.options["centerless"] == "yes" else "")

    def described(self, position: RootBoundPosition) -> str:
        summer = "Winter" if position.passes == 2 else "Summer"
        season = "Spring" if position.turn < SUMMER else summer
        return f"{season}. {super().described(position)}"

    def removal(self, seat: int, after: RootBoundPosition) -> str:
        if after.passes == 2:  # RULES 5.3
            return f"In Fall {{{seat}:'s}} weak Runners withered: {{what}}."
        return super().removal(seat, after)

    def phase(self, position: RootBoundPosition) -> str:
        if position.turn < SUMMER:
            return "Spring: the first three turns; nothing is claimed yet, and nobody passes."
        if position.passes == 2:
            return "Winter: weak Runners have withered, and everybody has counted."
        return "Summer: place up to two pieces; two passes in a row end it, and weak Runners wither."

    def in_danger(self, survey: Survey, runner: int) -> bool:
        return is_weak(survey, runner)

    # --- positions as text --------------------------------------------------------------------------------------------

    def extras(self, position: RootBoundPosition) -> dict[str, str]:
        words = super().extras(position)
        if position.passes:
            words["passes"] = str(position.passes)
        if position.passer is not None and position.passer != last_passer(position.to_move, position.passes):
            words["passer"] = str(position.passer)
        return words

    def revive(self, board: bytes, to_move: int, extras: dict[str, str]) -> RootBoundPosition:
        turn, first, passes = self.read_turn(extras), self.read_first(extras), self._read_passes(extras)
        passer = self._read_passer(extras, last_passer(to_move, passes))
        self.refuse_words(extras, "turn, first, passes, passer")
        position = RootBoundPosition(board, to_move, turn, first, passes, passer)
        if passer is not None and turn < SUMMER:
            raise BadRecord(f"a pass before turn={turn}; hint: nobody passes in Spring")
        if passes and first is not None:
            raise BadRecord("passes= and first= together; hint: a piece ends a row of passes")
        if passes == 2:
            self._check_end(position)
        else:
            self.check(position)
        return position

    def _read_passes(self, extras: dict[str, str]) -> int:
        passes = extras.pop("passes", "0")
        if passes not in ("0", "1", "2"):
            raise BadRecord(f"cannot have passes={passes[:20]}; hint: how many in a row: 0, 1, or 2 at the end")
        return int(passes)

    def _read_passer(self, extras: dict[str, str], last: int | None) -> int | None:
        """Who passed first; unless told, it is whoever began this row of passes."""
        if "passer" not in extras:
            return last
        passer = extras.pop("passer")
        if passer not in ("0", "1"):
            raise BadRecord(f"cannot have passer={passer[:20]}; hint: the seat that passed first, 0 or 1")
        if not self.first_pass_of_all and int(passer) != last:
            raise BadRecord(f"cannot have passer={passer} here; hint: with tie_pass=final it follows from passes=")
        return int(passer)

    def check(self, position: RootBoundPosition) -> None:
        super().check(position)
        own = [p for p, piece in enumerate(position.board) if piece == 2]
        if position.turn == 3 and own[0] in self.board.neighbours[own[1]]:
            raise BadRecord("White's first two pieces touch each other; hint: they may not")

    def _check_end(self, position: RootBoundPosition) -> None:
        if weak := self.withering(position.board):
            names = ", ".join(self.board.names[point] for point in sorted(weak)[:6])
            raise BadRecord(f"weak Runners are left after Fall: {names}; hint: passes=2 is the end of a game")
        self.check_triangles(position)

    def opening(self, turn: int) -> tuple[int, int]:
        return OPENING[turn]


def last_passer(to_move: int, passes: int) -> int | None:
    """Who began the row of passes that lies behind this player.

    >>> last_passer(0, 1), last_passer(0, 2), last_passer(0, 0)
    (1, 0, None)
    """
    return (to_move + passes) % 2 if passes else None
