"""Paper as the workshop makes it: kits of games, positions and plates as PDF. Text goes in, bytes come out."""

from __future__ import annotations

from hedgerow.games import make
from hedgerow.match import Match, read
from hedgerow.serve.play.replays import SentGame

# reportlab is imported where it is used: only the workshop's processes pay for it


def kit(rules: str, part: str, paper: str, spacing: str | None = None, boards: int | None = None) -> bytes:
    """One part of a game's kit, or all of it for "kit"."""
    from hedgerow.paper.kit import Wishes, kit_pdf, spacing_of

    wishes = Wishes(spacing_of(spacing) if spacing else None, boards)
    return kit_pdf([make(rules)], () if part == "kit" else (part,), paper, wishes)


def position(source: SentGame | str, turn: int | None, paper: str) -> bytes:
    """A position on a sheet of its own: of a line, or of a record."""
    from hedgerow.paper.positions import positions_pdf

    match = _after(source, turn)
    told = f"After {len(match.turns)} turn{'s' * (len(match.turns) != 1)}" if match.turns else ""
    return positions_pdf([(match, told)], paper=paper, title=match.scene().title)


def plate(source: SentGame | str, turn: int | None, paper: str, server: str | None) -> bytes:
    """The pressed sheet of a game."""
    from hedgerow.paper.plate import plate_pdf

    return plate_pdf(_after(source, turn), paper, server)


def _after(source: SentGame | str, turn: int | None) -> Match:
    match = source.match() if isinstance(source, SentGame) else read(source)
    return match if turn is None else match.after(min(turn, len(match.turns)))
