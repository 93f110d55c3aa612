"""Growing roots compiled: every set of points is a few 64-bit words, and every root keeps the set of points it reaches.

A stone reaches its own point and the neighbours. Roots never merge and a root's number never changes, so of the points

    near      that one or more of a player's stones reach
    crowded   that two or more of them reach
    space     that are empty, near and not crowded: the root space of all the player's roots, that is, the legal points

a new stone changes only those it reaches, which lie in two neighbouring words. A root is bounded when no point that it
reaches is in its player's `space`; that is looked into only when a move took space from a root. A removed root gives
its points back, and only those that it shared with another root of the player are counted anew.

`reach` of removed roots and `root_of` of empty points are left as they were and never read, and the numbers of roots
depend on how a position came about: see IDENTITY.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from hedgerow.games._growth.plain import MOST_ROOTS, GrowthPlain, GrowthPosition
from hedgerow.kernels.bits import NONE, ONE, lowest, popcount, select
from hedgerow.kernels.dispatch import Entries, register
from hedgerow.kernels.fast import Kernels

BITS = np.uint64(64)
SHIFT = np.uint64(6)  # from a point to the number of its word
LAST = np.uint64(63)
IDENTITY = ("stones", "to_move", "places")
"""Positions are equal when these are."""


def records(points: int, players: int) -> tuple[np.dtype, np.dtype]:
    """The dtypes of a position and of the tables of a board."""
    words = max(2, -(-points // 64))
    state = [
        ("reach", "u8", (MOST_ROOTS, words)),
        ("near", "u8", (players, words)),
        ("crowded", "u8", (players, words)),
        ("space", "u8", (players, words)),
        ("stones", "u8", (players, words)),
        ("empty", "u8", (words,)),
        ("roots", "u8", (players,)),  # the set of the numbers of a player's roots
        ("root_of", "u1", (points,)),  # of a point with a stone
        ("places", "u1", (players,)),  # 0: still in
        ("to_move", "u1"),
        ("over", "u1"),
    ]
    board = [
        ("around", "u8", (points,)),  # what a stone reaches, counted from the bit `low`
        ("low", "u2", (points,)),
    ]
    return np.dtype(state, align=True), np.dtype(board, align=True)


@njit
def count(board, state):
    """How many points are legal."""
    total = 0
    for word in range(state.space.shape[1]):
        total += popcount(state.space[state.to_move, word])
    return total


@njit
def nth(board, state, k):
    """The k-th legal point in rising order, found without a branch."""
    space = state.space[state.to_move]
    word, first, rank, before = space[0], 0, k, 0
    for w in range(1, len(space)):
        before += popcount(space[w - 1])
        past = k >= before
        word = space[w] if past else word
        first = 64 * w if past else first
        rank = k - before if past else rank
    return first + select(word, rank)


@njit
def extra(board, state):
    return -1


@njit
def reached(board, point):
    """What a stone reaches: the number of a word, the points in it, and the points in the next word."""
    around, low = board.around[point], np.uint64(board.low[point])
    shift = low & LAST
    return low >> SHIFT, around << shift, (around >> ONE) >> (LAST - shift)


@njit
def root_at(state, player, word, here, there):
    """The root of the one stone of a player among these points of a word and the next."""
    stones, more = state.stones[player, word] & here, state.stones[player, word + ONE] & there
    bit = np.uint64(lowest(stones)) if stones else BITS + np.uint64(lowest(more))
    return np.uint64(state.root_of[(word << SHIFT) + bit])


@njit
def spread(state, player, root, word, new):
    """A stone reaches new points of a word: returns the root's space there, and what other roots of the player lost."""
    near, reach = state.near[player, word], state.reach[root, word]
    crowded = state.crowded[player, word] | (near & new)
    lost = state.space[player, word] & new & ~reach
    space = (near | new) & ~crowded & state.empty[word]
    state.near[player, word] = near | new
    state.crowded[player, word] = crowded
    state.space[player, word] = space
    state.reach[root, word] = reach | new
    return space & (reach | new), lost


@njit
def fill(state, player, point):
    """A stone takes a point: returns the set of the other players for whom it was space."""
    word, bit = point >> SHIFT, point & LAST
    state.stones[player, word] |= ONE << bit
    state.empty[word] &= ~(ONE << bit)
    players, takes_from = np.uint64(len(state.stones)), NONE
    for step in range(1, len(state.stones)):
        other = player + np.uint64(step)
        other = other - players if other >= players else other
        space = state.space[other, word]
        takes_from |= (space >> bit & ONE) << other
        state.space[other, word] = space & ~(ONE << bit)
    return takes_from


@njit
def play(board, state, action):
    """A stone grows; roots that it leaves without space are removed; the next player moves. RULES 3 to 5"""
    player, point = np.uint64(state.to_move), np.uint64(action)
    word, here, there = reached(board, point)
    root = root_at(state, player, word, here, there)
    state.root_of[point] = root
    takes_from = fill(state, player, point)
    space_here, lost_here = spread(state, player, root, word, here)
    space_there, lost_there = spread(state, player, root, word + ONE, there)
    bounds = False
    while takes_from:
        other = np.uint64(lowest(takes_from))
        takes_from &= takes_from - ONE
        bounds |= is_bounded(state, other, root_at(state, other, word, here, there))
    if (space_here | space_there) == NONE or (lost_here | lost_there) != NONE:
        bounds |= bounded_roots(state, player) != NONE
    if bounds:
        remove_bounded(board, state, player, root)
    elif len(state.stones) == 2:
        state.to_move = player ^ ONE
    else:
        hand_over(state)


@njit
def is_bounded(state, player, root):
    """The root has no root space. RULES 4.1"""
    space = NONE
    for word in range(len(state.empty)):
        space |= state.reach[root, word] & state.space[player, word]
    return space == NONE


@njit
def bounded_roots(state, player):
    """The set of a player's bounded roots."""
    bounded, roots = NONE, state.roots[player]
    while roots:
        root = np.uint64(lowest(roots))
        roots &= roots - ONE
        bounded |= np.uint64(is_bounded(state, player, root)) << root
    return bounded


@njit
def remove_bounded(board, state, player, expanded):
    """Removes the expanded root if it is bounded, else all bounded roots. RULES 4.2, 4.3"""
    if is_bounded(state, player, expanded):
        remove(board, state, player, ONE << expanded)
    else:
        for owner in range(len(state.stones)):  # no player's space changes before all are removed
            bounded = bounded_roots(state, owner)
            if bounded:
                remove(board, state, owner, bounded)
    for owner in range(len(state.stones)):
        for word in range(len(state.empty)):
            state.space[owner, word] = state.near[owner, word] & ~state.crowded[owner, word] & state.empty[word]
    settle(state)
    hand_over(state)


@njit
def remove(board, state, player, removed):
    """Takes a set of a player's roots off the board; `space` is left for later."""
    state.roots[player] &= ~removed
    for word in range(len(state.empty)):
        stones = reach_of(state, removed, word) & state.stones[player, word]
        state.stones[player, word] ^= stones
        state.empty[word] |= stones
    for word in range(len(state.empty)):
        gone = reach_of(state, removed, word)
        near = reach_of(state, state.roots[player], word)
        crowded = state.crowded[player, word] & ~gone
        doubtful = state.crowded[player, word] & gone & near
        while doubtful:
            bit = np.uint64(lowest(doubtful))
            doubtful &= doubtful - ONE
            crowded |= np.uint64(is_crowded(board, state, player, np.uint64(64 * word) + bit)) << bit
        state.near[player, word] = near
        state.crowded[player, word] = crowded


@njit
def reach_of(state, roots, word):
    """The points of a word that any of a set of roots reaches."""
    points = NONE
    while roots:
        points |= state.reach[lowest(roots), word]
        roots &= roots - ONE
    return points


@njit
def is_crowded(board, state, player, point):
    """Two or more stones of a player reach a point."""
    word, here, there = reached(board, point)
    return popcount(state.stones[player, word] & here) + popcount(state.stones[player, word + ONE] & there) > 1


@njit
def settle(state):
    """Players without roots are out; the game is over when one is left. RULES 5.1 to 5.4"""
    live = 0
    for player in range(len(state.roots)):
        live += state.roots[player] != NONE and state.places[player] == 0
    for player in range(len(state.roots)):
        if state.roots[player] == NONE and state.places[player] == 0:
            state.places[player] = live + 1
    if live == 1:
        state.over = 1
        state.space[:] = NONE


@njit
def hand_over(state):
    """The next player who is still in moves. RULES 5.3"""
    players, player = np.uint64(len(state.roots)), np.uint64(state.to_move)
    for _ in range(len(state.roots)):
        player = player + ONE if player + ONE < players else NONE
        if state.places[player] == 0:
            break
    state.to_move = player


@njit
def result(board, state, scores):
    """The last player still in is to move."""
    scores[:] = 0
    return np.int64(state.to_move)


@njit
def features(board, state, cells, out):
    """The stones of every seat, own first, and the root space of the others."""
    players = len(state.stones)
    for step in range(players):
        seat = (np.int64(state.to_move) + step) % players
        mark(state.stones[seat], cells, out[step])
        if step:
            mark(state.space[seat], cells, out[players + step - 1])


@njit
def mark(points, cells, out):
    """Shows a set of points."""
    for word in range(len(points)):
        left = points[word]
        while left:
            out[cells[64 * word + lowest(left)]] = 255
            left &= left - ONE


ROOM, STONE = 100, 20
"""What a legal point and a stone are worth."""


@njit
def evaluate(board, state, values):
    """Who has more room to grow, and more stones."""
    for seat in range(len(values)):
        room, stones = 0, 0
        for word in range(state.space.shape[1]):
            room += popcount(state.space[seat, word])
            stones += popcount(state.stones[seat, word])
        values[seat] = ROOM * room + STONE * stones


ENTRIES = Entries(count, nth, extra, play, result, features=features, evaluate=evaluate)


def kernels(rules: GrowthPlain) -> Kernels:
    """The compiled twin of these rules."""
    state, board = records(len(rules.board), rules.players)
    register(state, ENTRIES)
    masks = [sum(1 << q for q in (point, *near)) for point, near in enumerate(rules.board.neighbours)]

    def pack(position: GrowthPosition, record: Any) -> None:
        _pack(rules, masks, position, record)

    def unpack(record: Any) -> GrowthPosition:
        stones = np.unpackbits(record.stones.astype("<u8").view(np.uint8), axis=1, bitorder="little")[:, : len(masks)]
        pieces = stones * np.arange(1, rules.players + 1, dtype=np.uint8)[:, None]
        return GrowthPosition(pieces.sum(0, np.uint8).tobytes(), int(record.to_move), tuple(record.places.tolist()))

    boards, actions = _tables(board, masks), rules.actions.size
    others = range(1, rules.players)
    features = ("own", *(f"other {seat}" for seat in others), *(f"space of other {seat}" for seat in others))
    return Kernels(state, boards, rules.players, actions, pack, unpack, rules.start(), IDENTITY, features)


def _pack(rules: GrowthPlain, masks: list[int], position: GrowthPosition, record: Any) -> None:
    near, crowded = [0] * rules.players, [0] * rules.players
    for number, root in enumerate(rules.roots(position.board)):
        player, reach = position.board[root[0]] - 1, 0
        for point in root:
            reach |= masks[point]
            crowded[player] |= near[player] & masks[point]
            near[player] |= masks[point]
            record.root_of[point] = number
        record.reach[number] = _words(reach, record)
        record.roots[player] |= ONE << np.uint64(number)
    for player in range(rules.players):
        stones = sum(1 << point for point, piece in enumerate(position.board) if piece == 1 + player)
        record.stones[player] = _words(stones, record)
        record.near[player], record.crowded[player] = _words(near[player], record), _words(crowded[player], record)
    record.empty = _words(sum(1 << point for point, piece in enumerate(position.board) if not piece), record)
    record.to_move, record.places, record.over = position.to_move, position.places, rules.over(position)
    record.space = NONE if record.over else record.near & ~record.crowded & record.empty


def _words(points: int, record: Any) -> np.ndarray:
    """A set of points, one bit each, as words."""
    return np.frombuffer(points.to_bytes(8 * len(record.empty), "little"), "<u8")


def _tables(dtype: np.dtype, masks: list[int]) -> np.ndarray:
    """`low` lies below all that a stone reaches, and never in the last word, so that there is a next one."""
    boards = np.zeros(1, dtype).view(np.recarray)
    last = 64 * max(1, (len(masks) - 1) // 64) - 1
    for point, mask in enumerate(masks):
        low = min((mask & -mask).bit_length() - 1, last)
        boards[0].low[point], boards[0].around[point] = low, mask >> low
    return boards
