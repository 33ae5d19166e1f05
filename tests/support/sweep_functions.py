"""Functions that specifications of sweeps name in tests."""

import os
import time
from pathlib import Path


def logged(robot, state, rng, log="", seconds=0.0):
    """Numbers of a sample; says in a file that it was computed."""
    if log:
        with Path(log).open("a") as file:  # one short line is appended as a whole
            file.write(f"{state['q'][0]!r}\n")
    time.sleep(seconds)
    return {"energy": float(robot.potential_energy(state["q"])), "noise": rng.random()}


def touchy(robot, state, rng):
    """Fails for some samples."""
    if state["q"][0] > 0:
        raise ValueError("a positive angle")
    return {"mass": robot.total_mass, "curve": state["q"][0] * rng.random(3)}


def dies(robot, state, rng):
    """Ends its process, as running out of memory does."""
    os._exit(9)
