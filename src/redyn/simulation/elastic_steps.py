"""Whether steps of fixed length are short enough for what vibrates in a robot with flexible links or elastic gears."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from redyn.errors import warn
from redyn.robot import Robot
from redyn.simulation.joints import gives

Array = NDArray[np.float64]

# Radians per step, of an undamped vibration, that a method follows without growing beyond all bounds; `rkc` follows
# none for long.
STABLE = {"rk4": 2.82, "euler": 2.0, "taylor": 2.0, "rkc": 0.6}


def warn_of_vibration(robot: Robot, q: Array, step: float, duration: float, method: str) -> None:
    """Say so if the highest natural frequency at a configuration is too high for a step."""
    if not gives(robot) or robot.model.loops or robot.model.contacts or not np.isfinite(q).all():
        return
    found = robot.vibration(q)
    highest = float(found.frequencies[-1:].max(initial=0.0))
    longest = STABLE[method] / highest if highest else np.inf
    if method == "taylor":
        longest = min(longest, _slow_growth(found.frequencies, found.damping_ratios, duration))
    if step > longest:
        warn(
            f"step: {step:g} s is too long for {method}: {robot.name} vibrates at up to {highest / 6.283:.3g} Hz, "
            f"which needs at most {longest:.2g} s. Take a shorter step, fewer modes, or method='rosenbrock', whose "
            "steps need not follow what does not matter"
        )


def _slow_growth(frequencies: Array, damping_ratios: Array, duration: float) -> float:
    """The longest step of `taylor` with which no vibration grows to more than e times its size.

    In each step the square of an undamped amplitude grows by (omega h)^2 / 2: by the rate omega^2 h / 4, less what
    damping takes.
    """
    limits = 4.0 * (damping_ratios * frequencies + 1.0 / duration) / frequencies**2
    return float(limits.min(initial=np.inf))
