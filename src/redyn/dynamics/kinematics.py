"""Where the links are and how they move: poses, twists and Jacobians, from the base to the tips.

Twists are those of the joint origins in link axes; what leaves this module for a user is in world axes.
"""

from __future__ import annotations

from collections.abc import Sequence

from redyn.algebra import Arithmetic, Mat3, Pose, Propagation, Scalar, Twist, Vec3
from redyn.arithmetic.duals import Duals
from redyn.dynamics.beams import Bent, bent
from redyn.model import Frame, Model


def zero_vector(arith: Arithmetic) -> Vec3:
    zero = arith.const(0.0)
    return Vec3(zero, zero, zero)


def propagations(model: Model, arith: Arithmetic, q: Sequence[Scalar]) -> list[Propagation]:
    """B_ij of every link i and its parent j; of a beam the first of its row has all of it."""
    still = Propagation(zero_vector(arith), ())
    found: list[Propagation] = []
    own = model.split(q)
    for row in model.steps:
        link = model.links[row[0]]
        if link.beam is None:
            found.append(link.joint.propagation(own[row[0]], arith))
        else:
            found += [bent(link.beam, [own[k][0] for k in row], arith), *[still] * (len(row) - 1)]
    return found


def motion_vectors(model: Model, B: Sequence[Propagation]) -> list[Twist]:
    """p_i of every link: constant, but for those of modes."""
    found: list[Twist] = []
    for i in (row[0] for row in model.steps):
        B_ij = B[i]
        found += B_ij.p if isinstance(B_ij, Bent) else [model.links[i].joint.p]
    return found


def coordinate_rates(model: Model, arith: Arithmetic, q: Sequence[Scalar], qd: Sequence[Scalar]) -> list[Scalar]:
    """q_dot = E(q) qd: qd itself but for joints that turn about a point."""
    joints = enumerate(zip(model.links, model.split(q), strict=True))
    return [rate for i, (link, q_i) in joints for rate in link.joint.coordinate_rates(q_i, qd[i : i + 6], arith)]


def coordinate_accelerations(
    model: Model, arith: Arithmetic, q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar]
) -> list[Scalar]:
    """The derivative of q_dot = E(q) qd along the motion."""
    duals = Duals(arith)
    rates = coordinate_rates(model, arith, q, qd)
    moving = [duals.variable(x, [rate]) for x, rate in zip(q, rates, strict=True)]
    faster = [duals.variable(x, [rate]) for x, rate in zip(qd, qdd, strict=True)]
    return [duals.slopes(x, 1)[0] for x in coordinate_rates(model, duals, moving, faster)]


def twists(model: Model, arith: Arithmetic, B: Sequence[Propagation], qd: Sequence[Scalar]) -> list[Twist]:
    """The twist of every link; entry 0 is the world's."""
    zero = zero_vector(arith)
    t = [Twist(zero, zero)]
    for link, B_ij, p_i, qd_i in zip(model.links, B, motion_vectors(model, B), qd, strict=True):
        t.append(B_ij @ t[link.parent] + p_i * qd_i)  # (9.32)
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


def _six_rows(columns: dict[int, Twist], dof: int, zero: Scalar) -> list[list[Scalar]]:
    """Columns of links 1..dof, zero where a joint does not move the frame, as six rows."""
    full = [columns[i].components() if i in columns else (zero,) * 6 for i in range(1, dof + 1)]
    return [[column[row] for column in full] for row in range(6)]


def jacobian(model: Model, arith: Arithmetic, q: Sequence[Scalar], frame: Frame) -> list[list[Scalar]]:
    """The 6 x dof matrix of the frame's twist at its origin, angular rows first, in world axes."""
    B = propagations(model, arith, q)
    placed, motions = poses(model, arith, B), motion_vectors(model, B)
    x = (placed[frame.link] @ frame.pose).o
    columns: dict[int, Twist] = {}
    for i in model.path(frame.link):
        p = placed[i].twist_from(motions[i - 1])
        columns[i] = Twist(p.ang, p.lin + p.ang.cross(x - placed[i].o))
    return _six_rows(columns, model.n, arith.const(0.0))


def jacobian_rate(
    model: Model, arith: Arithmetic, q: Sequence[Scalar], qd: Sequence[Scalar], frame: Frame
) -> list[list[Scalar]]:
    """The time derivative of the Jacobian along the motion qd."""
    if model.flexible:
        return _jacobian_slopes(model, arith, q, qd, frame)
    B = propagations(model, arith, q)
    placed, t = poses(model, arith, B), twists(model, arith, B, qd)
    world = [pose.twist_from(twist) for pose, twist in zip(placed, t, strict=True)]
    x = (placed[frame.link] @ frame.pose).o
    v = world[frame.link].lin + world[frame.link].ang.cross(x - placed[frame.link].o)
    columns: dict[int, Twist] = {}
    fixed_to = model.fixed_to
    for i in model.path(frame.link):
        p, carrier = placed[i].twist_from(model.links[i - 1].joint.p), world[fixed_to[i]]
        omega = carrier.ang
        e_dot = omega.cross(p.ang)
        lever_rate = e_dot.cross(x - placed[i].o) + p.ang.cross(v - carrier.lin)
        columns[i] = Twist(e_dot, omega.cross(p.lin) + lever_rate)
    return _six_rows(columns, model.n, arith.const(0.0))


def _jacobian_slopes(
    model: Model, arith: Arithmetic, q: Sequence[Scalar], qd: Sequence[Scalar], frame: Frame
) -> list[list[Scalar]]:
    """The same by dual numbers, where motion vectors change with the bending of links."""
    duals = Duals(arith)
    rates = coordinate_rates(model, arith, q, qd)
    moving = [duals.variable(x, [rate]) for x, rate in zip(q, rates, strict=True)]
    return [[duals.slopes(x, 1)[0] for x in row] for row in jacobian(model, duals, moving, frame)]
