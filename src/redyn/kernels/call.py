"""Calling kernels: by Numba where few arrays go in and one comes out, else through ctypes; on one thread or several.

Numba unpacks arrays in a fraction of the time that ctypes takes. Its functions take the kernel's address as a number,
so that they are compiled once, whatever the robot, and kept in Numba's own cache.
"""

from __future__ import annotations

import ctypes
import itertools
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, cast

import numba  # pyright: ignore[reportMissingTypeStubs]
import numpy as np
from numba import types  # pyright: ignore[reportMissingTypeStubs]
from numba.extending import intrinsic  # pyright: ignore[reportMissingTypeStubs]
from numpy.typing import NDArray

from redyn.kernels.kernel import Kernel
from redyn.kernels.lanes import INT, POINTER, integer, ir

Array = NDArray[np.float64]

_KERNEL = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)

# With fewer numbers to read per thread, handing work over costs more than it gains.
NUMBERS_PER_THREAD = 75_000


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


@cast(Any, numba).njit(
    ["int64(intp, float64[::1], float64[::1], float64[::1], float64[::1], intp, intp)"], nogil=True, cache=True
)
def run3(address: int, a: Array, b: Array, c: Array, out: Array, n: int, size: int) -> int:
    """A kernel of up to three inputs and one output; -1 if an input does not hold `size` numbers."""
    if a.size != size or b.size != size or c.size != size:
        return -1
    return _invoke(address, a, b, c, out, n)


def run(kernel: Kernel, inputs: Sequence[Array], outputs: Sequence[Array], threads: int | None) -> bool:
    """Fill the outputs, contiguous (N, ...) arrays, from contiguous (N, width) inputs; whether all is finite."""
    return run_slices(lambda i, o: run_here(kernel.address, i, o) == 0, inputs, outputs, threads)


def run_slices(
    work: Callable[[list[Array], list[Array]], bool],
    inputs: Sequence[Array],
    outputs: Sequence[Array],
    threads: int | None,
) -> bool:
    """`work` on the whole batch, or on a slice of it per thread; whether every part went well."""
    n, numbers = len(inputs[0]), sum(a.size for a in inputs)
    share = threads if threads is not None else min(cores(), numbers // NUMBERS_PER_THREAD)
    share = max(1, min(share, n))
    if share == 1:
        return work(list(inputs), list(outputs))
    edges = [n * k // share // 8 * 8 for k in range(share)] + [n]
    slices = [slice(lo, hi) for lo, hi in itertools.pairwise(edges) if hi > lo]
    parts = [_pool().submit(work, [a[s] for a in inputs], [a[s] for a in outputs]) for s in slices[1:]]
    mine = work([a[slices[0]] for a in inputs], [a[slices[0]] for a in outputs])
    results = [part.result() for part in parts]
    return mine and all(results)


def run_here(address: int, inputs: Sequence[Array], outputs: Sequence[Array]) -> int:
    """On this thread; 0 if all is finite."""
    n = len(inputs[0])
    if n == 0:
        return 0
    size = inputs[0].size
    if len(outputs) == 1 and len(inputs) <= 3 and all(a.size == size and a.flags.writeable for a in inputs):
        flat = [a.reshape(-1) for a in inputs]
        return run3(address, flat[0], flat[len(flat) // 2], flat[-1], outputs[0].reshape(-1), n, size)
    tables = [(ctypes.c_void_p * len(arrays))(*(a.ctypes.data for a in arrays)) for arrays in (inputs, outputs)]
    return int(_KERNEL(address)(tables[0], tables[1], n))


def cores() -> int:
    """The processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


_pools: dict[int, ThreadPoolExecutor] = {}  # by process: threads do not survive a fork


def _pool() -> ThreadPoolExecutor:
    pid = os.getpid()
    if pid not in _pools:
        _pools.clear()
        _pools[pid] = ThreadPoolExecutor(max_workers=max(1, (os.cpu_count() or 1)), thread_name_prefix="redyn")
    return _pools[pid]
