"""Games from files and from standard input, in any format that can be read."""

from __future__ import annotations

import sys
from pathlib import Path

from hedgerow.exchange import is_ours, read_any
from hedgerow.game import HedgerowError
from hedgerow.match import Match
from hedgerow.record import MAX_RECORD_CHARS
from hedgerow.terminal.talk import say


def match_in(file: Path, turn: int | None = None, *, ours: bool = False) -> Match:
    """The match in a file, - for standard input, after so many turns; what a file tells besides goes to stderr.

    With `ours` it is one that can be recorded and searched.
    """
    told = read_any(text_of(file))
    for note in told.notes:
        say(f"note: {note}")
    if ours and not is_ours(told.match):
        raise HedgerowError(
            f"{told.match.rules.name} cannot be searched; hint: it can be shown, replayed and converted"
        )
    return told.match if turn is None else taken_back(told.match, turn)


def taken_back(match: Match, turn: int) -> Match:
    """The match after so many turns; the last turn with whatever ended the game."""
    if not 0 <= turn <= len(match.turns):
        raise HedgerowError(f"no turn {turn}; hint: the record has {len(match.turns)}")
    return match.after(turn)


def text_of(file: Path) -> str:
    """The text of a file, - for standard input, as far as a record can be long."""
    try:
        if str(file) == "-":
            return sys.stdin.read(MAX_RECORD_CHARS + 1)
        with file.open(encoding="utf-8-sig") as opened:
            return opened.read(MAX_RECORD_CHARS + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise HedgerowError(f"cannot read {str(file)!r}: {reason}; hint: give the file of a record, or -") from error
