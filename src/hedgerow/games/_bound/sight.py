"""What a network sees of Root Bound and Rootbound, as far as they agree, and who owns what when a game is over."""

from __future__ import annotations

import numpy as np
from numba import njit

from hedgerow.games._bound.kernels import claims
from hedgerow.games._bound.points import BEFORE, load, load_row, lowest, some
from hedgerow.kernels import bits
from hedgerow.kernels.bits import ONE
from hedgerow.kernels.sight import flood

FEATURES = ("own", "enemy", "own Roots", "enemy Roots", "open", "free to own", "free to enemy", "first piece", "Spring")


@njit
def features(board, state, cells, out):
    """Pieces, Roots, open points, those where no triangle would be closed, the first piece, how much Spring is left."""
    me = np.int64(state.to_move)
    for side in range(2):
        seat = me if side == 0 else 1 - me
        mark(board, state.stones[seat], state.stones[seat], cells, out[side])
        mark(board, state.roots[seat], state.roots[seat], cells, out[2 + side])
        mark(board, state.legal[seat], state.open, cells, out[5 + side])
    mark(board, state.open, state.open, cells, out[4])
    if state.first:
        out[7, cells[state.first - 1]] = 255
    left = np.float64(board.claims_from) - np.float64(state.turn)
    flood(cells, out[8], left / np.float64(board.claims_from))


@njit
def mark(board, row, within, cells, out):
    """Shows the points that are in both of two rows."""
    for word in range(len(board.point)):
        left = row[BEFORE + word] & within[BEFORE + word]
        while left:
            out[cells[board.point[word, bits.lowest(left)]]] = 255
            left &= left - ONE


@njit
def owners(board, state, out):
    """The seat whose piece stands on each point or that has claimed it, -1 where there is none."""
    by_black, by_white, _ = claims(board, state)
    black, white = load_row(state.stones, 0) | by_black, load_row(state.stones, 1) | by_white
    first = lowest(load(board.whole))
    for point in range(len(board.cell)):
        further = np.int64(board.cell[point]) - np.int64(board.cell[0])
        out[point] = 0 if some(black >> further & first) else 1 if some(white >> further & first) else -1
