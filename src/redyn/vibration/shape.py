"""The centre line of a bent link."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from redyn.errors import InputError
from redyn.model.beam import Beam
from redyn.model.centre_line import centre_line as sampled
from redyn.vibration.robot_like import RobotLike

Array = NDArray[np.float64]


def centre_line(robot: RobotLike, q: ArrayLike, link: str, points: int = 21) -> Array:
    """Points along a flexible link from root to tip, in world axes. See `redyn.Robot.shape`."""
    model = robot.model
    found = next(((first, beam) for first, beam in model.beams if beam.name == link), None)
    if found is None:
        names = ", ".join(repr(beam.name) for _, beam in model.beams) or "none"
        raise InputError(f"shape: {link!r} is no flexible link of {robot.name}; they are {names}")
    if not isinstance(points, int) or points < 2:  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InputError(f"shape: points: expected a whole number of at least 2, got {points!r}")
    first, beam = found
    at = robot.configuration("q", q)
    states = np.atleast_2d(at)
    places = model.starts
    amplitudes = states[:, [places[first + k] for k in range(beam.modes)]]
    local = local_line(beam, amplitudes, np.linspace(0.0, float(beam.length), points))  # pyright: ignore[reportArgumentType]
    root = robot.forward_kinematics(states, f"{link}.root")
    line = np.einsum("nij,npj->npi", root[:, :3, :3], local) + root[:, None, :3, 3]
    return line if at.ndim == 2 else line[0]


def local_line(beam: Beam, amplitudes: Array, x: Array) -> Array:
    """(N, points, 3): the centre line in the axes of the root, foreshortening included."""
    return sampled(beam, x).at(amplitudes)
