"""Root Bound compiled: Spring's second pieces, passes, and how Fall withers what is weak."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from hedgerow.games._bound import sight
from hedgerow.games._bound.kernels import (
    around,
    claims,
    count,
    end_turn,
    mid,
    nth,
    offer_second,
    place,
    spread,
    take_root,
)
from hedgerow.games._bound.points import load, load_row, lowest, size, some, store, store_row
from hedgerow.games._bound.records import IDENTITY, pack, state_type, tables, unpack
from hedgerow.games.root_bound.plain import SUMMER, RootBoundPlain, RootBoundPosition
from hedgerow.kernels.dispatch import Entries, register
from hedgerow.kernels.fast import Kernels
from hedgerow.kernels.sight import flood

FEATURES = (*sight.FEATURES, "a pass before", "a tie is own", "a tie is the enemy's")


@njit
def extra(board, state):
    return -1 if state.over or state.turn < SUMMER else len(board.cell)


@njit
def play(board, state, action):
    if action == len(board.cell):
        finish(board, state)
        return
    state.passes = 0
    if board.final_passes:
        state.passer = 0  # RULES 6.3
    opens_turn = state.first == 0 and state.turn != 1
    place(board, state, action)
    if opens_turn:
        if state.turn < SUMMER:
            offer_second_of_spring(board, state, action)
        else:
            offer_second(board, state, action)
        if some(load(state.choices)):
            return
    end_turn(board, state)


@njit
def finish(board, state):
    """Ends a turn by `done`, or by a pass; the second pass in a row ends the game. RULES 4.4, 5.1"""
    if state.first == 0:
        state.passes += 1
        if state.passer == 0:
            state.passer = 1 + state.to_move
    end_turn(board, state)
    if state.passes == 2:
        fall(board, state)
        store(state.choices, load(state.choices) & ~load(board.whole))
        state.over = 1


@njit
def offer_second_of_spring(board, state, point):
    """The choices for a second piece in Spring. RULES 3.2, 3.3"""
    free = load_row(state.legal, np.int64(state.to_move))
    if state.turn == 2:
        free = free & ~load_row(board.beside, point)
    else:
        own = load_row(state.stones, np.int64(state.to_move))
        near, near_other = around(board, lowest(own)), around(board, own ^ lowest(own))
        touching = some(near & (own ^ lowest(own)))
        free = free & ~(near | near_other) if touching else free & ~(near & near_other)
    store(state.choices, free)
    state.first = 1 + point


@njit
def fall(board, state):
    """The smallest weak Runners of both colours wither together, again and again. RULES 5.3"""
    while True:
        by_black, by_white, shared = claims(board, state)
        least_black, black = smallest(board, weak(board, state, 0, by_black, shared))
        least_white, white = smallest(board, weak(board, state, 1, by_white, shared))
        if not some(black | white):
            return
        if least_black <= least_white:
            store_row(state.stones, 0, load_row(state.stones, 0) ^ black)
        if least_white <= least_black:
            store_row(state.stones, 1, load_row(state.stones, 1) ^ white)


@njit
def weak(board, state, seat, claimed, shared):
    """The pieces of Runners that see no Root of their colour. RULES 5.2"""
    take_root(board, state, seat, around(board, claimed))
    stones, roots = load_row(state.stones, seat), load_row(state.roots, seat)
    seen_by_roots = around(board, spread(board, around(board, roots), shared))
    return stones & ~spread(board, roots | seen_by_roots, stones)


@njit
def smallest(board, pieces):
    """The least size of the groups of these pieces, and all groups of that size; of none, more than any size."""
    least, found = 1 + len(board.cell), pieces ^ pieces
    while some(pieces):
        group = spread(board, lowest(pieces), pieces)
        pieces = pieces ^ group
        if size(group) < least:
            least, found = size(group), group
        elif size(group) == least:
            found = found | group
    return least, found


@njit
def result(board, state, scores):
    by_black, by_white, _ = claims(board, state)
    scores[0] = size(load_row(state.stones, 0)) + size(by_black)  # RULES 6.1
    scores[1] = size(load_row(state.stones, 1)) + size(by_white)
    if scores[0] == scores[1]:
        return np.int64(state.passer) - 1
    return np.int64(scores[1] > scores[0])


@njit
def features(board, state, cells, out):
    """What Rootbound shows too, the passes, and whose a tie would be."""
    sight.features(board, state, cells, out)
    if state.passes:
        flood(cells, out[9], 1.0)
    if state.passer:
        flood(cells, out[10 if state.passer == state.to_move + 1 else 11], 1.0)


def kernels(rules: RootBoundPlain) -> Kernels:
    """The compiled twin of these rules."""
    dtype = state_type(rules, [("passes", "u1"), ("passer", "u1")])  # passer: 1 + seat, 0 for none
    register(dtype, Entries(count, nth, extra, play, result, mid, features, sight.owners))
    boards = tables(rules, [("final_passes", "u1")])
    boards[0].final_passes = not rules.first_pass_of_all

    def write_state(position: RootBoundPosition, state: Any) -> None:
        pack(rules, boards[0], position, state)
        state.passes, state.passer = position.passes, 0 if position.passer is None else 1 + position.passer

    def read_state(state: Any) -> RootBoundPosition:
        passer = int(state.passer) - 1 if state.passer else None
        return RootBoundPosition(*unpack(boards[0], state), int(state.passes), passer)

    known = rules.players, rules.actions.size, write_state, read_state, rules.start()
    return Kernels(dtype, boards, *known, (*IDENTITY, "passes", "passer"), FEATURES, owned=True)
