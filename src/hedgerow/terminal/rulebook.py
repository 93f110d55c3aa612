"""The rules of a game in a terminal: RULES.md with every drawn example below its clause, in characters."""

from __future__ import annotations

import textwrap

from hedgerow import draw
from hedgerow.lessons import Figure, lesson_of, rules_of


def illustrated(name: str) -> str:
    """RULES.md with its drawn examples as blocks of code.

    >>> illustrated("tanbo").count("    H- . O . . . . . # .")
    1
    """
    parts = []
    for part in rules_of(name).split("\n\n"):
        parts += [part, *below(name, clause_of(part))]
    return "\n\n".join(parts)


def clause_of(part: str) -> str:
    """The number that a part of the rules begins with, that of a heading too.

    >>> clause_of("3.1 Grow."), clause_of("## 3 A turn")
    ('3.1', '3')
    """
    return part.lstrip("# ").split(" ", 1)[0]


def below(name: str, clause: str) -> list[str]:
    """The drawn examples of a clause, each with its words above it."""
    figures = lesson_of(name).drawn_below(clause)
    return [f"*{figure.says}*\n\n{textwrap.indent(board(figure), '    ')}" for figure in figures]


def board(figure: Figure) -> str:
    """A drawn example in characters."""
    return draw.text(figure.scene.picture())
