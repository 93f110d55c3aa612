"""Random numbers for kernels: SplitMix64, whose whole state is one word that only counts up.

word = chance.seeded(seed, stream)
word = chance.step(word); k = chance.below(word, n)
"""

from __future__ import annotations

import numpy as np
from numba import njit

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_A = np.uint64(0xBF58476D1CE4E5B9)
_B = np.uint64(0x94D049BB133111EB)


@njit
def mix(word):
    """A word scrambled so that neighbouring words give unrelated ones."""
    word = (word ^ (word >> np.uint64(30))) * _A
    word = (word ^ (word >> np.uint64(27))) * _B
    return word ^ (word >> np.uint64(31))


@njit
def seeded(seed, stream):
    """The first word of one of many streams of the same seed."""
    return mix(mix(np.uint64(seed)) + np.uint64(stream) * GOLDEN)


@njit
def step(word):
    """The next word of a stream."""
    return word + GOLDEN


@njit
def below(word, n):
    """A number from 0 to n - 1 out of a word; n below 2**31."""
    return np.int64(((mix(word) >> np.uint64(33)) * np.uint64(n)) >> np.uint64(31))
