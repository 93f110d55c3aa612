"""Bit tricks on 64-bit words, each one machine instruction when compiled and plain Python with the JIT off."""

from __future__ import annotations

import llvmlite.binding as llvm
import numpy as np
from llvmlite import ir
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


SLOW_DEPOSIT = ("znver1", "znver2", "bdver4")  # processors that have the instruction but emulate it


def has_deposit() -> bool:
    """Kernels may use the instruction `pdep`: they are compiled for a processor that has it and is quick at it."""
    if config.DISABLE_JIT:
        return False
    if config.CPU_FEATURES is not None:
        return "+bmi2" in config.CPU_FEATURES.split(",")
    name = config.CPU_NAME or llvm.get_host_cpu_name()
    return name == llvm.get_host_cpu_name() not in SLOW_DEPOSIT and llvm.get_host_cpu_features().get("bmi2", False)


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
    """The index of the k-th set bit (from 0) of a word that has more than k: one instruction and a count."""
    return lowest(deposit(ONE << np.uint64(k), word))


_PAIRS, _FOURS, _BYTES = (np.uint64(0xFFFFFFFFFFFFFFFF // (1 + (1 << n))) for n in (1, 2, 4))
_EACH = np.uint64(0x0101010101010101)
_TOPS = np.uint64(0x8080808080808080)
_IN_BYTE = np.array(
    [[([i for i in range(8) if byte >> i & 1] + [0] * 8)[k] for k in range(8)] for byte in range(256)], np.uint8
)


@njit
def select_by_table(word, k):
    """The index of the k-th set bit (from 0) of a word that has more than k: no branch on any processor."""
    sums = word - (word >> ONE & _PAIRS)
    sums = (sums & _FOURS) + (sums >> np.uint64(2) & _FOURS)
    sums = (sums + (sums >> np.uint64(4)) & _BYTES) * _EACH  # byte i: how many bits bytes 0 to i have
    rank = np.uint64(k)
    shift = np.uint64(popcount((rank * _EACH | _TOPS) - sums & _TOPS)) * np.uint64(8)  # past the bytes with too few
    rank -= sums << np.uint64(8) >> shift & np.uint64(255)
    return np.int64(shift) + np.int64(_IN_BYTE[word >> shift & np.uint64(255), rank])


select = select_by_deposit if has_deposit() else select_by_table
