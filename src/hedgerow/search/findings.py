"""What an analysis finds, as values: they need neither NumPy nor Numba, so every process can take them over a pipe."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

NETWORK, SEARCH = "network", "search"
"""Who can speak about a position."""


def percents(values: Sequence[float]) -> list[int]:
    """Everybody's chances in whole per cent that add up: what rounding down leaves goes to those who lost most by it.

    >>> percents([1 / 3] * 3), percents([0.125, 0.875])
    ([34, 33, 33], [13, 87])
    """
    exact = [100 * value for value in values]
    shares = [int(share + 1e-9) for share in exact]
    hurt = sorted(range(len(shares)), key=lambda seat: shares[seat] - exact[seat])
    for seat in hurt[: round(sum(exact)) - sum(shares)]:
        shares[seat] += 1
    return shares


def told_by(network: bool, work: int) -> str:
    """Who speaks, a network or search with random games, and after how much work.

    >>> told_by(False, 12_000)
    'by search, 12,000 random games'
    """
    return f"by the network, {work:,} visits" if network else f"by search, {work:,} random games"


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
    prior: float | None = None
    """How likely the network thought the turn's first action, 0 to 1, before it searched; None without one."""


@dataclass(frozen=True)
class Analysis:
    """What an engine has found out about a position so far."""

    game: str
    position: str
    to_move: int
    iterations: int
    """Random games, or visits of the network's search."""
    nodes: int
    seconds: float
    proven: int | None
    """As of a Line, for the position itself."""
    lines: tuple[Line, ...]
    """The best turns, the best first."""
    heat: dict[str, float]
    """How much the search looks at each point it has looked at, by name; the hottest has 1."""
    scores: tuple[float, ...] | None
    """Each seat's mean score in random games after the best line; None where a game has none, or the network speaks."""
    owners: dict[str, tuple[float, ...]] | None
    """How likely each seat is to own a point in the end, 0 to 1; None where points have no owners.

    By the network, or in how many of the random games after the best line they did.
    """
    engine: str = SEARCH
    """Who speaks: the game's network, or search with random games."""
    lead: float | None = None
    """The score of seat 0 less that of seat 1 that the network expects; None without one, or without scores."""
    policy: dict[str, float] | None = None
    """How likely the network thought each point to be the one to play on, before it searched; None without one."""

    @property
    def told_by(self) -> str:
        """Who speaks, and after how much work.

        >>> Analysis("tanbo", "", 0, 1400, 9, 1.0, None, (), {}, None, None, NETWORK).told_by
        'by the network, 1,400 visits'
        """
        return told_by(self.engine == NETWORK, self.iterations)

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
