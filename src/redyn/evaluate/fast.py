"""The fast path: arrays that are as they should be go straight from the caller to a kernel and back.

A kernel takes a tenth of a microsecond; looking at arguments in Python would take a hundred times as long. Whatever the
fast path cannot answer (lists, other types, wrong shapes, results that are not finite) it leaves to the evaluator, by
returning None.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

from numpy import ndarray

from redyn.evaluate.buffers import SMALLEST, Buffers
from redyn.evaluate.threads import NUMBERS_PER_THREAD
from redyn.kernels.builtin import BuiltinKernel


class FastPath:
    """The quick way to the kernels of one task, as soon as there are kernels.

    `new(*inputs)` is a built-in function of CPython, see `BuiltinKernel`.
    """

    __slots__ = ("_buffers", "_kernel", "_limit", "_numbers", "_shapes", "new")

    def __init__(
        self, inputs: Sequence[int], shapes: Sequence[tuple[int, ...]], quaternions: Sequence[int], buffers: Buffers
    ) -> None:
        self._limit = SMALLEST // max(1, sum(map(prod, shapes)))  # states up to which results need no buffer
        self._kernel = BuiltinKernel(inputs, shapes, quaternions, self._limit)
        self._shapes, self._buffers, self._numbers = shapes, buffers, sum(inputs) + sum(map(prod, shapes))
        self.new = self._kernel.new

    def add(self, kernel: Any, narrow: bool) -> None:
        """From now on this kernel serves: if `narrow`, for few states, otherwise for many."""
        self._kernel.add(kernel, narrow)

    def with_options(self, values: Sequence[Any], options: Mapping[str, Any]) -> Any:
        """The same with the keywords `threads`, `check` and `out` of a call: an array, or a tuple of several."""
        get, kernel = options.get, self._kernel  # a dict is quicker here than keywords of a Python function
        threads, out = get("threads"), get("out")
        if threads is not None and (threads.__class__ is not int or threads != 1):
            return None
        if len(options) != ("threads" in options) + ("check" in options) + ("out" in options):
            return None  # a keyword that no call has
        if out is None:
            if not get("check", True):
                return kernel.new_unchecked(*values)
            found = kernel.new(*values)
            return self.large(values, threads) if found is None else found
        outputs = out if out.__class__ is tuple else (out,)
        filled = (kernel.fill if get("check", True) else kernel.fill_unchecked)(*values, *outputs)
        return None if filled is None else out

    def large(self, values: Sequence[Any], threads: int | None = None) -> Any:
        """Results of a batch that are worth a buffer; None if the batch is small, or worth several threads."""
        first = values[0]
        if first.__class__ is not ndarray or first.ndim != 2:
            return None
        count = len(first)
        if count <= self._limit or (threads is None and count * self._numbers >= 2 * NUMBERS_PER_THREAD):
            return None
        outputs = [self._buffers.empty((count, *shape)) for shape in self._shapes]
        if self._kernel.fill_directly(*values, *outputs) is None:
            return None
        return outputs[0] if len(outputs) == 1 else tuple(outputs)
