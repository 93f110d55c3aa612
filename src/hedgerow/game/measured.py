"""What was measured and chosen about a game besides its rules: how it is searched, its levels, how it is presented."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Measured:
    """A game that nobody has measured yet does with the defaults.

    >>> Measured().ladder[0]
    'uct(iterations=200,visibility=0.1)'
    """

    player: str = "uct"
    """The kind of search that plays it best at equal time (docs/search.md)."""
    player_on: Mapping[str, str] = field(default_factory=dict)
    """By the names of boards, the kind that plays best there, where it is another."""
    net_boards: tuple[str, ...] = ()
    """The boards, by the names of their rules, on which its network plays better still (docs/networks.md)."""
    knobs: Mapping[str, float] = field(default_factory=dict)
    """The options of the search that won their matches at equal time (docs/search.md)."""
    ladder: tuple[str, ...] = (
        "uct(iterations=200,visibility=0.1)",
        "uct(iterations=200,visibility=0.3)",
        "uct(iterations=200)",
        "uct(iterations=800)",
        "uct(iterations=3000)",
        "uct(iterations=12000)",
    )
    """The players that stand on its levels, the gentlest first (docs/levels.md)."""
    net_levels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By the names of boards, the players that stand on the highest levels there instead: with its network."""
    endings: Mapping[str, str] = field(default_factory=dict)
    """What lists say for the reasons of its outcomes, in a word or two."""
    tally: tuple[str, ...] = ()
    """What is added up for the score, in the words of the rules: the rows of a score table on paper."""
    order: int = 100
    """Where it stands among the games of a page; the lowest comes first."""
