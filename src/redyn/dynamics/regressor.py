"""The torques are linear in the inertial parameters: tau = Y(q, qd, qdd) pi (Lagrange slides, last example).

Ten parameters per moving link, about the origin of the user's link frame and in its axes:
m, mc (3), Ixx, Ixy, Iyy, Ixz, Iyz, Izz.
"""

from __future__ import annotations

from collections.abc import Sequence

from redyn.algebra import Arithmetic, MassMatrix, Mat3, Scalar, Sym3, Vec3, Wrench
from redyn.dynamics.kinematics import motions, propagations
from redyn.model import Model

COUNT = 10


def unit_bodies(arith: Arithmetic) -> list[MassMatrix]:
    """One body per parameter: that parameter 1, the others 0. Ixx = 1 alone is S = diag(-1/2, 1/2, 1/2), and so on."""
    o, one, half = arith.const(0.0), arith.const(1.0), arith.const(0.5)
    none = Vec3(o, o, o)
    empty = Sym3(o, o, o, o, o, o)
    return [
        MassMatrix(one, none, empty),
        MassMatrix(o, Vec3(one, o, o), empty),
        MassMatrix(o, Vec3(o, one, o), empty),
        MassMatrix(o, Vec3(o, o, one), empty),
        MassMatrix(o, none, Sym3(-half, o, o, half, o, half)),
        MassMatrix(o, none, Sym3(o, -one, o, o, o, o)),
        MassMatrix(o, none, Sym3(half, o, o, -half, o, half)),
        MassMatrix(o, none, Sym3(o, o, -one, o, o, o)),
        MassMatrix(o, none, Sym3(o, o, o, o, -one, o)),
        MassMatrix(o, none, Sym3(half, o, o, half, o, -half)),
    ]


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
    moving = motions(model, arith, B, qd, qdd, -(model.gravity if gravity is None else gravity))
    bodies = model.bodies
    Y = [[arith.const(0.0)] * (COUNT * len(bodies)) for _ in range(model.n)]
    for place, number in enumerate(bodies):
        frame, motion = model.frames[model.links[number - 1].name].pose, moving[number]
        R_T = frame.R.T
        a = R_T @ (motion.t_dot.lin + motion.A @ frame.o)
        A = Mat3(R_T @ motion.A.T.x, R_T @ motion.A.T.y, R_T @ motion.A.T.z).T
        A = Mat3(R_T @ A.x, R_T @ A.y, R_T @ A.z)  # R^T A R: the acceleration matrix in the user's axes
        for k, body in enumerate(unit_bodies(arith)):
            w = body.inertia_wrench(A, a)
            force = frame.R @ w.force
            w = Wrench(frame.R @ w.moment + frame.o.cross(force), force)
            j, column = number - 1, COUNT * place + k
            Y[j][column] = model.links[j].joint.p.dot(w)
            while model.links[j].parent:
                w = B[j].T @ w
                j = model.links[j].parent - 1
                Y[j][column] = model.links[j].joint.p.dot(w)
    return Y
