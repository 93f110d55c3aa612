"""Which games have a record: all but those on boards that only others have."""

from __future__ import annotations

from hedgerow.game import HedgerowError
from hedgerow.games import make
from hedgerow.match import Match


def record(match: Match) -> str:
    """The record of a match; raises HedgerowError for a board that only others have."""
    if not is_ours(match):
        raise HedgerowError(f"no record can tell a game of {match.rules.name}; hint: a picture or a report can")
    return match.record()


def is_ours(match: Match) -> bool:
    """The game has a name that `make` knows: it can be recorded and searched."""
    try:
        return type(make(match.rules.name)) is type(match.rules)
    except HedgerowError:
        return False
