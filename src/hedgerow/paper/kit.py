"""What a game needs at a table, in one PDF: its leaflet, a board, boards for pencils, pieces and a score sheet."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from hedgerow.game import BadOption, Rules
from hedgerow.paper.boards import LEAST, MOST, add_board, fitted_step
from hedgerow.paper.document import Document
from hedgerow.paper.leaflet import add_leaflet
from hedgerow.paper.pencil import add_pencil_boards
from hedgerow.paper.pieces import add_pieces
from hedgerow.paper.score_sheet import add_score_sheet
from hedgerow.paper.sizes import in_mm, length, sheet_named


class Wishes(NamedTuple):
    """How a kit is wanted: how far points are apart, in points of paper, and how many pencil boards a sheet has."""

    spacing: float | None = None
    boards: int | None = None


def _pieces(document: Document, rules: Rules[Any], wishes: Wishes) -> None:
    add_pieces(document, rules, wishes.spacing or fitted_step(rules.board, document.sheet)[1])


PARTS: dict[str, Callable[[Document, Rules[Any], Wishes], None]] = {
    "leaflet": lambda document, rules, _: add_leaflet(document, rules),
    "board": lambda document, rules, wishes: add_board(document, rules, wishes.spacing),
    "pencil": lambda document, rules, wishes: add_pencil_boards(document, rules, wishes.boards),
    "pieces": _pieces,
    "score": lambda document, rules, _: add_score_sheet(document, rules),
}
"""By name, in the order in which they come."""
_TITLES = {"leaflet": "rules", "pencil": "boards for pencils", "score": "score sheet"}
AS_IT_FITS = Wishes()


def spacing_of(text: str) -> float:
    """How far points are apart, as somebody wrote it."""
    return length(text, LEAST, MOST, "spacing")


def kit(
    rules: Sequence[Rules[Any]], parts: Iterable[str] = (), paper: str = "a4", wishes: Wishes = AS_IT_FITS
) -> Document:
    """The document of a kit for every game, all parts of it where none is named; it is not finished yet."""
    named = list(dict.fromkeys(parts))
    if unknown := [part for part in named if part not in PARTS]:
        raise BadOption(f"no part {unknown[0][:20]!r} of a kit; hint: {', '.join(PARTS)}")
    wanted = [part for part in PARTS if part in named or not named]
    if wishes.boards is not None and "pencil" not in wanted:
        raise BadOption(f"{wishes.boards} boards a sheet; hint: that is for boards for pencils")
    if wishes.spacing is not None and not {"board", "pieces"} & set(wanted):
        raise BadOption(f"a spacing of {in_mm(wishes.spacing)}; hint: that is for a board and its pieces")
    games = ", ".join(dict.fromkeys(one.game.title for one in rules))
    told = f"{games}: {', '.join(_TITLES.get(part, part) for part in wanted)}"
    document = Document(told, sheet_named(paper), f"{games} on paper")
    for one in rules:
        for part in wanted:
            PARTS[part](document, one, wishes)
    return document


def kit_pdf(
    rules: Sequence[Rules[Any]], parts: Iterable[str] = (), paper: str = "a4", wishes: Wishes = AS_IT_FITS
) -> bytes:
    """The PDF of a kit."""
    return kit(rules, parts, paper, wishes).finish()
