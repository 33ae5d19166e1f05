"""Contact with the ground: where contacts are, how they move, and the wrenches of the ground on links.

A sphere with centre c and radius R touches the ground at c - R n, n being the normal there. Its gap is the distance of
that point from the ground, negative inside. On a plane all of this is found in link axes: the normal and the height of
each link's origin are carried from the base to the tips, and no link needs its pose in the world. On a surface
z = h(x, y) the normal is taken below the centre and the gap is (z - h) / sqrt(1 + hx^2 + hy^2) - R, which is exact on
planes; elsewhere its error grows with the curvature of the ground times the square of the distance.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from redyn.algebra import Arithmetic, Mat3, Pose, Propagation, Scalar, Twist, Vec3, Wrench
from redyn.dynamics.kinematics import motion_vectors, poses, propagations, twists
from redyn.dynamics.laws.ground import drag, normal_force
from redyn.dynamics.surface import height_and_slopes
from redyn.model import Model
from redyn.model.ground import LAW, WRENCH, ContactPoint, GroundForm

MOTION = 9  # numbers of the motion of a contact: its centre, the velocity of that, the angular velocity


@dataclass(frozen=True)
class Ground:
    """A ground in whatever arithmetic: its form and its numbers."""

    form: GroundForm
    numbers: Sequence[Scalar]


@dataclass(slots=True)
class Touch:
    """A contact at one state, in the axes of its link."""

    point: ContactPoint
    gap: Scalar
    normal: Vec3
    at: Vec3  # where it touches
    velocity: Vec3  # of the body there
    force: Vec3  # of the ground on the body

    @property
    def wrench(self) -> Wrench:
        return Wrench(self.at.cross(self.force), self.force)


def touches(
    model: Model, arith: Arithmetic, B: Sequence[Propagation], qd: Sequence[Scalar], ground: Ground
) -> list[Touch]:
    """All contacts under the smooth law."""
    t = twists(model, arith, B, qd)
    if ground.form.kind == "surface":
        gaps = _over_surface(model, arith, B, ground)
    else:
        gaps = _over_plane(model, arith, B, ground)
    found: list[Touch] = []
    stiffness, dissipation, friction, slip = ground.numbers[:LAW]
    for point, (gap, n) in zip(model.contact_points, gaps, strict=True):
        twist, at = t[point.link], _vec(point.at, arith)
        if point.radius:
            at = at - n * arith.const(point.radius)
        v = twist.lin + twist.ang.cross(at)
        rate = n.dot(v)
        pressed = normal_force(gap, rate, stiffness, dissipation, arith.sqrt)
        braked = drag(pressed, v.dot(v) - rate * rate, friction, slip, arith.sqrt)
        force = n * (pressed + braked * rate) - v * braked
        found.append(Touch(point, gap, n, at, v, force))
    return found


def _over_plane(model: Model, arith: Arithmetic, B: Sequence[Propagation], ground: Ground) -> list[tuple[Scalar, Vec3]]:
    """Gap and normal of every contact, in link axes."""
    shape = ground.numbers[LAW:]
    if ground.form.kind == "level":
        up, offset = Vec3(*(arith.const(x) for x in ground.form.up)), shape[0]
    else:
        up, offset = Vec3(*shape[:3]), shape[3]
    normals, levels = [up], [arith.const(0.0)]  # of every link: the normal in its axes, and how high its origin is
    for link, B_ij in zip(model.links, B, strict=True):
        n = B_ij.to_child(normals[link.parent])
        level = levels[link.parent] + normals[link.parent].dot(B_ij.offset)
        normals.append(n)
        levels.append(level if B_ij.slide is None else level + n.dot(B_ij.slide))
    found: list[tuple[Scalar, Vec3]] = []
    for point in model.contact_points:
        n = normals[point.link]
        found.append((levels[point.link] + n.dot(_vec(point.at, arith)) - offset - arith.const(point.radius), n))
    return found


def _over_surface(
    model: Model, arith: Arithmetic, B: Sequence[Propagation], ground: Ground
) -> list[tuple[Scalar, Vec3]]:
    placed, form = poses(model, arith, B), ground.form
    up, (e1, e2) = _unit(form.up, arith), (_unit(e, arith) for e in form.horizontal)
    found: list[tuple[Scalar, Vec3]] = []
    for point in model.contact_points:
        pose = placed[point.link]
        centre = pose.R @ _vec(point.at, arith) + pose.o
        h, along, across = height_and_slopes(form, ground.numbers[LAW:], e1.dot(centre), e2.dot(centre), arith)
        scale = 1 / arith.sqrt(1 + along * along + across * across)
        gap = (up.dot(centre) - h) * scale - arith.const(point.radius)
        found.append((gap, pose.R.T @ ((up - e1 * along - e2 * across) * scale)))
    return found


def _unit(direction: tuple[float, float, float], arith: Arithmetic) -> Vec3:
    return Vec3(*(arith.const(x) for x in direction))


def _vec(v: Vec3, arith: Arithmetic) -> Vec3:
    return Vec3(arith.const(v.x), arith.const(v.y), arith.const(v.z))


# --- what the dynamics ask for -----------------------------------------------------------------------------------


def wrenches(
    model: Model, arith: Arithmetic, B: Sequence[Propagation], qd: Sequence[Scalar], ground: Ground
) -> dict[int, Wrench]:
    """What the ground does to links, in their axes and at their origins."""
    if ground.form.kind == "given":
        found = _given(model, arith, B, ground.numbers)
    else:
        found = [(touch.point.link, touch.wrench) for touch in touches(model, arith, B, qd, ground)]
    total: dict[int, Wrench] = {}
    for link, wrench in found:
        total[link] = total[link] + wrench if link in total else wrench
    return total


def _given(
    model: Model, arith: Arithmetic, B: Sequence[Propagation], numbers: Sequence[Scalar]
) -> list[tuple[int, Wrench]]:
    """Wrenches about the centres of contacts, in world axes."""
    placed = poses(model, arith, B)
    found: list[tuple[int, Wrench]] = []
    for k, point in enumerate(model.contact_points):
        row = numbers[k * WRENCH : (k + 1) * WRENCH]
        R_T = placed[point.link].R.T
        force = R_T @ Vec3(*row[3:])
        found.append((point.link, Wrench(R_T @ Vec3(*row[:3]) + _vec(point.at, arith).cross(force), force)))
    return found


def generalized_forces(
    model: Model, arith: Arithmetic, q: Sequence[Scalar], qd: Sequence[Scalar], ground: Ground
) -> list[Scalar]:
    """J^T f of all contacts, one entry per link."""
    B = propagations(model, arith, q)
    w: dict[int, Wrench] = wrenches(model, arith, B, qd, ground)
    tau, p = [arith.const(0.0)] * model.n, motion_vectors(model, B)
    for i in reversed(range(1, model.n + 1)):
        if i in w:
            link = model.links[i - 1]
            tau[i - 1] = p[i - 1].dot(w[i])
            if link.parent:
                on_parent = B[i - 1].T @ w[i]
                w[link.parent] = w[link.parent] + on_parent if link.parent in w else on_parent
    return tau


def power(model: Model, arith: Arithmetic, q: Sequence[Scalar], qd: Sequence[Scalar], ground: Ground) -> Scalar:
    """What the ground does to the robot per second: negative where it brakes."""
    total = arith.const(0.0)
    for touch in touches(model, arith, propagations(model, arith, q), qd, ground):
        total = total + touch.force.dot(touch.velocity)
    return total


def contact_motion(
    model: Model, arith: Arithmetic, q: Sequence[Scalar], qd: Sequence[Scalar]
) -> list[tuple[Scalar, ...]]:
    """Of every contact, in world axes: its centre, the velocity of that, and the angular velocity of its link."""
    B = propagations(model, arith, q)
    placed, t = poses(model, arith, B), twists(model, arith, B, qd)
    found: list[tuple[Scalar, ...]] = []
    for point in model.contact_points:
        pose, at = placed[point.link], _vec(point.at, arith)
        centre = pose.R @ at + pose.o
        moved = pose.twist_from(_at(t[point.link], at))
        found.append((*centre.components(), *moved.lin.components(), *moved.ang.components()))
    return found


def _at(t: Twist, point: Vec3) -> Twist:
    """The same motion at another point of the link."""
    return Twist(t.ang, t.lin + t.ang.cross(point))


def contact_states(
    model: Model, arith: Arithmetic, q: Sequence[Scalar], qd: Sequence[Scalar], ground: Ground
) -> list[list[Scalar]]:
    """Of all contacts, in world axes: points, forces, normals, velocities of the body there; and gaps."""
    B = propagations(model, arith, q)
    placed = poses(model, arith, B)
    points, forces, normals, velocities, gaps = (list[Scalar]() for _ in range(5))
    for touch in touches(model, arith, B, qd, ground):
        pose: Pose = placed[touch.point.link]
        R: Mat3 = pose.R
        points += (R @ touch.at + pose.o).components()
        forces += (R @ touch.force).components()
        normals += (R @ touch.normal).components()
        velocities += (R @ touch.velocity).components()
        gaps.append(touch.gap)
    return [points, forces, normals, velocities, gaps]
