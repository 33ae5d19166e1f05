"""Operational space: what a wrench on a frame does to the robot, from U D U^T = GIM (9.38)-(9.41).

With J the Jacobian of the frame, J M^-1 J^T is the inverse of the operational-space inertia (Khatib 1987), and M^-1 J^T
are the accelerations of the joints per unit of each component of the wrench. Six unit wrenches are carried to the base
and back: order n, without J and without the GIM.
"""

from __future__ import annotations

from collections.abc import Sequence

from redyn.algebra import Arithmetic, Scalar, Vec3, Wrench, dot
from redyn.dynamics.forward import articulations, inward, outward
from redyn.dynamics.inertia import cholesky_solve
from redyn.dynamics.inverse import at_link
from redyn.dynamics.kinematics import poses, propagations
from redyn.model import Frame, Model

Rows = list[list[Scalar]]


def unit_wrenches(arith: Arithmetic) -> list[Wrench]:
    """Moments about x, y, z, then forces along them."""
    zero, one = arith.const(0.0), arith.const(1.0)
    axes = [Vec3(one, zero, zero), Vec3(zero, one, zero), Vec3(zero, zero, one)]
    none = Vec3(zero, zero, zero)
    return [*(Wrench(axis, none) for axis in axes), *(Wrench(none, axis) for axis in axes)]


def operational_space(model: Model, arith: Arithmetic, q: Sequence[Scalar], frame: Frame) -> tuple[Rows, Rows]:
    """J M^-1 J^T, 6 x 6, and M^-1 J^T, dof x 6, of a frame; angular components first, world axes, at its origin."""
    zero = arith.const(0.0)
    B = propagations(model, arith, q)
    if not frame.link:
        return [[zero] * 6 for _ in range(6)], [[zero] * 6 for _ in range(model.n)]
    joints, pose = articulations(model, arith, B), poses(model, arith, B)[frame.link]
    wrenches = [at_link(pose, frame, unit) for unit in unit_wrenches(arith)]
    carried = [
        inward(model, arith, B, joints, {}, {frame.link - 1: Wrench(-w.moment, -w.force)}) for w in wrenches
    ]  # U^-1 J^T and D^-1 U^-1 J^T, column by column
    A = [[zero] * 6 for _ in range(6)]
    for i, (hat, _) in enumerate(carried):
        for k, (_, tilde) in enumerate(carried[: i + 1]):
            A[i][k] = A[k][i] = dot(list(hat.values()), list(tilde.values()), arith)
    columns = [outward(model, arith, B, joints, tilde) for _, tilde in carried]
    return A, [[column.get(j, zero) for column in columns] for j in range(model.n)]


def from_matrices(arith: Arithmetic, M: Rows, J: Rows) -> tuple[Rows, Rows]:
    """The same from the mass matrix and the Jacobian as a whole."""
    columns = [cholesky_solve(arith, M, row) for row in J]
    A = [[dot(row, column, arith) for column in columns] for row in J]
    return A, [list(row) for row in zip(*columns, strict=True)]
