"""What drives a robot, as addresses that the compiled loop can call.

A Numba function becomes machine code of its own and runs at full speed. Any other callable is called in Python, through
ctypes, on copies of the state; what it raises ends the run and is raised again there.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from redyn.errors import InputError, RedynError

Array = NDArray[np.float64]
Torque = Callable[[float, Array, Array], ArrayLike]
Event = Callable[[float, Array, Array], float]

_LAW = ctypes.CFUNCTYPE(None, ctypes.c_double, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
_EVENT = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double, ctypes.c_void_p, ctypes.c_void_p)
_KERNEL = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)


class Callbacks:
    """Addresses of functions, kept alive for a run; `failed[0]` is set and `error` kept when one raises."""

    def __init__(self, q: Array, v: Array) -> None:
        self.failed = np.zeros(1, dtype=np.int64)
        self.error: BaseException | None = None
        self._q, self._v = q, v  # the rows from which Python functions get their copies
        self._kept: list[Any] = []

    def torque(self, law: Torque, out: Array) -> int:
        """The address of torque(t, q, qd), whose result goes to `out`."""
        meaning = f"torque(t, q, qd): expected {len(out)} numbers, one per joint"
        first = _numbers(law(0.0, self._q.copy(), self._v.copy()), len(out), meaning)
        out[:] = first
        if _is_numba(law):
            return self._keep(_compiled_law(law, len(self._q), len(out), takes_state=True))
        return self._python(lambda t: _numbers(law(t, self._q.copy(), self._v.copy()), len(out), meaning), out)

    def wrenches(self, laws: Mapping[str, Any], out: Array) -> int:
        """The address that fills `out` with six numbers for each frame; 0 if all are constant."""
        rows = out.reshape(-1, 6)
        changing: list[tuple[int, Any, str]] = []
        for k, (frame, law) in enumerate(laws.items()):
            meaning = f"external[{frame!r}]: expected a wrench, moment then force"
            rows[k] = _numbers(law(0.0) if callable(law) else law, 6, meaning)
            if callable(law):
                changing.append((k, law, meaning))
        if not changing:
            return 0
        if len(changing) == len(rows) == 1 and _is_numba(changing[0][1]):
            return self._keep(_compiled_law(changing[0][1], len(self._q), 6, takes_state=False))

        def push(t: float) -> Array:
            for k, law, meaning in changing:
                rows[k] = _numbers(law(t), 6, meaning)
            return out

        return self._python(push, out)

    def event(self, event: Event) -> int:
        """The address of event(t, q, qd), a number."""
        if _is_numba(event):
            return self._keep(_compiled_event(event, len(self._q), len(self._v)))

        def call(t: float, q: int, v: int) -> float:
            del q, v
            try:
                return float(event(t, self._q.copy(), self._v.copy()))
            except BaseException as error:
                self._fail(error)
                return 0.0

        return self._keep(_EVENT(call))

    def kernel(self, evaluate: Callable[[], Array], out: Array) -> int:
        """The address of a forward dynamics that Python answers, for robots without a kernel."""

        def call(inputs: int, outputs: int, count: int) -> int:
            del inputs, outputs, count
            try:
                out[:] = evaluate()
            except BaseException as error:
                self._fail(error)
                out[:] = np.nan
            return int(not np.isfinite(out).all())

        return self._keep(_KERNEL(call))

    def _python(self, function: Callable[[float], Array], out: Array) -> int:
        def call(t: float, q: int, v: int, result: int) -> None:
            del q, v, result
            try:
                out[:] = function(t)
            except BaseException as error:
                self._fail(error)
                out[:] = np.nan

        return self._keep(_LAW(call))

    def _fail(self, error: BaseException) -> None:
        if self.error is None:
            self.error = error
        self.failed[0] = 1

    def _keep(self, function: Any) -> int:
        self._kept.append(function)
        if hasattr(function, "address"):  # one that Numba compiled
            return int(function.address)
        return int(ctypes.cast(function, ctypes.c_void_p).value or 0)


def _numbers(value: Any, count: int, meaning: str) -> Array:
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{meaning}, got {value!r}") from None
    if array.ndim == 0 and count == 1:
        array = array.reshape(1)
    if array.shape != (count,):
        raise InputError(f"{meaning}, got shape {array.shape}")
    if not np.isfinite(array).all():
        raise InputError(f"{meaning}, got {array}")
    return array


def _is_numba(function: Any) -> bool:
    return hasattr(function, "py_func") and hasattr(function, "nopython_signatures")


def _compiled_law(law: Any, nq: int, count: int, takes_state: bool) -> Any:
    import numba  # pyright: ignore[reportMissingTypeStubs]

    nb = cast(Any, numba)
    n = count

    def with_state(t: Any, q: Any, v: Any, out: Any) -> None:
        value = law(t, nb.carray(q, (nq,)), nb.carray(v, (n,)))
        target = nb.carray(out, (n,))
        for i in range(n):
            target[i] = value[i]

    def of_time(t: Any, q: Any, v: Any, out: Any) -> None:
        value = law(t)
        target = nb.carray(out, (n,))
        for i in range(n):
            target[i] = value[i]

    pointer = nb.types.CPointer(nb.types.float64)
    signature = nb.types.void(nb.types.float64, pointer, pointer, pointer)
    return _cfunc(signature, with_state if takes_state else of_time, law)


def _compiled_event(event: Any, nq: int, n: int) -> Any:
    import numba  # pyright: ignore[reportMissingTypeStubs]

    nb = cast(Any, numba)

    def value(t: Any, q: Any, v: Any) -> Any:
        return event(t, nb.carray(q, (nq,)), nb.carray(v, (n,)))

    pointer = nb.types.CPointer(nb.types.float64)
    return _cfunc(nb.types.float64(nb.types.float64, pointer, pointer), value, event)


def _cfunc(signature: Any, wrapper: Any, wrapped: Any) -> Any:
    import numba  # pyright: ignore[reportMissingTypeStubs]

    try:
        return cast(Any, numba).cfunc(signature)(wrapper)
    except Exception as error:
        reason = str(error).strip().splitlines()[0]
        raise RedynError(f"Numba cannot compile {wrapped.py_func.__name__}: {reason}") from None


def table(torque: Any, dof: int, duration: float, joints: Sequence[str]) -> tuple[Array, Array]:
    """Times and rows of a torque given by numbers: none, one row, rows spread over the run, or (times, rows)."""
    meaning = f"torque: expected {dof} numbers, one per joint ({', '.join(joints[:8])}), rows of them, or (times, rows)"
    if torque is None:
        return np.zeros(1), np.zeros((1, dof))
    times, values = None, torque
    if isinstance(torque, tuple) and len(values) == 2 and np.ndim(values[1]) == 2:
        times, values = values
    try:
        rows = np.atleast_2d(np.asarray(values, dtype=np.float64))
        instants = None if times is None else np.asarray(times, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{meaning}, got {type(values).__name__}") from None
    if rows.ndim != 2 or rows.shape[1] != dof or not len(rows):
        raise InputError(f"{meaning}; got shape {np.shape(values)}")
    if not np.isfinite(rows).all():
        row, column = np.argwhere(~np.isfinite(rows))[0]
        raise InputError(f"torque[{row}, {column}] is {rows[row, column]}; expected finite numbers")
    if instants is None:
        instants = np.linspace(0.0, duration, len(rows)) if len(rows) > 1 else np.zeros(1)
    if instants.shape != (len(rows),) or not np.isfinite(instants).all() or not (np.diff(instants) > 0).all():
        raise InputError(f"torque: expected {len(rows)} increasing times, one per row")
    return np.ascontiguousarray(instants), np.ascontiguousarray(rows)


def split(external: Mapping[Any, Any] | None) -> dict[Any, Any]:
    """External wrenches with functions of time replaced by what they give at the start."""
    return {link: (law(0.0) if callable(law) else law) for link, law in (external or {}).items()}
