"""Records from files and from standard input."""

from __future__ import annotations

import sys
from pathlib import Path

from hedgerow.game import HedgerowError
from hedgerow.match import Match, read
from hedgerow.record import MAX_RECORD_CHARS


def match_in(file: Path, turn: int | None = None) -> Match:
    """The match in a record, - for standard input, taken back to after so many turns."""
    match = read(text_of(file))
    if turn is not None:
        if not 0 <= turn <= len(match.turns):
            raise HedgerowError(f"no turn {turn}; hint: the record has {len(match.turns)}")
        while len(match.turns) > turn:
            match.undo()
    return match


def text_of(file: Path) -> str:
    """The text of a file, - for standard input, as far as a record can be long."""
    try:
        if str(file) == "-":
            return sys.stdin.read(MAX_RECORD_CHARS + 1) if sys.stdin else ""
        with file.open(encoding="utf-8-sig") as opened:
            return opened.read(MAX_RECORD_CHARS + 1)
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise HedgerowError(f"cannot read {str(file)!r}: {reason}; hint: give the file of a record, or -") from error
