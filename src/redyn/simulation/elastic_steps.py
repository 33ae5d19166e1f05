"""Whether steps of fixed length are short enough for what vibrates in a robot with flexible links or elastic gears."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from redyn.errors import warn
from redyn.robot import Robot
from redyn.simulation.joints import gives

Array = NDArray[np.float64]

# Radians per step, of an undamped vibration, that a method follows without growing beyond all bounds; `taylor` and
# `rkc` follow none for long.
STABLE = {"rk4": 2.82, "euler": 2.0, "taylor": 0.2, "rkc": 0.6}


def warn_of_vibration(robot: Robot, q: Array, step: float, method: str) -> None:
    """Say so if the highest natural frequency at a configuration is too high for a step."""
    if not gives(robot) or robot.model.loops or robot.model.contacts or not np.isfinite(q).all():
        return
    highest = float(robot.frequencies(q)[-1:].max(initial=0.0))
    if highest * step > STABLE[method]:
        longest = STABLE[method] / highest
        warn(
            f"step: {step:g} s is too long for {method}: {robot.name} vibrates at up to {highest / 6.283:.3g} Hz, "
            f"which needs at most {longest:.2g} s. Take a shorter step, fewer modes, or method='rosenbrock', whose "
            "steps need not follow what does not matter"
        )
