"""Where the fields of an array lie in memory, and the functions of NumPy's C API that kernels call.

Both are part of NumPy's binary interface and have been the same since NumPy 1.7. They are checked all the same, once
per process, against what NumPy itself says of a few arrays: nothing relies on them where they differ.
"""

from __future__ import annotations

import ctypes
import functools
import sys
from typing import Any, cast

import numpy as np

# Offsets of fields in the struct behind an array, from the end of the header that every object has.
DATA, NDIM, DIMS, DESCR, FLAGS = 0, 8, 16, 40, 48
CONTIGUOUS, ALIGNED, WRITEABLE = 0x1, 0x100, 0x400  # bits of the flags
TYPE = -8  # the last field of the header: the object's type
NUMPY_DOUBLE = 12  # NPY_DOUBLE

_ABI = (0x01000009, 0x02000000)  # of NumPy 1 and 2; the functions have the same numbers in both
_VERSION, _NEW, _RETURN = 0, 93, 76  # PyArray_GetNDArrayCVersion, PyArray_New, PyArray_Return
_PYTHON = ("Py_IncRef", "Py_DecRef", "PyEval_SaveThread", "PyEval_RestoreThread", "PyTuple_New", "PyTuple_SetItem")


@functools.cache
def is_as_expected() -> bool:
    """Whether objects, arrays and NumPy's C API are laid out as this module says."""
    if sys.implementation.name != "cpython" or not getattr(sys, "_is_gil_enabled", lambda: True)():
        return False
    if ctypes.sizeof(ctypes.c_void_p) != 8 or object.__basicsize__ != 16:
        return False
    pointer, number = ctypes.c_void_p, ctypes.c_int

    def field(array: Any, offset: int, kind: Any = pointer) -> Any:
        return kind.from_address(id(array) + object.__basicsize__ + offset).value

    for array in (np.zeros(5), np.zeros((3, 7)), np.zeros((4, 5)).T, np.zeros(3, np.float32)):
        at, flags = field(array, DIMS), field(array, FLAGS, number)
        if (
            field(array, TYPE) != id(np.ndarray)
            or field(array, DATA) != array.ctypes.data
            or field(array, NDIM, number) != array.ndim
            or [ctypes.c_ssize_t.from_address(at + 8 * i).value for i in range(array.ndim)] != list(array.shape)
            or field(array, DESCR) != id(array.dtype)
            or bool(flags & CONTIGUOUS) != array.flags.c_contiguous
            or bool(flags & ALIGNED) != array.flags.aligned
            or bool(flags & WRITEABLE) != array.flags.writeable
        ):
            return False
    return _numpy_functions() is not None


@functools.cache
def _numpy_functions() -> list[int] | None:
    """Addresses of PyArray_New and PyArray_Return, by their numbers in the table of NumPy's C API."""
    core: Any = getattr(np, "_core", None) or getattr(np, "core", None)
    capsule = getattr(getattr(core, "_multiarray_umath", None), "_ARRAY_API", None)
    if capsule is None:
        return None
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    table = ctypes.cast(cast(int, get(capsule, None)), ctypes.POINTER(ctypes.c_void_p))
    version = ctypes.PYFUNCTYPE(ctypes.c_uint)(cast(int, table[_VERSION]))()
    return [cast(int, table[k]) for k in (_NEW, _RETURN)] if version in _ABI else None


@functools.cache
def addresses() -> list[int]:
    """The array type, the dtype float64 and None; PyArray_New, PyArray_Return; CPython's own functions."""
    functions = [ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value or 0 for name in _PYTHON]
    return [id(np.ndarray), id(np.dtype(np.float64)), id(None), *(_numpy_functions() or ()), *functions]
