"""Work on a large batch, shared among threads: kernels run without the interpreter's lock.

A plain pool of threads over slices of the batch; it is made anew after a fork, since threads do not survive one.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

# With fewer numbers to read and write per thread, handing work over costs more than it gains.
NUMBERS_PER_THREAD = 300_000


def run_slices(
    work: Callable[[list[Array], list[Array]], bool],
    inputs: Sequence[Array],
    outputs: Sequence[Array],
    threads: int | None,
    passes: int = 1,
) -> bool:
    """`work` on the whole batch, or on a slice of it per thread; whether every part succeeded.

    `threads` is None for as many as help, given how many `passes` the work makes over its numbers.
    """
    n, numbers = len(inputs[0]), passes * (sum(a.size for a in inputs) + sum(a.size for a in outputs))
    share = numbers // NUMBERS_PER_THREAD if threads is None else threads
    if share > 1 and threads is None:
        share = min(share, cores())
    share = max(1, min(share, n))
    if share == 1:
        return work(list(inputs), list(outputs))
    edges = [n * k // share // 8 * 8 for k in range(share)] + [n]
    slices = [slice(lo, hi) for lo, hi in itertools.pairwise(edges) if hi > lo]
    parts = [_pool().submit(work, [a[s] for a in inputs], [a[s] for a in outputs]) for s in slices[1:]]
    mine = work([a[slices[0]] for a in inputs], [a[slices[0]] for a in outputs])
    results = [part.result() for part in parts]
    return mine and all(results)


def cores() -> int:
    """The processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


_pools: dict[int, ThreadPoolExecutor] = {}  # by process


def _pool() -> ThreadPoolExecutor:
    pid = os.getpid()
    pool = _pools.get(pid)
    if pool is None:
        made = ThreadPoolExecutor(max_workers=max(1, (os.cpu_count() or 1)), thread_name_prefix="redyn")
        pool = _pools.setdefault(pid, made)  # one of several threads wins; idle pools start no threads
    return pool
