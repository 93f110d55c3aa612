"""The compiled protocol: the functions that every game gives for its record, found by the record's dtype.

Kernels that know no game (playouts, batches, the search) call these; Numba puts the game's own in their place while
it compiles, and with the JIT off the plain bodies below look them up. Every record has the fields `to_move` (seat) and
`over` (0 while the game goes on). `board` is the record of tables of one set of rules; `state` is one position and
changes in place.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit, types
from numba.extending import overload
from numba.np.numpy_support import as_dtype


@njit
def never(board, state):
    """For `mid` where a turn is one action."""
    return False


@njit
def nothing(board, state, cells, out):
    """For `features` of a game that shows a network nothing of its own."""


@njit
def nobody(board, state, out):
    """For `owners` of a game whose points have none."""
    out[:] = -1


@njit
def as_scored(board, state, values):
    """For `evaluate` of a game that says nothing better: the scores if it ended here, and the choices of the mover."""
    result(board, state, values)
    values *= 100
    values[state.to_move] += 2 * count(board, state)


@dataclass(frozen=True)
class Entries:
    """The kernels of one kind of record, each `njit`-ed; nothing is checked in them."""

    count: Callable[..., Any]
    nth: Callable[..., Any]
    extra: Callable[..., Any]
    play: Callable[..., Any]
    result: Callable[..., Any]
    mid: Callable[..., Any] = never
    features: Callable[..., Any] = nothing
    owners: Callable[..., Any] = nobody
    evaluate: Callable[..., Any] = as_scored


_ENTRIES: dict[np.dtype, Entries] = {}


def register(dtype: np.dtype, entries: Entries) -> None:
    """Names the kernels of a dtype. No record may begin like another's: Numba would take the one for the other."""
    for other, theirs in list(_ENTRIES.items()):
        same = all(mine == its for mine, its in zip(_layout(dtype), _layout(other)))
        if same and (other != dtype or theirs != entries):
            raise ValueError(f"two games have the same record, or one begins like the other: {dtype}")
    _ENTRIES[dtype] = entries


def _layout(dtype: np.dtype) -> list[tuple[object, ...]]:
    return [(name, *field) for name, field in (dtype.fields or {}).items()]


_KEPT: dict[np.dtype, np.dtype] = {}


def kept(dtype: np.dtype) -> np.dtype:
    """The one object that stands for all equal dtypes, for ever.

    Numba tells record types apart by the address of their dtype; were one freed, its address could mean another.
    """
    return _KEPT.setdefault(dtype, np.dtype((np.record, dtype)))


def entries(dtype: np.dtype) -> Entries:
    """The kernels of a dtype."""
    return _ENTRIES[dtype]


def count(board, state):
    """How many ordinary actions (no pass, no done) are legal now; 0 when the game is over."""
    return _ENTRIES[state.dtype].count(board, state)


def nth(board, state, k):
    """The k-th of them, in a fixed order."""
    return _ENTRIES[state.dtype].nth(board, state, k)


def extra(board, state):
    """The action `pass` or `done` if it is legal now, else -1."""
    return _ENTRIES[state.dtype].extra(board, state)


def mid(board, state):
    """The player to move has begun this turn; its placements may be exchanged for each other."""
    return _ENTRIES[state.dtype].mid(board, state)


def play(board, state, action):
    """Plays a legal action, with all that follows from it."""
    _ENTRIES[state.dtype].play(board, state, action)


def result(board, state, scores):
    """Of a finished game: writes the scores (int32[players], 0 if it has none), returns the winner, -1 for a draw."""
    return _ENTRIES[state.dtype].result(board, state, scores)


def features(board, state, cells, out):
    """Shows a network what stands where: u1 out[feature, cell], all 0 before, where 255 means 1.

    u2 cells[point] is the place of a point in the grid. Seats are told from the mover's side: own first.
    """
    _ENTRIES[state.dtype].features(board, state, cells, out)


def owners(board, state, out):
    """Of a finished game: i1 out[point] becomes the seat that owns the point, -1 where nobody does."""
    _ENTRIES[state.dtype].owners(board, state, out)


def evaluate(board, state, values):
    """Of a game that goes on: i4 values[seat] becomes what each seat's side of it is worth, about 100 for a point."""
    _ENTRIES[state.dtype].evaluate(board, state, values)


def _of(state: types.Record) -> Entries:
    return _ENTRIES[as_dtype(state)]


@overload(count)
def _count(board, state):
    chosen = _of(state).count
    return lambda board, state: chosen(board, state)


@overload(nth)
def _nth(board, state, k):
    chosen = _of(state).nth
    return lambda board, state, k: chosen(board, state, k)


@overload(extra)
def _extra(board, state):
    chosen = _of(state).extra
    return lambda board, state: chosen(board, state)


@overload(mid)
def _mid(board, state):
    chosen = _of(state).mid
    return lambda board, state: chosen(board, state)


@overload(play)
def _play(board, state, action):
    chosen = _of(state).play
    return lambda board, state, action: chosen(board, state, action)


@overload(result)
def _result(board, state, scores):
    chosen = _of(state).result
    return lambda board, state, scores: chosen(board, state, scores)


@overload(features)
def _features(board, state, cells, out):
    chosen = _of(state).features
    return lambda board, state, cells, out: chosen(board, state, cells, out)


@overload(owners)
def _owners(board, state, out):
    chosen = _of(state).owners
    return lambda board, state, out: chosen(board, state, out)


@overload(evaluate)
def _evaluate(board, state, values):
    chosen = _of(state).evaluate
    return lambda board, state, values: chosen(board, state, values)
