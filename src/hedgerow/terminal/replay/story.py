"""A game that can be opened at any of its turns: the position, who has just moved, and what is said about it."""

from __future__ import annotations

from functools import lru_cache

from hedgerow.match import Match


class Story:
    """The positions of a match after each of its turns."""

    def __init__(self, match: Match) -> None:
        self.match, self.last = match, len(match.turns)
        self.at = lru_cache(maxsize=256)(self._at)

    def _at(self, turn: int) -> Match:
        """The match after so many turns."""
        return self.match.after(turn)

    def mover(self, turn: int) -> str:
        """Who played a turn, counted from 1."""
        before = self.at(turn - 1)
        seat = before.rules.seats[before.to_move]
        name = self.match.tags.get(seat, "?")
        return seat if name in ("?", seat) else f"{seat}, {name}"

    def headline(self, turn: int) -> str:
        """What a position is: the start, or a turn and who played it."""
        if turn == 0:
            return f"The start of {self.last} turn{'s' * (self.last != 1)}."
        return f"{turn}. {self.match.turns[turn - 1]} ({self.mover(turn)})"

    def told(self, turn: int) -> str:
        """What comes next, or how it ended."""
        then = self.at(turn)
        if then.outcome is not None or turn == self.last:
            return then.prompt
        return f"{then.rules.seats[then.to_move]} is to move."
