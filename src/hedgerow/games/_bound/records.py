"""The records of Root Bound and Rootbound: a position, and the tables of a board."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from hedgerow.boards import Board
from hedgerow.games._bound.kernels import HIDDEN, PARTED
from hedgerow.games._bound.plain import BoundPlain, BoundPosition
from hedgerow.games._bound.points import BEFORE, BEHIND

Fields = list[tuple[Any, ...]]

IDENTITY = ("stones", "first", "turn", "to_move", "over")
"""The fields that tell positions apart; a game adds its own."""
WAYS = (0, 1, 5, 2, 4, 3)
"""The direction of each bit of a ring."""
CLOCKWISE = tuple(WAYS.index(way) for way in range(6))
"""The bits of a ring, clockwise."""


def words(board: Board) -> int:
    """How many 64-bit words hold a set: each row has a cell of padding behind it."""
    return -(-board.height * (board.width + 1) // 64)


def label(rules: BoundPlain[Any]) -> tuple[str, str]:
    """A first field whose name alone matters: no record may be equal to another's, nor begin like it."""
    return f"{rules.game.name}_{rules.board.kind}_{rules.board.size}", "u1"


def state_type(rules: BoundPlain[Any], more: Fields) -> np.dtype[Any]:
    """The record of a position."""
    row = BEFORE + words(rules.board) + BEHIND
    fields: Fields = [
        label(rules),
        ("stones", "u8", (2, row)),  # seat
        ("legal", "u8", (2, row)),  # seat: open points where no own triangle would be closed
        ("roots", "u8", (2, row)),  # seat: the pieces of Roots
        ("suspects", "u8", (2, row)),  # seat: a piece of every Runner that may see no other group
        ("open", "u8", (row,)),  # empty points that nobody has claimed
        ("choices", "u8", (row,)),  # where the player to move may place now
        ("first", "u2"),  # 1 + the point of the piece already placed this turn, 0 for none
        ("turn", "u1"),
        ("to_move", "u1"),
        ("over", "u1"),
    ]
    return np.dtype([*fields, *more], align=True)


def tables(rules: BoundPlain[Any], more: Fields) -> Any:
    """The record of a board, in an array of one."""
    board, stride = rules.board, rules.board.width + 1
    row = BEFORE + words(board) + BEHIND
    fields: Fields = [
        label(rules),
        ("lattice", "u2", (board.height, stride)),  # 1 + the point of every cell, 0 in the padding
        ("whole", "u8", (row,)),
        ("beside", "u8", (len(board), row)),  # point: its neighbours
        ("cell", "u2", (len(board),)),  # point
        ("ring", "u1", (len(board),)),  # point: the ring of its neighbours
        ("point", "u2", (words(board), 64)),  # word, bit
        ("window", "u8", (64,)),  # ring
        ("triangles", "u8", (64,)),  # ring of own pieces: window of the cell and those that now make a triangle
        ("opposite", "u8", (64,)),  # ring: the ring mirrored through the cell
        ("news", "u1", (64, 64)),  # ring of empty points, ring of enemies
        ("claims_from", "u1"),
    ]
    boards = np.zeros(1, np.dtype([*fields, *more], align=True)).view(np.recarray)
    _fill_points(board, boards[0])
    _fill_rings(stride, boards[0])
    boards[0].claims_from = rules.claims_from
    return boards


def _fill_points(board: Board, table: Any) -> None:
    stride = board.width + 1
    table.cell[:] = [row * stride + column for row, column in board.cells]
    for point, cell in enumerate(table.cell.tolist()):
        table.lattice[board.cells[point]] = 1 + point
        table.point[divmod(cell, 64)] = point
        neighbours = [board.steps[point][way] for way in WAYS]
        table.ring[point] = sum(1 << bit for bit, q in enumerate(neighbours) if q >= 0)
        write(table.beside[point], table.cell[board.neighbours[point],])
    write(table.whole, table.cell)


def _fill_rings(stride: int, table: Any) -> None:
    cells = (0, 1, stride, stride + 2, 2 * stride + 1, 2 * stride + 2)
    for ring in range(64):
        table.window[ring] = sum(1 << cell for bit, cell in enumerate(cells) if ring >> bit & 1)
        table.opposite[ring] = sum(1 << 5 - bit for bit in range(6) if ring >> bit & 1)
        for enemies in range(64):
            table.news[ring, enemies] = news(ring, enemies)
    for ring in range(64):
        beside = {bit for run in runs(ring) for bit in (before(run), behind(run))}
        table.triangles[ring] = int(table.window[sum(1 << bit for bit in beside)]) | 1 << stride + 1


def news(empty: int, enemies: int) -> int:
    """What a piece may change for the other player, from what stands around it."""
    hidden = [run for run in runs(enemies) if not (empty >> before(run) & 1 or empty >> behind(run) & 1)]
    parted = len(runs(empty)) > 1 or (empty and hidden)
    return sum(1 << bit for run in hidden for bit in run) & int(HIDDEN) | (int(PARTED) if parted else 0)


def runs(ring: int) -> list[list[int]]:
    """The unbroken runs of a ring, each clockwise."""
    if ring == 63:
        return [list(CLOCKWISE)]
    found: list[list[int]] = []
    gap = next(k for k in range(6) if not ring >> CLOCKWISE[k] & 1)
    for bit in CLOCKWISE[gap:] + CLOCKWISE[:gap]:
        if not ring >> bit & 1:
            found.append([])
        else:
            found[-1].append(bit)
    return [run for run in found if run]


def before(run: list[int]) -> int:
    """The bit of the ring just before a run."""
    return CLOCKWISE[CLOCKWISE.index(run[0]) - 1]


def behind(run: list[int]) -> int:
    """The bit of the ring just behind a run."""
    return CLOCKWISE[(CLOCKWISE.index(run[-1]) + 1) % 6]


def write(row: Any, cells: Iterable[Any]) -> None:
    """Puts cells into a row."""
    for cell in cells:
        row[BEFORE + int(cell) // 64] |= np.uint64(1 << int(cell) % 64)


def pack(rules: BoundPlain[Any], table: Any, position: BoundPosition, state: Any) -> None:
    """Writes a position into a record of zeros; every group is suspect, so nothing is taken on trust."""
    survey = rules.survey(position.board)
    claimed = position.turn >= rules.claims_from
    for group in survey.groups() if claimed else ():
        if survey.is_root(group):
            write(state.roots[survey.piece[group] - 1], table.cell[survey.points[group]])
    unclaimed = rules.unclaimed(replace(position, first=None))
    write(state.open, table.cell[unclaimed])
    for seat in (0, 1):
        own = [point for point, piece in enumerate(position.board) if piece == 1 + seat]
        write(state.stones[seat], table.cell[own])
        write(state.suspects[seat], table.cell[own])
        mover = replace(position, to_move=seat)
        write(state.legal[seat], (table.cell[point] for point in unclaimed if not rules.triangle(mover, point)))
    write(state.choices, (table.cell[action] for action in rules.legal(position) if action != rules.finish))
    state.first = 0 if position.first is None else 1 + position.first
    state.turn, state.to_move = position.turn, position.to_move
    state.over = rules.outcome(position) is not None


def unpack(table: Any, state: Any) -> tuple[bytes, int, int, int | None]:
    """Board, player to move, turn and first piece of a record."""
    black, white = (int.from_bytes(row[BEFORE:-BEHIND].tobytes(), "little") for row in state.stones)
    board = bytes((black >> cell & 1) + 2 * (white >> cell & 1) for cell in table.cell.tolist())
    first = int(state.first) - 1 if state.first else None
    return board, int(state.to_move), int(state.turn), first
