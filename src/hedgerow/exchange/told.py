"""What was read from somebody else's format: the match, and what it could not hold."""

from __future__ import annotations

from dataclasses import dataclass

from hedgerow.match import Match


@dataclass(frozen=True)
class Told:
    """A match, and sentences about what is not in it."""

    match: Match
    notes: tuple[str, ...] = ()
