"""Puzzles: positions with whoever is to move, and on a sheet of their own what was played."""

from __future__ import annotations

from collections.abc import Sequence

from hedgerow.game import HedgerowError
from hedgerow.match import Match
from hedgerow.paper.document import Document
from hedgerow.paper.positions import add_positions
from hedgerow.paper.sizes import sheet_named

ANSWER_COLUMNS = 4


def add_puzzles(document: Document, wanted: Sequence[tuple[Match, int]], columns: int | None = None) -> None:
    """Adds the positions after so many turns of each game, then the answers: the turn that follows in the record."""
    asked, answered = [], []
    for number, (match, turn) in enumerate(wanted, 1):
        if turn >= len(match.turns):
            raise HedgerowError(f"no answer to puzzle {number}; hint: the record must go on after turn {turn}")
        asked.append((match.after(turn), f"{number}"))
        answered.append((match.after(turn + 1), f"{number}. {match.turns[turn]}"))
    add_positions(document, asked, columns or 2, "Puzzles" if len(asked) > 1 else "A puzzle")
    add_positions(document, answered, ANSWER_COLUMNS, "Answers" if len(asked) > 1 else "The answer")


def puzzle_turn(match: Match) -> int:
    """The turn that a record asks for: its first where it begins with a position, else its last."""
    return 0 if match.begin != match.rules.start() else max(0, len(match.turns) - 1)


def puzzles(wanted: Sequence[tuple[Match, int]], paper: str = "a4", columns: int | None = None) -> Document:
    """Puzzles with their answers."""
    document = Document("Puzzles", sheet_named(paper), "Positions of root games to solve")
    add_puzzles(document, wanted, columns)
    return document
