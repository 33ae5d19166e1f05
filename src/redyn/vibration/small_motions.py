"""Small motions about a position at rest: M x-ddot + D x-dot + K x = force, of the joints that are not locked."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from redyn.errors import InputError
from redyn.vibration.robot_like import RobotLike
from redyn.words import suggestion

Array = NDArray[np.float64]


@dataclass(frozen=True)
class SmallMotions:
    """Matrices of the free rates, and which of all rates these are."""

    q: Array
    free: list[int]
    M: Array
    D: Array
    K: Array


def small_motions(robot: RobotLike, q: ArrayLike, locked: Iterable[str], call: str) -> SmallMotions:
    """The linearised motion about q, with these joints locked. Errors begin with `call`."""
    if robot.model.loops or robot.model.contacts:
        raise InputError(f"{call}: {robot.name} has closed loops or wheels; this is of trees: robot.tree has none")
    at = robot.configuration("q", q)
    if at.ndim != 1:
        raise InputError(f"{call}: expected one configuration, (nq,), got {len(at)} of them")
    free = free_rates(robot, locked, call)
    still = np.zeros(robot.dof)
    K, D = robot.inverse_dynamics_derivatives(at, still, still)
    chosen = np.ix_(free, free)
    # Off an equilibrium, K is not symmetric where joints turn about a point; what is skew does not store energy.
    return SmallMotions(at, free, robot.mass_matrix(at)[chosen], D[chosen], (K + K.T)[chosen] / 2)


def free_rates(robot: RobotLike, locked: Iterable[str], call: str) -> list[int]:
    """The rates that are not locked. A locked joint with an elastic gear holds its motor: its link still gives."""
    if not isinstance(locked, Iterable):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InputError(f"{call}: locked: expected names of joints, got {locked!r}")
    names = [locked] if isinstance(locked, str) else list(locked)
    modes = [link.joint.label for link in robot.model.driven if link.joint.kind == "mode"]
    for name in names:
        if name not in robot.joint_names and name not in modes:
            raise InputError(
                f"{call}: locked: no joint is called {name!r}{suggestion(str(name), [*robot.joint_names, *modes])}"
            )
    held = set(names)
    free: list[int] = []
    for i, joint in enumerate(link.joint for link in robot.model.driven):
        name = joint.label if joint.kind == "mode" else joint.name
        if name not in held or joint.motor:
            free.append(i)
    return free
