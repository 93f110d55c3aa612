"""Positions as values, the numbering of actions, and how a game ends."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hedgerow.boards import Symmetry
from hedgerow.game.errors import BadRecord, short


@dataclass(frozen=True)
class Outcome:
    """How a game ended.

    >>> Outcome("passes", (45, 38), (0,), (1, 2)).winners
    (0,)
    """

    reason: str
    scores: tuple[int, ...] | None
    """One number per seat; None where the game has no score."""
    winners: tuple[int, ...]
    """The winning seats; () is a draw."""
    places: tuple[int, ...]
    """The rank of every seat from 1, shared by those who share it."""


def outcome_of_scores(reason: str, scores: Sequence[int], tie: int | None = None) -> Outcome:
    """Two seats, the higher score wins; an equal score is `tie`'s, or a draw.

    >>> outcome_of_scores("passes", (3, 3)).places
    (1, 1)
    """
    first, second = scores
    if first == second and tie is None:
        return Outcome(reason, (first, second), (), (1, 1))
    winner = tie if first == second and tie is not None else int(second > first)
    return Outcome(reason, (first, second), (winner,), (1, 2) if winner == 0 else (2, 1))


@dataclass(frozen=True)
class Actions:
    """The numbering of actions: `plane * points + point`, then the extras.

    >>> actions = Actions(100, ("M", "U", "B", "O"), ("pass",))
    >>> actions.size, actions.id(2, 5), actions.split(205), actions.extra(0)
    (401, 205, (2, 5), 400)
    """

    points: int
    planes: tuple[str, ...] = ("place",)
    extras: tuple[str, ...] = ()
    directed: bool = False
    """The planes are the board's directions, so they turn with it."""

    @property
    def size(self) -> int:
        return self.points * len(self.planes) + len(self.extras)

    @property
    def longest_turn(self) -> int:
        """How many actions a turn has at most: where a player can be done after one, there may be another."""
        return 2 if "done" in self.extras else 1

    def id(self, plane: int, point: int) -> int:
        return plane * self.points + point

    def extra(self, index: int) -> int:
        return self.points * len(self.planes) + index

    def split(self, action: int) -> tuple[int, int]:
        """(plane, point); the plane of an extra is the number of planes, its point its index."""
        return divmod(action, self.points)

    def turned(self, action: int, symmetry: Symmetry) -> int:
        """The same action on the turned or mirrored board."""
        plane, point = self.split(action)
        if plane >= len(self.planes):
            return action
        return self.id(symmetry.directions[plane] if self.directed else plane, symmetry.points[point])


@dataclass(frozen=True)
class Piece:
    """One kind of piece of one seat: its glyph in text, its code in `cells()`, its kind in a Scene."""

    glyph: str
    code: str
    seat: int
    kind: str = "stone"


def stones(players: int) -> tuple[Piece, ...]:
    """One plain stone per seat, drawn as on the Hexbo sheet."""
    return tuple(Piece("#OX@*%"[seat], str(seat), seat) for seat in range(players))


@dataclass(frozen=True, slots=True)
class Position:
    """A position as a value: `board[point]` is 0 when empty, else 1 + the index of the piece in `rules.pieces`."""

    board: bytes
    to_move: int


def turned_board(board: bytes, symmetry: Symmetry) -> bytes:
    """Every piece moved to where the symmetry takes its point."""
    turned = bytearray(len(board))
    for point, piece in enumerate(board):
        turned[symmetry.points[point]] = piece
    return bytes(turned)


def read_row(line: str, width: int, values: Mapping[str, int]) -> list[int]:
    if len(line) > 4 * width:
        raise BadRecord(f"row {short(line)} is too long; hint: it has {width} points")
    row: list[int] = []
    for part in re.findall(r"\d+|.", line):
        if part.isdecimal():
            row += [0] * min(int(part), width + 1)
        elif part in values:
            row.append(values[part])
        else:
            raise BadRecord(f"no piece is drawn {part!r} in row {short(line)}; hint: {' '.join(values)}")
    if len(row) != width:
        raise BadRecord(f"the number of points in row {short(line)} is {len(row)}; hint: it must be {width}")
    return row
