"""Games in the formats of others, read and written: Abstract Play's game reports, and SGF."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from hedgerow.exchange import abstractplay, sgf
from hedgerow.exchange.ours import is_ours, record
from hedgerow.exchange.told import Told
from hedgerow.match import Match, read

__all__ = ["FORMATS", "Format", "Told", "is_ours", "read_any", "record"]


@dataclass(frozen=True)
class Format:
    """A way to write a game as text: its name, the ending of its files, what it is, and what writes it."""

    name: str
    suffix: str
    about: str
    write: Callable[[Match], str]


FORMATS = {
    one.name: one
    for one in (
        Format("record", ".txt", "a record of Hedgerow", record),
        Format("sgf", ".sgf", "a game tree in SGF", sgf.write),
        Format("abstractplay", ".json", "a game report of Abstract Play", abstractplay.write),
    )
}


def read_any(text: str) -> Told:
    """The game that a text tells, in whichever of the formats it is; raises BadRecord.

    >>> read_any("Game: tanbo(size=9)\\n\\n1. A2\\n").match.turns
    ('A2',)
    """
    begun = text.lstrip("\ufeff \t\r\n")[:1]
    if begun == "{":
        return abstractplay.read(text)
    return sgf.read(text) if begun == "(" else Told(read(text))
