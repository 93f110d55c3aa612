"""What a position is worth: a network with one hidden layer, small enough to be asked at the end of every line.

Each piece is one of 640 inputs: whose it is, whether root, kicker or diminished kicker, activated or not, and its
square, as the player to move sees the board. An input adds 32 numbers to the hidden layer; four of them are lanes of
one word, so that eight additions do. They are in `evaluation.npz`, which docs/fit_root_down.py makes (docs/search.md).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numba import njit

from hedgerow.games.root_down.beside import beside
from hedgerow.kernels.bits import NONE, ONE, lowest, popcount

KINDS = 5
INPUTS, HIDDEN, LANES = 2 * KINDS * 64, 32, 4
UNIT = 512
"""What 1 is in the hidden layer, where it is also the most that a number can be."""
SHIFTED = 2048
"""Added to every weight, so that no lane borrows from the next. Sixteen pieces fill a lane at most."""
FINE = 16
"""How many steps a hundredth of a logit has in the weights of the second layer."""
NORTH = 56
"""Turns a square's number so that North sits where South does."""
LANE = np.uint64(0xFFFF)
WIDTH = np.uint64(16)

TABLES: list[tuple[Any, ...]] = [
    ("inputs", "u8", (INPUTS, HIDDEN // LANES)),
    ("hidden", "i4", (HIDDEN,)),  # what the hidden layer begins with
    ("outputs", "i4", (HIDDEN,)),
    ("begin", "i4"),  # what the answer begins with
    ("choice", "i4"),  # what a choice of the mover is worth
]
"""Fields for the record of a board's tables."""


def read_weights(board: Any) -> None:
    """Puts the network's numbers into a board's tables."""
    with np.load(Path(__file__).with_name("evaluation.npz")) as file:
        lanes = (file["inputs"].astype(np.int64) + SHIFTED).astype(np.uint64).reshape(INPUTS, -1, LANES)
        board.inputs[:] = (lanes << (WIDTH * np.arange(LANES, dtype=np.uint64))).sum(axis=2, dtype=np.uint64)
        for name in ("hidden", "outputs", "begin", "choice"):
            board[name] = file[name]


@njit
def evaluate(board, state, values):
    """What the network thinks of the mover's side, in hundredths of a logit; the other side is worth 0."""
    mover = state.to_move
    turn = NORTH if mover else 0
    sums = (NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE)
    for side in range(2):
        own = state.sides[mover if side == 0 else 1 - mover]
        activated = beside(state.roots & (own | board.foreign))
        diminished, kickers = own & state.diminished, own & ~state.roots & ~state.diminished
        first = 64 * KINDS * side
        sums = add(board, sums, own & state.roots, first, turn)
        sums = add(board, sums, kickers & ~activated, first + 64, turn)
        sums = add(board, sums, kickers & activated, first + 128, turn)
        sums = add(board, sums, diminished & ~activated, first + 192, turn)
        sums = add(board, sums, diminished & activated, first + 256, turn)
    pieces = popcount(state.sides[0]) + popcount(state.sides[1])
    values[mover] = answer(board, sums, SHIFTED * pieces) + board.choice * np.int64(state.choices)
    values[1 - mover] = 0


@njit
def add(board, sums, points, first, turn):
    """The hidden layer with the inputs of these points, eight words of four numbers each."""
    a, b, c, d, e, f, g, h = sums
    while points:
        row = board.inputs[first + (lowest(points) ^ turn)]
        points &= points - ONE
        a, b, c, d = a + row[0], b + row[1], c + row[2], d + row[3]
        e, f, g, h = e + row[4], f + row[5], g + row[6], h + row[7]
    return a, b, c, d, e, f, g, h


@njit
def answer(board, sums, shifted):
    """The second layer, without what was added to make lanes positive."""
    total = np.int64(0)
    for word in range(HIDDEN // LANES):
        lanes = sums[word]
        for lane in range(LANES):
            unit = LANES * word + lane
            value = np.int64(lanes & LANE) - shifted + board.hidden[unit]
            total += min(max(value, 0), UNIT) * board.outputs[unit]
            lanes >>= WIDTH
    return board.begin + total // (UNIT * FINE)
