"""Root Down compiled: every set of squares is one 64-bit word, whose bit number is the point.

The end by repetition needs the board at the last capture and the moves since: two bytes a move, from which every board
in between can be made again. A short key of each of these boards tells when that is worth it.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numba import njit

from hedgerow.boards import KING_STEPS
from hedgerow.games.root_down.beside import beside
from hedgerow.games.root_down.evaluation import TABLES, evaluate, read_weights
from hedgerow.games.root_down.plain import DIMINISHED, QUIET_END, ROOT, DownPlain, DownPosition, moved, piece
from hedgerow.games.root_down.setups import AROUND, count_pieces
from hedgerow.kernels.bits import FULL, NONE, ONE, lowest, popcount, select
from hedgerow.kernels.dispatch import Entries, register
from hedgerow.kernels.fast import Kernels
from hedgerow.kernels.sight import flood

TWO = np.uint64(2)
FOUR = np.uint64(4)
SPREAD = np.uint64(0x9E3779B97F4A7C15)
FOLD = np.uint64(32)

STATE = np.dtype(
    [
        ("sides", "u8", (2,)),  # seat: all its pieces
        ("roots", "u8"),
        ("diminished", "u8"),
        ("distance", "u8", (3,)),  # of the kickers of the player to move, as binary digits: ones, twos, fours
        ("may", "u8", (8,)),  # direction: which kickers can go there
        ("first", "u8", (4,)),  # sides, roots and diminished before the moves below
        ("choices", "u2"),
        ("quiet", "u2"),
        ("known", "u2"),  # how many moves are known since the last capture
        ("to_move", "u1"),
        ("over", "u1"),
        ("moves", "u1", (QUIET_END, 2)),  # from, to
        ("keys", "u2", (QUIET_END + 1,)),  # of the boards before these moves, and of the board now
    ],
    align=True,
)
HISTORY = ("first", "known", "moves")
IDENTITY = ("sides", "roots", "diminished", "quiet", "to_move")
"""The fields that tell positions apart; HISTORY too if repetition ends a game."""
KEY = ("sides", "roots", "diminished", "to_move")
"""What a search tells positions apart by: few games end by repetition or drag on."""
BOARD = np.dtype(
    [
        ("around", "u8", (64,)),
        ("step", "i1", (8,)),  # direction: from a point to the next
        ("left", "u8", (8,)),  # direction: how far to shift a set up, then down, for the points one step before it
        ("right", "u8", (8,)),
        ("inside", "u8", (8,)),  # direction: the points that have a next one
        ("foreign", "u8"),  # every point if enemy roots activate, none if not
        ("pieces", "u1", (2,)),  # of the set-up
        ("repetition", "u1"),
        *TABLES,
    ],
    align=True,
)


@njit
def put_down(board, own, enemy, roots, diminished, source, target):
    """(own, enemy, roots, diminished) after a piece has put its root down on a target and kicked. RULES 4"""
    origin, landing = ONE << np.uint64(source), ONE << np.uint64(target)
    near = board.around[target]
    captured = enemy & diminished & near
    demoted = enemy & roots & near
    return (
        own ^ origin ^ landing,
        enemy & ~captured,
        roots & ~near | landing,
        diminished & ~(captured | origin) | demoted,
    )


@njit
def measure(board, state):
    """Writes the distance of every kicker of the player to move. RULES 2.2"""
    own = state.sides[state.to_move]
    kickers = own & ~state.roots
    roots = state.roots & (own | board.foreign)
    ones, twos, fours = NONE, NONE, NONE
    left = kickers & beside(roots)
    while left:
        point = lowest(left)
        bit = ONE << np.uint64(point)
        left ^= bit
        activators, group = roots & board.around[point], NONE
        while activators:
            group |= board.around[lowest(activators)]
            activators &= activators - ONE
        distance = np.uint64(popcount(group & kickers & ~bit))
        ones |= bit * (distance & ONE)
        twos |= bit * (distance >> ONE & ONE)
        fours |= bit * (distance >> TWO)
    state.distance[0], state.distance[1], state.distance[2] = ones, twos, fours


@njit
def find_moves(board, state):
    """Writes which kickers can go in each direction, and how many choices that is. RULES 3"""
    measure(board, state)
    ones, twos, fours = state.distance[0], state.distance[1], state.distance[2]
    one, two, three = ones & ~twos & ~fours, twos & ~ones & ~fours, ones & twos & ~fours
    empty = ~(state.sides[0] | state.sides[1])
    choices = 0
    for way in range(8):
        left, right = board.left[way], board.right[way]
        next_empty = empty << left >> right & board.inside[way]
        clear = next_empty  # the points with as many empty ones ahead as we count
        may = one & clear
        clear = clear << left >> right & next_empty
        may |= two & clear
        clear = clear << left >> right & next_empty
        may |= three & clear
        if fours:
            clear = clear << left >> right & next_empty
            may |= fours & ~twos & ~ones & clear
            clear = clear << left >> right & next_empty
            may |= fours & ~twos & ones & clear
            clear = clear << left >> right & next_empty
            may |= fours & twos & ~ones & clear
            clear = clear << left >> right & next_empty
            may |= fours & twos & ones & clear
        state.may[way] = may
        choices += popcount(may)
    state.choices = choices


@njit
def key(south, north, roots, diminished):
    """Sixteen bits that boards seldom share."""
    word = (south ^ (north * SPREAD)) * SPREAD
    word = (word ^ (word >> FOLD) ^ roots) * SPREAD
    word = (word ^ (word >> FOLD) ^ diminished) * SPREAD
    return word >> np.uint64(48)


@njit
def remember(state, source, target, captured):
    """Notes a move that captured nothing, or starts afresh after a capture."""
    if captured:
        state.moves[: state.known] = 0
        state.quiet = state.known = 0
        state.first[0], state.first[1] = state.sides[0], state.sides[1]
        state.first[2], state.first[3] = state.roots, state.diminished
    else:
        state.moves[state.known, 0], state.moves[state.known, 1] = source, target
        state.known += 1
        state.quiet += 1
    state.keys[state.known] = key(state.sides[0], state.sides[1], state.roots, state.diminished)


@njit
def repeated(board, state):
    """Whether the board was there before, with the same player to move, often enough to end the game. RULES 5.2"""
    known, now, alike = np.int64(state.known), state.keys[state.known], 1
    for index in range(known & 1, known, 2):
        alike += state.keys[index] == now
    return alike >= board.repetition and occurrences(board, state) >= board.repetition


@njit
def occurrences(board, state):
    """How often the board was there with this player to move, by playing the known moves again."""
    seat = (state.to_move + state.known) & 1
    own, enemy, roots, diminished = state.first[seat], state.first[1 - seat], state.first[2], state.first[3]
    found = 0
    for index in range(state.known + 1):
        if (state.known - index) & 1 == 0:
            same = own == state.sides[state.to_move] and enemy == state.sides[1 - state.to_move]
            found += same and roots == state.roots and diminished == state.diminished
        if index < state.known:
            source, target = state.moves[index, 0], state.moves[index, 1]
            enemy, own, roots, diminished = put_down(board, own, enemy, roots, diminished, source, target)
    return found


@njit
def count(board, state):
    return np.int64(state.choices)


@njit
def nth(board, state, k):
    for way in range(8):
        here = popcount(state.may[way])
        if k < here:
            return way * 64 + select(state.may[way], k)
        k -= here
    return -1


@njit
def extra(board, state):
    return -1


@njit
def play(board, state, action):
    way, source, seat = action >> 6, action & 63, state.to_move
    target = source + np.int64(board.step[way]) * distance_of(state, source)
    own, enemy, roots, diminished = put_down(
        board, state.sides[seat], state.sides[1 - seat], state.roots, state.diminished, source, target
    )
    captured = enemy != state.sides[1 - seat]
    state.sides[seat], state.sides[1 - seat], state.roots, state.diminished = own, enemy, roots, diminished
    state.to_move = 1 - seat
    find_moves(board, state)
    end_turn(board, state, source, target, captured)


@njit
def distance_of(state, point):
    """The distance of a kicker of the player to move."""
    bit = np.uint64(point)
    ones, twos, fours = state.distance[0] >> bit & ONE, state.distance[1] >> bit & ONE, state.distance[2] >> bit & ONE
    return np.int64(ones + TWO * twos + FOUR * fours)


@njit
def end_turn(board, state, source, target, captured):
    """Ends the game where nobody can move or it has dragged on. RULES 5"""
    dragged_on = False
    if board.repetition:
        remember(state, source, target, captured)
        dragged_on = repeated(board, state)
    else:
        state.quiet = 0 if captured else state.quiet + 1
    if state.choices == 0 or dragged_on or state.quiet >= QUIET_END:
        state.choices = 0
        state.over = 1


@njit
def result(board, state, scores):
    for seat in range(2):  # RULES 5.4
        kickers = state.sides[seat] & ~state.roots
        activated = kickers & beside(state.roots & (state.sides[seat] | board.foreign))
        captured = np.int64(board.pieces[1 - seat]) - popcount(state.sides[1 - seat])
        scores[seat] = captured + popcount(activated)
    if scores[0] == scores[1]:
        return 1 - state.to_move  # RULES 5.5
    return 0 if scores[0] > scores[1] else 1


FEATURES = (
    *("own roots", "own kickers", "own diminished", "enemy roots", "enemy kickers", "enemy diminished"),
    *("distance 1s", "distance 2s", "distance 4s", "own pieces", "enemy pieces", "quiet", "enemy roots activate"),
)


@njit
def features(board, state, cells, out):
    """Every kind of piece, own first; how far own kickers go, in binary; pieces left, and how long it is quiet."""
    for side in range(2):
        pieces = state.sides[state.to_move if side == 0 else 1 - state.to_move]
        mark(pieces & state.roots, cells, out[3 * side])
        mark(pieces & ~state.roots & ~state.diminished, cells, out[3 * side + 1])
        mark(pieces & state.diminished, cells, out[3 * side + 2])
        flood(cells, out[9 + side], popcount(pieces) / 16)
    for digit in range(3):
        mark(state.distance[digit], cells, out[6 + digit])
    flood(cells, out[11], np.float64(state.quiet) / QUIET_END)
    if board.foreign:
        flood(cells, out[12], 1.0)


@njit
def mark(points, cells, out):
    """Shows a set of points."""
    while points:
        out[cells[lowest(points)]] = 255
        points &= points - ONE


register(STATE, Entries(count, nth, extra, play, result, features=features, evaluate=evaluate))


def kernels(rules: DownPlain) -> Kernels:
    """The compiled twin of these rules."""

    def pack(position: DownPosition, state: Any) -> None:
        _pack(rules, position, state)

    def unpack(state: Any) -> DownPosition:
        return _unpack(rules, state)

    boards, actions = _tables(rules), rules.actions.size
    identity = IDENTITY + HISTORY if rules.repetition else IDENTITY
    return Kernels(
        STATE, boards, rules.players, actions, pack, unpack, rules.start(), identity, FEATURES, key_fields=KEY
    )


def _pack(rules: DownPlain, position: DownPosition, state: Any) -> None:
    boards = [*position.earlier, position.board]
    state.sides[0], state.sides[1], state.roots, state.diminished = _words(position.board)
    state.first = _words(boards[0])
    for index, pair in enumerate(pairwise(boards)):
        state.moves[index] = moved(*pair)
    plain_key = getattr(key, "py_func", key)  # compiling it for a few calls would take longer
    with np.errstate(over="ignore"):
        state.keys[: len(boards)] = [plain_key(*_words(board)) for board in boards]
    for point in rules.kickers(position.board, position.to_move):
        distance = len(rules.companions(position.board, point))
        for digit in range(3):
            state.distance[digit] |= np.uint64((distance >> digit & 1) << point)
    legal = rules.legal(position)
    for action in legal:
        way, point = rules.actions.split(action)
        state.may[way] |= np.uint64(1 << point)
    state.choices, state.over = len(legal), not legal
    state.to_move, state.quiet, state.known = position.to_move, position.quiet, len(position.earlier)


def _unpack(rules: DownPlain, state: Any) -> DownPosition:
    boards = [_bytes(state.first)]
    for source, target in state.moves[: state.known]:
        boards.append(rules.kicked_down(boards[-1], int(source), int(target)))
    board = _bytes((*state.sides, state.roots, state.diminished))
    return DownPosition(board, int(state.to_move), int(state.quiet), tuple(boards[: state.known]))


def _words(board: bytes) -> list[np.uint64]:
    """Both sides, the roots, the diminished kickers of a board, each as a word."""
    sides = [[piece(seat, kind) for kind in range(3)] for seat in (0, 1)]
    kinds = [[piece(seat, kind) for seat in (0, 1)] for kind in (ROOT, DIMINISHED)]
    return [
        np.uint64(sum(1 << point for point, value in enumerate(board) if value in values))
        for values in (*sides, *kinds)
    ]


def _bytes(words: Any) -> bytes:
    """The board of four words."""
    south, north, roots, diminished = (int(word) for word in words)
    board = bytearray(64)
    for point in range(64):
        bit = 1 << point
        if (south | north) & bit:
            kind = 0 if roots & bit else 2 if diminished & bit else 1
            board[point] = piece(0 if south & bit else 1, kind)
    return bytes(board)


def _tables(rules: DownPlain) -> np.ndarray:
    boards = np.zeros(1, BOARD).view(np.recarray)
    board = boards[0]
    for point, near in enumerate(AROUND):
        board.around[point] = np.uint64(sum(1 << q for q in near))
    for way, (down, right) in enumerate(KING_STEPS):
        step = 8 * down + right
        board.step[way], board.left[way], board.right[way] = step, max(0, -step), max(0, step)
        board.inside[way] = np.uint64(sum(1 << point for point in range(64) if rules.board.steps[point][way] >= 0))
    board.foreign = NONE if rules.own_roots else FULL
    board.pieces[:] = count_pieces(rules.setup, 0), count_pieces(rules.setup, 1)
    board.repetition = rules.repetition
    read_weights(board)
    return boards
