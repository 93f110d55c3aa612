"""What an analysis finds, as values: they need neither NumPy nor Numba, so every process can take them over a pipe."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Line:
    """One turn and what is expected after it."""

    turn: str
    """Its actions joined by a space; of a pair of placements whose order does not matter, one order."""
    visits: int
    values: tuple[float, ...]
    """Each seat's chance to win; a draw counts as an equal share."""
    lead: float | None
    """The expected score of seat 0 less that of seat 1; None where a game has no scores."""
    proven: int | None
    """The seat that wins by force, -1 for a proven draw, None while that is open."""
    variation: tuple[str, ...]
    """This turn and those expected after it; the last may be unfinished."""


@dataclass(frozen=True)
class Analysis:
    """What the search has found out about a position so far."""

    game: str
    position: str
    to_move: int
    iterations: int
    nodes: int
    seconds: float
    proven: int | None
    """As of a Line, for the position itself."""
    lines: tuple[Line, ...]
    """The best turns, the best first."""
    heat: dict[str, float]
    """How much the search looks at each point it has looked at, by name; the hottest has 1."""
    scores: tuple[float, ...] | None
    """Each seat's mean score in random games after the best line; None where a game has no scores."""
    owners: dict[str, tuple[float, ...]] | None
    """In how many of these games, 0 to 1, each seat owned a point in the end; None where points have no owners."""

    def as_dict(self) -> dict[str, Any]:
        """The same as JSON has it."""
        return asdict(self)


@dataclass(frozen=True)
class Evaluation:
    """What a short search of a position comes to."""

    values: tuple[float, ...]
    """Each seat's chance to win after the best turn."""
    best: str
    """That turn."""
    proven: int | None
    """As of a Line."""
