"""Playing exactly one turn: what a player or a controller says must end the turn it is for, and no other."""

from __future__ import annotations

from hedgerow.game import HedgerowError
from hedgerow.match import Match


def play_turn(match: Match, text: str) -> None:
    """Plays the rest of the current turn, or raises HedgerowError and changes nothing.

    >>> m = Match("root_bound(side=4)"); play_turn(m, "a1"); play_turn(m, "c3 g2"); m.turns
    ('a1', 'c3 g2')
    """
    played = 0
    try:
        for word in text.split() or [""]:
            if played and not goes_on(match):
                raise HedgerowError(f"more than one turn in {text[:80]!r}; hint: a turn ended before {word[:40]!r}")
            match.play(word)
            played += 1
        if goes_on(match):
            raise HedgerowError(f"unfinished turn {text[:80]!r}; hint: {match.prompt}")
    except HedgerowError:
        for _ in range(played):
            match.undo()
        raise


def goes_on(match: Match) -> bool:
    """The player to move has begun a turn and must go on with it."""
    return match.outcome is None and match.rules.mid_turn(match.plain)
