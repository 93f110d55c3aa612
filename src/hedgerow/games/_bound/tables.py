"""The records of Root Bound and Rootbound: a position, and the tables of a board."""

from __future__ import annotations

from typing import Any

import numpy as np

from hedgerow.boards import Board
from hedgerow.games._bound.points import BEFORE, BEHIND

CLOCKWISE = (0, 1, 3, 5, 4, 2)  # bits of a ring


def state_fields(board: Board) -> list[Any]:
    row = words(board) + BEFORE + BEHIND
    return [
        ("stones", "u8", (2, row)),
        ("legal", "u8", (2, row)),
        ("roots", "u8", (2, row)),
        ("suspects", "u8", (2, row)),
        ("open", "u8", (row,)),
        ("choices", "u8", (row,)),
        ("first", "u2"),
        ("turn", "u1"),
        ("claims", "u1"),
        ("to_move", "u1"),
        ("over", "u1"),
        (f"{board.kind}{board.size}", "u1"),
    ]


def words(board: Board) -> int:
    return -(-board.height * (board.width + 1) // 64)


def cells(board):
    return [row * (board.width + 1) + column for row, column in board.cells]


def put(row, cell):
    row[BEFORE + cell // 64] |= np.uint64(1 << cell % 64)


def tables(board: Board) -> np.ndarray:
    n, w = len(board), words(board)
    stride = board.width + 1
    row = w + BEFORE + BEHIND
    dtype = np.dtype(
        [
            ("lattice", "u2", (board.height, stride)),
            ("whole", "u8", (row,)),
            ("beside", "u8", (n, row)),
            ("cell", "u2", (n,)),
            ("ring", "u1", (n,)),
            ("point", "u2", (w, 64)),
            ("window", "u8", (64,)),
            ("triangles", "u8", (64,)),
            ("opposite", "u8", (64,)),
            ("meetings", "u1", (64,)),
            ("news", "u1", (64, 64)),
            ("tie", "u1"),
        ],
        align=True,
    )
    boards = np.zeros(1, dtype).view(np.recarray)
    b = boards[0]
    at = cells(board)
    for p, c in enumerate(at):
        b.lattice[board.cells[p]] = 1 + p
        b.cell[p] = c
        b.point[c // 64, c % 64] = p
        put(b.whole, c)
        for bit, d in enumerate((0, 1, 5, 2, 4, 3)):
            q = board.steps[p][d]
            if q >= 0:
                put(b.beside[p], at[q])
                b.ring[p] |= 1 << bit
    places = (0, 1, stride, stride + 2, 2 * stride + 1, 2 * stride + 2)
    for r in range(64):
        b.window[r] = sum(1 << places[i] for i in range(6) if r >> i & 1)
    for r in range(64):
        bad = 0
        for k in range(6):
            if r >> CLOCKWISE[k] & 1:
                bad |= 1 << CLOCKWISE[(k + 1) % 6] | 1 << CLOCKWISE[k - 1]
        b.triangles[r] = int(b.window[bad]) | 1 << stride + 1
        b.opposite[r] = sum(1 << 5 - i for i in range(6) if r >> i & 1)
        b.meetings[r] = r.bit_count() >= 2
        for e in range(64):
            if not r & e:
                b.news[r, e] = news(r, e)
    return boards


def news(empty, enemy):
    def runs(mask):
        clock = [mask >> CLOCKWISE[k] & 1 for k in range(6)]
        if all(clock):
            return [list(range(6))]
        out = []
        for k in range(6):
            if clock[k] and not clock[k - 1]:
                run = [k]
                while clock[(run[-1] + 1) % 6]:
                    run.append((run[-1] + 1) % 6)
                out.append(run)
        return out
    arcs = runs(empty)
    hidden = 0
    isempty = [empty >> CLOCKWISE[k] & 1 for k in range(6)]
    for run in runs(enemy):
        if not isempty[run[0] - 1] and not isempty[(run[-1] + 1) % 6]:
            hidden |= sum(1 << CLOCKWISE[k] for k in run)
    return hidden | (64 if len(arcs) >= 2 or (arcs and hidden) else 0)
