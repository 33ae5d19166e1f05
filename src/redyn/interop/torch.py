"""The functions of a robot as operations of PyTorch: `redyn.torch.functions(robot)`.

They read and write tensors where they lie, on the CPU. Gradients are kernels of their own, made when they are first
needed, and can be differentiated again. `torch.func.vmap`, `torch.func.grad` and `torch.compile` know the operation.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Sequence
from math import prod
from typing import Any, NamedTuple

from redyn.dynamics.task import Task
from redyn.errors import InputError, MissingExtraError
from redyn.evaluate.threads import run_slices
from redyn.interop.functions import Functions, Plan, misfit
from redyn.interop.source import Source
from redyn.robot import Robot

__all__ = ["TorchFunctions", "functions"]


def functions(robot: Robot) -> TorchFunctions:
    """The methods of a robot as functions of PyTorch: inverse and forward dynamics, kinematics, regressor, ...

    They compute in float64. Of arguments in float32 the results are float32, too.

    >>> import redyn, torch
    >>> f = redyn.torch.functions(redyn.load("two-link"))
    >>> q = torch.tensor([0.1, 0.2], dtype=torch.float64, requires_grad=True)
    >>> f.potential_energy(q).backward()
    >>> [round(x, 3) for x in q.grad.tolist()]    # the torque that holds it
    [19.327, 4.686]
    """
    return TorchFunctions(robot)


class TorchFunctions(Functions):
    """The functions of a robot, for tensors of PyTorch: see `functions`."""

    def __init__(self, robot: Robot) -> None:
        super().__init__(robot)
        if robot.evaluator.kernels is None:
            raise InputError("redyn.torch runs redyn's kernels, which need llvmlite for this platform")
        self._torch, self._operations = _torch(), _operations()
        # `torch.compile` reads through the Python of a call, but not of this, which builds kernels.
        self._torch.compiler.assume_constant_result(Functions._key)  # pyright: ignore[reportPrivateUsage]

    def __reduce__(self) -> tuple[Any, ...]:
        return TorchFunctions, (self.robot,)

    def _call(self, key: str, values: Sequence[Any]) -> tuple[Any, ...]:
        torch = self._torch
        own = [isinstance(value, torch.Tensor) for value in values]
        tensors = [
            value if mine else torch.as_tensor(value, dtype=torch.float64)
            for value, mine in zip(values, own, strict=True)
        ]
        # Numbers that are not tensors, such as nominal parameters, follow the tensors.
        given = [tensor.dtype for tensor, mine in zip(tensors, own, strict=True) if mine and tensor.is_floating_point()]
        dtype = functools.reduce(torch.promote_types, given) if given else torch.float64
        compiling = torch.compiler.is_compiling()
        if not compiling:
            self._check(self._plans[key], tensors)
        doubles = [tensor.to(torch.float64) for tensor in tensors]
        if any(tensor.shape[:-1] != doubles[0].shape[:-1] for tensor in doubles):
            batch = torch.broadcast_shapes(*(tensor.shape[:-1] for tensor in doubles))
            doubles = [tensor.expand(*batch, tensor.shape[-1]) for tensor in doubles]
        if compiling:
            found = self._operations.in_graph(key, *doubles)
        elif _is_differentiated(torch, doubles):
            found = self._operations.differentiable(key, *doubles)
        else:
            found = _computed(key, *doubles)
        return tuple(found) if dtype == torch.float64 else tuple(x.to(dtype) for x in found)

    def _check(self, plan: Plan, tensors: Sequence[Any]) -> None:
        torch = self._torch
        self._check_shapes(plan, tensors)
        for (name, _), tensor in zip(plan.inputs, tensors, strict=True):
            if tensor.device.type != "cpu":
                raise InputError(f"{name} is on {tensor.device}; redyn.torch computes on the CPU: give {name}.cpu()")
            if tensor.is_complex() or tensor.dtype == torch.bool:
                raise InputError(f"{name}: expected real numbers, got values of type {tensor.dtype}")
        fronts = {tensor.shape[:-1] for tensor in tensors}
        try:
            if len(fronts) > 1:
                torch.broadcast_shapes(*fronts)
        except RuntimeError:
            raise misfit(plan, tensors) from None

    def _made(self, task: Task) -> Plan:
        plan = super()._made(task)
        _key(plan.source)
        return plan


@functools.cache
def _torch() -> Any:
    try:
        return importlib.import_module("torch")
    except ImportError:
        raise MissingExtraError("torch", "torch", "redyn.torch") from None


# --- one operation for all ------------------------------------------------------------------------------------------
# Operations of PyTorch take tensors and plain values, so a source is passed by its name. All inputs have the same
# dimensions in front of those of one state.

_sources: dict[str, Source] = {}


def _key(source: Source) -> str:
    return _sources.setdefault(source.name, source).name


def _is_differentiated(torch: Any, inputs: Sequence[Any]) -> bool:
    """Whether somebody may want derivatives of a call, or transforms it otherwise.

    PyTorch's functions with derivatives take longer to call than most kernels. Where a version of it does not tell
    whether transforms are active, they are taken to be.
    """
    if torch.is_grad_enabled() and any(x.requires_grad for x in inputs):
        return True
    transformed = getattr(torch._C, "_are_functorch_transforms_active", lambda: True)
    level = getattr(torch.autograd.forward_ad, "_current_level", 0)
    return transformed() or level >= 0 or any(x.__class__ is not torch.Tensor for x in inputs)


class Operations(NamedTuple):
    """The operation, redyn::run(key, inputs), and a function around it that can be differentiated and batched.

    `in_graph` is that function for `torch.compile`, which looks into it only once transforms such as `torch.func.jvp`
    have been applied: to the operation alone, they would find no forward derivatives and take them to be zero.
    """

    run: Any
    differentiable: Any
    in_graph: Any


@functools.cache
def _operations() -> Operations:
    torch = _torch()
    run = torch.library.custom_op(
        "redyn::run", _run, mutates_args=(), schema="(str key, Tensor[] inputs) -> Tensor[]", device_types="cpu"
    )
    run.register_fake(_empty)
    run.register_autograd(_operation_gradients, setup_context=_remember_operation)
    methods: dict[str, Any] = {
        "forward": _computed,
        "setup_context": _remember,
        "backward": _backward,
        "jvp": _directional,
        "vmap": _batched,
    }
    function = type("Redyn", (torch.autograd.Function,), {name: staticmethod(f) for name, f in methods.items()})

    def in_graph(key: str, *inputs: Any) -> Any:
        return function.apply(key, *inputs)

    return Operations(run, function.apply, torch.compiler.allow_in_graph(in_graph))


def _apply(source: Source, inputs: Sequence[Any]) -> Any:
    return _operations().differentiable(_key(source), *inputs)


def _batch(source: Source, inputs: Sequence[Any]) -> tuple[int, ...]:
    """The dimensions in front of those of one state."""
    shape = inputs[0].shape
    return tuple(shape[: len(shape) - len(source.signature.inputs[0])])


def _empty(key: str, inputs: Sequence[Any]) -> list[Any]:
    source = _sources[key]
    batch = _batch(source, inputs)
    for k, (tensor, shape) in enumerate(zip(inputs, source.signature.inputs, strict=True)):
        if tuple(tensor.shape) != (*batch, *shape):
            raise InputError(
                f"{source.task.algorithm}: expected shape {(*batch, *shape)} of input {k}, got {tuple(tensor.shape)}"
            )
    return [inputs[0].new_empty((*batch, *shape)) for shape in source.signature.outputs]


def _run(key: str, inputs: Sequence[Any]) -> list[Any]:
    source, outputs = _sources[key], _empty(key, inputs)
    states = prod(_batch(source, inputs))
    if states:
        # Views of the tensors' own memory; only what is not contiguous, as after `expand`, is copied.
        rows = [x.detach().contiguous().numpy().reshape(states, -1) for x in inputs]
        filled = [x.numpy().reshape(states, -1) for x in outputs]
        run_slices(source.kernel(states), rows, filled, None)
    return outputs


def _computed(key: str, *inputs: Any) -> tuple[Any, ...]:
    """Plain tensors need no operation, whose call takes longer than most kernels; those of a tracer do."""
    torch = _torch()
    if any(map(torch._C._functorch.is_legacy_batchedtensor, inputs)):
        return _batched_by_autograd(key, inputs)
    direct = not torch._C._len_torch_dispatch_stack() and all(x.__class__ is torch.Tensor for x in inputs)
    return tuple((_run if direct else _operations().run)(key, list(inputs)))


def _batched_by_autograd(key: str, inputs: Sequence[Any]) -> tuple[Any, ...]:
    """Inside PyTorch's older vmap, which `torch.autograd.functional.jacobian(vectorize=True)` still uses."""
    torch = _torch()
    level = torch._C._vmapmode_increment_nesting() - 1
    torch._C._vmapmode_decrement_nesting()
    batched = torch._C._functorch.is_legacy_batchedtensor
    size = next(torch._remove_batch_dim(x, level, 1, 0).shape[0] for x in inputs if batched(x))
    found = _computed(key, *(torch._remove_batch_dim(x, level, size, 0) for x in inputs))
    return tuple(torch._add_batch_dim(x, 0, level) for x in found)


def _remember(ctx: Any, inputs: Any, output: Any) -> None:
    del output
    ctx.key, *tensors = inputs
    ctx.save_for_backward(*tensors)
    ctx.save_for_forward(*tensors)
    ctx.set_materialize_grads(False)


def _remember_operation(ctx: Any, inputs: Any, output: Any) -> None:
    del output
    ctx.key, tensors = inputs
    ctx.save_for_backward(*tensors)


def _operation_gradients(ctx: Any, weights: Sequence[Any]) -> tuple[None, list[Any]]:
    return None, _gradients(ctx, weights, ctx.needs_input_grad[1])


def _backward(ctx: Any, *weights: Any) -> tuple[Any, ...]:
    return None, *_gradients(ctx, weights, ctx.needs_input_grad[1:])


def _gradients(ctx: Any, weights: Sequence[Any], needed: Sequence[bool]) -> list[Any]:
    source, inputs = _sources[ctx.key], ctx.saved_tensors
    by = [k for k, wanted in enumerate(needed) if wanted]
    found: list[Any] = [None] * len(inputs)
    if not by or all(weight is None for weight in weights):
        return found
    batch = _batch(source, inputs)
    given = [
        inputs[0].new_zeros((*batch, *shape)) if weight is None else weight
        for weight, shape in zip(weights, source.signature.outputs, strict=True)
    ]
    for k, gradient in zip(by, _apply(source.reverse(by), [*inputs, *given]), strict=True):
        found[k] = gradient
    return found


def _directional(ctx: Any, _: None, *directions: Any) -> Any:
    source = _sources[ctx.key]
    by = [k for k, direction in enumerate(directions) if direction is not None]
    return _apply(source.forward(by), [*ctx.saved_tensors, *(directions[k] for k in by)])


def _batched(info: Any, axes: Sequence[int | None], key: str, *inputs: Any) -> tuple[Any, Any]:
    moved = [
        x.expand(info.batch_size, *x.shape) if axis is None else x.movedim(axis, 0)
        for x, axis in zip(inputs, axes[1:], strict=True)
    ]
    found = _apply(_sources[key], moved)
    return found, (0,) * len(found)
