"""Whether steps of fixed length are short enough for the ground.

Friction that nearly sticks, and damping where a contact is pressed in, make velocities decay quickly. An explicit
method follows that only if its step is at most a few of these decay times. With a longer step results may be wrong
although they look reasonable, hence the warning.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from redyn.errors import warn
from redyn.evaluate.ground import Ground
from redyn.robot import Robot

Array = NDArray[np.float64]

STABLE = {
    "rk4": 2.7,
    "rkc": 9.8,
    "euler": 2.0,
    "taylor": 2.0,
}  # decay times per step that a method follows
STATES = 24  # at which a run is looked at
PRESSED = 1e-3  # share of the weight: contacts with less force are left out


class Fastest(NamedTuple):
    """The quickest decay among states: per second, and where it was."""

    rate: float
    row: int
    contact: str


def fastest_decay(robot: Robot, ground: Ground, q: Array, qd: Array) -> Fastest:
    """The largest eigenvalue of J M^-1 J^T C over the contacts that touch, C being what each does per unit of velocity.

    `robot` has the contacts of the ground.
    """
    found = robot.contact_states(q, qd, ground, check=False)
    pressed, slip = found.normal_forces, found.slip
    best = Fastest(0.0, 0, "")
    points = robot.model.contact_points
    for row in np.flatnonzero((pressed > PRESSED * ground.weight).any(axis=1)):
        touching = np.flatnonzero(pressed[row] > PRESSED * ground.weight)
        inverse = robot.inverse_mass_matrix(q[row], check=False)
        jacobians, roots = list[Array](), list[Array]()
        for k in touching:
            frame = robot.model.links[points[k].link - 1].name
            J = robot.jacobian(q[row], frame, check=False)
            arm = found.points[row, k] - robot.forward_kinematics(q[row], frame, check=False)[:3, 3]
            n = found.normals[row, k]
            jacobians.append(J[3:] - np.cross(arm, J[:3], axisb=0).T)
            braked, damped = _decay(ground, float(pressed[row, k]), float(slip[row, k]), float(found.gaps[row, k]))
            roots.append(np.sqrt(braked) * (np.eye(3) - np.outer(n, n)) + np.sqrt(damped) * np.outer(n, n))
        scaled = np.concatenate([root @ J for root, J in zip(roots, jacobians, strict=True)])  # C^1/2 J
        rates, vectors = np.linalg.eigh(scaled @ inverse @ scaled.T)
        if rates[-1] > best.rate:
            share = np.linalg.norm(vectors[:, -1].reshape(-1, 3), axis=1)
            best = Fastest(float(rates[-1]), int(row), points[int(touching[int(np.argmax(share))])].name)
    return best


def _decay(ground: Ground, pressed: float, slip: float, gap: float) -> tuple[float, float]:
    """What a contact does per unit of velocity along the ground and across it."""
    if ground.law == "smooth":
        braked = ground.friction * pressed / float(np.hypot(slip, ground.slip or 0.0))
        return braked, ground.stiffness * max(-gap, 0.0) * (ground.dissipation or 0.0)
    sliding = ground.tangential_damping or 0.0
    limit = ground.friction * pressed / slip if slip > 0 else np.inf
    return (sliding if sliding < limit else 0.0), ground.damping or 0.0


def warn_of_steps(robot: Robot, ground: Ground, q: Array, qd: Array, step: float, method: str) -> None:
    """Say so if steps were too long for the friction at some of these states."""
    chosen = np.unique(np.linspace(0, len(q) - 1, STATES).astype(int))
    finite = [k for k in chosen if np.isfinite(q[k]).all() and np.isfinite(qd[k]).all()]
    if not finite:
        return
    found = fastest_decay(robot, ground, np.ascontiguousarray(q[finite]), np.ascontiguousarray(qd[finite]))
    longest = STABLE[method] / found.rate if found.rate > 0 else np.inf
    if step > longest:
        cure = "a larger slip, " if ground.law == "smooth" else ""
        warn(
            f"step: {step:g} s is too long for the friction and damping of the ground at {found.contact!r}, which need "
            f"about {longest:.2g} s: results may be wrong although they are finite. Take a shorter step, {cure}or an "
            "adaptive method"
        )
