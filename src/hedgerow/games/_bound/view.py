"""Root Bound and Rootbound as people see them, as far as they agree: moves, the scene, positions as text."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import ClassVar

from hedgerow.game import BadRecord, Outcome, Reason
from hedgerow.game.effects import Effect
from hedgerow.games._bound.plain import B, BoundPlain
from hedgerow.games._bound.survey import EMPTY, Survey
from hedgerow.scene import Scene


class BoundView(BoundPlain[B]):
    """The looks of Root Bound and Rootbound."""

    glossary: ClassVar[tuple[tuple[str, str, str], ...]] = (
        ("stone", "Piece", "placed one or two in a turn; pieces of one colour that hang together are a group."),
        ("claimed", "Claimed point", "hatched in the colour of its owner: nobody may place there any more."),
        ("", "Root", "a group that touches claimed points. It never leaves the board."),
        ("", "Runner", "any other group. It leaves the board when it sees no other group of its colour."),
    )

    # --- moves --------------------------------------------------------------------------------------------------------

    def spell(self, position: B, action: int) -> str:
        return self.word(position) if action == self.finish else self.board.names[action]

    @abstractmethod
    def word(self, position: B) -> str:
        """How ending the turn now is spelled."""

    def read(self, position: B, text: str) -> int | Reason:
        word = text.lower()
        return self.read_word(position, word) if word in ("pass", "done") else self.point(text, "1.2")

    @abstractmethod
    def read_word(self, position: B, word: str) -> int | Reason:
        """What `pass` or `done` means now."""

    def piece_placed(self) -> Reason:
        """Why `pass` is the wrong word after a piece."""
        return self.reason("piece_placed", "You have placed a piece this turn: say done to end it.")

    def clicks(self, position: B, action: int) -> tuple[str, ...]:
        return (self.spell(position, action),)

    # --- words and pictures -------------------------------------------------------------------------------------------

    def prompt(self, position: B) -> str:
        outcome = self.outcome(position)
        return self.ended(outcome) if outcome else self.asked(position)

    @abstractmethod
    def asked(self, position: B) -> str:
        """What the player to move may do now."""

    def ended(self, outcome: Outcome) -> str:
        """Why it ended, who won, and by how much of what."""
        high, low = sorted(outcome.scores or (), reverse=True)
        if not outcome.winners:
            return f"{self.why_over} A draw, {high} to {low}, counting {self.counted}."
        winner = self.seats[outcome.winners[0]]
        if high == low:
            return f"{self.why_over} {winner} wins the tie, {high} to {low}, {self.tie_won}."
        return f"{self.why_over} {winner} wins, {high} to {low}, counting {self.counted}."

    @property
    def tie_won(self) -> str:
        """How a tie was won, where a tie has a winner."""
        return ""

    def scene(self, position: B, last: tuple[int, ...] = (), highlights: tuple[int, ...] = ()) -> Scene:
        over = self.outcome(position) is not None
        return Scene(
            board=self.board,
            marks=self.marks(position),
            title=self.title(),
            description=self.described(position),
            seats=self.seats,
            to_move=None if over else position.to_move,
            claimed=tuple((point, piece - 1) for point, piece in enumerate(self.claims(position)) if piece),
            last=last,
            highlights=highlights,
        )

    def kinds(self, position: B) -> dict[str, tuple[int, ...]]:
        """Roots, Runners, and those Runners that are in danger, once regions are claimed."""
        if position.turn < self.claims_from:
            return {}
        survey = self.survey(position.board)
        found: dict[str, list[int]] = {"Root": [], "Runner": [], self.danger: []}
        for group in survey.groups():
            runner = self.danger if self.in_danger(survey, group) else "Runner"
            found["Root" if survey.is_root(group) else runner] += survey.points[group]
        return {word: tuple(sorted(points)) for word, points in found.items()}

    def effects(self, before: B, actions: Sequence[int], after: B) -> Iterator[Effect]:
        """The Runners that the clean-up removed, and the points that were claimed."""
        for seat, gone in self.lost(before, after).items():
            yield Effect(self.removal(seat, after), removed=gone)
        if before.turn < self.claims_from - 1:
            return
        for seat in (before.to_move, 1 - before.to_move):
            old, new = self.claims(before), self.claims(after)
            if fresh := tuple(point for point, piece in enumerate(new) if piece == 1 + seat != old[point]):
                yield Effect(f"{{{seat}}} claimed {{what}}.", gained=fresh, noun="point", named=False)

    def removal(self, seat: int, after: B) -> str:
        """Why pieces of a seat left the board."""
        return f"Cut off from {{{seat}:'s}} other groups, {{what}} left the board."

    why_over: ClassVar[str]
    """Why a game is over, in a sentence."""
    counted: ClassVar[str]
    """What RULES.md counts in the end."""
    danger: ClassVar[str]
    """What RULES.md calls a Runner that will be taken off the board."""

    @abstractmethod
    def in_danger(self, survey: Survey, runner: int) -> bool:
        """This Runner will be taken off the board if nothing changes."""

    def title(self) -> str:
        return f"{self.game.title}, side {self.options['side']}"

    def described(self, position: B) -> str:
        """Pieces and claimed points of both players."""
        claims = self.claims(position)
        parts = []
        for seat, name in enumerate(self.seats):
            pieces, points = position.board.count(1 + seat), claims.count(1 + seat)
            parts.append(f"{name} has {counted(pieces, 'piece')} and {counted(points, 'claimed point')}")
        return f"{'; '.join(parts)}."

    # --- positions as text --------------------------------------------------------------------------------------------

    def extras(self, position: B) -> dict[str, str]:
        words = {} if position.turn == self.claims_from else {"turn": str(position.turn)}
        return words if position.first is None else words | {"first": self.board.names[position.first]}

    def read_turn(self, extras: dict[str, str]) -> int:
        """The word `turn`, taken out of the words."""
        turn = extras.pop("turn", str(self.claims_from))
        if not re.fullmatch(f"[1-{self.claims_from}]", turn):
            raise BadRecord(f"cannot have turn={turn[:20]}; hint: 1 to {self.claims_from}, which is any later turn too")
        return int(turn)

    def read_first(self, extras: dict[str, str]) -> int | None:
        """The word `first`, taken out of the words."""
        if "first" not in extras:
            return None
        name = extras.pop("first")
        if name not in self.board.point:
            raise BadRecord(f"cannot have first={name[:20]}; hint: the point of the piece already placed this turn")
        return self.board.point[name]

    def refuse_words(self, extras: dict[str, str], known: str) -> None:
        if extras:
            raise BadRecord(f"no word {next(iter(extras))[:20]!r} here; hint: {known}")

    def check(self, position: B) -> None:
        """Raises BadRecord where a game still going on cannot come to this position."""
        self.check_triangles(position)
        if position.turn < self.claims_from:
            self._check_opening(position)
        elif not any(self.before(position)):
            raise BadRecord("no pieces on the board; hint: add turn=1 for the start of a game")
        if position.first is not None:
            self._check_first(position, position.first)

    @abstractmethod
    def opening(self, turn: int) -> tuple[int, int]:
        """How many pieces each player has when this turn begins, before regions are claimed."""

    def check_triangles(self, position: B) -> None:
        board, names = position.board, self.board.names
        for p, corners in enumerate(self.corners):
            for q, r in corners:
                if board[p] != EMPTY and board[p] == board[q] == board[r]:
                    raise BadRecord(f"{names[p]}, {names[q]} and {names[r]} are a triangle; hint: nobody may close one")

    def _check_opening(self, position: B) -> None:
        expected, mover = list(self.opening(position.turn)), (position.turn - 1) % 2
        expected[mover] += position.first is not None
        found = [position.board.count(1), position.board.count(2)]
        if found != expected or position.to_move != mover:
            counts = " and ".join(f"{count} {seat}" for count, seat in zip(expected, self.seats))
            wrong = f"turn={position.turn} is {self.seats[mover]}'s, with {counts} pieces on the board"
            raise BadRecord(f"{wrong}; hint: leave out turn= later in the game")

    def _check_first(self, position: B, first: int) -> None:
        name = self.board.names[first]
        if position.board[first] != 1 + position.to_move:
            raise BadRecord(f"no {self.seats[position.to_move]} piece on {name}; hint: first is the mover's own piece")
        if self.claims(position)[first] != EMPTY:
            raise BadRecord(f"first={name} stands in a region that was claimed; hint: nobody may place there")
        if position.turn == 1 or not self.can_place(position):
            raise BadRecord(f"no second piece can follow first={name}; hint: then it is the other player's turn")


def counted(number: int, noun: str) -> str:
    """A number of things.

    >>> counted(0, "piece"), counted(1, "piece"), counted(2, "piece")
    ('no pieces', '1 piece', '2 pieces')
    """
    return f"{number or 'no'} {noun}{'' if number == 1 else 's'}"
