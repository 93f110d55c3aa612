# mypy: disable-error-code="no-untyped-def,no-untyped-call,untyped-decorator,misc"
"""Sets of points as one wide number: bit c is cell c of a padded board, so that a step in any direction is a shift.

In compiled code a set is one LLVM integer of as many 64-bit words as its row in a record has; with the JIT off it is a
Python integer. Both know & | ^ ~ << >> == and the functions below. Shifts may carry bits off the board or over its padding:
mask them with a set of real points.

A row in a record has a word of padding before the set and two behind it, for `kernels.peek`.
"""

from __future__ import annotations

import operator

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import intrinsic, lower_builtin, models, register_model

BEFORE, BEHIND = 1, 2
"""Words of padding in a row."""

if numba.config.DISABLE_JIT:

    def load(row) -> int:
        """The set in a row u8[words]."""
        return int.from_bytes(row[BEFORE:-BEHIND].tobytes(), "little")

    def store(row, points) -> None:
        """Writes a set into a row."""
        size = 8 * (len(row) - BEFORE - BEHIND)
        row[BEFORE:-BEHIND] = np.frombuffer((points & ((1 << 8 * size) - 1)).to_bytes(size, "little"), np.uint64)

    def load_row(rows, index) -> int:
        """The set in one of several rows u8[rows, words]."""
        return load(rows[index])

    def store_row(rows, index, points) -> None:
        """Writes a set into one of several rows."""
        store(rows[index], points)

    def some(points) -> bool:
        """Whether there is any point in a set."""
        return bool(points)

    def lowest(points) -> int:
        """The set of just the lowest point of a set that is not empty."""
        return points & -points

    def size(points) -> int:
        """How many points a set has."""
        return int(points).bit_count()

else:

    class Points(types.Type):
        """The Numba type of a set of up to 64 * words points."""

        def __init__(self, words: int) -> None:
            super().__init__(name=f"Points({words})")
            self.words = words

    @register_model(Points)
    class PointsModel(models.PrimitiveModel):
        def __init__(self, manager, kind) -> None:
            super().__init__(manager, kind, ir.IntType(64 * kind.words))

    def _kind(row) -> Points:
        return Points(row.shape[-1] - BEFORE - BEHIND)

    def _address(context, builder, kind, row, index):
        """Where the set of a row begins, as a pointer to a wide integer."""
        data = context.make_array(kind)(context, builder, row).data
        words = context.get_constant(types.intp, kind.shape[-1])
        at = builder.add(builder.mul(index, words), context.get_constant(types.intp, BEFORE))
        return builder.bitcast(builder.gep(data, [at]), ir.IntType(64 * _kind(kind).words).as_pointer())

    @intrinsic
    def load(typing_context, row):
        def codegen(context, builder, signature, args):
            at = _address(context, builder, row, args[0], context.get_constant(types.intp, 0))
            return builder.load(at, align=8)

        return _kind(row)(row), codegen

    @intrinsic
    def load_row(typing_context, rows, index):
        def codegen(context, builder, signature, args):
            number = context.cast(builder, args[1], index, types.intp)
            return builder.load(_address(context, builder, rows, args[0], number), align=8)

        return _kind(rows)(rows, index), codegen

    @intrinsic
    def store(typing_context, row, points):
        def codegen(context, builder, signature, args):
            at = _address(context, builder, row, args[0], context.get_constant(types.intp, 0))
            builder.store(args[1], at, align=8)
            return context.get_dummy_value()

        return types.void(row, points), codegen

    @intrinsic
    def store_row(typing_context, rows, index, points):
        def codegen(context, builder, signature, args):
            number = context.cast(builder, args[1], index, types.intp)
            builder.store(args[2], _address(context, builder, rows, args[0], number), align=8)
            return context.get_dummy_value()

        return types.void(rows, index, points), codegen

    @intrinsic
    def some(typing_context, points):
        def codegen(context, builder, signature, args):
            return cgutils.is_not_null(builder, args[0])

        return types.boolean(points), codegen

    @intrinsic
    def lowest(typing_context, points):
        def codegen(context, builder, signature, args):
            return builder.and_(args[0], builder.neg(args[0]))

        return points(points), codegen

    @intrinsic
    def size(typing_context, points):
        def codegen(context, builder, signature, args):
            return builder.trunc(builder.ctpop(args[0]), ir.IntType(64))

        return types.int64(points), codegen

    def _operator(function, right, codegen) -> None:
        """Teaches Numba `points <function> right` for a kind of right operand."""

        class Typing(AbstractTemplate):
            def generic(self, args, kws):
                if isinstance(args[0], Points) and isinstance(args[-1], right):
                    return signature(types.boolean if function is operator.eq else args[0], *args)
                return None

        infer_global(function)(Typing)
        lower_builtin(function, *((Points,) if function is operator.invert else (Points, right)))(codegen)

    def _shift(method):
        def codegen(context, builder, signature, args):
            kind = ir.IntType(64 * signature.args[0].words)
            amount = builder.zext(context.cast(builder, args[1], signature.args[1], types.int64), kind)
            return getattr(builder, method)(args[0], amount)

        return codegen

    for _function, _method in ((operator.and_, "and_"), (operator.or_, "or_"), (operator.xor, "xor")):
        _operator(_function, Points, lambda c, builder, s, args, method=_method: getattr(builder, method)(*args))
    _operator(operator.eq, Points, lambda c, builder, s, args: builder.icmp_unsigned("==", *args))
    _operator(operator.invert, Points, lambda c, builder, s, args: builder.not_(args[0]))
    _operator(operator.lshift, types.Integer, _shift("shl"))
    _operator(operator.rshift, types.Integer, _shift("lshr"))
