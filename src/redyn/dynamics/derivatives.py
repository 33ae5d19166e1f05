"""Derivatives of the dynamics by q (in the tangent space) and by qd, by a recursion over pairs of joints.

The method is that of Singh, Russo and Wensing (2022), derived here from particles at joint origins, so that no linear
velocity enters. Let a joint with axis e and direction of sliding s carry a particle at rho from its origin, which has
the acceleration a, and the velocity u relative to that origin. Displacing the joint takes along all motion relative to
the link below, whose angular velocity and acceleration matrix are omega and A, and so

    da/dq  = e x a + psi_ddot x rho + 2 psi_dot x u + c,     psi_dot = omega x e,  psi_ddot = A e,
    da/dqd = 2 (psi_dot x rho + e x u + omega x s).

c = A s - e x a_c is the same for all particles; a_c is the acceleration of the point of the link below that is at the
joint's origin. The term e x a turns the wrench with the body. Integrated over all that a joint carries, the others need
its composite mass matrix M_tilde and the moments of 2 u, which K holds. The resulting wrenches are carried to the
joints below, and so are the rows p^T M_tilde and p^T K, which meet the motions of those joints.

Everything at a joint is in axes that are fixed to the link below, z along the joint: what is carried from joint to
joint is turned once less than it would be in link axes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar, cast

from redyn.algebra import (
    Arithmetic,
    ConvectiveMatrix,
    MassMatrix,
    Mat3,
    Propagation,
    Rotation,
    Scalar,
    Stacking,
    Twist,
    Vec3,
    Wrench,
    outer,
)
from redyn.arithmetic.duals import Duals
from redyn.dynamics import elimination
from redyn.dynamics.contact import Ground, generalized_forces
from redyn.dynamics.forward import generalized_force
from redyn.dynamics.inertia import mass_matrix
from redyn.dynamics.inverse import LinkState, inverse_dynamics, link_states
from redyn.dynamics.kinematics import coordinate_rates, propagations, twists, zero_vector
from redyn.dynamics.passive import passive_slopes, passive_torque
from redyn.model import Model

Rows = list[list[Scalar]]


# --- joints and what they carry -----------------------------------------------------------------------------------


@dataclass(slots=True)
class JointMotion:
    """A joint with all its velocities, in axes of its own that are fixed to the link below."""

    numbers: list[int]  # of its velocities
    parent: int  # the joint below; -1 where that is the world
    link: int  # the link below, and
    body: int  # the link above, as the book counts
    stem: Propagation  # from the axes of the link below to the joint's
    turn: Rotation | None  # from those to the axes of the link above, unless they are the same
    p: list[Twist]  # a motion vector per velocity
    omega: Vec3  # of the link below
    sum: Vec3  # of the angular velocities of the links below and above; where there is one velocity, 2 omega will do
    slip: Vec3  # the velocity of the joint's origin relative to the link below
    slide_rate: Vec3  # twice the rate of the stem's slide
    offset_rate: Vec3  # twice the rate of its offset, in the axes of the link below

    def axis_rates(self) -> list[Twist]:
        """For every velocity, what beside 2 e x u is in da/dqd: a part times rho and a part for all particles.

        The velocities of a joint that turns about a point are components in axes that turn with the link above.
        """
        found = [Twist(self.sum.cross(p.ang), self.sum.cross(p.lin)) for p in self.p]
        if len(self.p) > 1:
            for p, rate in zip(self.p, found, strict=True):
                rate.lin = rate.lin + p.ang.cross(self.slip)
        return found

    def axis_accelerations(self, below: LinkState) -> list[tuple[Twist, Vec3]]:
        """For every velocity, what beside e x a is in da/dq: psi_ddot and c; and psi_dot."""
        omega, t_dot = self.omega, self.stem.rate(below.t, below.t_dot, below.A)
        found: list[tuple[Twist, Vec3]] = []
        for p in self.p:
            psi_dot = omega.cross(p.ang)
            c = t_dot.ang.cross(p.lin) + omega.cross(omega.cross(p.lin)) - p.ang.cross(t_dot.lin)
            psi_ddot = t_dot.ang.cross(p.ang) + omega.cross(psi_dot)
            found.append((Twist(psi_ddot, c + psi_dot.cross(self.slip + self.slip)), psi_dot))
        return found


def joint_motions(
    model: Model, arith: Arithmetic, B: Sequence[Propagation], qd: Sequence[Scalar], t: Sequence[Twist]
) -> list[JointMotion]:
    """The joints from the base to the tips."""
    groups: list[list[int]] = []
    joint_of = [-1]
    for i, link in enumerate(model.links):
        if link.joint.continues:
            groups[-1].append(i)
        else:
            groups.append([i])
        joint_of.append(len(groups) - 1)
    return [_joint_motion(model, arith, B, qd, t, group, joint_of) for group in groups]


def _joint_motion(
    model: Model,
    arith: Arithmetic,
    B: Sequence[Propagation],
    qd: Sequence[Scalar],
    t: Sequence[Twist],
    group: list[int],
    joint_of: list[int],
) -> JointMotion:
    first, body = model.links[group[0]], group[-1] + 1
    stem, turn = B[group[0]], None
    if len(group) > 1:  # a joint that turns about a point: the axes of the link above, where the p_i are constant
        stem = Propagation(stem.offset, tuple(turn for i in group for turn in B[i].rotations))
    elif first.joint.kind != "prismatic":
        stem, turn = Propagation(stem.offset, stem.rotations[:-1], stem.slide), stem.rotations[-1]
    p: list[Twist] = []
    slip = zero_vector(arith)
    for place, i in enumerate(group):
        p_i = model.links[i].joint.p
        for after in group[place + 1 :]:
            p_i = Twist(B[after].to_child(p_i.ang), B[after].to_child(p_i.lin))
        p.append(p_i)
        slip = slip + p_i.lin * qd[i]
    below = t[first.parent].ang
    twice, omega = below + below, stem.to_child(below)
    slide_rate = slip if stem.slide is None else slip + omega.cross(stem.slide)
    return JointMotion(
        numbers=group,
        parent=joint_of[first.parent],
        link=first.parent,
        body=body,
        stem=stem,
        turn=turn,
        p=p,
        omega=omega,
        sum=omega + (omega if len(group) == 1 else t[body].ang),
        slip=slip,
        slide_rate=slide_rate + slide_rate,
        offset_rate=twice.cross(stem.offset),
    )


@dataclass(slots=True)
class Composite:
    """All that a joint carries: its mass matrix M_tilde, and Q and l, the integrals of 2 rho u^T and of 2 u."""

    M: MassMatrix
    Q: Mat3
    l: Vec3

    @staticmethod
    def of_rigid(M: MassMatrix, omega: Vec3) -> Composite:
        S, twice = M.S.full(), omega + omega
        return Composite(M, Mat3(twice.cross(S.x), twice.cross(S.y), twice.cross(S.z)), twice.cross(M.h))

    def __add__(self, other: Composite) -> Composite:
        return Composite(self.M + other.M, self.Q + other.Q, self.l + other.l)

    @property
    def K(self) -> ConvectiveMatrix:
        """Accelerations 2 x x u need the wrench K x: the moment tr(Q) x - Q^T x and the force x x l."""
        x, y, z = self.Q.x, self.Q.y, self.Q.z
        E = Mat3(
            Vec3(y.y + z.z, -y.x, -z.x),
            Vec3(-x.y, x.x + z.z, -z.y),
            Vec3(-x.z, -y.z, x.x + y.y),
        )
        return ConvectiveMatrix(E, -self.l)

    def turned(self, turn: Rotation) -> Composite:
        M = MassMatrix(self.M.m, turn.to_parent(self.M.h), turn.symmetric_to_parent(self.M.S))
        return Composite(M, turn.matrix_to_parent(self.Q), turn.to_parent(self.l))

    def moved(self, offset: Vec3 | None, rate: Vec3) -> Composite:
        """About an origin from which the present one is seen at `offset`, which changes at `rate` / 2."""
        M = self.M if offset is None else self.M.moved(offset)
        Q = self.Q + outer(M.h, rate)
        return Composite(M, Q if offset is None else Q + outer(offset, self.l), self.l + rate * M.m)

    def to_link_below(self, joint: JointMotion) -> Composite:
        body = self.moved(joint.stem.slide, joint.slide_rate)
        for turn in reversed(joint.stem.rotations):
            body = body.turned(turn)
        return body.moved(joint.stem.offset, joint.offset_rate)


def composites(model: Model, joints: Sequence[JointMotion], t: Sequence[Twist]) -> list[Composite]:
    """What every joint carries, in its axes."""
    found = [Composite.of_rigid(model.links[joint.body - 1].M, t[joint.body].ang) for joint in joints]
    for k in reversed(range(len(joints))):
        joint = joints[k]
        if joint.turn is not None:
            found[k] = found[k].turned(joint.turn)
        if joint.parent >= 0:
            found[joint.parent] = found[joint.parent] + found[k].to_link_below(joint)
    return found


def transmitted(model: Model, joints: Sequence[JointMotion], moving: Sequence[LinkState]) -> list[Wrench]:
    """The wrench that every joint transmits, in its axes."""
    found: list[Wrench] = []
    for joint in joints:
        motion = moving[joint.body]
        found.append(model.links[joint.body - 1].M.inertia_wrench(motion.A, motion.t_dot.lin))
    for k in reversed(range(len(joints))):
        joint = joints[k]
        found[k] = _turned(found[k], joint.turn)
        if joint.parent >= 0:
            found[joint.parent] = found[joint.parent] + joint.stem.T @ found[k]
    return found


def _turned(w: Wrench, turn: Rotation | None) -> Wrench:
    return w if turn is None else Wrench(turn.to_parent(w.moment), turn.to_parent(w.force))


# --- what is carried from joint to joint --------------------------------------------------------------------------


@dataclass(slots=True)
class Row:
    """p^T M_tilde and the angular half of p^T K of a velocity, at a joint below."""

    M: Wrench
    K: Vec3

    def vectors(self) -> tuple[Vec3, ...]:
        return self.M.moment, self.M.force, self.K

    @staticmethod
    def of(vectors: Sequence[Vec3]) -> Row:
        moment, force, K = vectors
        return Row(Wrench(moment, force), K)

    def carried(self, joint: JointMotion, turn: Rotation | None) -> Row:
        """From `joint` to the one below, which turns the link between them by `turn`."""
        M = joint.stem.T @ self.M
        K = joint.stem.to_parent(self.K + joint.slide_rate.cross(self.M.force)) + joint.offset_rate.cross(M.force)
        return Row(_turned(M, turn), K if turn is None else turn.to_parent(K))


@dataclass(slots=True)
class Effect:
    """The wrench that changing a velocity, or what it is the rate of, asks of a joint below."""

    w: Wrench

    def vectors(self) -> tuple[Vec3, ...]:
        return self.w.moment, self.w.force

    @staticmethod
    def of(vectors: Sequence[Vec3]) -> Effect:
        return Effect(Wrench(*vectors))

    def carried(self, joint: JointMotion, turn: Rotation | None) -> Effect:
        return Effect(_turned(joint.stem.T @ self.w, turn))


Item = TypeVar("Item", Row, Effect)
Parts = list[tuple[list[int], Item]]  # with the numbers of the velocities to which each belongs: one, or a stack


def inward(arith: Arithmetic, joints: Sequence[JointMotion], own: Sequence[Sequence[Item]]) -> list[Parts[Item]]:
    """For every joint, what belongs to the velocities of the joints above, carried to this one."""
    arrived: list[Parts[Item]] = [[] for _ in joints]
    for joint, items, others in reversed(list(zip(joints, own, arrived, strict=True))):
        if joint.parent >= 0:
            turn = joints[joint.parent].turn
            parts: Parts[Item] = [([i], item) for i, item in zip(joint.numbers, items, strict=True)] + others
            arrived[joint.parent] += [(numbers, item.carried(joint, turn)) for numbers, item in _stacked(arith, parts)]
    return arrived


def _stacked(arith: Arithmetic, parts: Parts[Item]) -> Parts[Item]:
    """The same as one part, where the arithmetic can work on many numbers at once."""
    if not isinstance(arith, Stacking):
        return parts
    stacks = [
        Vec3(*(arith.stack(values) for values in zip(*(v.components() for v in vectors), strict=True)))
        for vectors in zip(*(item.vectors() for _, item in parts), strict=True)
    ]
    return [([i for numbers, _ in parts for i in numbers], parts[0][1].of(stacks))]


def _entries(arith: Arithmetic, numbers: list[int], value: Scalar) -> Iterable[tuple[int, Scalar]]:
    """The numbers of velocities, each with its own part of a value."""
    values = cast("Sequence[Scalar]", value) if isinstance(arith, Stacking) else (value,)
    return zip(numbers, values, strict=True)


@dataclass(slots=True)
class ByRates:
    """The mass matrix without armature and dtau/dqd without friction, and the rows that both are made of."""

    M: Rows
    by_qd: Rows
    rows: list[Parts[Row]]


def by_rates(model: Model, arith: Arithmetic, joints: Sequence[JointMotion], bodies: Sequence[Composite]) -> ByRates:
    M, by_qd = _square(model, arith), _square(model, arith)
    rates = [joint.axis_rates() for joint in joints]
    own_rows: list[list[Row]] = []
    own_effects: list[list[Effect]] = []
    for joint, body, own_rates in zip(joints, bodies, rates, strict=True):
        K = body.K
        own_rows.append([Row(body.M @ p, K.transpose_apply(p)) for p in joint.p])
        own_effects.append([Effect(body.M @ rate + K @ p) for p, rate in zip(joint.p, own_rates, strict=True)])
        for i, row, effect in zip(joint.numbers, own_rows[-1], own_effects[-1], strict=True):
            for j, p in zip(joint.numbers, joint.p, strict=True):
                M[j][i], by_qd[j][i] = p.dot(row.M), p.dot(effect.w)
    rows, effects = inward(arith, joints, own_rows), inward(arith, joints, own_effects)
    for k, joint in enumerate(joints):
        for j, p, rate in zip(joint.numbers, joint.p, rates[k], strict=True):
            for numbers, row in rows[k]:
                for i, entry in _entries(arith, numbers, p.dot(row.M)):
                    M[i][j] = M[j][i] = entry
                for i, entry in _entries(arith, numbers, rate.dot(row.M) + p.ang.dot(row.K)):
                    by_qd[i][j] = entry
            for numbers, effect in effects[k]:
                for i, entry in _entries(arith, numbers, p.dot(effect.w)):
                    by_qd[j][i] = entry
    return ByRates(M, by_qd, rows)


def _square(model: Model, arith: Arithmetic) -> Rows:
    return [[arith.const(0.0)] * model.n for _ in range(model.n)]


def by_coordinates(
    model: Model,
    arith: Arithmetic,
    joints: Sequence[JointMotion],
    bodies: Sequence[Composite],
    rows: Sequence[Parts[Row]],
    moving: Sequence[LinkState],
) -> Rows:
    """dtau/dq in the tangent space."""
    by_q, zero = _square(model, arith), zero_vector(arith)
    accelerations = [joint.axis_accelerations(moving[joint.link]) for joint in joints]
    own: list[list[Effect]] = []
    for joint, body, W, changes in zip(joints, bodies, transmitted(model, joints, moving), accelerations, strict=True):
        K = body.K
        own.append([])
        for i, p, (change, psi_dot) in zip(joint.numbers, joint.p, changes, strict=True):
            w = body.M @ change + K @ Twist(psi_dot, zero)
            for j, p_j in zip(joint.numbers, joint.p, strict=True):  # p_j turns with the wrench
                by_q[j][i] = p_j.dot(w)
            turned = Wrench(p.ang.cross(W.moment) + p.lin.cross(W.force), p.ang.cross(W.force))
            own[-1].append(Effect(w + turned))
    effects = inward(arith, joints, own)
    for k, joint in enumerate(joints):
        for j, p, (change, psi_dot) in zip(joint.numbers, joint.p, accelerations[k], strict=True):
            for numbers, row in rows[k]:
                for i, entry in _entries(arith, numbers, change.dot(row.M) + psi_dot.dot(row.K)):
                    by_q[i][j] = entry
            for numbers, effect in effects[k]:
                for i, entry in _entries(arith, numbers, p.dot(effect.w)):
                    by_q[j][i] = entry
    return by_q


# --- the derivatives ----------------------------------------------------------------------------------------------


def inverse_dynamics_derivatives(
    model: Model,
    arith: Arithmetic,
    q: Sequence[Scalar],
    qd: Sequence[Scalar],
    qdd: Sequence[Scalar],
    ground: Ground | None = None,
) -> tuple[Rows, Rows]:
    """dtau/dq in the tangent space, and dtau/dqd."""
    if model.flexible:
        return _flexible_slopes(model, arith, q, qd, qdd, ground)
    B = propagations(model, arith, q)
    moving = link_states(model, arith, B, qd, qdd, -model.gravity)
    t = [motion.t for motion in moving]
    joints = joint_motions(model, arith, B, qd, t)
    bodies = composites(model, joints, t)
    found = by_rates(model, arith, joints, bodies)
    by_q = by_coordinates(model, arith, joints, bodies, found.rows, moving)
    _add_passive_slopes(model, arith, qd, by_q, found.by_qd)
    if ground is not None:
        _less(by_q, found.by_qd, ground_slopes(model, arith, q, qd, ground)[1])
    return by_q, found.by_qd


def ground_slopes(
    model: Model, arith: Arithmetic, q: Sequence[Scalar], qd: Sequence[Scalar], ground: Ground
) -> tuple[list[Scalar], list[list[Scalar]]]:
    """The generalised forces of the ground and, for each, its derivatives by q (in the tangent space) and by qd.

    By dual numbers: only the motion of the links that touch, and the law, take part in them.
    """
    duals, places, rates = _varied(model, arith, q, qd)
    found = generalized_forces(model, duals, places, rates, ground)
    return [duals.value(x) for x in found], [duals.slopes(x, 2 * model.n) for x in found]


def _varied(
    model: Model, arith: Arithmetic, q: Sequence[Scalar], qd: Sequence[Scalar]
) -> tuple[Duals, list[Scalar], list[Scalar]]:
    """A state in dual numbers, with a direction for every change of q, in the tangent space, and then of qd."""
    duals, zero, one, n = Duals(arith), arith.const(0.0), arith.const(1.0), model.n
    along = [coordinate_rates(model, arith, q, [one if i == k else zero for i in range(n)]) for k in range(n)]
    still = [zero] * n
    places = [duals.variable(x, [*(column[c] for column in along), *still]) for c, x in enumerate(q)]
    rates = [duals.variable(x, [*still, *(one if k == c else zero for k in range(n))]) for c, x in enumerate(qd)]
    return duals, places, rates


def _flexible_slopes(
    model: Model,
    arith: Arithmetic,
    q: Sequence[Scalar],
    qd: Sequence[Scalar],
    qdd: Sequence[Scalar],
    ground: Ground | None,
) -> tuple[Rows, Rows]:
    """The same by dual numbers: where links bend, the inertia that joints carry changes with the modes as well."""
    duals, places, rates = _varied(model, arith, q, qd)
    found = inverse_dynamics(model, duals, places, rates, qdd, ground=ground)
    slopes, n = [duals.slopes(x, 2 * model.n) for x in found], model.n
    return [row[:n] for row in slopes], [row[n:] for row in slopes]


def _less(by_q: Rows, by_qd: Rows, slopes: Sequence[Sequence[Scalar]]) -> None:
    """Take what the ground supplies from the derivatives of the torques."""
    n = len(by_q)
    for i, row in enumerate(slopes):
        for k in range(n):
            by_q[i][k], by_qd[i][k] = by_q[i][k] - row[k], by_qd[i][k] - row[n + k]


def _add_passive_slopes(model: Model, arith: Arithmetic, qd: Sequence[Scalar], by_q: Rows, by_qd: Rows) -> None:
    for rows, slopes in zip((by_q, by_qd), passive_slopes(model, arith, qd), strict=True):
        for i, j, slope in slopes:
            rows[i][j] = rows[i][j] + slope


def forward_dynamics_derivatives(
    model: Model,
    arith: Arithmetic,
    q: Sequence[Scalar],
    qd: Sequence[Scalar],
    tau: Sequence[Scalar],
    ground: Ground | None = None,
) -> tuple[Rows, Rows, Rows]:
    """dqdd/dq = -M^-1 dtau/dq, dqdd/dqd = -M^-1 dtau/dqd and dqdd/dtau = M^-1, at the acceleration that tau gives.

    The rows of dtau/dqd give the mass matrix at no cost, and the torques of the rates, which are quadratic:
    h = dtau/dqd qd / 2. So one elimination in that matrix serves the acceleration and all derivatives.
    """
    carriers = [[j - 1 for j in model.path(link.parent)] for link in model.links]
    B = propagations(model, arith, q)
    if model.flexible:
        factors = *elimination.udu(mass_matrix(model, arith, q), carriers), carriers
        phi = generalized_force(model, arith, B, q, qd, tau, ground=ground)
        slopes = _flexible_slopes(model, arith, q, qd, elimination.solve(*factors, phi), ground)
        return *_solved(factors, *slopes), elimination.inverse(arith, *factors)
    t = twists(model, arith, B, qd)
    joints = joint_motions(model, arith, B, qd, t)
    bodies = composites(model, joints, t)
    found = by_rates(model, arith, joints, bodies)
    for i, link in enumerate(model.links):
        found.M[i][i] = found.M[i][i] + link.joint.armature
    factors = *elimination.udu(found.M, carriers), carriers

    phi: list[Scalar] = []
    pushed, slopes = ([], []) if ground is None else ground_slopes(model, arith, q, qd, ground)
    weights, passive = _weights(model, arith, joints, bodies), passive_torque(model, arith, q, qd)
    for i in range(model.n):
        h = arith.const(0.0)
        for rate, x in zip(found.by_qd[i], qd, strict=True):
            h = h + rate * x
        phi.append(tau[i] - weights[i] - h * arith.const(0.5) - passive[i])
    if pushed:
        phi = [a + b for a, b in zip(phi, pushed, strict=True)]
    qdd = elimination.solve(*factors, phi)

    moving = link_states(model, arith, B, qd, qdd, -model.gravity)
    by_q = by_coordinates(model, arith, joints, bodies, found.rows, moving)
    _add_passive_slopes(model, arith, qd, by_q, found.by_qd)
    _less(by_q, found.by_qd, slopes)
    return *_solved(factors, by_q, found.by_qd), elimination.inverse(arith, *factors)


def _solved(factors: tuple[Rows, list[Scalar], elimination.Carriers], by_q: Rows, by_qd: Rows) -> tuple[Rows, Rows]:
    """-M^-1 of both, M being given by its factors."""
    solved = (
        [elimination.solve(*factors, [-x for x in column]) for column in zip(*Y, strict=True)] for Y in (by_q, by_qd)
    )
    dq, dqd = ([list(row) for row in zip(*columns, strict=True)] for columns in solved)
    return dq, dqd


def _weights(
    model: Model, arith: Arithmetic, joints: Sequence[JointMotion], bodies: Sequence[Composite]
) -> list[Scalar]:
    """The gravity torques, from composite bodies."""
    found = [arith.const(0.0)] * model.n
    up = {0: -model.gravity}  # by the link in whose axes it is
    for joint, body in zip(joints, bodies, strict=True):
        here = joint.stem.to_child(up[joint.link])
        up[joint.body] = here if joint.turn is None else joint.turn.to_child(here)
        weight = body.M @ Twist(zero_vector(arith), here)
        for i, p in zip(joint.numbers, joint.p, strict=True):
            found[i] = p.dot(weight)
    return found
