"""Sets of squares as one 64-bit word, and what is beside them."""

from __future__ import annotations

import numpy as np
from numba import njit

from hedgerow.kernels.bits import ONE

RANK = np.uint64(8)
NOT_A = np.uint64(0xFEFEFEFEFEFEFEFE)
NOT_H = np.uint64(0x7F7F7F7F7F7F7F7F)


@njit
def beside(points):
    """The points of a set and all beside them."""
    wide = points | (points << ONE & NOT_A) | (points >> ONE & NOT_H)
    return wide | wide << RANK | wide >> RANK
