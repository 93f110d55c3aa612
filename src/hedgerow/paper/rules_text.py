"""A game's RULES.md taken apart for paper: headings, clauses, paragraphs, lists and tables, with inline markup."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape
from typing import NamedTuple

from hedgerow.paper import fonts

NOT_FOR_THE_TABLE = "Positions as text"
"""A section that only programs need."""
RULINGS = "Rulings"
_CLAUSE = re.compile(r"(\d+(?:\.\d+)?) (.*)", re.DOTALL)
_SPANS = re.compile(r"`([^`]+)`|\*([^*]+)\*")


class Block(NamedTuple):
    """One block: its kind (heading, clause, paragraph, item, table), its number where it has one, and its words."""

    kind: str
    number: str
    words: str
    rows: tuple[tuple[str, ...], ...] = ()
    """The cells of a table, its head first."""


def introduction(text: str) -> str:
    """The paragraph below the title: who made the game, and what it is about."""
    return " ".join(_parts(text)[0].split())


def blocks(text: str, rulings: bool = True) -> list[Block]:
    """The blocks from the first heading on, without what only programs need."""
    found: list[Block] = []
    skipped = False
    for part in _parts(text)[1:]:
        if part.startswith("## "):
            title = part[3:].strip()
            skipped = title == NOT_FOR_THE_TABLE or (title == RULINGS and not rulings)
        if not skipped:
            found += _blocks(part)
    return found


def _parts(text: str) -> list[str]:
    return [part.strip("\n") for part in text.split("\n\n") if part.strip() and not part.startswith("# ")]


def _blocks(part: str) -> Iterator[Block]:
    if part.startswith("|"):
        rows = [tuple(cell.strip() for cell in line.strip("|").split("|")) for line in part.splitlines()]
        yield Block("table", "", "", (rows[0], *rows[2:]))
    elif part.startswith("- "):
        yield from (Block("item", "", " ".join(item.split())) for item in re.split(r"\n- ", part[2:]))
    else:
        kind = "heading" if part.startswith("## ") else "paragraph"
        words = " ".join(part.removeprefix("## ").split())
        if found := _CLAUSE.fullmatch(words):
            yield Block("heading" if kind == "heading" else "clause", found[1], found[2])
        else:
            yield Block(kind, "", words)


def marked_up(words: str, face: str = fonts.ROMAN) -> str:
    """Words as reportlab's paragraphs want them: emphasis in italics, what is typed in bold, and faces that have them.

    >>> marked_up("a *root* & `side=5`")
    'a <font name="Hedgerow-Italic">root</font> &amp; <font name="Hedgerow-Bold">side=5</font>'
    """
    parts, at = [], 0
    for found in _SPANS.finditer(words):
        typed, strong = found.groups()
        parts += [
            _set(words[at : found.start()], face),
            _set(typed or strong, fonts.BOLD if typed else fonts.ITALIC, face),
        ]
        at = found.end()
    return "".join([*parts, _set(words[at:], face)])


def _set(words: str, face: str, usual: str = "") -> str:
    return "".join(
        escape(part, quote=False)
        if found == (usual or face)
        else f'<font name="{found}">{escape(part, quote=False)}</font>'
        for found, part in fonts.runs(words, face)
    )
