"""The torques are linear in the inertial parameters: tau = Y(q, qd, qdd) pi (Lagrange slides, last example).

Ten parameters per moving link, about the origin of the user's link frame and in its axes:
m, mc (3), Ixx, Ixy, Iyy, Ixz, Iyz, Izz.
"""

from __future__ import annotations

from collections.abc import Sequence

from redyn.algebra import Arithmetic, MassMatrix, Mat3, Scalar, Vec3, Wrench
from redyn.dynamics.inverse import link_states
from redyn.dynamics.kinematics import propagations
from redyn.model import Model

COUNT = 10


def unit_bodies(arith: Arithmetic) -> list[MassMatrix]:
    """One body per parameter: that parameter 1, the others 0."""
    zero, one = arith.const(0.0), arith.const(1.0)
    return [MassMatrix.of_parameters([one if i == k else zero for i in range(COUNT)]) for k in range(COUNT)]


def regressor(
    model: Model,
    arith: Arithmetic,
    q: Sequence[Scalar],
    qd: Sequence[Scalar],
    qdd: Sequence[Scalar],
    gravity: Vec3 | None = None,
) -> list[list[Scalar]]:
    """Y, dof x 10 L: the wrench that each unit body needs in its link's motion, carried to the joints below."""
    B = propagations(model, arith, q)
    states = link_states(model, arith, B, qd, qdd, -(model.gravity if gravity is None else gravity))
    bodies = model.bodies
    Y = [[arith.const(0.0)] * (COUNT * len(bodies)) for _ in range(model.n)]
    for rank, number in enumerate(bodies):
        frame, state = model.frames[model.links[number - 1].name].pose, states[number]
        R_T = frame.R.T
        a = R_T @ (state.t_dot.lin + state.A @ frame.o)
        A = Mat3(R_T @ state.A.T.x, R_T @ state.A.T.y, R_T @ state.A.T.z).T
        A = Mat3(R_T @ A.x, R_T @ A.y, R_T @ A.z)  # R^T A R: the acceleration matrix in the user's axes
        for k, body in enumerate(unit_bodies(arith)):
            w = body.inertia_wrench(A, a)
            force = frame.R @ w.force
            w = Wrench(frame.R @ w.moment + frame.o.cross(force), force)
            i, column = number - 1, COUNT * rank + k
            Y[i][column] = model.links[i].joint.p.dot(w)
            for child, j in model.inward(i):
                w = B[child].T @ w
                Y[j][column] = model.links[j].joint.p.dot(w)
    return Y
