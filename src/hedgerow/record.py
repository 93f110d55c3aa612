"""A game as text: headers, a blank line, then one line per turn.

    Game: root_bound(side=5)
    Date: 2026-11-15
    Black: Ann
    White: Bo
    Result: Black wins
    Reason: resignation

    1. c3
    2. a1 e5
    resign 1

A line that is not a numbered turn is an event: `resign SEAT`, `flag SEAT` or `draw`. This room knows lines, not rules.

Turns may share a line when it is read, too: `1. c3 2. a1 e5 resign 1`. Where room is scarce, as in a QR code, each
stands behind a semicolon: `;c3;a1 e5;resign 1`, which `compact_record` writes.

What else could have been played is a header, so that whoever reads the game alone may pass over it:
`Variations: c3,a1+e5(b2+b3,g7),d4` is a tree with its turns between commas, the words of a turn joined by plus signs,
and in brackets what was tried instead of the turn before them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from hedgerow.game import BadRecord

MAX_RECORD_CHARS = 1_000_000
_HEADER = re.compile(r"([A-Za-z][A-Za-z0-9 _-]{0,40}):(?: (.*))?")
_TURN = re.compile(r"(\d{1,6})\.((?: \S+)+)")
_EVENT = re.compile(r"(resign|flag) (\d)|(draw)")
_NEXT = re.compile(r"(?<=\S)\s+(?=\d{1,6}\. |(?:(?:resign|flag) \d|draw)(?:\s|$))")
"""Between two turns of a line, where a number follows, or an event."""


@dataclass(frozen=True)
class RecordLine:
    """One line of play and where it stands: a turn's actions, or an event with its seat (-1 for an agreed draw)."""

    number: int
    text: str
    event: str = ""
    seat: int = -1


@dataclass(frozen=True)
class Record:
    """The text of a game taken apart: tags with the number of their line, and the lines of play."""

    tags: dict[str, str]
    tag_lines: dict[str, int]
    lines: tuple[RecordLine, ...]


def read_record(text: str) -> Record:
    """Takes a text apart; raises BadRecord naming the line.

    >>> read_record("Game: tanbo\\n\\n1. A2\\n").lines
    (RecordLine(number=3, text='A2', event='', seat=-1),)
    """
    if not isinstance(text, str):
        raise BadRecord(f"line 1: cannot read {text!r:.40}; hint: a record is text")
    if len(text) > MAX_RECORD_CHARS:
        raise BadRecord(f"line 1: {len(text)} characters are too many; hint: a game has at most {MAX_RECORD_CHARS}")
    tags: dict[str, str] = {}
    tag_lines: dict[str, int] = {}
    play: list[RecordLine] = []
    lines = [line.rstrip("\r") for line in text.split("\n")]
    head = lines.index("") if "" in lines else len(lines)
    for number, line in enumerate(lines[:head], 1):
        key, value = _read_header(number, line)
        if key in tags:
            raise bad_line(number, f"a second {key}")
        tags[key], tag_lines[key] = value, number
    turns = 0
    for number, line in enumerate(lines[head:], head + 1):
        for spelled in _spread(line.rstrip(), turns):
            play.append(_read_line(number, spelled, turns + 1))
            turns += not play[-1].event
    return Record(tags, tag_lines, tuple(play))


def _read_header(number: int, line: str) -> tuple[str, str]:
    header = _HEADER.fullmatch(line.rstrip())
    if not header or not _printable(line):
        raise bad_line(
            number, f"cannot read {line[:40]!r}; hint: a header is like `Black: Ann`, then comes a blank line"
        )
    return header[1], (header[2] or "").strip()


def _spread(line: str, turns: int) -> Iterator[str]:
    """Each turn and event of a line as a line of its own."""
    if not line.startswith(";"):
        yield from _NEXT.split(line) if line.strip() else []
        return
    for part in line[1:].split(";"):
        turns += not (event := _EVENT.fullmatch(part))
        yield part if event else f"{turns}. {part}"


def compact_record(text: str) -> str:
    """A record with all its play in one line.

    >>> compact_record("Game: tanbo\\n\\n1. A2\\n2. B18\\ndraw\\n")
    'Game: tanbo\\n\\n;A2;B18;draw\\n'
    """
    head, _, _ = text.partition("\n\n")
    return f"{head}\n\n{''.join(f';{line.text}' for line in read_record(text).lines)}\n"


def _read_line(number: int, line: str, turn: int) -> RecordLine:
    if event := _EVENT.fullmatch(line):
        return RecordLine(number, line, event[1] or event[3], int(event[2] or -1))
    found = _TURN.fullmatch(line)
    if not found:
        raise bad_line(number, f"cannot read {line[:40]!r}; hint: a turn is like `{turn}. c4 d6`")
    if int(found[1]) != turn:
        raise bad_line(number, f"turn {found[1]} where turn {turn} should be")
    return RecordLine(number, found[2].strip())


def bad_line(number: int, problem: object) -> BadRecord:
    """The error that names a line."""
    return BadRecord(f"line {number}: {problem}")


def write_record(tags: Mapping[str, str], lines: list[RecordLine]) -> str:
    """Headers and lines as text; raises BadRecord for a tag that could not be read back.

    >>> print(write_record({"Game": "tanbo"}, [RecordLine(0, "A2"), RecordLine(0, "draw", "draw")]), end="")
    Game: tanbo
    <BLANKLINE>
    1. A2
    draw
    """
    head = []
    for key, value in tags.items():
        head.append(f"{key}: {value}".rstrip())
        fits = (
            isinstance(value, str)
            and value == value.strip()
            and _printable(value)
            and len(value) < MAX_RECORD_CHARS // 10
        )
        if not fits or not _HEADER.fullmatch(head[-1]):
            raise BadRecord(f"cannot write the tag {key!r:.40}: {value!r:.40}; hint: one line of printable text")
    play, turn = [], 0
    for line in lines:
        turn += not line.event
        play.append(line.text if line.event else f"{turn}. {line.text}")
    return "\n".join([*head, "", *play]) + "\n"


def _printable(text: str) -> bool:
    return all(character.isprintable() for character in text)
