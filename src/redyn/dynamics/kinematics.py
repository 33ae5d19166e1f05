"""How the links move: positions, twists and twist rates, from the base to the tips (9.32).

Twists are those of the joint origins in link axes; what leaves this module for a user is in world axes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from redyn.algebra import Arithmetic, Mat3, Pose, Propagation, Scalar, TurnBy, Twist, Vec3, acceleration_matrix
from redyn.model import POSE, QUATERNION, Frame, Link, Model, places


@dataclass(slots=True)
class Motion:
    """A link's twist t, its rate t_dot, and the acceleration matrix A that goes with them."""

    t: Twist
    t_dot: Twist
    A: Mat3
    before: Vec3 | None = None  # the angular velocity with which the user's joint is carried, in link axes


def zero_vector(arith: Arithmetic) -> Vec3:
    zero = arith.const(0.0)
    return Vec3(zero, zero, zero)


def at_rest(arith: Arithmetic, acceleration: Vec3) -> Motion:
    """The world: no twist, and the acceleration that stands for gravity (9.35)."""
    zero = zero_vector(arith)
    return Motion(Twist(zero, zero), Twist(zero, acceleration), Mat3(zero, zero, zero))


def propagations(model: Model, arith: Arithmetic, q: Sequence[Scalar]) -> list[Propagation]:
    """B_ij of every link i and its parent j."""
    result: list[Propagation] = []
    for link, start in zip(model.links, places(model.links), strict=True):
        result.append(link.joint.propagation(q[start : start + link.joint.coordinates], arith))
    return result


def coordinate_rates(model: Model, arith: Arithmetic, q: Sequence[Scalar], qd: Sequence[Scalar]) -> list[Scalar]:
    """q-dot = E(q) qd: qd itself but for quaternions, q * (omega, 0) / 2, and for the position of a free joint, R v."""
    half, rates = arith.const(0.5), list[Scalar]()
    for i, (link, start) in enumerate(zip(model.links, places(model.links), strict=True)):
        count = link.joint.coordinates
        if count == 1:
            rates.append(qd[i])
        if count > 1:
            x, y, z, w = q[start + count - QUATERNION : start + count]
            if count == POSE:
                rates += (TurnBy.of_quaternion(x, y, z, w).R @ Vec3(*qd[i + 3 : i + 6])).components()
            a, b, c = (rate * half for rate in qd[i : i + 3])
            rates += [w * a + y * c - z * b, w * b + z * a - x * c, w * c + x * b - y * a, -(x * a + y * b + z * c)]
    return rates


def twist_step(link: Link, B_ij: Propagation, t_j: Twist, qd_i: Scalar) -> Twist:
    return B_ij @ t_j + link.joint.p * qd_i  # (9.32)


def motion_step(link: Link, B_ij: Propagation, parent: Motion, qd_i: Scalar, qdd_i: Scalar) -> Motion:
    """The motion of link i, given its parent's.

    The last term gathers Omega_i p_i qd_i and, for a prismatic joint, the equal term that the book's d_dot lacks:
    hence the factor 2 of a Coriolis acceleration. Velocities of a joint that turns about a point are components in the
    turning axes: of the first term the rates of those components are a part already, of the second they are not.
    """
    p, follows = link.joint.p, link.joint.follows
    t_i = twist_step(link, B_ij, parent.t, qd_i)
    before = B_ij.to_child(parent.before if follows and parent.before is not None else parent.t.ang)
    slip = (t_i.ang + before).cross(p.lin * qd_i) if follows else before.cross(p.lin * (qd_i + qd_i))
    joint_rate = Twist(before.cross(p.ang * qd_i), slip)
    t_dot_i = B_ij.rate(parent.t, parent.t_dot, parent.A) + p * qdd_i + joint_rate  # (9.32)
    return Motion(t_i, t_dot_i, acceleration_matrix(t_i.ang, t_dot_i.ang), before)


def motions(
    model: Model,
    arith: Arithmetic,
    B: Sequence[Propagation],
    qd: Sequence[Scalar],
    qdd: Sequence[Scalar],
    acceleration: Vec3,
) -> list[Motion]:
    """The motion of every link, the world accelerating as given; entry 0 is the world's."""
    result = [at_rest(arith, acceleration)]
    for link, B_ij, qd_i, qdd_i in zip(model.links, B, qd, qdd, strict=True):
        result.append(motion_step(link, B_ij, result[link.parent], qd_i, qdd_i))
    return result


def twists(model: Model, arith: Arithmetic, B: Sequence[Propagation], qd: Sequence[Scalar]) -> list[Twist]:
    """The twist of every link; entry 0 is the world's."""
    zero = zero_vector(arith)
    t = [Twist(zero, zero)]
    for link, B_ij, qd_i in zip(model.links, B, qd, strict=True):
        t.append(twist_step(link, B_ij, t[link.parent], qd_i))
    return t


def poses(model: Model, arith: Arithmetic, B: Sequence[Propagation]) -> list[Pose]:
    """The pose of every link's axes in the world; entry 0 is the world itself."""
    zero, one = arith.const(0.0), arith.const(1.0)
    world = Mat3(Vec3(one, zero, zero), Vec3(zero, one, zero), Vec3(zero, zero, one))
    placed = [Pose(world, Vec3(zero, zero, zero))]
    for link, B_ij in zip(model.links, B, strict=True):
        placed.append(B_ij.place(placed[link.parent]))
    return placed


def forward_kinematics(model: Model, arith: Arithmetic, q: Sequence[Scalar], frame: Frame) -> list[list[Scalar]]:
    """The 4x4 matrix that takes coordinates in `frame` to the world's."""
    pose = poses(model, arith, propagations(model, arith, q))[frame.link] @ frame.pose
    zero, one = arith.const(0.0), arith.const(1.0)
    rows = [[*row.components(), o] for row, o in zip((pose.R.x, pose.R.y, pose.R.z), pose.o.components(), strict=True)]
    return [*rows, [zero, zero, zero, one]]


def ancestors(model: Model, link: int) -> list[int]:
    """The link itself and those that carry it, down to the first above the world."""
    path: list[int] = []
    while link > 0:
        path.append(link)
        link = model.links[link - 1].parent
    return path


def body_of(model: Model) -> list[int]:
    """For every link, the one at the end of its joint, to which its p_i is fixed; entry 0 is the world."""
    found = list(range(model.n + 1))
    for i in reversed(range(1, model.n)):
        if model.links[i].joint.follows:
            found[i] = found[i + 1]
    return found


def _six_rows(columns: dict[int, Twist], dof: int, zero: Scalar) -> list[list[Scalar]]:
    """Columns of links 1..dof, zero where a joint does not move the frame, as six rows."""
    full = [columns[i].components() if i in columns else (zero,) * 6 for i in range(1, dof + 1)]
    return [[column[row] for column in full] for row in range(6)]


def jacobian(model: Model, arith: Arithmetic, q: Sequence[Scalar], frame: Frame) -> list[list[Scalar]]:
    """The 6 x dof matrix of the frame's twist at its origin, angular rows first, in world axes."""
    placed = poses(model, arith, propagations(model, arith, q))
    x = (placed[frame.link] @ frame.pose).o
    columns: dict[int, Twist] = {}
    for i in ancestors(model, frame.link):
        p = placed[i].twist_from(model.links[i - 1].joint.p)
        columns[i] = Twist(p.ang, p.lin + p.ang.cross(x - placed[i].o))
    return _six_rows(columns, model.n, arith.const(0.0))


def jacobian_rate(
    model: Model, arith: Arithmetic, q: Sequence[Scalar], qd: Sequence[Scalar], frame: Frame
) -> list[list[Scalar]]:
    """The time derivative of the Jacobian along the motion qd."""
    B = propagations(model, arith, q)
    placed, t = poses(model, arith, B), twists(model, arith, B, qd)
    world = [pose.twist_from(twist) for pose, twist in zip(placed, t, strict=True)]
    x = (placed[frame.link] @ frame.pose).o
    v = world[frame.link].lin + world[frame.link].ang.cross(x - placed[frame.link].o)
    columns: dict[int, Twist] = {}
    body = body_of(model)
    for i in ancestors(model, frame.link):
        p, carrier = placed[i].twist_from(model.links[i - 1].joint.p), world[body[i]]
        omega = carrier.ang
        e_dot = omega.cross(p.ang)
        lever_rate = e_dot.cross(x - placed[i].o) + p.ang.cross(v - carrier.lin)
        columns[i] = Twist(e_dot, omega.cross(p.lin) + lever_rate)
    return _six_rows(columns, model.n, arith.const(0.0))


@dataclass(slots=True)
class LinkMotion:
    """One link as seed 002 tabulates it, in world axes."""

    pose: Pose  # of the user's link frame
    twist: Twist  # at that frame's origin
    twist_rate: Twist
    force: Vec3  # m a of the mass centre: the dynamic force D_i
    moment: Vec3  # I omega_dot + omega x I omega about the mass centre: the dynamic moment Delta_i


def link_motion(
    model: Model, arith: Arithmetic, q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar]
) -> list[LinkMotion]:
    """Pose, twist, twist rate, inertia force and inertia moment of every link, gravity apart."""
    B = propagations(model, arith, q)
    placed = poses(model, arith, B)
    moving = motions(model, arith, B, qd, qdd, zero_vector(arith))
    result: list[LinkMotion] = []
    for i in model.bodies:
        link = model.links[i - 1]
        motion, frame, R = moving[i], model.frames[link.name].pose, placed[i].R
        w = link.M.inertia_wrench(motion.A, motion.t_dot.lin)
        velocity = motion.t.lin + motion.t.ang.cross(frame.o)
        result.append(
            LinkMotion(
                pose=placed[i] @ frame,
                twist=Twist(R @ motion.t.ang, R @ velocity),
                twist_rate=Twist(R @ motion.t_dot.ang, R @ (motion.t_dot.lin + motion.A @ frame.o)),
                force=R @ w.force,
                moment=R @ (w.moment - link.com.cross(w.force)),
            )
        )
    return result
