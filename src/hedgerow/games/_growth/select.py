"""Which bit of a word is its k-th: one instruction where the processor has it, else popcounts and a table."""
# mypy: disable-error-code="attr-defined, call-arg, no-untyped-def, no-untyped-call, untyped-decorator"

from __future__ import annotations

import llvmlite.binding as llvm
import numba
import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

from hedgerow.kernels.bits import ONE, lowest, popcount

SLOW_DEPOSIT = ("znver1", "znver2", "bdver4")  # processors that have the instruction but emulate it
BYTE = np.uint64(0xFF)


def has_deposit() -> bool:
    """Kernels may use the instruction `pdep`: they are compiled for a processor that has it and is quick at it."""
    if numba.config.DISABLE_JIT:
        return False
    if numba.config.CPU_FEATURES is not None:
        return "+bmi2" in numba.config.CPU_FEATURES.split(",")
    host = llvm.get_host_cpu_name()
    if numba.config.CPU_NAME not in (None, host) or host in SLOW_DEPOSIT:
        return False
    return bool(llvm.get_host_cpu_features().get("bmi2"))


def _places() -> np.ndarray:
    """places[byte, k] is the index of the k-th set bit of a byte."""
    places = np.zeros((256, 8), np.uint8)
    for byte in range(256):
        for k, bit in enumerate(bit for bit in range(8) if byte >> bit & 1):
            places[byte, k] = bit
    return places


PLACES = _places()


@njit
def select_by_table(word, k):
    """The index of the k-th set bit (from 0) of a word that has more than k."""
    place = 0
    for width in (32, 16, 8):
        low = popcount(word & ((ONE << np.uint64(width)) - ONE))
        past = k >= low
        k = k - low if past else k
        word = word >> np.uint64(width) if past else word
        place = place + width if past else place
    return place + np.int64(PLACES[word & BYTE, np.uint64(k)])


@intrinsic
def deposit(typing_context, bits, mask):
    """The low bits of `bits`, one after the other, at the set bits of `mask`."""

    def codegen(context, builder, signature, args):
        word = ir.IntType(64)
        pdep = builder.module.declare_intrinsic("llvm.x86.bmi.pdep.64", (), ir.FunctionType(word, [word, word]))
        return builder.call(pdep, args)

    return types.uint64(types.uint64, types.uint64), codegen


@njit
def select_by_deposit(word, k):
    """The index of the k-th set bit (from 0) of a word that has more than k."""
    return lowest(deposit(ONE << np.uint64(k), word))


select = select_by_deposit if has_deposit() else select_by_table
