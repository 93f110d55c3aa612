"""Sets of points as one wide number: bit c is cell c of a padded board, so that a step in any direction is a shift.

In compiled code a set is one LLVM integer of as many 64-bit words as its row in a record holds; with the JIT off it is
a Python integer. Both know & | ^ ~ << >> == and the functions below. A shift may carry bits into the padding and off
the board: mask it with a set of real points.

A row in a record is `BEFORE` words of padding, the words of the set, and `BEHIND` words of padding, so that a window of
64 bits may begin up to 64 cells before or behind the board.
"""

from __future__ import annotations

import operator

import numpy as np
from llvmlite import ir
from numba import config, njit, types
from numba.core import cgutils
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import intrinsic, lower_builtin, models, register_model

BEFORE, BEHIND = 1, 2

if config.DISABLE_JIT:

    def load_row(rows, index) -> int:
        """The set in one of several rows u8[rows, words]."""
        row = rows.reshape(-1, rows.shape[-1])[index]
        return int.from_bytes(row[BEFORE:-BEHIND].tobytes(), "little")

    def store_row(rows, index, points) -> None:
        """Writes a set into one of several rows."""
        row = rows.reshape(-1, rows.shape[-1])[index]
        row[BEFORE:-BEHIND] = np.frombuffer(points.to_bytes(8 * (len(row) - BEFORE - BEHIND), "little"), np.uint64)

    def some(points) -> bool:
        """Whether there is any point in a set."""
        return points != 0

    def lowest(points) -> int:
        """The set of just the lowest point of a set."""
        return points & -points

    def size(points) -> int:
        """How many points a set has."""
        return points.bit_count()

else:

    class Points(types.Type):
        """The Numba type of a set of up to 64 * words points."""

        def __init__(self, words: int) -> None:
            super().__init__(name=f"Points({words})")
            self.words = words
            self.integer = ir.IntType(64 * words)

    @register_model(Points)
    class PointsModel(models.PrimitiveModel):
        """A set is held as a bare wide integer."""

        def __init__(self, manager, kind) -> None:
            super().__init__(manager, kind, kind.integer)

    def _kind(rows) -> Points:
        return Points(rows.shape[-1] - BEFORE - BEHIND)

    def _address(context, builder, signature, args):
        """Where the set of row args[1] of args[0] begins."""
        rows, index = signature.args[:2]
        number = context.cast(builder, args[1], index, types.intp)
        start = builder.mul(number, context.get_constant(types.intp, rows.shape[-1]))
        first = builder.add(start, context.get_constant(types.intp, BEFORE))
        data = context.make_array(rows)(context, builder, args[0]).data
        return builder.bitcast(builder.gep(data, [first]), _kind(rows).integer.as_pointer())

    @intrinsic
    def load_row(typing_context, rows, index):
        """The set in one of several rows u8[rows, words]."""

        def codegen(context, builder, signature, args):
            return builder.load(_address(context, builder, signature, args), align=8)

        return _kind(rows)(rows, index), codegen

    @intrinsic
    def store_row(typing_context, rows, index, points):
        """Writes a set into one of several rows."""

        def codegen(context, builder, signature, args):
            builder.store(args[2], _address(context, builder, signature, args), align=8)
            return context.get_dummy_value()

        return types.void(rows, index, points), codegen

    @intrinsic
    def some(typing_context, points):
        """Whether there is any point in a set."""

        def codegen(context, builder, signature, args):
            return cgutils.is_not_null(builder, args[0])

        return types.boolean(points), codegen

    @intrinsic
    def lowest(typing_context, points):
        """The set of just the lowest point of a set."""

        def codegen(context, builder, signature, args):
            return builder.and_(args[0], builder.neg(args[0]))

        return points(points), codegen

    @intrinsic
    def size(typing_context, points):
        """How many points a set has."""

        def codegen(context, builder, signature, args):
            return builder.trunc(builder.ctpop(args[0]), ir.IntType(64))

        return types.int64(points), codegen

    def _teach(function, operands, result, codegen) -> None:
        """Teaches Numba an operator on sets; `result` is a type, or None for a set."""

        class Typing(AbstractTemplate):
            def generic(self, args, kws):
                fits = len(args) == len(operands) and all(map(isinstance, args, operands))
                return signature(result or args[0], *args) if fits else None

        infer_global(function)(Typing)
        lower_builtin(function, *operands)(codegen)

    def _bitwise(method):
        return lambda context, builder, signature, args: getattr(builder, method)(*args)

    def _shift(method):
        def codegen(context, builder, signature, args):
            amount = context.cast(builder, args[1], signature.args[1], types.int64)
            return getattr(builder, method)(args[0], builder.zext(amount, signature.args[0].integer))

        return codegen

    def _equal(context, builder, signature, args):
        return builder.icmp_unsigned("==", *args)

    _teach(operator.and_, (Points, Points), None, _bitwise("and_"))
    _teach(operator.or_, (Points, Points), None, _bitwise("or_"))
    _teach(operator.xor, (Points, Points), None, _bitwise("xor"))
    _teach(operator.invert, (Points,), None, _bitwise("not_"))
    _teach(operator.lshift, (Points, types.Integer), None, _shift("shl"))
    _teach(operator.rshift, (Points, types.Integer), None, _shift("lshr"))
    _teach(operator.eq, (Points, Points), types.boolean, _equal)


@njit
def load(row):
    """The set in a row u8[words]."""
    return load_row(row, 0)


@njit
def store(row, points):
    """Writes a set into a row."""
    store_row(row, 0, points)
