"""Steps on shared arrays that no other thread can come between; plain Python with the JIT off.

What a thread wrote before a `store` is seen by whoever reads its value with `load`, on every kind of processor.
"""

from __future__ import annotations

from numba import config, types
from numba.extending import intrinsic
from numba.np.arrayobj import make_array

if config.DISABLE_JIT:

    def add(array, index, amount):
        """array[index] += amount; returns what was there before."""
        before = array[index]
        array[index] += amount
        return before

    def swap(array, index, old, new):
        """array[index] = new if it is old; returns whether it was."""
        if array[index] != old:
            return False
        array[index] = new
        return True

    def load(array, index):
        """array[index], and with it all that was written before it was stored."""
        return array[index]

    def store(array, index, value):
        """array[index] = value, after all that this thread wrote before."""
        array[index] = value

else:

    def _pointer(context, builder, signature, args):
        """The address of array[index] in an array of one dimension that lies in one piece."""
        array = make_array(signature.args[0])(context, builder, args[0])
        return builder.gep(array.data, [args[1]])

    @intrinsic
    def add(typing_context, array, index, amount):
        """array[index] += amount; returns what was there before."""
        item = array.dtype

        def codegen(context, builder, signature, args):
            return builder.atomic_rmw("add", _pointer(context, builder, signature, args), args[2], "monotonic")

        return item(array, types.intp, item), codegen

    @intrinsic
    def swap(typing_context, array, index, old, new):
        """array[index] = new if it is old; returns whether it was."""
        item = array.dtype

        def codegen(context, builder, signature, args):
            where = _pointer(context, builder, signature, args)
            found = builder.cmpxchg(where, args[2], args[3], "acq_rel", "acquire")
            return builder.extract_value(found, 1)

        return types.boolean(array, types.intp, item, item), codegen

    @intrinsic
    def load(typing_context, array, index):
        """array[index], and with it all that was written before it was stored."""
        item = array.dtype

        def codegen(context, builder, signature, args):
            where = _pointer(context, builder, signature, args)
            return builder.load_atomic(where, "acquire", item.bitwidth // 8)

        return item(array, types.intp), codegen

    @intrinsic
    def store(typing_context, array, index, value):
        """array[index] = value, after all that this thread wrote before."""
        item = array.dtype

        def codegen(context, builder, signature, args):
            where = _pointer(context, builder, signature, args)
            builder.store_atomic(args[2], where, "release", item.bitwidth // 8)
            return context.get_dummy_value()

        return types.void(array, types.intp, item), codegen
