"""A function of the user's, called for one sample at a time.

    def gain(robot, state, rng, **options):
        return {"gain": ...}

`robot` has the parameters of the sample, `state` holds q, qd, qdd and tau, `rng` is a generator of the sample's own.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Mapping
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from redyn.errors import InputError
from redyn.robot import FreeRobot, Robot
from redyn.sweep.kinds.common import Output, Results
from redyn.sweep.plan import Function, Spec
from redyn.sweep.sampling import Samples

Array = NDArray[np.float64]


class FunctionRunner:
    """Outputs are named in the specification: `gain`, or `curve[50]` for an array of 50 numbers."""

    block = 256

    def __init__(self, plan: Spec, given: Function, robot: Robot) -> None:
        if not plan.outputs:
            raise InputError("outputs: name what the function returns, such as [gain, 'curve[50]']")
        self._seed, self._options, self._robot, self._name = plan.seed, given.options, robot, given.name
        self.outputs = [_output(name) for name in plan.outputs]
        self._call = imported(given.name)

    def run(self, samples: Samples) -> Results:
        values = {output.name: np.empty((len(samples), *output.shape)) for output in self.outputs}
        for i, number in enumerate(samples.numbers):
            robot = self._robot
            if samples.parameters is not None:
                assert isinstance(robot, FreeRobot)
                robot = robot.at(samples.parameters[i])
            state = {name: array[i].copy() for name, array in samples.vectors.items()}
            rng = np.random.default_rng(np.random.SeedSequence(self._seed, spawn_key=(number, 0)))
            found = self._call(robot, state, rng, **self._options)
            if not isinstance(found, Mapping):
                raise InputError(f"{self._name} returned {type(found).__name__}, expected a mapping with the outputs")
            results = cast("Mapping[str, Any]", found)
            for output in self.outputs:
                if output.name not in results:
                    raise InputError(f"{self._name} did not return {output.name!r}")
                try:
                    value = np.asarray(results[output.name], dtype=np.float64)
                except (TypeError, ValueError):
                    raise InputError(f"{self._name}: {output.name}: expected numbers") from None
                if value.shape != output.shape:
                    raise InputError(f"{self._name}: {output.name}: expected shape {output.shape}, got {value.shape}")
                values[output.name][i] = value
        return Results(values)


def _output(name: str) -> Output:
    match = re.fullmatch(r"([^\[\]]+)\[(\d{1,9})\]", name)
    return Output(match[1], (int(match[2]),)) if match else Output(name)


def imported(name: str) -> Callable[..., Any]:
    """`package.module:function`."""
    module, _, rest = name.partition(":")
    try:
        found: Any = importlib.import_module(module)
        for part in rest.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError) as error:
        raise InputError(f"run.function: {name} cannot be imported: {error}") from None
    if not callable(found):
        raise InputError(f"run.function: {name} is no function")
    return found
