"""A transposition table that several threads share without locks.

An entry is two words. The second says what was found (value, action, depth, bound), the first is the position's key
changed by the second: an entry that two threads have written half each no longer fits its key and is not found.
"""

from __future__ import annotations

import numpy as np
from numba import njit

LOWER, UPPER, EXACT = 1, 2, 3
"""The value is at least, at most, or exactly what was found. No entry is 0."""
MISSING = np.uint64(0)

_VALUE = np.uint64(32)
_ACTION = np.uint64(16)
_DEPTH = np.uint64(8)
_SHORT = np.uint64(0xFFFF)
_BYTE = np.uint64(0xFF)
_MIDDLE = np.int64(1 << 31)


def empty_table(megabytes: float) -> np.ndarray:
    """uint64 (slots, 2): the largest power of two of slots that fits, all empty.

    >>> empty_table(1).shape
    (65536, 2)
    """
    slots = 1 << max(10, int(megabytes * 2**20 / 16).bit_length() - 1)
    return np.zeros((slots, 2), np.uint64)


@njit
def find(table, key):
    """What is known of a position in one word, MISSING if nothing; in one of two slots side by side."""
    slot = np.int64(key & np.uint64(len(table) - 2))
    for at in range(slot, slot + 2):
        entry = table[at, 1]
        if table[at, 0] ^ entry == key:
            return entry
    return MISSING


@njit
def keep(table, key, value, action, depth, bound):
    """Keeps what was found of a position: of its two slots the first is for the deepest, the other the newest."""
    entry = (
        (np.uint64(value + _MIDDLE) << _VALUE)
        | (np.uint64(action + 1) << _ACTION)
        | (np.uint64(depth) << _DEPTH)
        | np.uint64(bound)
    )
    at = np.int64(key & np.uint64(len(table) - 2))
    there = table[at, 1]
    if table[at, 0] ^ there != key and depth_of(there) > depth:
        at += 1
    table[at, 0], table[at, 1] = key ^ entry, entry


@njit
def value_of(entry):
    return np.int64(entry >> _VALUE) - _MIDDLE


@njit
def action_of(entry):
    """-1 if no action stood out."""
    return np.int64(entry >> _ACTION & _SHORT) - 1


@njit
def depth_of(entry):
    return np.int64(entry >> _DEPTH & _BYTE)


@njit
def bound_of(entry):
    return np.int64(entry & _BYTE)
