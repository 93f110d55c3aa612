"""The table of positions: what is kept is found, damage is not, and the deeper of two stays."""

from __future__ import annotations

import numpy as np
import pytest

from hedgerow.search.transpositions import (
    EXACT,
    LOWER,
    MISSING,
    UPPER,
    action_of,
    bound_of,
    depth_of,
    empty_table,
    keep,
    value_of,
)
from hedgerow.search.transpositions import (
    find as found,
)

KEY = np.uint64(0x9E3779B97F4A7C15)
NEXT = np.uint64(KEY ^ np.uint64(1 << 60))
"""Another position with the same slots."""


def find(table: np.ndarray, key: np.uint64) -> np.uint64:
    """The word as compiled code sees it."""
    return np.uint64(found(table, key))


@pytest.mark.parametrize("value", [-999_950, -1, 0, 1, 42, 999_999])
@pytest.mark.parametrize("action", [-1, 0, 511, 65_000])
@pytest.mark.parametrize("bound", [LOWER, UPPER, EXACT])
def test_what_is_kept_is_found(value: int, action: int, bound: int) -> None:
    table = empty_table(0.1)
    assert find(table, KEY) == MISSING
    keep(table, KEY, value, action, 17, bound)
    entry = find(table, KEY)
    assert (value_of(entry), action_of(entry), depth_of(entry), bound_of(entry)) == (value, action, 17, bound)
    assert find(table, NEXT) == MISSING


def test_an_entry_of_two_halves_is_not_found() -> None:
    """What two threads have written at the same time."""
    table, other = empty_table(0.1), empty_table(0.1)
    keep(table, KEY, 5, 6, 7, EXACT)
    keep(other, NEXT, 8, 9, 10, EXACT)
    at = np.flatnonzero(table[:, 1])
    table[at, 1] = other[at, 1]
    assert find(table, KEY) == MISSING and find(table, NEXT) == MISSING


def test_what_was_searched_deeper_stays_and_the_newest_too() -> None:
    table = empty_table(0.1)
    for key, depth in ((KEY, 9), (NEXT, 3), (np.uint64(KEY ^ np.uint64(1 << 61)), 4)):
        keep(table, key, 0, 1, depth, EXACT)
    assert depth_of(find(table, KEY)) == 9
    assert find(table, NEXT) == MISSING
    assert depth_of(find(table, np.uint64(KEY ^ np.uint64(1 << 61)))) == 4
    keep(table, NEXT, 0, 1, 12, EXACT)
    assert find(table, KEY) == MISSING and depth_of(find(table, NEXT)) == 12
