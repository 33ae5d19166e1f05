"""The short way to a kernel: what is called most, with arrays as they should be, skips all that others need."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy import ndarray
from numpy.typing import NDArray

from redyn.buffers import Buffers
from redyn.model import Model

Array = NDArray[np.float64]
Quick = Callable[[Any, Any, Any], "Array | None"]

ROUNDING = 1e-14  # how far the squared length of a quaternion may be from 1 and still be taken for it
LARGE_BATCH = 8192  # states from which several threads may help, so that the general way decides


def are_unit(q: Array, quaternions: Sequence[int]) -> bool:
    """Whether the quaternions that begin at these places have length 1 but for rounding, in every row."""
    if q.ndim == 1 or len(q) == 1:
        values = q.ravel().tolist()
        for start in quaternions:
            x, y, z, w = values[start : start + 4]
            if not -ROUNDING < x * x + y * y + z * z + w * w - 1.0 < ROUNDING:
                return False
        return True
    for start in quaternions:
        part = q[:, start : start + 4]
        off = np.einsum("ij,ij->i", part, part)
        if not (off.max(initial=1.0) < 1.0 + ROUNDING and off.min(initial=1.0) > 1.0 - ROUNDING):
            return False
    return True


class Shortcut:
    """The common calls without ceremony: three float64 state vectors or arrays in, one out."""

    def __init__(self, model: Model, buffers: Buffers) -> None:
        self.addresses: dict[int, int] = {}  # of kernels, by number of dimensions of the arrays
        self._nq, self._dof, self._quaternions, self._buffers = model.nq, model.dof, model.quaternions, buffers

    def ready(self, run3: Any) -> Quick:
        """A function of the three arrays; None is its answer where the general way must sort things out."""
        addresses, nq, dof, buffers, empty = self.addresses, self._nq, self._dof, self._buffers, np.empty
        quaternions = self._quaternions

        def quick(a: Any, b: Any, c: Any) -> Array | None:
            try:
                if b.__class__ is not ndarray or c.__class__ is not ndarray:  # lists, and arrays of other kinds
                    return None
                if quaternions and not are_unit(a, quaternions):
                    return None
                if a.ndim == 1:
                    out = empty(dof)
                    return None if run3(addresses[1], a, b, c, out, 1, nq, dof) else out
                shape = b.shape
                if len(shape) != 2:
                    return None
                count = shape[0]
                if c.shape != shape or a.shape != (count, nq) or shape[1] != dof or not 4 <= count < LARGE_BATCH:
                    return None
                out = buffers.empty(shape)
                flat = out.reshape(-1)
                inputs = a.reshape(-1), b.reshape(-1), c.reshape(-1)
                return None if run3(addresses[2], *inputs, flat, count, count * nq, flat.size) else out
            # Other types, or no kernel of this kind yet.
            except (TypeError, AttributeError, KeyError, ValueError):
                return None

        return quick
