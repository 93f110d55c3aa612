"""What somebody has written himself in a mail, without quoted text, signatures and line breaks of mail programs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

LINE = 2_000
"""How many characters of a line are looked at to judge it."""
LINES = 500
"""How many lines of a mail are read."""
HEADING = 400
"""A line above a quotation is no longer than this."""
ATTRIBUTION = re.compile(
    r"^\W*(?:on|am|le|el|il|op|den|em|dnia)\b.{4,300}"
    r"\b(?:wrote|writes|schrieb|schreibt|écrit|escribi\S{1,3}|scritto|schreef|skrev|escreveu|napisał\S{0,2})\b.{0,100}:$"
    r"|^.{3,200}\b(?:wrote|schrieb|a écrit)\s?:$",
    re.IGNORECASE,
)
"""The line above a quotation."""
BELOW = re.compile(
    r"^-{3,}\s*(?:original message|ursprüngliche nachricht|message d'origine|forwarded message|mensaje original|"
    r"messaggio originale|oorspronkelijk bericht)|^_{20,}$",
    re.IGNORECASE,
)
"""Everything below this line is quoted."""
OUTLOOK = re.compile(r"^\*?(?:from|von|de|da|van):\*?\s", re.IGNORECASE)
SENT = re.compile(r"^\*?(?:sent|gesendet|envoyé|enviado|inviato|verzonden|date|datum|to|an):\*?\s", re.IGNORECASE)
"""Outlook's quotation begins with two such lines."""
DEVICE = re.compile(
    r"^(?:sent from (?:my|mail)\b|get outlook for\b|gesendet mit der\b|von meinem .{1,40} gesendet$|envoyé de mon\b|"
    r"enviado desde mi\b|inviato da\b)",
    re.IGNORECASE,
)
"""What telephones write below every mail."""


def flowed(text: str, delete_space: bool = False) -> str:
    """A text in which lines that end with a space go on in the next one (RFC 3676).

    >>> flowed("hexbo move 12 ann \\nword c4\\n from\\n> old \\n> text\\n-- \\nAnn").split("\\n")
    ['hexbo move 12 ann word c4', 'from', '>old text', '-- ', 'Ann']
    """
    done: list[str] = []
    before: tuple[int, str] | None = None
    for line in text.split("\n")[:LINES]:
        words = line.lstrip(">")
        depth = len(line) - len(words)
        words = words.removeprefix(" ")
        if before and before[0] == depth and words != "-- ":
            words = before[1] + words
        elif before:
            done.append(">" * before[0] + before[1])
        before = None
        if words.endswith(" ") and words != "-- ":
            before = (depth, words[:-1] if delete_space else words)
        else:
            done.append(">" * depth + words)
    return "\n".join([*done, ">" * before[0] + before[1]] if before else done)


def own_words(text: str) -> str:
    """What somebody has written himself, above a quotation, below it, or in between.

    >>> own_words("c4\\n\\nOn Monday, Bo <bo@example.org>\\nwrote:\\n> B4\\n>> old\\n\\nsee you\\n-- \\nAnn")
    'c4\\n\\nsee you'
    """
    lines = [line.rstrip()[:LINE] if line != "-- " else line for line in text.split("\n")[:LINES]]
    kept = "\n".join(_kept(lines))
    return re.sub(r"\n{3,}", "\n\n", kept).strip()


def _kept(lines: list[str]) -> Iterator[str]:
    """The lines that are somebody's own."""
    skip = False
    for line, after in pairwise([*lines, ""]):
        bare, after = line.strip(), after.strip()
        if skip:
            skip = False
        elif line == "-- " or bare == "--" or BELOW.match(bare) or (OUTLOOK.match(bare) and SENT.match(after)):
            return
        elif bare.startswith(">") or _heads(bare) or DEVICE.match(bare):
            continue
        elif after.endswith(":") and _heads(f"{bare} {after}"):
            skip = True
        else:
            yield line


def _heads(line: str) -> bool:
    return line.endswith(":") and len(line) < HEADING and bool(ATTRIBUTION.match(line))
