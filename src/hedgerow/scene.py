"""Scenes: what is where on a board, with no colours and no pixels.

A game describes a position as a Scene; `draw` turns a Scene into characters, SVG or paper.
"""

from __future__ import annotations

from dataclasses import dataclass

from hedgerow.boards import Board


@dataclass(frozen=True)
class Mark:
    """One piece: where it stands, whose it is, what kind it is ("stone", "root", "kicker", "maple", ...)."""

    point: int
    seat: int
    kind: str = "stone"
    glyph: str = "#"
    """The one character that stands for it in text."""


@dataclass(frozen=True)
class Tray:
    """Pieces beside the board: a supply, or what was captured."""

    seat: int
    kind: str
    count: int


@dataclass(frozen=True)
class Hint:
    """What somebody wants to see before they choose an action, and where."""

    words: str
    """One sentence: what the action does."""
    lead: str = ""
    """One sentence for whoever has begun to choose it: how far that kicker moves."""
    mark: str = ""
    """A letter or a number that stands for it on the board."""
    path: tuple[int, ...] = ()
    """The points that a piece goes over, from where it stands to where it lands."""
    reach: tuple[int, ...] = ()
    """The points that it acts upon, whatever is there."""
    changed: tuple[int, ...] = ()
    """Where it makes a piece another one."""
    removed: tuple[int, ...] = ()
    """Where it takes a piece off the board."""


@dataclass(frozen=True)
class Scene:
    """Everything a picture of a position shows."""

    board: Board
    marks: tuple[Mark, ...]
    title: str
    """One line: the game and what it is, for example "Hexbo, side 5"."""
    description: str
    """One or two sentences that tell the position to somebody who cannot see it."""
    seats: tuple[str, ...]
    """What the players are called, in seat order: ("Black", "White")."""
    to_move: int | None = None
    """None when the game is over."""
    claimed: tuple[tuple[int, int], ...] = ()
    """(point, seat) of every empty point in a claimed region."""
    last: tuple[int, ...] = ()
    """The points of the last turn."""
    highlights: tuple[int, ...] = ()
    """Points to point at: the pieces that forbid a move, a hint, a root's space."""
    trays: tuple[Tray, ...] = ()
    divide: int = 0
    """Draw a line across the board below this many rows; 0 for none."""
