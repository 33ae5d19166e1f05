"""One robot, many states, two programs: how far apart they are."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from redyn.errors import RedynError, RedynWarning, SingularError
from redyn.robot import Robot, load
from redyn.verify.pinocchio_peer import Pinocchio

Array = NDArray[np.float64]

TOLERANCE = 1e-11  # of the larger of 1 and the largest entry; forward dynamics times the condition of the mass matrix
SNAPPED = 1e-7  # with right angles taken for right angles
DIVIDING = ("forward_dynamics", "forward_dynamics_derivatives")


@dataclass(frozen=True)
class Row:
    """One quantity: the largest difference at any state, as a multiple of what is allowed."""

    quantity: str
    difference: float  # of the larger of 1 and the largest entry
    allowed: float
    note: str = ""

    @property
    def agrees(self) -> bool:
        return self.difference <= self.allowed


def verify(
    source: str | Path,
    states: int = 100,
    exact: bool = True,
    allow_unphysical: bool = False,
    tick: Callable[[str], None] = lambda _: None,
) -> tuple[Robot, list[Row]]:
    """Compare every quantity with Pinocchio's at random states, friction left out on both sides."""
    robot = load(source, friction=False, exact=exact, allow_unphysical=allow_unphysical)
    if any(float(link.joint.armature) for link in robot.model.links):  # pyright: ignore[reportArgumentType]
        raise RedynError(f"{robot.name} has armature, which URDF cannot hold; Pinocchio would not see it")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(source)
        if path.suffix.lower() != ".urdf":
            path = Path(folder) / "robot.urdf"
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", RedynWarning)  # of what URDF cannot hold and does not matter here
                robot.to_urdf(path)
        peer = Pinocchio(path, robot.joint_names, robot.gravity)
    q, qd, x = np.random.default_rng(0).uniform(-2, 2, (3, states, robot.dof))
    frame = robot.model.end_effector or robot.link_names[-1]
    tick("pinocchio")
    theirs = [peer.answers(*state, frame) for state in zip(q, qd, x, strict=True)]
    condition = np.array([np.linalg.cond(answer["mass_matrix"]) for answer in theirs])
    allowed = TOLERANCE if exact else SNAPPED
    rows: list[Row] = []
    for name, ours in _calls(robot, q, qd, x, frame).items():
        tick(name)
        try:
            values = ours()
        except SingularError as error:
            rows.append(Row(name, 0.0, allowed, f"not determined: {error}"))
            continue
        expected = np.stack([answer[name] for answer in theirs])
        scale = np.maximum(1.0, np.abs(expected).reshape(states, -1).max(axis=1))
        apart = np.abs(values - expected).reshape(states, -1).max(axis=1) / scale
        if name in DIVIDING:
            apart /= condition ** (1 if name == "forward_dynamics" else 2)
        rows.append(Row(name, float(apart.max()), allowed))
    return robot, rows


def _calls(robot: Robot, q: Array, qd: Array, x: Array, frame: str) -> dict[str, Callable[[], Array]]:
    return {
        "inverse_dynamics": lambda: robot.inverse_dynamics(q, qd, x),
        "forward_dynamics": lambda: robot.forward_dynamics(q, qd, x),
        "mass_matrix": lambda: robot.mass_matrix(q),
        "gravity_torque": lambda: robot.gravity_torque(q),
        "coriolis_vector": lambda: robot.coriolis_vector(q, qd),
        "com": lambda: robot.com(q),
        "momentum": lambda: robot.momentum(q, qd),
        "inverse_dynamics_derivatives": lambda: np.stack(robot.inverse_dynamics_derivatives(q, qd, x), axis=1),
        "forward_dynamics_derivatives": lambda: np.stack(robot.forward_dynamics_derivatives(q, qd, x), axis=1),
        "forward_kinematics": lambda: robot.forward_kinematics(q, frame),
        "jacobian": lambda: robot.jacobian(q, frame),
    }
