"""The quickest way from Python into a kernel, by Numba: it unpacks arrays in a fraction of the time that ctypes takes.

The function takes the kernel's address as a number, so that it is compiled once, whatever the robot. Importing Numba
takes longer than a few calls gain: see `Evaluator`, which waits for those.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from numba import types  # pyright: ignore[reportMissingTypeStubs]
from numba.extending import intrinsic  # pyright: ignore[reportMissingTypeStubs]
from numpy.typing import NDArray

from redyn.kernels.compiled import compiled_for
from redyn.kernels.lanes import INT, POINTER, integer, ir

Array = NDArray[np.float64]


@cast(Any, intrinsic)
def _invoke(typing_context: Any, address: Any, a: Any, b: Any, c: Any, out: Any, n: Any) -> Any:
    """Call the kernel at an address with three input arrays and one output array."""
    del typing_context, address, a, b, c, out, n
    array = types.Array(types.float64, 1, "C")
    signature = types.int64(types.intp, array, array, array, array, types.intp)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = [
            context.make_array(kind)(context, builder, value).data
            for kind, value in zip(signature.args[1:5], arguments[1:5], strict=True)
        ]
        table = builder.alloca(POINTER, integer(4))
        for k, pointer in enumerate(data):
            builder.store(builder.bitcast(pointer, POINTER), builder.gep(table, [integer(k)]))
        kind = ir.FunctionType(INT, [POINTER.as_pointer(), POINTER.as_pointer(), INT])
        function = builder.inttoptr(arguments[0], kind.as_pointer())
        return builder.call(function, [table, builder.gep(table, [integer(3)]), arguments[5]])

    return signature, generate


@compiled_for("int64(intp, float64[::1], float64[::1], float64[::1], float64[::1], intp, intp, intp)")
def run3(address: int, a: Array, b: Array, c: Array, out: Array, n: int, first: int, size: int) -> int:
    """A kernel of three inputs and one output, on n states; -1 unless they hold `first`, `size` and `size` numbers."""
    if a.size != first or b.size != size or c.size != size:
        return -1
    return _invoke(address, a, b, c, out, n)
