"""The robot as a whole, about its mass centre: momentum, its rate, the matrix behind it and the locked inertia.

World axes, angular components first (Orin, Goswami and Lee 2013). Rotors count by their armature alone, which has no
share in a momentum of the whole.
"""

from __future__ import annotations

from collections.abc import Sequence

from redyn.algebra import Arithmetic, Scalar, Wrench
from redyn.arithmetic.duals import Duals
from redyn.dynamics.beams import Bent
from redyn.dynamics.energy import com, momentum
from redyn.dynamics.inertia import composite_masses
from redyn.dynamics.kinematics import coordinate_rates, motion_vectors, poses, propagations
from redyn.model import Model

Rows = list[list[Scalar]]


def centroidal_momentum(model: Model, arith: Arithmetic, q: Sequence[Scalar], qd: Sequence[Scalar]) -> Wrench:
    """Angular momentum about the mass centre and linear momentum."""
    whole = momentum(model, arith, q, qd)
    return Wrench(whole.moment - com(model, arith, q).cross(whole.force), whole.force)


def centroidal_momentum_rate(
    model: Model, arith: Arithmetic, q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar]
) -> list[Scalar]:
    """The derivative of the momentum along the motion: the moment and the force of all that acts from outside."""
    duals = Duals(arith)
    rates = coordinate_rates(model, arith, q, qd)
    moving = [duals.variable(x, [rate]) for x, rate in zip(q, rates, strict=True)]
    faster = [duals.variable(x, [rate]) for x, rate in zip(qd, qdd, strict=True)]
    return [duals.slopes(x, 1)[0] for x in centroidal_momentum(model, duals, moving, faster).components()]


def centroidal_momentum_matrix(model: Model, arith: Arithmetic, q: Sequence[Scalar]) -> Rows:
    """A_G, 6 x dof: a column is the momentum at a unit rate, of the composite body that the joint moves."""
    B = propagations(model, arith, q)
    placed, p, M_tilde = poses(model, arith, B), motion_vectors(model, B), composite_masses(model, B)
    centre = com(model, arith, q)
    columns: Rows = []
    for row in model.steps:
        B_ij = B[row[0]]
        for k, i in enumerate(row):
            w, pose = M_tilde[i] @ p[i], placed[i + 1]
            if isinstance(B_ij, Bent):  # the beam itself moves as well
                w, pose = B_ij.T @ w + B_ij.C[k], placed[model.links[row[0]].parent]
            force = pose.R @ w.force
            moment = pose.R @ w.moment + (pose.o - centre).cross(force)
            columns.append([*moment.components(), *force.components()])
    return [list(entries) for entries in zip(*columns, strict=True)] if columns else [[] for _ in range(6)]


def centroidal_inertia(model: Model, arith: Arithmetic, q: Sequence[Scalar]) -> Rows:
    """The rotational inertia about the mass centre with all joints locked, 3 x 3."""
    B = propagations(model, arith, q)
    M_tilde = composite_masses(model, B)
    total = None
    for i in (row[0] for row in model.steps if not model.links[row[0]].parent):
        B_ij = B[i]
        own = M_tilde[i].to_parent(B_ij)
        own = own + B_ij.M if isinstance(B_ij, Bent) else own
        total = own if total is None else total + own
    if total is None:
        return [[arith.const(0.0)] * 3 for _ in range(3)]
    I = total.moved(-com(model, arith, q)).S.map_trace()
    return [[I.xx, I.xy, I.xz], [I.xy, I.yy, I.yz], [I.xz, I.yz, I.zz]]
