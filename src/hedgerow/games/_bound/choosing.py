# mypy: disable-error-code="no-untyped-def,untyped-decorator"
"""Choosing the k-th bit of a word without a branch."""

from __future__ import annotations

import numpy as np
from numba import njit

from hedgerow.kernels.bits import ONE, popcount

_PAIRS, _FOURS, _BYTES = (np.uint64(0xFFFFFFFFFFFFFFFF // (1 + (1 << n))) for n in (1, 2, 4))
_EACH = np.uint64(0x0101010101010101)
_TOPS = np.uint64(0x8080808080808080)
_IN_BYTE = np.array(
    [[([i for i in range(8) if byte >> i & 1] + [0] * 8)[k] for k in range(8)] for byte in range(256)], np.uint8
)


@njit
def select(word, k):
    """The index of the k-th set bit (from 0) of a word that has more than k."""
    sums = word - (word >> ONE & _PAIRS)
    sums = (sums & _FOURS) + (sums >> np.uint64(2) & _FOURS)
    sums = (sums + (sums >> np.uint64(4)) & _BYTES) * _EACH  # byte i: how many bits bytes 0 to i have
    rank = np.uint64(k)
    shift = np.uint64(popcount((rank * _EACH | _TOPS) - sums & _TOPS)) * np.uint64(8)  # past the bytes with too few
    rank -= sums << np.uint64(8) >> shift & np.uint64(255)
    return np.int64(shift) + np.int64(_IN_BYTE[word >> shift & np.uint64(255), rank])
