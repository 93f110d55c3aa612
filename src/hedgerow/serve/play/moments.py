"""A match as it was before each of its turns."""

from __future__ import annotations

from dataclasses import dataclass

from hedgerow.game import Outcome
from hedgerow.match import Match


@dataclass(frozen=True)
class Moment:
    """A game before one of its turns, or at its end."""

    turn: int
    """How many turns were played before."""
    position: str
    """As text."""
    to_move: int
    played: str | None
    """What was played then; None at the end."""
    outcome: Outcome | None


def moments_of(match: Match) -> list[Moment]:
    """A game turn by turn, without a turn that is unfinished and without the end by resignation, time or agreement.

    >>> m = Match("hexbo(side=5,players=3)"); m.play("A1"); m.resign(1); m.play("E1"); m.resign(2)
    >>> [(moment.turn, moment.to_move, moment.played) for moment in moments_of(m)]
    [(0, 0, 'A1'), (1, 2, 'E1'), (2, 0, None)]
    """
    then = match.copy()
    if then.mid_turn:
        then.undo_turn()
    while then.outcome and then.actions and then.actions[-1] == -1:
        then.undo_turn()
    found = [_moment(then, None)]
    while then.actions:
        left = then.actions[-1] == -1
        played = None if left else then.turns[-1]
        then.undo_turn()
        if not left:
            found.append(_moment(then, played))
    return found[::-1]


def _moment(match: Match, played: str | None) -> Moment:
    return Moment(len(match.turns), match.position(), match.to_move, played, match.outcome)
