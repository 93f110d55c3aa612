"""Bit tricks on 64-bit words, each one machine instruction when compiled and plain Python with the JIT off."""

from __future__ import annotations

import numpy as np
from numba import config, njit, types
from numba.extending import intrinsic

ONE = np.uint64(1)
NONE = np.uint64(0)
FULL = np.uint64(0xFFFFFFFFFFFFFFFF)

if config.DISABLE_JIT:

    def popcount(word: int) -> int:
        """How many bits are set."""
        return int(word).bit_count()

    def lowest(word: int) -> int:
        """The index of the lowest set bit of a word that is not 0."""
        return (int(word) & -int(word)).bit_length() - 1

else:

    @intrinsic
    def popcount(typing_context, word):
        """How many bits are set."""

        def codegen(context, builder, signature, args):
            return builder.ctpop(args[0])

        return types.int64(types.uint64), codegen

    @intrinsic
    def lowest(typing_context, word):
        """The index of the lowest set bit of a word that is not 0."""

        def codegen(context, builder, signature, args):
            return builder.cttz(args[0], context.get_constant(types.boolean, True))

        return types.int64(types.uint64), codegen


@njit
def select(word, k):
    """The index of the k-th set bit (from 0) of a word that has more than k."""
    base = 0
    for width in (32, 16, 8):
        low = popcount(word & ((ONE << np.uint64(width)) - ONE))
        if k >= low:
            k -= low
            word >>= np.uint64(width)
            base += width
    while k > 0:
        word &= word - ONE
        k -= 1
    return base + lowest(word)
