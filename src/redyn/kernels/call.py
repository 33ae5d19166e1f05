"""Calling kernels through ctypes, which lets other threads run meanwhile; on one thread or several."""

from __future__ import annotations

import ctypes
import itertools
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from redyn.kernels.kernel import Kernel

Array = NDArray[np.float64]

_KERNEL = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)

# With fewer numbers to read per thread, handing work over costs more than it gains.
NUMBERS_PER_THREAD = 75_000


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
    pool = _pools.get(pid)
    if pool is None:
        made = ThreadPoolExecutor(max_workers=max(1, (os.cpu_count() or 1)), thread_name_prefix="redyn")
        pool = _pools.setdefault(pid, made)  # one of several threads wins; idle pools start no threads
    return pool
