"""The recursions by name, as they are evaluated, traced and counted: what each takes and what it returns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from redyn.algebra import Arithmetic, Scalar, Vec3
from redyn.dynamics import convective, energy, forward, friction, inertia, inverse, kinematics
from redyn.dynamics.inverse import External
from redyn.dynamics.regressor import regressor
from redyn.model import Frame, Model

Columns = Sequence[Sequence[Scalar]]
Outputs = list[list[Scalar]]
Shape = tuple[int, ...]


@dataclass
class World:
    """What a call may set beside the state: gravity, wrenches from outside, the frame that is asked about."""

    gravity: Vec3 | None = None
    external: External = ()
    frame: Frame | None = None


@dataclass(frozen=True)
class Algorithm:
    """A recursion with the state vectors that it takes and the shapes of what it returns, flat and row by row."""

    name: str
    state: tuple[str, ...]
    shapes: Callable[[Model], tuple[Shape, ...]]
    run: Callable[[Model, Arithmetic, Columns, World], Outputs]
    world: frozenset[str] = field(default_factory=frozenset[str])  # of gravity, external, payload, frame
    regroup: bool = False  # whether regrouped inertial parameters give the same result
    divides: bool = False  # by joint inertias, so that a joint without any makes it fail
    per_pair: int = 0  # operations for every link and link that carries it, about; 0 where a few per link are all


def flat(rows: Sequence[Sequence[Scalar]]) -> list[Scalar]:
    return [entry for row in rows for entry in row]


def _link_motion(model: Model, arith: Arithmetic, s: Columns) -> Outputs:
    motions = kinematics.link_motion(model, arith, *s)
    zero, one = arith.const(0.0), arith.const(1.0)
    poses: list[Scalar] = []
    for m in motions:
        R, o = m.pose.R, m.pose.o
        poses += [*R.x.components(), o.x, *R.y.components(), o.y, *R.z.components(), o.z, zero, zero, zero, one]
    return [
        poses,
        flat([m.twist.components() for m in motions]),
        flat([m.twist_rate.components() for m in motions]),
        flat([m.force.components() for m in motions]),
        flat([m.moment.components() for m in motions]),
    ]


def _udu(model: Model, arith: Arithmetic, s: Columns) -> Outputs:
    U, D = forward.udu(model, arith, *s)
    return [flat(U), D]


def _frame(w: World) -> Frame:
    assert w.frame is not None
    return w.frame


def _vector(m: Model) -> tuple[Shape, ...]:
    return ((m.dof,),)


def _square(m: Model) -> tuple[Shape, ...]:
    return ((m.dof, m.dof),)


def _columns(m: Model) -> tuple[Shape, ...]:
    return ((6, m.dof),)


def _fixed(*shapes: Shape) -> Callable[[Model], tuple[Shape, ...]]:
    return lambda m: shapes


def _per_body(*shapes: Shape) -> Callable[[Model], tuple[Shape, ...]]:
    return lambda m: tuple((len(m.bodies), *shape) for shape in shapes)


_ALL = frozenset({"gravity", "external", "payload"})
_GRAVITY, _FRAME, _PUSHED = frozenset({"gravity"}), frozenset({"frame"}), frozenset({"gravity", "external"})
_q, _v, _a = ("q",), ("q", "qd"), ("q", "qd", "qdd")


def _forces(w: World) -> dict[str, Any]:
    return {"gravity": w.gravity, "external": w.external}


def _wrenches(model: Model, arith: Arithmetic, s: Columns, w: World) -> list[Scalar]:
    q, qd, qdd = s
    wrenches = inverse.user_joint_wrenches(model, arith, q, qd, qdd, gravity=w.gravity, external=w.external)
    return flat([wrench.components() for wrench in wrenches])


def _entries() -> list[Algorithm]:
    regroup: dict[str, Any] = {"regroup": True}
    solving: dict[str, Any] = {"regroup": True, "divides": True}
    t = ("q", "qd", "tau")
    e, f, g, i, k = energy, forward, inertia, inverse, kinematics
    c = convective.coriolis_matrix
    cholesky = g.cholesky_forward_dynamics
    motions = ((4, 4), (6,), (6,), (3,), (3,))
    return [
        Algorithm("inverse_dynamics", _a, _vector, lambda m, a, s, w: [i.inverse_dynamics(m, a, *s, **_forces(w))], _ALL, **regroup),
        Algorithm("forward_dynamics", t, _vector, lambda m, a, s, w: [f.forward_dynamics(m, a, *s, **_forces(w))], _ALL, **solving),
        Algorithm("forward_dynamics_cholesky", t, _vector, lambda m, a, s, w: [cholesky(m, a, *s, **_forces(w))], _ALL, **solving),
        Algorithm("solve", ("q", "phi"), _vector, lambda m, a, s, w: [f.solve(m, a, *s)], **solving),
        Algorithm("mass_matrix", _q, _square, lambda m, a, s, w: [flat(g.mass_matrix(m, a, *s))], **regroup, per_pair=32),
        Algorithm("inverse_mass_matrix", _q, _square, lambda m, a, s, w: [flat(f.inverse_mass_matrix(m, a, *s))], **solving, per_pair=85),
        Algorithm("udu", _q, lambda m: ((m.dof, m.dof), (m.dof,)), lambda m, a, s, w: _udu(m, a, s), **solving, per_pair=40),
        Algorithm("coriolis_matrix_mci", _v, _square, lambda m, a, s, w: [flat(c(m, a, *s, form="mci"))], per_pair=96),
        Algorithm("coriolis_matrix_christoffel", _v, _square, lambda m, a, s, w: [flat(c(m, a, *s, form="christoffel"))], **regroup, per_pair=96),
        Algorithm("coriolis_vector", _v, _vector, lambda m, a, s, w: [i.coriolis_vector(m, a, *s)], **regroup),
        Algorithm("gravity_torque", _q, _vector, lambda m, a, s, w: [i.gravity_torque(m, a, *s, gravity=w.gravity)], _GRAVITY, **regroup),
        Algorithm("friction_torque", ("qd",), _vector, lambda m, a, s, w: [friction.friction_torque(m, a, *s)]),
        Algorithm("kinetic_energy", _v, _fixed(()), lambda m, a, s, w: [[e.kinetic_energy(m, a, *s)]]),
        Algorithm("potential_energy", _q, _fixed(()), lambda m, a, s, w: [[e.potential_energy(m, a, *s, gravity=w.gravity)]], _GRAVITY),
        Algorithm("com", _q, _fixed((3,)), lambda m, a, s, w: [list(e.com(m, a, *s).components())]),
        Algorithm("momentum", _v, _fixed((6,)), lambda m, a, s, w: [list(e.momentum(m, a, *s).components())]),
        Algorithm("coordinate_rates", _v, lambda m: ((m.nq,),), lambda m, a, s, w: [k.coordinate_rates(m, a, *s)]),
        Algorithm("forward_kinematics", _q, _fixed((4, 4)), lambda m, a, s, w: [flat(k.forward_kinematics(m, a, *s, frame=_frame(w)))], _FRAME),
        Algorithm("jacobian", _q, _columns, lambda m, a, s, w: [flat(k.jacobian(m, a, *s, frame=_frame(w)))], _FRAME),
        Algorithm("jacobian_rate", _v, _columns, lambda m, a, s, w: [flat(k.jacobian_rate(m, a, *s, frame=_frame(w)))], _FRAME),
        Algorithm("link_motion", _a, _per_body(*motions), lambda m, a, s, w: _link_motion(m, a, s)),
        Algorithm("joint_wrenches", _a, _per_body((6,)), lambda m, a, s, w: [_wrenches(m, a, s, w)], _PUSHED),
        Algorithm("regressor", _a, lambda m: ((m.dof, 10 * len(m.bodies)),), lambda m, a, s, w: [flat(regressor(m, a, *s, gravity=w.gravity))], _GRAVITY, per_pair=195),
    ]  # fmt: skip


ALGORITHMS = {algorithm.name: algorithm for algorithm in _entries()}
