"""What callers may pass: checked once, with errors that say what was expected, and brought to float64 arrays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from redyn.arrays import refuse_masks
from redyn.description.schema import NOT_UNIT
from redyn.errors import InputError
from redyn.model import GroundForm, Model, configuration
from redyn.model.configuration import ROUNDING
from redyn.words import counted

Array = NDArray[np.float64]
Output = Array | tuple[Array, ...] | None

FLOAT64 = np.dtype(np.float64)
MEANINGS = {
    "gravity": "an acceleration",
    "external": "a wrench, moment then force",
    "ground": "the numbers of a ground",
    "payload": "ten numbers, m, mc (3), Ixx, Ixy, Iyy, Ixz, Iyz, Izz",
}
NOT_FREE = "no numbers of this robot are left open; name them first, as in robot.free('link2.mass')"


def check_threads(threads: Any) -> None:
    """None, or a number from 1."""
    if threads is not None and not (isinstance(threads, int | np.integer) and threads >= 1 and threads is not True):
        raise InputError(f"threads: expected a number from 1, or None for all that help, got {threads!r}")


def normal(name: str, value: Any, width: int, meaning: str) -> Array:
    """`value` as contiguous float64 of shape (width,) or (N, width)."""
    refuse_masks(name, value)
    try:
        given = np.asarray(value)
    except (ValueError, TypeError):
        raise InputError(f"{name}: expected {meaning}, got rows of different lengths") from None
    if given.dtype.kind not in "iuf":
        raise InputError(f"{name}: expected real numbers, got values of type {given.dtype}")
    array = np.ascontiguousarray(given, dtype=np.float64) if given.ndim else given.astype(np.float64)
    if array.ndim not in (1, 2) or array.shape[-1] != width:
        raise InputError(f"{name}: expected {meaning}: shape ({width},) or (N, {width}), got shape {array.shape}")
    return array


class Arguments:
    """The arguments of calls that are about one model."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.quaternions = model.quaternions

    def arrays(self, inputs: Sequence[tuple[str, int]], values: Sequence[ArrayLike]) -> list[Array]:
        """The inputs, given by name and width, as arrays of shape (width,) or (N, width)."""
        return [self._normal(name, value, width) for (name, width), value in zip(inputs, values, strict=True)]

    def states(self, inputs: Sequence[tuple[str, int]], values: Sequence[ArrayLike]) -> tuple[list[Array], int | None]:
        """Arrays (N, width) of all inputs, given by name and width, and N; None if every one of them is single."""
        arrays = self.arrays(inputs, values)
        size, first = None, ""
        for (name, _), array in zip(inputs, arrays, strict=True):
            if array.ndim == 2:
                if size is not None and len(array) != size:
                    raise InputError(
                        f"{first} holds {counted(size, 'state')} but {name} holds {len(array)}; give equal numbers, or "
                        "one state"
                    )
                size, first = len(array), name
        count = 1 if size is None else size
        return [a if a.ndim == 2 else a[None] if count == 1 else np.tile(a, (count, 1)) for a in arrays], size

    def configuration(self, name: str, value: Any) -> Array:
        """`value` as one configuration or several, (nq,) or (N, nq), whose quaternions have length 1."""
        array = normal(name, value, self.model.nq, self._meaning("q"))
        if not self.quaternions:
            return array
        single = array.ndim == 1
        rows = self.with_unit_quaternions(name, np.atleast_2d(array), single)
        return rows[0] if single else rows

    def with_unit_quaternions(self, name: str, q: Array, single: bool) -> Array:
        """The same, with lengths that are off by a little made 1; an error if they are off by more than that."""
        if are_unit(q, self.quaternions):
            return q
        for start in self.quaternions:
            part = q[:, start : start + 4]
            off = np.abs(np.einsum("ij,ij->i", part, part) - 1.0)
            if not off.max(initial=0.0) < NOT_UNIT and np.isfinite(part).all():
                row = int(np.argmax(off))
                place = f"{start}:{start + 4}" if single else f"{row}, {start}:{start + 4}"
                length = f"{np.linalg.norm(part[row]):.9g}"
                raise InputError(f"{name}[{place}] is a quaternion (x, y, z, w) of length {length}; expected 1")
        unit = q.copy()
        configuration.normalise(unit, self.quaternions)
        return unit

    def _normal(self, name: str, value: Any, width: int) -> Array:
        """`value` as contiguous float64 of shape (width,) or (N, width)."""
        if value.__class__ is np.ndarray and value.dtype is FLOAT64 and value.flags.c_contiguous:
            shape = value.shape
            if (len(shape) == 1 or len(shape) == 2) and shape[-1] == width:
                return value
        return normal(name, value, width, self._meaning(name))

    def _meaning(self, name: str) -> str:
        kind = name.partition("[")[0]
        if kind in MEANINGS:
            return MEANINGS[kind]
        if kind == "parameters" and self.model.free is not None:
            return counted(len(self.model.free.names), "number") + ", one per name of parameter_names"
        count = self.model.nq if kind == "q" else self.model.dof
        return f"{counted(count, 'number')}{self._whose}"

    @cached_property
    def _whose(self) -> str:
        names = list(dict.fromkeys(link.joint.name for link in self.model.driven))
        joints = ", ".join(dict.fromkeys(link.joint.name for link in self.model.driven[:8]))
        if len(names) < self.model.dof:
            return f" for the joints ({joints}), some of which have several"
        return f", one per joint ({joints})"


def are_unit(q: Array, quaternions: Iterable[int]) -> bool:
    """Whether the quaternions that begin at these columns have length 1 but for rounding, in every row."""
    for start in quaternions:
        part = q[:, start : start + 4]
        off = np.einsum("ij,ij->i", part, part)
        if not (off.max(initial=1.0) < 1.0 + ROUNDING and off.min(initial=1.0) > 1.0 - ROUNDING):
            return False
    return True


def given_outputs(out: Any, shapes: Sequence[tuple[int, ...]]) -> tuple[Array, ...]:
    """The arrays to be filled, which must have these shapes."""
    targets = cast("tuple[Any, ...]", out if isinstance(out, tuple) else (out,))
    if len(targets) != len(shapes):
        raise InputError(f"out: expected {len(shapes)} arrays, got {len(targets)}")
    for target, shape in zip(targets, shapes, strict=True):
        array = cast(Array, target)
        if not isinstance(target, np.ndarray) or array.dtype != FLOAT64 or array.shape != shape:
            raise InputError(f"out: expected a float64 array of shape {shape}")
        if not target.flags.writeable:
            raise InputError("out: the array is read-only")
    return cast("tuple[Array, ...]", targets)


def world_inputs(
    frame: Any,
    gravity: ArrayLike | None,
    external: Mapping[str | int, ArrayLike] | None,
    payload: ArrayLike | None,
    ground: tuple[GroundForm, Array] | None = None,
) -> tuple[dict[str, Any], list[ArrayLike]]:
    """Which run-time parameters a call uses, as fields of a task, and their values in the task's order."""
    values: list[ArrayLike] = [] if gravity is None else [gravity]
    frames: dict[str, ArrayLike] = {}
    if external is not None:
        if not isinstance(external, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InputError("external: expected {link: [moment; force]}")
        for link, wrench in external.items():
            try:
                name, place = frame(link)
            except InputError as error:
                raise InputError(f"external[{link!r}]: {error}") from None
            if place.link == 0:
                raise InputError(f"external[{link!r}]: this frame is fixed to the world and cannot be pushed")
            if name in frames:
                raise InputError(f"external: {name!r} is given twice")
            frames[name] = wrench
        values += [frames[name] for name in sorted(frames)]  # in one order, so that one kernel serves any
    if ground is not None:
        values.append(ground[1])
    if payload is not None:
        name, place = frame(None)
        if place.link == 0:
            raise InputError("payload: the end effector is fixed to the world")
        values.append(payload)
    used = {"gravity": gravity is not None, "external": tuple(sorted(frames)), "payload": payload is not None}
    return used | {"ground": None if ground is None else ground[0]}, values
