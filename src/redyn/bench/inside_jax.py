"""redyn inside JAX, beside other robot dynamics for JAX on the same processor, in one run."""

from __future__ import annotations

import importlib
import os
import tempfile
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import numpy as np

from redyn.bench.compare import Subject, named_robot
from redyn.bench.jax_peers import peers_of
from redyn.bench.timing import interleaved
from redyn.errors import InputError, MissingExtraError
from redyn.interop.jax import functions
from redyn.kernels.machine import lane_width, processor
from redyn.words import counted

ROBOTS = ("ur5",)
COUNTS = (1, 64, 4096)
MANY = 4096  # of which gradients are taken: compiling those of some programs takes a minute each
ALGORITHMS = ("inverse_dynamics", "forward_dynamics")
GRADIENT = "gradient"  # of the sum of squared accelerations, by q, qd and tau
STAGES = (*((algorithm, count) for algorithm in ALGORITHMS for count in COUNTS), (GRADIENT, MANY))
AGREES = 1e-6  # of the largest torque or acceleration


@dataclass(frozen=True)
class JaxRow:
    """One program on one robot, algorithm and number of states."""

    robot: str
    dof: int
    algorithm: str
    states: int
    program: str
    nanoseconds: float  # per state
    compile_seconds: float | None  # tracing, kernels and JAX's compiler, nothing cached; None of the call without JAX
    difference: float  # from redyn's call without JAX, relative to the largest result


@dataclass(frozen=True)
class JaxReport:
    processor: str
    lanes: int
    version: str  # of JAX
    rows: list[JaxRow]
    missing: dict[str, str]  # peers that were not measured, and why

    def to_data(self) -> dict[str, object]:
        return asdict(self)


def compare_jax(robots: Sequence[str], seconds: float, tick: Callable[[str], None] = lambda _: None) -> JaxReport:
    """Time every program that is installed, interleaved; `seconds` for each robot, algorithm and number of states."""
    try:
        module: Any = importlib.import_module("jax")
    except ImportError:
        raise MissingExtraError("jax", "jax", "redyn bench jax") from None
    rows, missing = list[JaxRow](), dict[str, str]()
    with _double_precision(module), _cold_kernels():
        for name in robots:
            subject = named_robot(name)
            if subject.robot.model.quaternions:
                raise InputError(f"{name}: `redyn bench jax` compares robots on a fixed base without ball joints")
            tick(f"{name}: reading")
            programs = {"redyn": _own(subject), **_batched(module, subject, missing)}
            for algorithm, count in STAGES:
                tick(f"{name}: {algorithm}, {counted(count, 'state')}")
                rows += _measure(module, subject, programs, algorithm, count, seconds, missing)
    return JaxReport(processor()[1], lane_width(), str(module.__version__), rows, missing)


def _own(subject: Subject) -> dict[str, Callable[..., Any]]:
    made = functions(subject.robot)
    return {name: getattr(made, name) for name in ALGORITHMS}


def _batched(jax: Any, subject: Subject, missing: dict[str, str]) -> dict[str, dict[str, Callable[..., Any]]]:
    """Peers take one state: many by `vmap`."""

    def batched(function: Callable[..., Any]) -> Callable[..., Any]:
        many = jax.vmap(function)
        return lambda *state: (many if state[0].ndim == 2 else function)(*state)

    found = peers_of(subject.robot, subject.file, missing)
    return {name: {key: batched(f) for key, f in made.items()} for name, made in found.items()}


def _measure(
    jax: Any,
    subject: Subject,
    programs: dict[str, dict[str, Callable[..., Any]]],
    algorithm: str,
    count: int,
    seconds: float,
    missing: dict[str, str],
) -> list[JaxRow]:
    base = "forward_dynamics" if algorithm == GRADIENT else algorithm
    arrays = [x if count > 1 else x[0] for x in subject.states(count)]
    state = [jax.numpy.asarray(x) for x in arrays]
    plain = partial(getattr(subject.robot, base), *arrays)
    calls: dict[str, Callable[[], object]] = {}
    compiling, results = dict[str, float](), dict[str, Any]()
    for name, made in programs.items():
        function = _gradient(jax, made[base]) if algorithm == GRADIENT else made[base]
        start = time.perf_counter()
        try:
            compiled = jax.jit(function).lower(*state).compile()
        except Exception as error:  # of a peer that does not know this version of JAX
            if name == "redyn":
                raise
            missing[name] = f"{algorithm} fails with JAX {jax.__version__} ({type(error).__name__}: {error!s:.120})"
            continue
        compiling[name] = time.perf_counter() - start
        results[name] = np.concatenate([np.ravel(x) for x in jax.tree.leaves(compiled(*state))])
        calls[name] = lambda compiled=compiled: jax.block_until_ready(compiled(*state))
    if algorithm != GRADIENT:
        calls["redyn without JAX"], results["redyn without JAX"] = plain, np.ravel(plain())
    expected = results["redyn without JAX" if algorithm != GRADIENT else "redyn"]
    best = interleaved(calls, seconds)
    rows = list[JaxRow]()
    for name, nanoseconds in best.items():
        difference = float(abs(results[name] - expected).max() / abs(expected).max())
        if not difference < AGREES:
            raise InputError(f"{subject.name}: {algorithm} of {name} differs from redyn's by {difference:.1g}")
        time_per_state = nanoseconds / count * 1e9
        head = (subject.name, subject.robot.dof, algorithm, count, name)
        rows.append(JaxRow(*head, time_per_state, compiling.get(name), difference))
    return rows


def _gradient(jax: Any, function: Callable[..., Any]) -> Callable[..., Any]:
    def cost(*state: Any) -> Any:
        return (function(*state) ** 2).sum()

    return jax.grad(cost, (0, 1, 2))


@contextmanager
def _double_precision(jax: Any) -> Generator[None]:
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    try:
        yield
    finally:
        jax.config.update("jax_enable_x64", before)


@contextmanager
def _cold_kernels() -> Generator[None]:
    """Kernels are compiled anew, so that the time it takes is that of a first use."""
    before = os.environ.get("REDYN_CACHE")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["REDYN_CACHE"] = folder
        try:
            yield
        finally:
            if before is None:
                del os.environ["REDYN_CACHE"]
            else:
                os.environ["REDYN_CACHE"] = before
