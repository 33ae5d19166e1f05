"""States of a robot on wheels at which its motion is not determined: said in words."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from redyn.arithmetic import Floats
from redyn.dynamics.rolling import RollingMap
from redyn.dynamics.task import Task
from redyn.errors import InputError, RedynError, SingularError
from redyn.model import Model, Rolling

Array = NDArray[np.float64]


def explain(model: Model, task: Task, q: Array, where: str) -> RedynError:
    """Why an algorithm refuses a configuration. `where` is " in row 3", or empty."""
    rolling, arith = model.reduction, Floats()
    assert isinstance(rolling, Rolling)
    chosen = _listed([link.joint.label for link in model.driven])
    try:
        guards = RollingMap(model.over(arith), rolling, arith, [float(x) for x in q]).guards
    except ZeroDivisionError:
        guards = [0.0]
    if not all(float(guard) > 0.0 for guard in guards):  # pyright: ignore[reportArgumentType]
        advice = f"use independent: [{', '.join(rolling.better)}]" if rolling.better else "move away from it a little"
        return SingularError(
            f"{model.name}: singular position{where}: {chosen} do not determine how the other joints move; {advice}"
        )
    if not task.base.divides and rolling.driven != rolling.independent:
        driven = _listed([link.joint.label for link in model.actuators]) or "none"
        return InputError(
            f"{model.name}: the actuated joints ({driven}) cannot supply what the motion needs{where}; name more in "
            "actuated, or give accelerations from robot.forward_dynamics"
        )
    if task.base.divides:
        return SingularError(f"{model.name}: the mass matrix is not positive definite{where}")
    return RedynError(f"{task.algorithm}{where} is too large to represent; are the inputs in SI units?")


def _listed(labels: list[str]) -> str:
    return ", ".join(labels)
