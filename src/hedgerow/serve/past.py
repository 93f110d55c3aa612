"""A match as it was after some of its turns, or after each of them."""

from __future__ import annotations

from dataclasses import dataclass

from hedgerow.game import Outcome
from hedgerow.match import Match
from hedgerow.serve.refusals import Refused


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


def after(match: Match, turn: int | None) -> Match:
    """The same match after so many turns, with whoever left before the next one; without a number, as it stands.

    >>> m = Match("hexbo(side=5,players=3)"); m.play("A1"); m.resign(1); m.play("E1")
    >>> then = after(m, 1); then.turns, then.to_move
    (('A1',), 2)
    """
    then, left = match.copy(), len(match.turns)
    if turn is not None and not 0 <= turn <= left:
        raise Refused("bad_request", f"no turn {turn} in this game; hint: it has {left}, and 0 is its start")
    while turn is not None and left > turn:
        left -= then.actions[-1] != -1  # somebody who leaves is no turn
        then.undo_turn()
    return then


def moments(match: Match) -> list[Moment]:
    """A game turn by turn, without a turn that is unfinished and without the end by resignation, time or agreement.

    >>> m = Match("hexbo(side=5,players=3)"); m.play("A1"); m.resign(1); m.play("E1"); m.resign(2)
    >>> [(moment.turn, moment.to_move, moment.played) for moment in moments(m)]
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
