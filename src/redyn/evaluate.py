"""Between the arrays that users pass and the scalars that recursions work on.

Shapes, types and finiteness are checked here, once. One state becomes Python floats; a batch of N states becomes
arrays of N values, one per coordinate.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from redyn.algebra import Arithmetic, MassMatrix, Scalar, Sym3, Vec3, Wrench
from redyn.arithmetic import Arrays, Floats
from redyn.dynamics.inverse import External
from redyn.errors import InputError
from redyn.model import Frame, Model

Array = NDArray[np.float64]
FrameFinder = Callable[["str | int | None"], Frame]


def checked(name: str, value: ArrayLike, width: int, meaning: str) -> Array:
    """`value` as float64 of shape (width,) or (N, width), every entry finite."""
    try:
        array = np.asarray(value)
    except ValueError:
        raise InputError(f"{name}: expected {meaning}, got rows of different lengths") from None
    if array.dtype.kind not in "iuf":
        raise InputError(f"{name}: expected real numbers, got values of type {array.dtype}")
    if array.ndim not in (1, 2) or array.shape[-1] != width:
        raise InputError(f"{name}: expected {meaning}: shape ({width},) or (N, {width}), got shape {array.shape}")
    array = array.astype(np.float64)
    if not np.isfinite(array).all():
        place = ", ".join(str(int(i)) for i in np.argwhere(~np.isfinite(array))[0])
        raise InputError(
            f"{name}[{place}] is {array[tuple(np.argwhere(~np.isfinite(array))[0])]}; expected finite numbers"
        )
    return array


class Call:
    """One call of a recursion: its arguments as scalars, and the way back to arrays."""

    def __init__(self, model: Model, frame: FrameFinder) -> None:
        self.model = model
        self.state: list[list[Scalar]] = []
        self.gravity: Vec3 | None = None
        self.external: External = ()
        self._frame = frame
        self._arrays: list[tuple[str, Array]] = []
        self._payload: Array | None = None

    @property
    def size(self) -> int | None:
        """The number of states, or None for a single one."""
        sizes = {len(a): name for name, a in self._arrays if a.ndim == 2}
        if len(sizes) > 1:
            (n, first), (m, second) = list(sizes.items())[:2]
            raise InputError(f"{first} holds {n} states but {second} holds {m}; give equal numbers, or one state")
        return next(iter(sizes), None)

    @property
    def arith(self) -> Arithmetic:
        return Floats() if self.size is None else Arrays()

    def _add(self, name: str, value: ArrayLike, width: int, meaning: str) -> Array:
        array = checked(name, value, width, meaning)
        self._arrays.append((name, array))
        return array

    def joints(self, **values: ArrayLike) -> Call:
        """Arguments with one number per joint."""
        names = ", ".join(link.joint.name for link in self.model.links[:8])
        added = [
            self._add(name, value, self.model.dof, f"{self.model.dof} numbers, one per joint ({names})")
            for name, value in values.items()
        ]
        self.state = [_scalars(array) for array in added]
        return self

    def world(
        self,
        gravity: ArrayLike | None = None,
        external: Mapping[str | int, ArrayLike] | None = None,
        payload: ArrayLike | None = None,
    ) -> Call:
        """What surrounds the robot: gravity, wrenches from outside, a load at the end effector."""
        if gravity is not None:
            self.gravity = Vec3(*_scalars(self._add("gravity", gravity, 3, "an acceleration")))
        if external is not None:
            if not isinstance(external, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
                raise InputError("external: expected {link: [moment; force]}")
            wrenches: list[tuple[Frame, Wrench]] = []
            for link, value in external.items():
                frame = self._frame(link)
                if frame.link == 0:
                    raise InputError(f"external[{link!r}]: this frame is fixed to the world and cannot be pushed")
                w = _scalars(self._add(f"external[{link!r}]", value, 6, "a wrench, moment then force"))
                wrenches.append((frame, Wrench(Vec3(*w[:3]), Vec3(*w[3:]))))
            self.external = wrenches
        if payload is not None:
            numbers = self._add("payload", payload, 10, "ten numbers, m, mc (3), Ixx, Ixy, Iyy, Ixz, Iyz, Izz")
            frame = self._frame(None)
            self.model = self.model.with_payload(mass_matrix_of(_scalars(numbers)), frame)
        return self

    def vector(self, values: Sequence[Scalar]) -> Array:
        """(n,) or (N, n)."""
        return self._stack(list(values), (len(values),))

    def matrix(self, rows: Sequence[Sequence[Scalar]]) -> Array:
        """(n, m) or (N, n, m)."""
        flat = [entry for row in rows for entry in row]
        return self._stack(flat, (len(rows), len(rows[0])))

    def scalar(self, value: Scalar) -> Array:
        """() or (N,)."""
        return self._stack([value], ())

    def _stack(self, values: list[Any], shape: tuple[int, ...]) -> Array:
        size = self.size
        if size is None:
            return np.array(values, dtype=np.float64).reshape(shape)
        out = np.empty((size, len(values)))
        for i, value in enumerate(values):
            out[:, i] = value
        return out.reshape((size, *shape))


def mass_matrix_of(numbers: Sequence[Scalar]) -> MassMatrix:
    """m, mc, Ixx, Ixy, Iyy, Ixz, Iyz, Izz about the frame's origin, as mass, first and second moments."""
    m, hx, hy, hz, xx, xy, yy, xz, yz, zz = numbers
    half = (xx + yy + zz) / 2
    return MassMatrix(m, Vec3(hx, hy, hz), Sym3(half - xx, -xy, -xz, half - yy, -yz, half - zz))


def _scalars(array: Array) -> list[Scalar]:
    if array.ndim == 1:
        return cast("list[Scalar]", array.tolist())
    return [cast(Scalar, np.ascontiguousarray(column)) for column in array.T]
