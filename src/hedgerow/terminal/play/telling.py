"""Sentences about a game: what was played, how it stands, who is ahead, and why something may not be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hedgerow.game import IllegalMove, Reason, Rules
from hedgerow.match import Match
from hedgerow.search.findings import percents
from hedgerow.told import told

if TYPE_CHECKING:
    from hedgerow.search.findings import Analysis, Line


def refusal(reason: Reason, title: str) -> str:
    """Why not, with the rule.

    >>> refusal(Match("tanbo").why_not("A1"), "Tanbo")
    'There is already a stone on A1. (Tanbo rule 3.1)'
    """
    return f"{reason} ({title} rule {reason.clause})" if reason.clause else str(reason)


def refused(error: Exception) -> tuple[str, tuple[str, ...]]:
    """What to say of an error, and the points to light for it."""
    if isinstance(error, IllegalMove):
        return refusal(error.reason, error.title), error.reason.points
    text = str(error)
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith('.') else '.'}", ()


def turn_told(match: Match, eventful: bool = False) -> str:
    """The last turn as news, every point by name; nothing at the start.

    Where only `eventful` turns are wanted, nothing of one that brought nothing about.

    >>> match = Match("tanbo"); match.play("A2"); turn_told(match), turn_told(match, eventful=True)
    ('Black played A2.', '')
    """
    found = told(match)
    return found.words(few=len(match.rules.board)) if found and (found.effects or not eventful) else ""


def scores(match: Match) -> list[int] | None:
    """The scores of a game that is over, or as they would be if everybody passed now; None where that tells nothing."""
    from hedgerow.serve.play.views.board import standing

    outcome = match.outcome
    if outcome:
        return list(outcome.scores) if outcome.scores else None
    return standing(match)


def count(match: Match) -> str:
    """The scores in a sentence; else what is on the board."""
    found = scores(match)
    if found is None:
        return match.rules.scene(match.plain).description
    told = ", ".join(f"{seat} {score}" for seat, score in zip(match.rules.seats, found))
    return f"{'Final count' if match.outcome else 'If everybody passed now'}: {told}."


def described(match: Match) -> list[str]:
    """The position for somebody who cannot see it: a sentence, then the pieces of every seat by name."""
    scene, names = match.scene(), match.rules.board.names
    lines = [scene.description]
    for seat, side in enumerate(scene.seats):
        kinds: dict[str, list[str]] = {}
        for mark in scene.marks:
            if mark.seat == seat:
                kinds.setdefault(mark.kind, []).append(names[mark.point])
        told = "; ".join(f"{kind} {' '.join(points)}" for kind, points in kinds.items())
        claimed = " ".join(names[point] for point, owner in scene.claimed if owner == seat)
        lines.append(f"{side}: {told or 'nothing'}{f'; claimed {claimed}' if claimed else ''}.")
    return lines


def ending(match: Match) -> str:
    """How the game ended, in a sentence or two."""
    outcome = match.outcome
    if outcome is None:
        return ""
    places = [(place, seat) for place, seat in zip(outcome.places, match.rules.seats)]
    order = f" Order: {', '.join(f'{place}. {seat}' for place, seat in sorted(places))}." if len(places) > 2 else ""
    return match.prompt + order


def chances(rules: Rules[Any], found: Analysis) -> str:
    """Who is likely to win, in a line: "Black 62%, White 38%"."""
    if not found.lines:
        return ""
    if found.proven is not None:
        return "A forced draw" if found.proven < 0 else f"{rules.seats[found.proven]} wins by force"
    shares = percents(found.lines[0].values)
    return ", ".join(f"{seat} {share}%" for seat, share in zip(rules.seats, shares))


def spoken_by(found: Analysis) -> str:
    """Who speaks, after how much work: "by the network, 400 visits, 1 s"."""
    return f"{found.told_by}, {found.seconds:.0f} s"


def line_told(rules: Rules[Any], line: Line, mover: int) -> str:
    """One turn that the engine likes: its chance, and how it would go on."""
    sure = "" if line.proven is None else "draw " if line.proven < 0 else "wins " if line.proven == mover else "loses "
    return f"{line.turn}  {sure}{line.values[mover]:.0%}  {', '.join(line.variation[1:4])}".rstrip()
