"""One shard of a sweep: a pure function from a specification and a number to a table.

Every row of the table depends on the specification and the number of its sample alone, not on the shard, the order or
the process in which it is computed.
"""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from redyn.description import read
from redyn.errors import MissingExtraError, RedynError, RedynWarning
from redyn.robot import Robot
from redyn.sweep.kinds import Output, Runner, runner
from redyn.sweep.plan import Function, Source, Spec, spec
from redyn.sweep.sampling import Sampler, Samples
from redyn.version import __version__

Array = NDArray[np.float64]
Trust = Literal["code"]

SAMPLE, FAILURE = "sample", "failure"
LONGEST_REASON = 500
_CAUGHT = (RedynError, ArithmeticError, np.linalg.LinAlgError)


class Prepared:
    """A specification with its robot loaded and its names resolved."""

    def __init__(self, plan: Spec, trusted: bool) -> None:
        self.plan = plan
        description = read(plan.robot, allow_unphysical=True)
        load = plan.load
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RedynWarning)  # said when the specification was read
            robot = Robot(description, friction=load.friction, exact=load.exact, mimic=load.mimic)
        self.sampler = Sampler(plan, robot)
        self.runner: Runner = runner(plan, self.sampler, trusted)
        self._caught: tuple[type[BaseException], ...] = (Exception,) if isinstance(plan.run, Function) else _CAUGHT
        taken = [SAMPLE, FAILURE, *self.sampler.column_names]
        for output in self.runner.outputs:
            if output.name in taken:  # such as q that varies and q at the end of a run
                raise RedynError(f"outputs: two columns would be called {output.name!r}")
            taken.append(output.name)

    def values(self, numbers: range) -> tuple[Samples, dict[str, Array], dict[int, str]]:
        """Of some samples: their draws, outputs (NaN where they failed), and reasons by row."""
        samples, count = self.sampler.draw(numbers), len(numbers)
        found = {output.name: np.full((count, *output.shape), np.nan) for output in self.runner.outputs}
        failures = {row: f"unphysical: {why}" for row, why in self.sampler.impossible(samples).items()}
        fine = np.array([row for row in range(count) if row not in failures], dtype=np.intp)
        for rows in _blocks(fine, self.runner.block):
            self._fill(samples, rows, found, failures)
        return samples, found, failures

    def _fill(self, samples: Samples, rows: Any, found: dict[str, Array], failures: dict[int, str]) -> None:
        """Compute these rows; where that fails, halves of them, down to the rows that fail by themselves."""
        try:
            part = self.sampler.closed(_picked(samples, rows))
            results = self.runner.run(part)
        except self._caught as error:
            if len(rows) == 1:
                failures[int(rows[0])] = _reason(error)
                return
            middle = len(rows) // 2
            self._fill(samples, rows[:middle], found, failures)
            self._fill(samples, rows[middle:], found, failures)
            return
        for name, values in results.values.items():
            found[name][rows] = values
        for row, reason in results.failures.items():
            failures[int(rows[row])] = reason
            for values in found.values():
                values[rows[row]] = np.nan


def _picked(samples: Samples, rows: Any) -> Samples:
    first, count = int(rows[0]), len(rows)
    if int(rows[-1]) - first == count - 1:
        return samples.part(slice(first, first + count))
    numbers: Any = [samples.numbers[int(row)] for row in rows]
    vectors = {name: a[rows] for name, a in samples.vectors.items()}
    parameters = None if samples.parameters is None else samples.parameters[rows]
    return Samples(numbers, vectors, parameters, {name: a[rows] for name, a in samples.columns.items()})


def _blocks(rows: Any, size: int) -> Iterator[Any]:
    for start in range(0, len(rows), size):
        yield rows[start : start + size]


def _reason(error: BaseException) -> str:
    """In one line, without the number of a row in a batch of one."""
    text = re.sub(r" in row \d+", "", " ".join(str(error).split()))
    plain = isinstance(error, RedynError)
    return (text if plain and text else f"{type(error).__name__}: {text}")[:LONGEST_REASON]


@lru_cache(maxsize=4)
def from_json(text: str) -> Spec:
    """A specification from `Spec.to_json`."""
    return Spec.model_validate(json.loads(text))


@lru_cache(maxsize=4)
def _prepared(text: str, trusted: bool) -> Prepared:
    return Prepared(from_json(text), trusted)


def prepared(plan: Spec, trust: Trust | None = None) -> Prepared:
    """Made once per process and specification: kernels stay compiled from shard to shard."""
    return _prepared(plan.to_json(), trust == "code")


def run_shard(source: Source, k: int, trust: Trust | None = None) -> Any:
    """Shard k of a sweep as an Arrow table: the sample numbers, what varied, the outputs, and why a sample failed.

    >>> import redyn
    >>> plan = redyn.sweep.spec({"robot": "two-link", "samples": 5, "shard": 2, "run": {"call": "potential_energy"},
    ...                          "vary": {"q": {"uniform": ["-pi", "pi"]}}})
    >>> redyn.sweep.run_shard(plan, 2).column_names
    ['sample', 'q.joint1', 'q.joint2', 'energy', 'failure']
    """
    arrow = pyarrow()
    plan = spec(source)
    whole = prepared(plan, trust)
    rows = plan.rows(k)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RedynWarning)
        samples, found, failures = whole.values(rows)
    arrays = [np.arange(rows.start, rows.stop, dtype=np.int64)]
    arrays += [np.ascontiguousarray(samples.columns[name]) for name in whole.sampler.column_names]
    failed = np.array([row in failures for row in range(len(rows))], dtype=bool)
    arrays += [_arrow_array(arrow, output, found[output.name], failed) for output in whole.runner.outputs]
    reasons = [failures.get(row) for row in range(len(rows))]
    return arrow.table([*arrays, arrow.array(reasons, arrow.string())], schema=_schema(arrow, whole, k))


def _schema(arrow: Any, whole: Prepared, k: int) -> Any:
    fields = [arrow.field(SAMPLE, arrow.int64())]
    fields += [arrow.field(name, arrow.float64()) for name in whole.sampler.column_names]
    for output in whole.runner.outputs:
        kind = arrow.list_(arrow.float64(), output.length) if output.shape else arrow.float64()
        shape = {"shape": ",".join(map(str, output.shape))} if output.shape else None
        fields.append(arrow.field(output.name, kind, metadata=shape))
    fields.append(arrow.field(FAILURE, arrow.string()))
    return arrow.schema(fields, metadata={"redyn.spec": whole.plan.hash, "redyn.shard": str(k), **facts()})


def _arrow_array(arrow: Any, output: Output, values: Array, failed: NDArray[np.bool_]) -> Any:
    """Null where there is none, so that means and sums of any reader leave such samples out."""
    if not output.shape:
        return arrow.array(np.ascontiguousarray(values), from_pandas=True)
    flat = arrow.array(np.ascontiguousarray(values).reshape(-1), from_pandas=True)
    return arrow.FixedSizeListArray.from_arrays(flat, output.length, mask=arrow.array(failed))


@lru_cache(maxsize=1)
def facts() -> dict[str, str]:
    """What results depend on beside the specification: versions, and the processor for which kernels are compiled."""
    import platform

    import scipy  # pyright: ignore[reportMissingTypeStubs]

    try:
        from redyn.kernels import machine

        processor = f"{machine.processor()[1]}, {machine.lane_width()} lanes"
    except (ImportError, OSError):
        processor = f"{platform.machine()}, uncompiled"
    return {
        "redyn.version": __version__,
        "redyn.python": platform.python_version(),
        "redyn.numpy": np.__version__,
        "redyn.scipy": scipy.__version__,
        "redyn.processor": processor,
    }


def pyarrow() -> Any:
    """The package, or an error that says how to get it."""
    try:
        import pyarrow as found  # pyright: ignore[reportMissingImports, reportMissingTypeStubs]
    except ImportError:
        raise MissingExtraError("pyarrow", "sweep", "A sweep") from None
    return found  # pyright: ignore[reportUnknownVariableType]
