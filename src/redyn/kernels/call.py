"""Calling a kernel on arrays through ctypes, which lets other threads run meanwhile."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_KERNEL = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)


def call_kernel(address: int, inputs: Sequence[Array], outputs: Sequence[Array]) -> bool:
    """Fill the outputs, contiguous (N, ...) arrays, from contiguous (N, width) inputs; whether all is finite."""
    n = len(inputs[0])
    if n == 0:
        return True
    tables = [(ctypes.c_void_p * len(arrays))(*(a.ctypes.data for a in arrays)) for arrays in (inputs, outputs)]
    return int(_KERNEL(address)(tables[0], tables[1], n)) == 0
