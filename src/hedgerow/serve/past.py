"""A match as it was after some of its turns."""

from __future__ import annotations

from hedgerow.match import Match
from hedgerow.serve.refusals import Refused


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
