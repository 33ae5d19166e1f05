"""Frequency responses: how far a frame swings, and how far behind, when a joint's torque oscillates."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from redyn.errors import InputError
from redyn.vibration.robot_like import LinkName, RobotLike
from redyn.vibration.small_motions import small_motions
from redyn.words import suggestion

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Response:
    """From a torque to the position of a frame, over frequencies."""

    frequencies: Array  # rad/s
    values: NDArray[np.complex128]  # metres per newton metre (per newton, of a joint that slides)
    torque: str  # what oscillates
    frame: str  # what swings,
    direction: Array  # and along which direction

    @property
    def magnitude(self) -> Array:
        """In decibels."""
        return 20.0 * np.log10(np.maximum(np.abs(self.values), 1e-300))

    @property
    def phase(self) -> Array:
        """In degrees, without jumps by whole turns; at most zero at the lowest frequency."""
        found = np.degrees(np.unwrap(np.angle(self.values)))
        return found - 360.0 * np.ceil((found[0] - 1e-6) / 360.0)


def frequency_response(
    robot: RobotLike,
    q: ArrayLike,
    torque: str | None = None,
    link: LinkName = None,
    direction: ArrayLike | None = None,
    frequencies: ArrayLike | None = None,
    locked: Iterable[str] = (),
) -> Response:
    """See `redyn.Robot.frequency_response`."""
    at = small_motions(robot, q, locked, "frequency_response")
    names = robot.velocity_names
    driven = [i for i, item in enumerate(robot.model.driven) if item.joint.actuated and i in at.free]
    if not driven:
        raise InputError("frequency_response: no joint is left that a torque could act on; lock fewer")
    index = driven[0] if torque is None else _number(robot, torque, driven)
    frame = robot.frame_name(link)
    J = robot.jacobian(at.q, frame)[3:]
    along = _direction(direction, J[:, index])
    c, b = (along @ J)[at.free], np.array([float(i == index) for i in at.free])
    omega = _frequencies(frequencies, at.M, at.K)
    w = omega[:, None, None]
    swung = np.linalg.solve(at.K - w * w * at.M + 1j * w * at.D, b[None, :, None])[..., 0].astype(np.complex128)
    values = swung @ c
    return Response(omega, values, names[index], frame, along)


def _number(robot: RobotLike, torque: str, driven: list[int]) -> int:
    joints = [link.joint for link in robot.model.driven]
    names = {joints[i].label: i for i in driven} | {joints[i].name: i for i in reversed(driven)}
    if torque not in names:
        raise InputError(
            f"frequency_response: torque: {torque!r} is no joint that is free{suggestion(str(torque), list(names))}"
        )
    return names[torque]


def _direction(direction: ArrayLike | None, moved: Array) -> Array:
    """A unit vector: as given, or that along which the joint itself moves the frame."""
    along = moved if direction is None else np.asarray(direction, dtype=np.float64)
    if along.shape != (3,) or not np.isfinite(along).all():
        raise InputError(f"frequency_response: direction: expected three numbers, got {direction!r}")
    length = float(np.linalg.norm(along))
    if not length > 1e-12:
        raise InputError("frequency_response: direction: the joint does not move the frame; give a direction")
    return along / length


def _frequencies(given: ArrayLike | None, M: Array, K: Array) -> Array:
    """As given, or from a decade below the lowest natural frequency to half a decade above the highest."""
    if given is not None:
        found = np.atleast_1d(np.asarray(given, dtype=np.float64))
        if found.ndim != 1 or not (found > 0).all() or not np.isfinite(found).all():
            raise InputError("frequency_response: frequencies: expected positive numbers, in rad/s")
        return found
    squares = np.linalg.eigvals(np.linalg.solve(M, K)).real
    natural = np.sqrt(squares[squares > 1e-9 * max(float(squares.max(initial=0.0)), 1e-30)])
    low, high = (natural.min() / 10, natural.max() * 3) if len(natural) else (0.1, 100.0)
    around = np.outer(natural, 1.0 + np.linspace(-0.05, 0.05, 40)).ravel()  # where resonances are narrow
    return np.unique(np.concatenate([np.geomspace(low, high, 600), around]))
