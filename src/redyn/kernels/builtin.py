"""Kernels as built-in functions of CPython, which read NumPy's arrays where they lie.

Unpacking arguments with ctypes takes ten times as long as a kernel. So one small function in LLVM IR (see `caller`)
does it for every kernel: CPython calls it as it calls its own built-in functions, it reads type, shape and address of
every array from NumPy's own struct, makes the result with NumPy's C API and calls the kernel. What it must know of the
kernel is in a table of numbers, which is the `self` of the built-in function.

It takes contiguous float64 arrays of the right shapes: one state, or N of them, where a small single array goes with
every state. For anything else it returns None, and the general path in Python decides what to do or what to report.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable, Sequence
from math import prod
from typing import Any, Protocol, cast

import numpy as np

from redyn.kernels import cache, caller, numpy_abi
from redyn.kernels.caller import MOST_ARRAYS, MOST_DIMENSIONS, SCRATCH, Word

Builtin = Callable[..., Any]

FASTCALL = 0x80  # CPython's calling convention METH_FASTCALL: self, arguments, their number


class MachineCode(Protocol):
    """A kernel: its code is at this address for as long as the object is kept."""

    @property
    def address(self) -> int: ...


class Table(np.ndarray[Any, np.dtype[np.int64]]):
    """The numbers that a function works by; keeps the kernels whose addresses are among them."""

    kernels: list[MachineCode]


class BuiltinKernel:
    """The kernels of one task as functions of arrays. They return None until a kernel has been added.

    new(*inputs): a new array, or a tuple of them; None if an input is not as it should be or a result not finite.
    new_unchecked(*inputs): the same, whatever the numbers are.
    fill(*inputs, *outputs), fill_unchecked(...): fill given arrays, or leave them alone; return the first.
    fill_directly(*inputs, *outputs): as `fill`, for arrays that may be left half filled and share no memory.
    """

    def __init__(
        self, inputs: Sequence[int], shapes: Sequence[tuple[int, ...]], quaternions: Sequence[int], largest: int
    ) -> None:
        """For inputs of these widths and outputs of these shapes per state.

        `quaternions` is where they begin in the first input; `largest` the most states for which results are new.
        """
        words = np.zeros(Word.STARTS + len(quaternions), dtype=np.int64)
        words[[Word.INPUTS, Word.OUTPUTS, Word.LARGEST]] = len(inputs), len(shapes), largest
        words[Word.QUATERNIONS] = len(quaternions)
        words[Word.SCRATCH] = _scratch().ctypes.data
        words[Word.NDARRAY : Word.WIDTHS] = numpy_abi.addresses()
        words[Word.WIDTHS : Word.WIDTHS + len(inputs)] = inputs
        for k, shape in enumerate(shapes):
            at = Word.SHAPES + k * caller.SHAPE_WORDS
            words[at : at + 2 + len(shape)] = prod(shape), len(shape), *shape
        words[Word.STARTS :] = quaternions
        self._tables: list[Table] = []

        def function(*, checked: bool, given: bool, direct: bool = False) -> Builtin:
            table = words.copy().view(Table)
            table[[Word.CHECKED, Word.GIVEN, Word.DIRECT]] = checked, given, direct
            table.kernels = []
            self._tables.append(table)
            return _function(table)

        self.new = function(checked=True, given=False)
        self.new_unchecked = function(checked=False, given=False)
        self.fill = function(checked=True, given=True)
        self.fill_unchecked = function(checked=False, given=True)
        self.fill_directly = function(checked=True, given=True, direct=True)

    def add(self, kernel: MachineCode, narrow: bool) -> None:
        """From now on this kernel serves: if `narrow`, for few states, otherwise for many."""
        for table in self._tables:
            table.kernels.append(kernel)
            table[Word.NARROW if narrow else Word.WIDE] = kernel.address


def is_possible(inputs: Sequence[int], shapes: Sequence[tuple[int, ...]]) -> bool:
    """Whether a task with these inputs and outputs can have such functions in this process."""
    fits = max(len(inputs), len(shapes)) <= MOST_ARRAYS and max(map(len, shapes)) <= MOST_DIMENSIONS
    return fits and numpy_abi.is_as_expected()


class _Method(ctypes.Structure):
    """CPython's PyMethodDef."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


@functools.cache
def _method() -> tuple[_Method, MachineCode]:
    """The one function that calls every kernel, and its machine code; kept for as long as the process runs."""
    code = cache.code(cache.named("builtin"), 1, caller.text)
    return _Method(b"kernel", code.address, FASTCALL, None), code


@functools.cache
def _scratch() -> Any:
    """Memory for one call at a time: it is used only while the global interpreter lock is held."""
    return np.zeros(2 * SCRATCH)


def _function(table: Table) -> Builtin:
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p]
    return cast(Builtin, make(ctypes.addressof(_method()[0]), table, None))
