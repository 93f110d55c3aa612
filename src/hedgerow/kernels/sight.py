"""What a network sees of a position: the game's own features, and those that every game has alike.

They are planes of an image, a number for every cell of the board's H x W grid, from 0 to 255, which means 1:

    the game's own | legal, one for each plane of actions | legal extra | mid-turn | to move, one a seat | on the board
"""

from __future__ import annotations

import numpy as np
from numba import njit

from hedgerow.kernels.cache import kernel
from hedgerow.kernels.dispatch import count, extra, features, mid, nth, owners

FULL = np.uint8(255)


@njit
def show(board, state, cells, own, planes, out):
    """Writes all features of a position: u2 cells[point], u1 out[feature, cell]; `own` of them are the game's own."""
    out[:] = 0
    features(board, state, cells, out)
    for k in range(count(board, state)):
        action = nth(board, state, k)
        out[own + action // len(cells), cells[action % len(cells)]] = FULL
    same = own + planes
    if extra(board, state) >= 0:
        flood(cells, out[same], 1.0)
    if mid(board, state):
        flood(cells, out[same + 1], 1.0)
    flood(cells, out[same + 2 + np.int64(state.to_move)], 1.0)
    flood(cells, out[len(out) - 1], 1.0)


@njit
def flood(cells, out, share):
    """One number for the whole board: a share of 1."""
    value = np.uint8(min(1.0, max(0.0, share)) * 255 + 0.5)
    for cell in cells:
        out[cell] = value


@kernel
def show_batch(boards, states, cells, own, planes, out):
    """Writes all features of every row: u1 out[row, feature, cell]."""
    for i in range(len(states)):
        show(boards[0], states[i], cells, own, planes, out[i])


@kernel
def owners_batch(boards, states, out):
    """i1 out[row, point] becomes the seat that owns the point at the end of a game, -1 where nobody does."""
    for i in range(len(states)):
        owners(boards[0], states[i], out[i])
