"""The compiled rules that Root Bound and Rootbound share: placing a piece, what it cuts off, clean-up, claims."""

from __future__ import annotations

import numpy as np
from numba import njit

from hedgerow.games._bound.points import load, load_row, lowest, size, some, store, store_row
from hedgerow.kernels.bits import ONE, popcount, select

HIDDEN = np.uint64(63)
CUT = 64


@njit
def stride_of(board):
    return board.lattice.shape[1]


@njit
def around(board, points):
    """A set and every point beside it, unmasked."""
    stride = stride_of(board)
    right, left = points | points << 1, points | points >> 1
    return right | left | right << stride | left >> stride


@njit
def spread(board, points, within):
    """All of `within` that hangs together with `points`."""
    points = points & within
    while True:
        grown = around(board, points) & within
        if grown == points:
            return points
        points = grown


@njit
def peek(words, cell):
    """64 bits of a row from a cell on, which may lie a little before or behind the board."""
    bit = np.uint64(cell + 64)
    word, shift = bit >> np.uint64(6), bit & np.uint64(63)
    return words[word] >> shift | words[word + ONE] << ONE << (np.uint64(63) - shift)


@njit
def clear(words, cell, window):
    """Takes 64 bits from a cell on out of a row."""
    bit = np.uint64(cell + 64)
    word, shift = bit >> np.uint64(6), bit & np.uint64(63)
    words[word] &= ~(window << shift)
    words[word + ONE] &= ~(window >> ONE >> (np.uint64(63) - shift))


@njit
def add(words, cell, window):
    """Puts 64 bits into a row from a cell on."""
    bit = np.uint64(cell + 64)
    word, shift = bit >> np.uint64(6), bit & np.uint64(63)
    words[word] |= window << shift
    words[word + ONE] |= window >> ONE >> (np.uint64(63) - shift)


@njit
def ring(board, words, cell):
    """Which of the six neighbours of a cell are in a row; bits: upper left, upper right, left, right, lower left, lower right."""
    stride = np.uint64(stride_of(board))
    window = peek(words, cell - stride_of(board) - 1)
    return (
        window & np.uint64(3)
        | window >> (stride - np.uint64(2)) & np.uint64(4)
        | window >> (stride - ONE) & np.uint64(8)
        | window >> (stride + stride - np.uint64(3)) & np.uint64(48)
    )


@njit
def far_ring(board, words, cell):
    """The same for the six points two steps away in a straight line."""
    stride = stride_of(board)
    above, level, below = peek(words, cell - 2 * stride - 2), peek(words, cell - 2), peek(words, cell + 2 * stride)
    return (
        above & ONE
        | above >> ONE & np.uint64(2)
        | (level & ONE) << np.uint64(2)
        | level >> ONE & np.uint64(8)
        | (below & ONE) << np.uint64(4)
        | (below & np.uint64(4)) << np.uint64(3)
    )


@njit
def place(board, state, point):
    """Puts a piece of the player to move on a point."""
    me = np.int64(state.to_move)
    foe = 1 - me
    cell = np.int64(board.cell[point])
    corner = cell - stride_of(board) - 1
    own, enemy = ring(board, state.stones[me], cell), ring(board, state.stones[foe], cell)
    empty = np.uint64(board.ring[point]) & ~(own | enemy)
    add(state.stones[me], cell, ONE)
    clear(state.legal[me], corner, board.triangles[own])
    if not state.claims:
        add(state.suspects[me], cell, ONE)
        clear(state.open, cell, ONE)
    else:
        claimed = peek(state.open, cell) & ONE == np.uint64(0)
        if claimed or ring(board, state.roots[me], cell):
            add(state.roots[me], cell, ONE)
            if board.meetings[own]:
                take_root(board, state, me, load_row(board.beside, point))
        elif board.meetings[own]:
            add(state.suspects[me], cell, ONE)
        if not claimed:
            clear(state.open, cell, ONE)
            news = np.uint64(board.news[empty, enemy])
            if news:
                add(state.suspects[foe], corner, board.window[news & HIDDEN])
                if news > HIDDEN:
                    examine(board, state, foe, load_row(board.beside, point) & load(state.open), news == HIDDEN + ONE)
    return own


@njit
def take_root(board, state, seat, points):
    """The groups of a player that have pieces on these points are Roots."""
    stones = load_row(state.stones, seat)
    store_row(state.roots, seat, spread(board, points | load_row(state.roots, seat), stones))


@njit
def examine(board, state, foe, arcs, joined_is_enough):
    """Finds what a piece cut off: the regions beside it (`arcs`) that no foe touches are claimed, and a group that is alone at one is suspect."""
    unclaimed, stones, roots = load(state.open), load_row(state.stones, foe), load_row(state.roots, foe)
    left = arcs
    while some(left):
        region = lowest(left)
        group = region ^ region
        while True:
            near = around(board, region)
            touched = near & stones
            if some(touched & ~group):
                if some(group) or some(touched & roots):
                    break
                group = spread(board, lowest(touched), stones)
                if some(touched & ~group):
                    break
            grown = near & unclaimed
            if grown == region:
                if some(group):
                    store_row(state.suspects, foe, load_row(state.suspects, foe) | lowest(group))
                else:
                    unclaimed = unclaimed & ~region
                    store(state.open, unclaimed)
                    take_root(board, state, 1 - foe, near)
                break
            region = grown
            if joined_is_enough and not some(arcs & ~region):
                return
        left = left & ~region


@njit
def clean_up(board, state, foe):
    """Removes the suspect groups of a player that are Runners and see no other group."""
    suspects = load_row(state.suspects, foe)
    if some(suspects):
        store_row(state.suspects, foe, suspects ^ suspects)
        suspects = suspects & ~load_row(state.roots, foe)
        while some(suspects):
            group = spread(board, lowest(suspects), load_row(state.stones, foe))
            suspects = suspects & ~group
            if not survives(board, state, foe, group):
                remove(board, state, foe, group)


@njit
def survives(board, state, seat, group):
    """Whether a Runner sees another group of its colour."""
    unclaimed, others = load(state.open), load_row(state.stones, seat) & ~group
    region = around(board, group) & unclaimed
    while True:
        near = around(board, region)
        if some(near & others):
            return True
        grown = near & unclaimed
        if grown == region:
            return False
        region = grown


@njit
def remove(board, state, seat, group):
    """Takes a group off; with the regions it touched it becomes one region claimed by the other player."""
    unclaimed = load(state.open)
    store_row(state.stones, seat, load_row(state.stones, seat) ^ group)
    region = spread(board, group, unclaimed | group)
    store(state.open, unclaimed & ~region)
    take_root(board, state, 1 - seat, around(board, region))


@njit
def hand_over(board, state, foe):
    """The other player may place where it is open and makes no triangle."""
    unclaimed = load(state.open)
    store_row(state.legal, 1 - foe, load_row(state.legal, 1 - foe) & unclaimed)
    legal = load_row(state.legal, foe) & unclaimed
    store_row(state.legal, foe, legal)
    store(state.choices, legal)
    state.to_move = foe
    state.first = 0


@njit
def offer_second(board, state, point, own):
    """Leaves the choices for a second piece that are not in line with the first and a piece beyond."""
    me = np.int64(state.to_move)
    cell = np.int64(board.cell[point])
    store(state.choices, load_row(state.legal, me))
    barred = board.opposite[own] | far_ring(board, state.stones[me], cell)
    clear(state.choices, cell - stride_of(board) - 1, board.window[barred])
    state.first = 1 + point


@njit
def count(board, state):
    return size(load(state.choices))


@njit
def nth(board, state, k):
    word, below = 0, 0
    total = 0
    for i in range(1, len(state.choices) - 3):
        total += popcount(state.choices[i])
        if k >= total:
            word, below = i, total
    return np.int64(board.point[word, select(state.choices[1 + word], k - below)])


@njit
def reached(board, stones, empty):
    """The empty points that touch these stones, directly or through other empty points."""
    return spread(board, around(board, stones), empty)
