"""What drives a robot, as addresses that the compiled loop can call.

A Numba function becomes machine code of its own and runs at full speed. Any other callable is called in Python, through
ctypes, on copies of the state; what it raises ends the run and is raised again there.
"""

from __future__ import annotations

import ctypes
import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from redyn.arrays import real_array
from redyn.errors import InputError, RedynWarning
from redyn.model import configuration
from redyn.words import counted

Array = NDArray[np.float64]
Torque = Callable[[float, Array, Array], ArrayLike]
Event = Callable[[float, Array, Array], float]

_LAW = ctypes.CFUNCTYPE(None, ctypes.c_double, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
_EVENT = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double, ctypes.c_void_p, ctypes.c_void_p)
_KERNEL = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)


class Callbacks:
    """Addresses of functions, kept alive for a run; `failed[0]` is set and `error` kept when one raises."""

    def __init__(self, q: Array, v: Array, quaternions: Sequence[int] = ()) -> None:
        self.failed = np.zeros(1, dtype=np.int64)
        self.error: BaseException | None = None
        self._q, self._v = q, v  # the rows from which Python functions get their copies
        self._quaternions = quaternions  # where they begin in q
        self._kept: list[Any] = []

    def _state(self) -> tuple[Array, Array]:
        """Copies of q and qd. Within a step quaternions leave length 1 a little, which robots would refuse."""
        q = self._q.copy()
        configuration.normalise(q, self._quaternions)
        return q, self._v.copy()

    def torque(self, law: Torque, out: Array) -> int:
        """The address of torque(t, q, qd), whose result goes to `out`."""
        meaning = f"torque(t, q, qd): expected {len(out)} finite numbers, one per joint"
        out[:] = _numbers(law(0.0, *self._state()), len(out), meaning)
        _require_finite(out, meaning)
        made = _compiled(_torque_wrapper, law, len(self._q), len(out)) if _is_numba(law) else None
        if made is not None:
            return self._keep(made)
        return self._python(lambda t: _numbers(law(t, *self._state()), len(out), meaning), out)

    def wrenches(self, laws: Mapping[str, Any], out: Array) -> int:
        """The address that fills `out` with six numbers for each frame; 0 if all are constant."""
        rows = out.reshape(-1, 6)
        changing: list[tuple[int, Any, str]] = []
        for k, (frame, law) in enumerate(laws.items()):
            meaning = f"external[{frame!r}]: expected a wrench, moment then force"
            rows[k] = _numbers(law(0.0) if callable(law) else law, 6, meaning)
            _require_finite(rows[k], meaning)
            if callable(law):
                changing.append((k, law, meaning))
        if not changing:
            return 0
        if len(changing) == len(rows) == 1 and _is_numba(changing[0][1]):
            made = _compiled(_wrench_wrapper, changing[0][1], len(self._q), 6)
            if made is not None:
                return self._keep(made)

        def push(t: float) -> Array:
            for k, law, meaning in changing:
                rows[k] = _numbers(law(t), 6, meaning)
            return out

        return self._python(push, out)

    def event(self, event: Event, number: int) -> int:
        """The address of event(t, q, qd), a number."""
        place = f"events[{number}](t, q, qd)"
        first = _event_number(event(0.0, *self._state()), place)
        if np.isnan(first):
            raise InputError(f"{place}: expected a number that passes zero, got nan at the start")
        made = _compiled(_event_wrapper, event, len(self._q), len(self._v)) if _is_numba(event) else None
        if made is not None:
            return self._keep(made)

        def call(t: float, q: int, v: int) -> float:
            del q, v
            try:
                return _event_number(event(t, *self._state()), place)
            except BaseException as error:
                self.fail(error)
                return 0.0

        return self._keep(_EVENT(call))

    def kernel(self, evaluate: Callable[[], Array], out: Array) -> int:
        """The address of a forward dynamics that Python answers, for robots without a kernel."""
        return self.kernels(lambda: (evaluate(),), (out,))

    def kernels(self, evaluate: Callable[[], tuple[Array, ...]], outputs: tuple[Array, ...]) -> int:
        """The same for an algorithm with several results."""

        def call(inputs: int, filled: int, count: int) -> int:
            del inputs, filled, count
            try:
                for out, found in zip(outputs, evaluate(), strict=True):
                    out[:] = found
            except BaseException as error:
                self.fail(error)
                for out in outputs:
                    out[:] = np.nan
            return int(not all(np.isfinite(out).all() for out in outputs))

        return self._keep(_KERNEL(call))

    def _python(self, function: Callable[[float], Array], out: Array) -> int:
        def call(t: float, q: int, v: int, result: int) -> None:
            del q, v, result
            try:
                out[:] = function(t)
            except BaseException as error:
                self.fail(error)
                out[:] = np.nan

        return self._keep(_LAW(call))

    def fail(self, error: BaseException) -> None:
        """Note the first failure; the loop stops when it sees the flag."""
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
        array = real_array(value)
    except (TypeError, ValueError):
        raise InputError(f"{meaning}, got {value!r}") from None
    if array.ndim == 0 and count == 1:
        array = array.reshape(1)
    if array.shape != (count,):
        raise InputError(f"{meaning}, got shape {array.shape}")
    return array


def _require_finite(array: Array, meaning: str) -> None:
    if not np.isfinite(array).all():
        raise InputError(f"{meaning}, got {array}")


def _event_number(value: Any, place: str) -> float:
    if isinstance(value, bool | np.bool_):
        raise InputError(f"{place}: expected a number that passes zero, such as t - 0.5, got {value}")
    try:
        return float(value)
    except (TypeError, ValueError):
        raise InputError(f"{place}: expected a number, got {value!r}") from None


def _is_numba(function: Any) -> bool:
    return hasattr(function, "py_func") and hasattr(function, "nopython_signatures")


# A Numba function that raises, or returns too few numbers, gives NaN: nothing can be raised through machine code. The
# run stops there, and the function is asked again in Python for its reason.


def _torque_wrapper(law: Any, nq: int, n: int) -> tuple[Any, Any]:
    nb = _numba()

    def torque(t: Any, q: Any, v: Any, out: Any) -> None:
        target = nb.carray(out, (n,))
        try:
            value = law(t, nb.carray(q, (nq,)).copy(), nb.carray(v, (n,)).copy())
            for i in range(n):
                target[i] = value[i] if len(value) == n else np.nan
        except Exception:
            for i in range(n):
                target[i] = np.nan

    return _signature(nb.types.void, 3), torque


def _wrench_wrapper(law: Any, nq: int, n: int) -> tuple[Any, Any]:
    nb = _numba()

    def wrench(t: Any, q: Any, v: Any, out: Any) -> None:
        target = nb.carray(out, (n,))
        try:
            value = law(t)
            for i in range(n):
                target[i] = value[i] if len(value) == n else np.nan
        except Exception:
            for i in range(n):
                target[i] = np.nan

    return _signature(nb.types.void, 3), wrench


def _event_wrapper(law: Any, nq: int, n: int) -> tuple[Any, Any]:
    nb = _numba()

    def value(t: Any, q: Any, v: Any) -> Any:
        found = np.nan
        try:
            found = float(law(t, nb.carray(q, (nq,)).copy(), nb.carray(v, (n,)).copy()))
        except Exception:
            found = np.nan
        return found

    return _signature(nb.types.float64, 2), value


def _numba() -> Any:
    import numba  # pyright: ignore[reportMissingTypeStubs]

    return cast(Any, numba)


def _signature(result: Any, pointers: int) -> Any:
    types = _numba().types
    return result(types.float64, *[types.CPointer(types.float64)] * pointers)


@lru_cache(maxsize=64)
def _compiled(wrapper: Any, law: Any, nq: int, n: int) -> Any:
    """Machine code of a Numba function, kept for the next run; None if it has to be called in Python instead."""
    try:
        signature, function = wrapper(law, nq, n)
        return _numba().cfunc(signature)(function)
    except Exception:
        message = f"{law.py_func.__name__}: Numba cannot call it from compiled code, so it runs in Python, slower"
        warnings.warn(message + "; a torque should return an array", RedynWarning, stacklevel=2)
        return None


def _has_rows(value: Any) -> bool:
    return hasattr(value, "__len__") and len(value) > 0 and hasattr(value[0], "__len__")


def table(torque: Any, dof: int, duration: float, joints: Sequence[str]) -> tuple[Array, Array]:
    """Times and rows of a torque given by numbers: none, one row, rows spread over the run, or (times, rows)."""
    meaning = (
        f"torque: expected {counted(dof, 'number')}, one per joint ({', '.join(joints[:8])}), rows of them, or "
        "(times, rows)"
    )
    if torque is None:
        return np.zeros(1), np.zeros((1, dof))
    times, values = None, torque
    if isinstance(torque, tuple) and len(values) == 2 and _has_rows(values[1]):
        times, values = values
    try:
        rows = np.atleast_2d(real_array(values))
        instants = None if times is None else real_array(times)
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


def at_start(external: Mapping[Any, Any] | None) -> dict[Any, Any]:
    """External wrenches with functions of time replaced by what they give at the start."""
    return {link: (law(0.0) if callable(law) else law) for link, law in (external or {}).items()}
