"""Root and Thorn compiled: every set of spaces is two 64-bit words, one for each half of the board.

A half has five ranks of twelve bits: ten files and two bits of padding, so that a step along a rank cannot wrap round.

    bit of a space = 12 * (rank in its half, from 0) + file from 0        word 0: ranks 1-5, word 1: ranks 6-10
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from hedgerow.games.root_and_thorn.plain import RANGE, SUPPLY, TOKENS, UNDERGROWTH, ThornPlain, ThornPosition, piece
from hedgerow.kernels.bits import FULL, NONE, ONE, lowest, popcount, select
from hedgerow.kernels.dispatch import Entries, register
from hedgerow.kernels.fast import Kernels
from hedgerow.kernels.sight import flood

STRIDE = np.uint64(12)
ACROSS = np.uint64(48)  # from the last rank of word 0 to the first of word 1
PASS = 400
PIECES = np.array([piece(seat, token) for seat in range(2) for token in range(4)], np.uint8)

STATE = np.dtype(
    [
        ("tokens", "u8", (2, 4, 2)),  # seat, token, half
        ("may", "u8", (4, 2)),  # token, half: where the player to move may place it
        ("supply", "u1", (2, 4)),  # seat, token
        ("choices", "u2"),
        ("passes", "u1"),
        ("to_move", "u1"),
        ("over", "u1"),
        ("returns", "u1"),
    ],
    align=True,
)
IDENTITY = ("tokens", "supply", "passes", "to_move", "over")
BOARD = np.dtype(
    [
        ("valid", "u8"),  # the ten files of five ranks, the same in both halves
        ("half", "u1", (100,)),  # of a point
        ("bit", "u1", (100,)),
        ("point", "u1", (2, 64)),  # half, bit
        ("range", "u8", (4, 100, 2)),  # token, point, half: what a new tree clears
    ],
    align=True,
)


@njit
def steps(low, high):
    """The two words of a set moved by one file down, one up, one rank up, one down; unmasked."""
    return (
        (low >> ONE, high >> ONE),
        (low << ONE, high << ONE),
        (low << STRIDE, (high << STRIDE) | (low >> ACROSS)),
        ((low >> STRIDE) | (high << ACROSS), high >> STRIDE),
    )


@njit
def beside(low, high, valid):
    """Every space adjacent to a set."""
    a, b, c, d = steps(low, high)
    return (a[0] | b[0] | c[0] | d[0]) & valid, (a[1] | b[1] | c[1] | d[1]) & valid


@njit
def at_least_two(a, b, c, d):
    """Bit by bit, whether two or more of four words are set."""
    return (a & b) | (c & d) | ((a | b) & (c | d))


@njit
def at_least_three(a, b, c, d):
    """Bit by bit, whether three or more of four words are set."""
    return (a & b & (c | d)) | (c & d & (a | b))


@njit
def everything(state, seat, half):
    """All tokens of a seat in a half."""
    tokens = state.tokens[seat]
    return tokens[0, half] | tokens[1, half] | tokens[2, half] | tokens[3, half]


@njit
def find_placements(board, state):
    """Writes where the player to move may place each token, and how many choices that is."""
    seat = state.to_move
    own, enemy = state.tokens[seat], state.tokens[1 - seat]
    state.may[:] = NONE
    if state.supply[seat, 0]:  # RULES 2.1
        state.may[0, seat] = board.valid & ~(everything(state, 0, seat) | everything(state, 1, seat))
        state.choices = popcount(state.may[0, seat])
        return
    mine = (everything(state, seat, 0), everything(state, seat, 1))
    theirs = (everything(state, 1 - seat, 0), everything(state, 1 - seat, 1))
    near = beside(mine[0], mine[1], board.valid)
    banned = beside(enemy[0, 0], enemy[0, 1], board.valid)
    a, b, c, d = steps(own[1, 0], own[1, 1])
    grow, birch, oak = (
        FULL * (state.supply[seat, 1] > 0),
        FULL * (state.supply[seat, 2] > 0),
        FULL * (state.supply[seat, 3] > 0),
    )
    choices = 0
    for half in range(2):
        state.may[1, half] = grow & near[half] & ~(mine[half] | theirs[half] | banned[half])  # RULES 3.1, 3.2
        state.may[2, half] = birch & own[1, half] & at_least_two(a[half], b[half], c[half], d[half])  # RULES 3.3
        state.may[3, half] = oak & own[1, half] & at_least_three(a[half], b[half], c[half], d[half])  # RULES 3.4
        choices += popcount(state.may[1, half]) + popcount(state.may[2, half]) + popcount(state.may[3, half])
    state.choices = choices


@njit
def pass_over(board, state):
    """Passes over players who can place nothing; two passes in a row end the game. RULES 5.1, 5.2"""
    while state.passes < 2:
        find_placements(board, state)
        if state.choices:
            return
        state.to_move ^= 1
        state.passes += 1
    state.choices = 0
    state.may[:] = NONE
    state.over = 1


@njit
def count(board, state):
    return np.int64(state.choices)


@njit
def nth(board, state, k):
    for token in range(4):
        for half in range(2):
            word = state.may[token, half]
            here = popcount(word)
            if k < here:
                return token * 100 + np.int64(board.point[half, select(word, k)])
            k -= here
    return PASS


@njit
def extra(board, state):
    return -1 if state.over or state.supply[state.to_move, 0] else PASS


@njit
def play(board, state, action):
    if action == PASS:
        state.passes += 1
    else:
        place(board, state, action // 100, action % 100)
        state.passes = 0
    state.to_move ^= 1
    pass_over(board, state)


@njit
def place(board, state, token, point):
    """Puts a token on a space; a tree clears what is under and around it. RULES 4"""
    seat, half = state.to_move, board.half[point]
    bit = ONE << np.uint64(board.bit[point])
    state.supply[seat, token] -= 1
    if token >= 2:
        own, enemy = state.tokens[seat, 1], state.tokens[1 - seat, 1]
        own[half] &= ~bit
        removed = 0
        for h in range(2):
            reached = board.range[token, point, h]
            removed += popcount(enemy[h] & reached)
            enemy[h] &= ~reached
        if state.returns:
            state.supply[seat, 1] += 1
            state.supply[1 - seat, 1] += removed
    state.tokens[seat, token, half] |= bit


@njit
def reach(board, state, seat):
    """The empty spaces that a seat's tokens touch, directly or through empty ones."""
    empty_low = board.valid & ~(everything(state, 0, 0) | everything(state, 1, 0))
    empty_high = board.valid & ~(everything(state, 0, 1) | everything(state, 1, 1))
    low, high = everything(state, seat, 0), everything(state, seat, 1)
    found_low, found_high = NONE, NONE
    while True:
        near_low, near_high = beside(low | found_low, high | found_high, board.valid)
        near_low, near_high = near_low & empty_low | found_low, near_high & empty_high | found_high
        if near_low == found_low and near_high == found_high:
            return found_low, found_high
        found_low, found_high = near_low, near_high


@njit
def result(board, state, scores):
    dark, light = reach(board, state, 0), reach(board, state, 1)
    scores[0] = scores[1] = 0
    for half in range(2):  # RULES 5.3
        scores[0] += popcount(everything(state, 0, half)) + popcount(dark[half] & ~light[half])
        scores[1] += popcount(everything(state, 1, half)) + popcount(light[half] & ~dark[half])
    return -1 if scores[0] == scores[1] else (0 if scores[0] > scores[1] else 1)


FEATURES = (
    *(f"{side} {token}" for side in ("own", "enemy") for token in TOKENS),
    *(f"{side} {token} left" for side in ("own", "enemy") for token in TOKENS),
    *("a pass before", "Undergrowth comes back"),
)


@njit
def features(board, state, cells, out):
    """Every kind of token, own first, and how much of its supply is left; a pass; what becomes of what is removed."""
    for side in range(2):
        seat = np.int64(state.to_move) if side == 0 else 1 - np.int64(state.to_move)
        for token in range(4):
            mark(board, state.tokens[seat, token], cells, out[4 * side + token])
            flood(cells, out[8 + 4 * side + token], np.float64(state.supply[seat, token]) / SUPPLY[token])
    if state.passes:
        flood(cells, out[16], 1.0)
    if state.returns:
        flood(cells, out[17], 1.0)


@njit
def mark(board, halves, cells, out):
    """Shows a set of spaces."""
    for half in range(2):
        left = halves[half]
        while left:
            out[cells[board.point[half, lowest(left)]]] = 255
            left &= left - ONE


@njit
def owners(board, state, out):
    """The seat whose token stands on each space or that alone touches its region, -1 where there is none."""
    dark, light = reach(board, state, 0), reach(board, state, 1)
    for point in range(100):
        half, bit = np.int64(board.half[point]), np.uint64(board.bit[point])
        black = (everything(state, 0, half) | dark[half] & ~light[half]) >> bit & ONE
        white = (everything(state, 1, half) | light[half] & ~dark[half]) >> bit & ONE
        out[point] = 0 if black else 1 if white else -1


register(STATE, Entries(count, nth, extra, play, result, features=features, owners=owners))


def kernels(rules: ThornPlain) -> Kernels:
    """The compiled twin of these rules."""
    boards = _tables()
    cells = boards[0].half * 64 + boards[0].bit  # of every point, among the bits of both words

    def pack(position: ThornPosition, state: Any) -> None:
        _pack(rules, boards[0], position, state)

    def unpack(state: Any) -> ThornPosition:
        halves = state.tokens.astype("<u8").reshape(len(PIECES), 2).view(np.uint8)
        board = PIECES @ np.unpackbits(halves, axis=1, bitorder="little")[:, cells]
        supply = int(state.supply[0, UNDERGROWTH]), int(state.supply[1, UNDERGROWTH])
        return ThornPosition(board.tobytes(), int(state.to_move), int(state.passes), supply)

    known = rules.players, rules.actions.size, pack, unpack, rules.start()
    return Kernels(STATE, boards, *known, IDENTITY, FEATURES, owned=True)


def _pack(rules: ThornPlain, board: Any, position: ThornPosition, state: Any) -> None:
    for point, value in enumerate(position.board):
        if value:
            seat, token = divmod(value - 1, 4)
            state.tokens[seat, token, board.half[point]] |= ONE << np.uint64(board.bit[point])
    for seat in (0, 1):
        state.supply[seat] = [rules.left(position, seat, token) for token in range(4)]
    placements = [action for action in rules.legal(position) if action != PASS]
    for action in placements:  # compiling find_placements for this would take longer
        token, point = divmod(action, 100)
        state.may[token, board.half[point]] |= ONE << np.uint64(board.bit[point])
    state.to_move, state.passes, state.returns = position.to_move, position.passes, rules.returns
    state.choices, state.over = len(placements), position.passes == 2


def _tables() -> np.ndarray:
    boards = np.zeros(1, BOARD).view(np.recarray)
    board = boards[0]
    for point in range(100):
        half, rank = divmod(9 - point // 10, 5)
        board.half[point], board.bit[point] = half, 12 * rank + point % 10
        board.point[half, board.bit[point]] = point
        board.valid |= np.uint64(1 << int(board.bit[point]))
    for token, distance in RANGE.items():
        for point in range(100):
            for space in range(100):
                if abs(space // 10 - point // 10) + abs(space % 10 - point % 10) <= distance:
                    board.range[token, point, board.half[space]] |= ONE << np.uint64(board.bit[space])
    return boards
