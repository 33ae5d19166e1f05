"""The functions of a robot inside JAX: `redyn.jax.functions(robot)`.

On the CPU they run redyn's kernels inside JAX's compiled code, called by XLA itself. For other devices the same
operations are written out as JAX's own. They can be used under `jit`, `vmap`, `grad`, `jvp` and `scan`, and
differentiated any number of times: each derivative is a kernel of its own, made when it is first needed.
"""

from __future__ import annotations

import ctypes
import functools
import importlib
import re
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from redyn.errors import InputError, MissingExtraError, RedynError
from redyn.interop.functions import Functions, Plan, misfit
from redyn.interop.source import Source
from redyn.robot import Robot

__all__ = ["JaxFunctions", "functions"]


def functions(robot: Robot, *, kernels: bool = True) -> JaxFunctions:
    """The methods of a robot as functions of JAX: inverse and forward dynamics, kinematics, Jacobians, regressor, ...

    They compute in float64, which JAX must be told to allow. `kernels=False` has JAX's own operations on the CPU too,
    as they are on other devices: slower there, but for `jax.export`.

    >>> import jax, redyn
    >>> jax.config.update("jax_enable_x64", True)
    >>> f = redyn.jax.functions(redyn.load("two-link"))
    >>> q, still = jax.numpy.array([0.1, 0.2]), jax.numpy.zeros(2)
    >>> f.inverse_dynamics(q, still, still).round(3).tolist()
    [19.327, 4.686]
    >>> jax.grad(lambda q: f.potential_energy(q))(q).round(3).tolist()    # which is the torque that holds it
    [19.327, 4.686]
    """
    return JaxFunctions(robot, kernels)


class JaxFunctions(Functions):
    """The functions of a robot, for arrays of JAX: see `functions`."""

    def __init__(self, robot: Robot, kernels: bool) -> None:
        super().__init__(robot)
        self._kernels = kernels and robot.evaluator.kernels is not None
        self._jitted: dict[str, Any] = {}
        _jax()

    def __reduce__(self) -> tuple[Any, ...]:
        return JaxFunctions, (self.robot, self._kernels)

    def _call(self, key: str, values: Sequence[Any]) -> tuple[Any, ...]:
        jitted = self._jitted.get(key)
        if jitted is None:
            jitted = self._jitted[key] = _jax().jit(functools.partial(self._traced, self._plans[key]))
        return jitted(*(value if hasattr(value, "shape") else np.asarray(value) for value in values))

    def _traced(self, plan: Plan, *values: Any) -> tuple[Any, ...]:
        jax = _jax()
        jnp = jax.numpy
        if not jax.config.jax_enable_x64:
            raise InputError(
                "redyn.jax computes in float64, which JAX has switched off; "
                'say jax.config.update("jax_enable_x64", True) first'
            )
        self._check_shapes(plan, values)
        for (name, _), value in zip(plan.inputs, values, strict=True):
            if not (jnp.issubdtype(value.dtype, jnp.floating) or jnp.issubdtype(value.dtype, jnp.integer)):
                raise InputError(f"{name}: expected real numbers, got values of type {value.dtype}")
        arrays = [jnp.asarray(value, dtype=np.float64) for value in values]
        try:
            batch = jnp.broadcast_shapes(*(array.shape[:-1] for array in arrays))
        except ValueError:
            raise misfit(plan, arrays) from None
        arrays = [jnp.broadcast_to(array, (*batch, array.shape[-1])) for array in arrays]
        return tuple(_bind(arrays, plan.source, self._kernels))


@functools.cache
def _jax() -> Any:
    try:
        return importlib.import_module("jax")
    except ImportError:
        raise MissingExtraError("jax", "jax", "redyn.jax") from None


@functools.cache
def _parts() -> SimpleNamespace:
    """The modules of JAX for those who define operations."""
    names = ("ad", "batching", "mlir")
    return SimpleNamespace(**{name: importlib.import_module(f"jax.interpreters.{name}") for name in names})


# --- one operation for all ------------------------------------------------------------------------------------------
# `source` says what it computes. All its inputs have the same dimensions in front of those of one state.


@functools.cache
def _primitive() -> Any:
    parts = _parts()
    primitive = importlib.import_module("jax.extend.core").Primitive("redyn")
    primitive.multiple_results = True
    primitive.def_impl(_run)
    primitive.def_abstract_eval(_abstract)
    parts.ad.primitive_jvps[primitive] = _derivative
    parts.ad.primitive_transposes[primitive] = _transpose
    parts.batching.primitive_batchers[primitive] = _batched
    parts.mlir.register_lowering(primitive, parts.mlir.lower_fun(_pure, multiple_results=True))
    parts.mlir.register_lowering(primitive, parts.mlir.lower_fun(_on_cpu, multiple_results=True), platform="cpu")
    return primitive


def _bind(arrays: Sequence[Any], source: Source, kernels: bool) -> list[Any]:
    """One use of the operation. Inside `shard_map`, all arrays are made to vary along the axes along which any does."""
    lax = _jax().lax
    varying = [_varying(array) for array in arrays]
    axes = frozenset[Any]().union(*varying)
    if any(own != axes for own in varying):
        mark = functools.partial(lax.pcast, to="varying") if hasattr(lax, "pcast") else lax.pvary
        arrays = [mark(array, tuple(axes - own)) for array, own in zip(arrays, varying, strict=True)]
    return _primitive().bind(*arrays, source=source, kernels=kernels)


def _varying(array: Any) -> frozenset[Any]:
    """The axes of a mesh along which a value inside `shard_map` varies."""
    jax = _jax()
    if not hasattr(jax, "typeof"):  # of versions that know no such axes
        return frozenset()
    kind = jax.typeof(array)
    return kind.manual_axis_type.varying if hasattr(kind, "manual_axis_type") else getattr(kind, "vma", frozenset())


def _run(*arrays: Any, source: Source, kernels: bool) -> Any:
    with _jax().disable_jit(False):
        return _compiled(source, kernels)(*arrays)


@functools.cache
def _compiled(source: Source, kernels: bool) -> Any:
    return _jax().jit(functools.partial(_primitive().bind, source=source, kernels=kernels))


def _batch(arrays: Sequence[Any], source: Source) -> tuple[Any, ...]:
    """The dimensions in front of those of one state."""
    shape = arrays[0].shape
    return tuple(shape[: len(shape) - len(source.signature.inputs[0])])


def _abstract(*arrays: Any, source: Source, kernels: bool) -> list[Any]:
    """Shapes of the results, laid out over devices as the inputs are."""
    del kernels
    first, batch, outputs = arrays[0], _batch(arrays, source), source.signature.outputs
    sharding = getattr(first, "sharding", None)
    if sharding is None:
        return [_jax().core.ShapedArray((*batch, *shape), np.dtype(np.float64)) for shape in outputs]
    found, kinds = list[Any](), _jax().sharding
    for shape in outputs:
        spec = kinds.PartitionSpec(*sharding.spec[: len(batch)], *(None for _ in shape))
        layout = kinds.NamedSharding(sharding.mesh, spec)
        found.append(first.update((*batch, *shape), np.dtype(np.float64), sharding=layout))
    return found


def _batched(arrays: Sequence[Any], axes: Sequence[Any], *, source: Source, kernels: bool) -> tuple[list[Any], Any]:
    jnp = _jax().numpy
    size = next(array.shape[axis] for array, axis in zip(arrays, axes, strict=True) if axis is not None)
    moved = [
        jnp.broadcast_to(array, (size, *array.shape)) if axis is None else jnp.moveaxis(array, axis, 0)
        for array, axis in zip(arrays, axes, strict=True)
    ]
    found = _bind(moved, source, kernels)
    return found, [0] * len(found)


def _derivative(
    arrays: Sequence[Any], tangents: Sequence[Any], *, source: Source, kernels: bool
) -> tuple[list[Any], list[Any]]:
    ad = _parts().ad
    found = _bind(arrays, source, kernels)
    by = [k for k, tangent in enumerate(tangents) if not isinstance(tangent, ad.Zero)]
    directions = [tangents[k] for k in by]
    return found, _bind([*arrays, *directions], source.forward(by), kernels)


def _transpose(weights: Sequence[Any], *arrays: Any, source: Source, kernels: bool) -> list[Any]:
    """Of what is linear in its last inputs: a derivative along directions, or a gradient in its weights."""
    ad, first = _parts().ad, source.linear
    given = [ad.instantiate_zeros(weight) for weight in weights]
    wanted = [k for k, array in enumerate(arrays[first:]) if ad.is_undefined_primal(array)]
    transposed, places = source.transposed(wanted)
    found = _bind([*arrays[:first], *given], transposed, kernels)
    result: list[Any] = [None] * len(arrays)
    for k, place in zip(wanted, places, strict=True):
        result[first + k] = found[place]
    return result


# --- on other devices: the operations of the program, one by one -----------------------------------------------------


def _pure(*arrays: Any, source: Source, kernels: bool) -> list[Any]:
    del kernels
    jnp, (inputs, outputs) = _jax().numpy, source.signature
    batch = _batch(arrays, source)
    flat = [array.reshape(*batch, -1) for array, _ in zip(arrays, inputs, strict=True)]
    table = {
        "add": jnp.add,
        "sub": jnp.subtract,
        "mul": jnp.multiply,
        "inv": jnp.reciprocal,
        "neg": jnp.negative,
        "sin": jnp.sin,
        "cos": jnp.cos,
        "sqrt": jnp.sqrt,
    }
    values = source.program.run(lambda array, column: flat[array][..., column], table)
    results, found, start = source.program.results, list[Any](), 0
    for shape, width in zip(outputs, source.program.outputs, strict=True):
        columns = [jnp.broadcast_to(values[k], batch) for k in results[start : start + width]]
        found.append(jnp.stack(columns, axis=-1).reshape(*batch, *shape))
        start += width
    return found


# --- on the CPU: the kernel ------------------------------------------------------------------------------------------


def _on_cpu(*arrays: Any, source: Source, kernels: bool) -> Any:
    if not kernels:
        return _pure(*arrays, source=source, kernels=kernels)
    jax, batch = _jax(), _batch(arrays, source)
    try:
        states = int(np.prod([int(size) for size in batch]))
    except Exception:  # sizes that are left open in an export
        states = 1_000_000
    results = [jax.ShapeDtypeStruct((*batch, *shape), np.float64) for shape in source.signature.outputs]
    return jax.ffi.ffi_call(_target(source, states, len(batch)), results)(*arrays)


_handlers: dict[str, tuple[Any, Any]] = {}  # XLA keeps their addresses for good, and so the code must stay


def _target(source: Source, states: int, dimensions: int) -> str:
    """The name under which XLA knows the handler of a kernel: that of what it computes, so that none is mistaken."""
    from redyn.kernels.lock import building
    from redyn.kernels.xla_handler import handler

    with building:
        kernel = source.kernel(states)
        name = f"redyn_{source.name}_{kernel.width}_{dimensions}"
        if name not in _handlers:
            ffi, (inputs, outputs) = _jax().ffi, source.signature
            code = handler(kernel.address, len(inputs), len(outputs), dimensions, _interface_version())
            ffi.register_ffi_target(name, ffi.pycapsule(ctypes.cast(code.address, ctypes.c_void_p)), platform="cpu")
            _handlers[name] = kernel, code
    return name


@functools.cache
def _interface_version() -> int:
    """The minor version of XLA's interface for foreign functions, as jaxlib's own header has it."""
    from redyn.kernels.xla_handler import MAJOR

    text = (Path(_jax().ffi.include_dir()) / "xla" / "ffi" / "api" / "c_api.h").read_text("utf-8")
    versions = dict(re.findall(r"#define XLA_FFI_API_(MAJOR|MINOR) (\d+)", text))
    if int(versions["MAJOR"]) != MAJOR:
        raise RedynError(
            f"redyn.jax: jaxlib's foreign function interface is version {versions['MAJOR']}.{versions['MINOR']}, "
            f"expected {MAJOR}.x; use redyn.jax.functions(robot, kernels=False), or another version of jaxlib"
        )
    return int(versions["MINOR"])
