"""Root Bound and Rootbound compiled, as far as they agree: placing a piece, what it cuts off, clean-up, claims.

Rows of the board are laid end to end with one cell of padding behind each, so every step is a shift (`points`):

    -s-1  -s           the bits of a ring, and of a window that     0   1
  -1    .    +1        begins one row and one cell earlier:       2   .   3
       +s   s+1                                                     4   5

Claimed regions and Roots are permanent, so only the unclaimed space, `open`, is ever searched. A piece changes nothing
for the other player as long as the empty points around it hang together and every enemy piece beside it still touches
them, which a table (`news`) knows from what stands around it. Otherwise the regions beside it are searched, each no
further than to a Root or a second group of the enemy. An enemy group becomes suspect if it is alone at such a region or
has lost its last empty point here; an own group does if the piece has joined it from several. Any other group sees the
same as before, or the new piece. So only suspects are judged when a turn ends.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from hedgerow.games._bound.points import BEFORE, load, load_row, lowest, size, some, store, store_row
from hedgerow.kernels.bits import NONE, ONE, popcount, select

HIDDEN = np.uint64(63)  # in `news`: the enemy pieces of a ring that touch none of its empty points
PARTED = np.uint64(64)  # in `news`: the regions beside the piece must be searched


# --- sets of points ---------------------------------------------------------------------------------------------------


@njit
def stride(board):
    """How many cells further the next row is; known when compiling."""
    return board.lattice.shape[1]


@njit
def around(board, points):
    """A set and every cell beside it, unmasked."""
    right, left = points | points << 1, points | points >> 1
    return right | left | right << stride(board) | left >> stride(board)


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
def claims(board, state):
    """The empty points claimed by Black, by White, and those that touch both."""
    black, white = load_row(state.stones, 0), load_row(state.stones, 1)
    empty = load(board.whole) ^ black ^ white
    near_black, near_white = spread(board, around(board, black), empty), spread(board, around(board, white), empty)
    return near_black & ~near_white, near_white & ~near_black, near_black & near_white


# --- windows: 64 cells of a row from a given cell on ------------------------------------------------------------------


@njit
def peek(row, cell):
    """The window of a row that begins at a cell."""
    bit = np.uint64(cell + 64 * BEFORE)
    word, shift = bit >> np.uint64(6), bit & np.uint64(63)
    return row[word] >> shift | row[word + ONE] << ONE << (np.uint64(63) - shift)


@njit
def add(row, cell, window):
    """Puts a window into a row."""
    bit = np.uint64(cell + 64 * BEFORE)
    word, shift = bit >> np.uint64(6), bit & np.uint64(63)
    row[word] |= window << shift
    row[word + ONE] |= window >> ONE >> (np.uint64(63) - shift)


@njit
def drop(row, cell, window):
    """Takes a window out of a row."""
    bit = np.uint64(cell + 64 * BEFORE)
    word, shift = bit >> np.uint64(6), bit & np.uint64(63)
    row[word] &= ~(window << shift)
    row[word + ONE] &= ~(window >> ONE >> (np.uint64(63) - shift))


@njit
def corner(board, cell):
    """Where the window of a cell's ring begins."""
    return cell - stride(board) - 1


@njit
def ring(board, row, cell):
    """Which of the six cells around a cell are in a row, as six bits."""
    window, s = peek(row, corner(board, cell)), np.uint64(stride(board))
    return (
        window & np.uint64(3)
        | window >> (s - np.uint64(2)) & np.uint64(4)
        | window >> (s - ONE) & np.uint64(8)
        | window >> (s + s - np.uint64(3)) & np.uint64(48)
    )


@njit
def far_ring(board, row, cell):
    """Which of the six cells two straight steps away are in a row, as six bits."""
    above, below = peek(row, cell - 2 * stride(board) - 2), peek(row, cell + 2 * stride(board))
    level = peek(row, cell - 2)
    return (
        above & ONE
        | above >> ONE & np.uint64(2)
        | (level & ONE) << np.uint64(2)
        | level >> ONE & np.uint64(8)
        | (below & ONE) << np.uint64(4)
        | (below & np.uint64(4)) << np.uint64(3)
    )


# --- a piece ----------------------------------------------------------------------------------------------------------


@njit
def place(board, state, point):
    """Puts a piece of the player to move on a point and finds what that changes; the turn goes on."""
    me, cell = np.int64(state.to_move), np.int64(board.cell[point])
    own, enemy = ring(board, state.stones[me], cell), ring(board, state.stones[1 - me], cell)
    unclaimed = peek(state.open, cell) & ONE != NONE
    add(state.stones[me], cell, ONE)
    drop(state.open, cell, ONE)
    drop(state.legal[me], corner(board, cell), board.triangles[own])
    if state.turn < board.claims_from:
        add(state.suspects[me], cell, ONE)
        return
    join(board, state, point, own, unclaimed)
    if unclaimed:
        empty = np.uint64(board.ring[point]) & ~(own | enemy)
        part(board, state, point, np.uint64(board.news[empty, enemy]))


@njit
def join(board, state, point, own, unclaimed):
    """A new piece takes root beside a Root or in its own new claim; several groups that it joins are suspect."""
    me, cell = np.int64(state.to_move), np.int64(board.cell[point])
    several = popcount(own) > 1
    if ring(board, state.roots[me], cell) or not unclaimed:
        add(state.roots[me], cell, ONE)
        if several:
            take_root(board, state, me, load_row(board.beside, point))
    elif several:
        add(state.suspects[me], cell, ONE)


@njit
def take_root(board, state, seat, points):
    """The groups of a player with pieces among these points become Roots."""
    roots = spread(board, points | load_row(state.roots, seat), load_row(state.stones, seat))
    store_row(state.roots, seat, roots)


@njit
def part(board, state, point, news):
    """What a new piece may have done to the other player."""
    foe, cell = 1 - np.int64(state.to_move), np.int64(board.cell[point])
    if news:
        add(state.suspects[foe], corner(board, cell), board.window[news & HIDDEN])
    if news & PARTED:
        left = load_row(board.beside, point) & load(state.open)
        while some(left):
            left = left & ~search(board, state, foe, lowest(left))


@njit
def search(board, state, foe, region):
    """Follows a region as far as to a Root or a second group of the foe; returns the part it has seen.

    A region that touches no foe is claimed; one that touches a single Runner makes it suspect.
    """
    unclaimed, stones, roots = load(state.open), load_row(state.stones, foe), load_row(state.roots, foe)
    group = region ^ region
    while True:
        near = around(board, region)
        if some(near & stones & ~group):
            if some(group) or some(near & roots):
                return region
            group = spread(board, lowest(near & stones), stones)
            if some(near & stones & ~group):
                return region
        grown = near & unclaimed
        if grown == region:
            break
        region = grown
    if some(group):
        store_row(state.suspects, foe, load_row(state.suspects, foe) | lowest(group))
    else:
        store(state.open, unclaimed & ~region)
        take_root(board, state, 1 - foe, near)
    return region


# --- a turn -----------------------------------------------------------------------------------------------------------


@njit
def offer_second(board, state, point):
    """The choices for a second piece: beside the first, at `point`, it must not make three in a straight line."""
    me, cell = np.int64(state.to_move), np.int64(board.cell[point])
    own = state.stones[me]
    barred = board.opposite[ring(board, own, cell)] | far_ring(board, own, cell)
    store(state.choices, load_row(state.legal, me))
    drop(state.choices, corner(board, cell), board.window[barred])
    state.first = 1 + point


@njit
def end_turn(board, state):
    """Cleans up and gives the turn to the other player, who may place where it is open and makes no triangle."""
    me = np.int64(state.to_move)
    if state.turn < board.claims_from:
        state.turn += 1
    else:
        clean_up(board, state, 1 - me)
    unclaimed = load(state.open)
    store_row(state.legal, me, load_row(state.legal, me) & unclaimed)
    store_row(state.legal, 1 - me, load_row(state.legal, 1 - me) & unclaimed)
    store(state.choices, load_row(state.legal, 1 - me))
    state.to_move = 1 - me
    state.first = 0


@njit
def clean_up(board, state, seat):
    """Removes the suspect groups of a player that are Runners and see no other group."""
    suspects = load_row(state.suspects, seat) & ~load_row(state.roots, seat)
    while some(suspects):
        group = spread(board, lowest(suspects), load_row(state.stones, seat))
        suspects = suspects & ~group
        if not sees_another(board, state, seat, group):
            remove(board, state, seat, group)
    store_row(state.suspects, seat, suspects)


@njit
def sees_another(board, state, seat, group):
    """Whether some open region touches this group and another of its colour."""
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
    """Takes a group off: with the regions it touched it becomes one region, claimed by the other player."""
    unclaimed = load(state.open)
    region = spread(board, group, unclaimed | group)
    store_row(state.stones, seat, load_row(state.stones, seat) ^ group)
    store(state.open, unclaimed & ~region)
    take_root(board, state, 1 - seat, around(board, region))


# --- the choices now --------------------------------------------------------------------------------------------------


@njit
def mid(board, state):
    return state.first != 0


@njit
def count(board, state):
    return size(load(state.choices))


@njit
def nth(board, state, k):
    word, skipped, total = 0, 0, 0
    for i in range(len(board.point) - 1):
        total += popcount(state.choices[BEFORE + i])
        if k >= total:
            word, skipped = i + 1, total
    return np.int64(board.point[word, select(state.choices[BEFORE + word], k - skipped)])
