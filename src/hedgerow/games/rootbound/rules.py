"""Rootbound compiled: a stuck player is skipped, and when both are stuck the game is over."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from hedgerow.games._bound import kernels as bound
from hedgerow.games._bound.kernels import claims, count, mid, nth, offer_second, place
from hedgerow.games._bound.plain import BoundPosition
from hedgerow.games._bound.points import load, size, some
from hedgerow.games._bound.records import IDENTITY, pack, state_type, tables, unpack
from hedgerow.games._bound.sight import FEATURES, features, owners
from hedgerow.games.rootbound.plain import RootboundPlain
from hedgerow.kernels.dispatch import Entries, register
from hedgerow.kernels.fast import Kernels


@njit
def extra(board, state):
    return -1 if state.first == 0 else len(board.cell)


@njit
def play(board, state, action):
    if action != len(board.cell):
        opens_turn = state.first == 0 and state.turn != 1
        place(board, state, action)
        if opens_turn:
            offer_second(board, state, action)
            if some(load(state.choices)):
                return
    end_turn(board, state)


@njit
def end_turn(board, state):
    """Ends the turn, and those of players who are stuck; two skipped in a row end the game. RULES 5.1, 5.2"""
    bound.end_turn(board, state)
    skipped = 0
    while skipped < 2 and not some(load(state.choices)):
        bound.end_turn(board, state)
        skipped += 1
    state.over = skipped == 2


@njit
def result(board, state, scores):
    by_black, by_white, _ = claims(board, state)
    scores[0], scores[1] = size(by_black), size(by_white)  # RULES 5.3
    if scores[0] == scores[1]:
        return np.int64(-1)
    return np.int64(scores[1] > scores[0])


def kernels(rules: RootboundPlain) -> Kernels:
    """The compiled twin of these rules."""
    dtype, boards = state_type(rules, []), tables(rules, [])
    register(dtype, Entries(count, nth, extra, play, result, mid, features, owners))

    def write_state(position: BoundPosition, state: Any) -> None:
        pack(rules, boards[0], position, state)

    def read_state(state: Any) -> BoundPosition:
        return BoundPosition(*unpack(boards[0], state))

    known = rules.players, rules.actions.size, write_state, read_state, rules.start()
    return Kernels(dtype, boards, *known, IDENTITY, FEATURES, owned=True)
