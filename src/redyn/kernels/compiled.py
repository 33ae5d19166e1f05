"""Numba for loops around kernels: how functions are compiled and kept, and how they call others by address.

Kernels, torque laws and events reach a compiled loop as numbers, the addresses of their machine code. So the loops are
compiled once for every robot and every law, and kept on disk (see `loops`).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any, TypeVar, cast

import numba  # pyright: ignore[reportMissingTypeStubs]
from numba import types  # pyright: ignore[reportMissingTypeStubs]
from numba.extending import intrinsic  # pyright: ignore[reportMissingTypeStubs]

from redyn.kernels.lanes import DOUBLE, INT, POINTER, integer, ir
from redyn.kernels.loops import LoopCache

F = TypeVar("F", bound=Callable[..., Any])


class _Settings:
    """Numba's settings are the whole process's: who wants scalar code just now, and what was set before."""

    lock, users, before = threading.RLock(), 0, 1


_settings = _Settings()


def compiled(function: F) -> F:
    """Machine code on the first call, kept on disk where there is a private folder for it.

    It may make no arrays, and so need not count who uses them: that took half of the time of a Runge-Kutta step.
    """
    return _kept(function, False)


def allocating(function: F) -> F:
    """The same for functions that make arrays of their own."""
    return _kept(function, True)


def _kept(function: F, counting: bool) -> F:
    """Said either way: unsaid, a function would count as its first caller does."""
    dispatcher = cast(Any, numba).njit(nogil=True, error_model="numpy", _nrt=counting)(function)
    dispatcher._cache = LoopCache(function)
    return dispatcher


def compiled_for(*signatures: str) -> Callable[[F], F]:
    """The same for these signatures and no others, at once: other arguments raise a TypeError."""

    def decorate(function: F) -> F:
        dispatcher = cast(Any, compiled(function))
        for signature in signatures:
            dispatcher.compile(signature)
        dispatcher.disable_compile()
        return dispatcher

    return decorate


def inlined(function: F) -> F:
    """Machine code inside that of whoever calls: for small functions that are called all the time."""
    return cast(Any, numba).njit(nogil=True, error_model="numpy", _nrt=False, forceinline=True)(function)


def merged(function: F) -> F:
    """No machine code of its own: its instructions become part of whoever calls, before anything is compiled.

    Cheaper to compile than `inlined`, where a function has one caller.
    """
    return cast(Any, numba).njit(nogil=True, error_model="numpy", _nrt=False, inline="always")(function)


@contextmanager
def scalar_code() -> Generator[None]:
    """What is compiled meanwhile uses no vectors.

    Our arrays are a dozen numbers, written one by one and read again at once. Reading them as vectors makes the
    processor wait for the writes to land: a quarter of the time of a Runge-Kutta step.
    """
    config = cast(Any, numba).config
    with _settings.lock:
        if _settings.users == 0:
            _settings.before = config.LOOP_VECTORIZE
        _settings.users += 1
        config.LOOP_VECTORIZE = 0
    try:
        yield
    finally:
        with _settings.lock:
            _settings.users -= 1
            if _settings.users == 0:
                config.LOOP_VECTORIZE = _settings.before


def _at(builder: Any, address: Any, result: Any, arguments: list[Any]) -> Any:
    return builder.inttoptr(address, ir.FunctionType(result, arguments).as_pointer())


@cast(Any, intrinsic)
def call_kernel(typing_context: Any, address: Any, inputs: Any, outputs: Any) -> Any:
    """long kernel(double **inputs, double **outputs, long N) on one state; 0 if all is finite."""
    del typing_context, address, inputs, outputs

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        del context, signature
        table = POINTER.as_pointer()
        tables = [builder.inttoptr(pointer, table) for pointer in arguments[1:]]
        return builder.call(_at(builder, arguments[0], INT, [table, table, INT]), [*tables, integer(1)])

    return types.int64(types.int64, types.int64, types.int64), generate


@cast(Any, intrinsic)
def call_law(typing_context: Any, address: Any, t: Any, q: Any, v: Any, out: Any) -> Any:
    """void law(double t, double *q, double *v, double *out), all pointers given as numbers."""
    del typing_context, address, t, q, v, out

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        del signature
        pointers = [builder.inttoptr(pointer, POINTER) for pointer in arguments[2:]]
        law = _at(builder, arguments[0], ir.VoidType(), [DOUBLE, POINTER, POINTER, POINTER])
        builder.call(law, [arguments[1], *pointers])
        return context.get_dummy_value()

    return types.void(types.int64, types.float64, types.int64, types.int64, types.int64), generate


@cast(Any, intrinsic)
def call_event(typing_context: Any, address: Any, t: Any, q: Any, v: Any) -> Any:
    """double event(double t, double *q, double *v), all pointers given as numbers."""
    del typing_context, address, t, q, v

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        del context, signature
        pointers = [builder.inttoptr(pointer, POINTER) for pointer in arguments[2:]]
        return builder.call(_at(builder, arguments[0], DOUBLE, [DOUBLE, POINTER, POINTER]), [arguments[1], *pointers])

    return types.float64(types.int64, types.float64, types.int64, types.int64), generate


@inlined
def copy(source: Any, target: Any) -> None:
    """target[:] = source, without the care that Numba takes for overlaps and shapes."""
    for i in range(len(source)):
        target[i] = source[i]
