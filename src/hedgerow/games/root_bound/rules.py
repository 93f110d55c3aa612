"""Root Bound compiled."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from hedgerow.games._bound.kernels import (
    around, clean_up, count, hand_over, nth, offer_second, place, reached, spread,
)
from hedgerow.games._bound.points import load, load_row, lowest, size, some, store, store_row
from hedgerow.games._bound.tables import state_fields, tables, put
from hedgerow.kernels.dispatch import Entries, register
from hedgerow.kernels.fast import Kernels


@njit
def extra(board, state):
    return -1 if state.over or state.turn < 4 else np.int64(len(board.cell))


@njit
def play(board, state, action):
    if action == len(board.cell):
        if state.first == 0:
            state.passes += 1
            if state.passer == 0:
                state.passer = 1 + state.to_move
        end_turn(board, state)
        if state.passes == 2:
            fall(board, state)
            store(state.choices, load(state.choices) ^ load(state.choices))
            state.over = 1
        return
    if state.passes:
        state.passes = 0
    if board.tie:
        state.passer = 0
    second = state.first > 0
    own = place(board, state, action)
    if not second and state.turn != 1:
        if state.turn < 4:
            offer_spring(board, state, action)
            return
        offer_second(board, state, action, own)
        if some(load(state.choices)):
            return
    end_turn(board, state)


@njit
def end_turn(board, state):
    foe = 1 - np.int64(state.to_move)
    if state.turn < 4:
        state.turn += 1
        state.claims = state.turn == 4
    else:
        clean_up(board, state, foe)
    hand_over(board, state, foe)


@njit
def offer_spring(board, state, point):
    me = np.int64(state.to_move)
    new = load_row(board.beside, point)
    free = load_row(state.legal, me)
    if state.turn == 2:
        free = free & ~new
    else:
        stones = load_row(state.stones, me)
        old = stones & ~around(board, new & ~stones)
        other = lowest(stones)
        a = around(board, other)
        b = around(board, stones ^ other)
        if some(a & stones & ~other):
            free = free & ~(a | b)
        else:
            free = free & ~(a & b)
    store(state.choices, free)
    state.first = 1 + point


@njit
def fall(board, state):
    """Withers"""
    while True:
        black, white = load_row(state.stones, 0), load_row(state.stones, 1)
        empty = load(board.whole) ^ black ^ white
        near_black, near_white = reached(board, black, empty), reached(board, white, empty)
        unclaimed = near_black & near_white
        weak_black = weak(board, black, near_black & ~near_white, unclaimed)
        weak_white = weak(board, white, near_white & ~near_black, unclaimed)
        if not some(weak_black | weak_white):
            return
        black_min, black_set = smallest(board, weak_black)
        white_min, white_set = smallest(board, weak_white)
        if black_min <= white_min:
            store_row(state.stones, 0, black & ~black_set)
        if white_min <= black_min:
            store_row(state.stones, 1, white & ~white_set)


@njit
def weak(board, stones, claimed, unclaimed):
    roots = spread(board, around(board, claimed), stones)
    healthy = around(board, spread(board, around(board, roots), unclaimed)) & stones
    return stones & ~roots & ~spread(board, healthy, stones)


@njit
def smallest(board, stones):
    least = 10000
    found = stones ^ stones
    while some(stones):
        group = spread(board, lowest(stones), stones)
        stones = stones ^ group
        n = size(group)
        if n < least:
            least = n
            found = group
        elif n == least:
            found = found | group
    return least, found


@njit
def result(board, state, scores):
    black, white = load_row(state.stones, 0), load_row(state.stones, 1)
    empty = load(board.whole) ^ black ^ white
    near_black, near_white = reached(board, black, empty), reached(board, white, empty)
    scores[0] = size(black | near_black & ~near_white)
    scores[1] = size(white | near_white & ~near_black)
    if scores[0] == scores[1]:
        return np.int64(state.passer) - 1
    return np.int64(scores[1] > scores[0])


def kernels(rules) -> Kernels:
    board = rules.board
    dtype = np.dtype([*state_fields(board), ("passes", "u1"), ("passer", "u1")], align=True)
    register(dtype, Entries(count, nth, extra, play, result))
    boards = tables(board)
    boards[0].tie = not rules.first_pass_of_all

    def pack(position, state: Any) -> None:
        cell = boards[0].cell
        for p, v in enumerate(position.board):
            if v:
                put(state.stones[v - 1], int(cell[p]))
                put(state.suspects[v - 1], int(cell[p]))
        for q in rules.unclaimed(position):
            put(state.open, int(cell[q]))
            for seat in 0,1:
              from dataclasses import replace
              if not rules.triangle(replace(position, to_move=seat), q):
                put(state.legal[seat], int(cell[q]))
        for q in rules.placements(position):
            put(state.choices, int(cell[q]))
        state.first = 0 if position.first is None else 1 + position.first
        state.turn, state.to_move, state.passes = position.turn, position.to_move, position.passes
        state.passer = 0 if position.passer is None else 1 + position.passer
        state.over = position.passes == 2
        state.claims = position.turn >= 4

    def unpack(state: Any):
        from hedgerow.games.root_bound.plain import RootBoundPosition
        out = bytearray(len(board))
        for p, c in enumerate(boards[0].cell):
            c = int(c)
            for seat in (0, 1):
                if int(state.stones[seat][1 + c // 64]) >> c % 64 & 1:
                    out[p] = 1 + seat
        return RootBoundPosition(bytes(out), int(state.to_move), int(state.turn),
            None if state.first == 0 else int(state.first) - 1, int(state.passes), None if not state.passer else int(state.passer) - 1)

    return Kernels(dtype, boards, 2, rules.actions.size, pack, unpack, rules.start())
