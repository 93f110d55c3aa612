"""Three compiled: the stones of each seat are nine bits."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from hedgerow.game import Position
from hedgerow.games.three.plain import LINES, ThreePlain
from hedgerow.kernels.dispatch import Entries, register
from hedgerow.kernels.fast import Kernels

STATE = np.dtype([("three_stones", "u2", (2,)), ("to_move", "u1"), ("over", "u1"), ("winner", "i1")], align=True)
BOARD = np.dtype([("three_lines", "u2", (8,))], align=True)
FULL = 0b111_111_111


@njit
def empty(state):
    return FULL & ~(np.int64(state.three_stones[0]) | np.int64(state.three_stones[1]))


@njit
def count(board, state):
    found = 0
    if not state.over:
        for point in range(9):
            found += (empty(state) >> point) & 1
    return np.int64(found)


@njit
def nth(board, state, k):
    for point in range(9):
        if (empty(state) >> point) & 1:
            if k == 0:
                return np.int64(point)
            k -= 1
    return np.int64(-1)


@njit
def extra(board, state):
    return -1


@njit
def play(board, state, action):
    seat = state.to_move
    state.three_stones[seat] |= np.uint16(1 << action)
    for line in board.three_lines:
        if state.three_stones[seat] & line == line:
            state.over, state.winner = 1, seat
    if not empty(state):
        state.over = 1
    state.to_move = 1 - seat


@njit
def result(board, state, scores):
    scores[:] = 0
    return np.int64(state.winner)


register(STATE, Entries(count, nth, extra, play, result))


def kernels(rules: ThreePlain) -> Kernels:
    """The compiled twin of these rules."""
    boards = np.zeros(1, BOARD).view(np.recarray)
    boards[0].three_lines[:] = [sum(1 << point for point in line) for line in LINES]

    def pack(position: Position, state: Any) -> None:
        outcome = rules.outcome(position)
        for seat in (0, 1):
            state.three_stones[seat] = sum(1 << point for point in range(9) if position.board[point] == 1 + seat)
        state.to_move, state.over = position.to_move, outcome is not None
        state.winner = outcome.winners[0] if outcome and outcome.winners else -1

    def unpack(state: Any) -> Position:
        board = [
            1 if int(state.three_stones[0]) >> point & 1 else 2 * (int(state.three_stones[1]) >> point & 1)
            for point in range(9)
        ]
        return Position(bytes(board), int(state.to_move))

    return Kernels(STATE, boards, rules.players, rules.actions.size, pack, unpack, rules.start())
