"""From a description to a model: order the links, lump what is fixed, choose axes, express every constant in them.

A cylindrical, universal or planar joint becomes a row of bodies here, all but the last without mass. A joint that turns
about a point stays one body, whose axes are those of the user's frame, until its links are written out at the end.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from redyn.algebra import MassMatrix, Mat3, Pose, RotationZ, Sym3, Twist, Vec3
from redyn.description.contacts import spheres
from redyn.description.loops import loop_frames
from redyn.description.placement import Z_AXIS, Placement, placement, steps
from redyn.description.schema import (
    COORDINATES,
    SEVERAL,
    VELOCITIES,
    WORLD,
    LinkDescription,
    LoopDescription,
    RobotDescription,
    RollingDescription,
)
from redyn.description.ties import rules
from redyn.model import frames
from redyn.model.coupling import Coupling, Tie
from redyn.model.ground import ContactPoint
from redyn.model.joint import CYCLE, Joint, JointKind
from redyn.model.loop import Loop
from redyn.model.model import Frame, Link, Model, offsets
from redyn.model.rolling import Contact

Array = NDArray[np.float64]

NOISE = 1e-13  # relative: what rounding leaves where a zero belongs


@dataclass
class _Body:
    """A moving body while the model is built. Its own axes are those of the user's link frame."""

    described: LinkDescription
    placed: Placement
    mount: Array  # the frame of the parent link in the carrier's frame
    kind: JointKind = "revolute"
    part: str = ""  # of a joint that is a row of bodies: which velocity
    virtual: bool = False  # such a body, but not the last
    carrier: int = 0  # the body below, 0 for the world
    parts: list[tuple[Array, LinkDescription]] = field(default_factory=list[tuple[Array, LinkDescription]])
    children: list[int] = field(default_factory=list[int])
    axes: Array = field(default_factory=lambda: np.eye(4))  # our axes in the user's link frame

    @property
    def about_point(self) -> bool:
        return self.described.joint.type in ("spherical", "free")

    @property
    def at_zero(self) -> Array:
        """The user's link frame in the carrier's frame, with q = 0."""
        if self.described.joint.type in SEVERAL:
            return self.mount @ self.placed.before
        return self.mount @ self.placed.at(self.described.joint, self.described.joint.offset)

    @property
    def own_axis(self) -> frames.Axis:
        back = frames.inverse(self.placed.after)
        return frames.Axis(back[:3, 3], back[:3, :3] @ self.placed.axis)

    @property
    def axis_in_carrier(self) -> frames.Axis:
        joint = self.mount @ self.placed.before
        return frames.Axis(joint[:3, 3], joint[:3, :3] @ self.placed.axis)


def build(robot: RobotDescription, *, friction: bool = True, exact: bool = False, couple: bool = False) -> Model:
    """The model of a robot. `exact` keeps every constant as given; otherwise right angles are snapped.

    `couple` ties joints that mimic others to them.
    """
    bodies, named = _lump(robot)
    _choose_axes(bodies)
    links: list[Link] = []
    number = [0]  # of each body's last link
    for i in range(1, len(bodies)):
        link = _link(bodies, i, friction, exact)
        link = replace(link, parent=number[link.parent])
        kind = bodies[i].described.joint.type
        links += _about_point(link, len(links), kind) if bodies[i].about_point else [link]
        number.append(len(links))
    gravity = Vec3(*robot.gravity)
    kept = {name: _frame(bodies[body].axes, pose, number[body]) for name, (body, pose) in named.items()}
    coupling = _coupling(robot, links) if couple else None
    loops = tuple(
        _loop(loop, where, bodies, named, number, exact)
        for loop, where in zip(robot.loops, loop_frames(robot), strict=True)
    )
    tip = robot.end_effector or _only_tip(robot)
    contacts = tuple(_contact(contact, bodies, named, number) for contact in robot.rolling)
    up = _normal(robot) if contacts else Vec3(0.0, 0.0, 1.0)
    points = _contact_points(robot, kept, exact)
    return Model(
        robot.name,
        tuple(links),
        gravity,
        kept,
        tip,
        coupling,
        loops,
        contacts=contacts,
        up=up,
        contact_points=points,
    )


def _contact_points(robot: RobotDescription, kept: dict[str, Frame], exact: bool) -> tuple[ContactPoint, ...]:
    """What may touch the ground; links that are fixed to the world cannot."""
    found: list[ContactPoint] = []
    for sphere in spheres(robot.contacts):
        frame = kept[sphere.link]
        if frame.link:
            R, o = frame.pose.R, frame.pose.o
            at = np.array((R @ Vec3(*sphere.at) + o).components(), dtype=np.float64)
            at = _clean(at, max(1e-3, float(np.abs(at).max())), exact)
            found.append(ContactPoint(sphere.name, frame.link, _vec(at), sphere.radius))
    return tuple(found)


def _contact(
    rolling: RollingDescription, bodies: list[_Body], named: dict[str, tuple[int, Array]], number: list[int]
) -> Contact:
    """A wheel as its carrier sees it, a disk or a blade as its link does."""
    body, pose = named[rolling.link]
    angle = rolling.roller or 0.0
    roller = frames.cosine_and_sine(angle, False)
    radius, kind = rolling.radius or 0.0, rolling.kind
    if rolling.wheel is None:
        local = frames.inverse(bodies[body].axes) @ pose
        axle = local[:3, 2] if kind == "disk" else local[:3, 1]
        hub = local[:3, 3]
        return Contact(rolling.link, kind, number[body], 0, _vec(hub), _vec(axle), radius, roller)
    carrier = bodies[body].carrier
    line = bodies[body].axis_in_carrier
    back = frames.inverse(bodies[carrier].axes)
    hub, axle = (back @ np.append(line.point, 1.0))[:3], back[:3, :3] @ line.direction
    hub, axle = (_clean(v, max(1e-3, float(np.abs(v).max())), False) for v in (hub, axle))
    return Contact(rolling.link, kind, number[carrier], number[body], _vec(hub), _vec(axle), radius, roller)


def _normal(robot: RobotDescription) -> Vec3:
    """Of the ground: that of the plane in which the base moves; of a free base, against gravity."""
    base = next((link for link in robot.links if link.joint.type == "planar" and link.parent == WORLD), None)
    if base is not None:
        placed = placement(base, robot.convention)
        normal = placed.before[:3, :3] @ placed.axis
    else:
        normal = -np.array(robot.gravity)
    length = float(np.linalg.norm(normal))
    return _vec(_clean(normal / length, 1.0, False)) if length else Vec3(0.0, 0.0, 1.0)


def _loop(
    loop: LoopDescription,
    where: tuple[Array, Array],
    bodies: list[_Body],
    named: dict[str, tuple[int, Array]],
    number: list[int],
    exact: bool,
) -> Loop:
    """The joint that closes a loop, its frames in the axes of the links that carry them; given in those of the file."""
    if loop.joint == "gear":
        carried = {str(body.described.joint.name): i for i, body in enumerate(bodies) if i}  # the world has no joint
        still = Pose(Mat3(Vec3(1.0, 0.0, 0.0), Vec3(0.0, 1.0, 0.0), Vec3(0.0, 0.0, 1.0)), Vec3(0.0, 0.0, 0.0))
        ends = [Frame(number[carried[name]], still) for name in loop.between]
        return Loop(str(loop.name), loop.joint, ends[0], ends[1], loop.coefficients or ())
    ends = list[Frame]()
    for name, local in zip(loop.between, where, strict=True):
        body, pose = named[name]
        placed = frames.inverse(bodies[body].axes) @ pose @ local
        if not exact:
            placed[:3, :3] = frames.snapped(placed[:3, :3])
            placed[:3, 3] = _clean(placed[:3, 3], max(1e-3, float(np.abs(placed[:3, 3]).max())), exact)
        ends.append(Frame(number[body], Pose(_mat(placed[:3, :3]), _vec(placed[:3, 3]))))
    numbers = () if loop.length is None else (loop.length,)
    return Loop(str(loop.name), loop.joint, ends[0], ends[1], numbers)


def _coupling(robot: RobotDescription, links: list[Link]) -> Coupling | None:
    """The ties of all joints to those that move independently."""
    found = rules(robot.links)
    if not found:
        return None
    leaders = [i for i, link in enumerate(links) if link.joint.name not in found]
    starts = offsets([links[i] for i in leaders])
    slots = {i: (k, start) for k, (i, start) in enumerate(zip(leaders, starts, strict=True))}
    number = {links[i].joint.name: i for i in leaders}
    coordinates: list[Tie] = []
    rates: list[Tie] = []
    for i, link in enumerate(links):
        if i in slots:
            k, start = slots[i]
            rates.append(Tie(k))
            coordinates += [Tie(start + c) for c in range(link.joint.coordinates)]
        else:
            rule = found[link.joint.name]
            k, start = slots[number[rule.leader]]
            rates.append(Tie(k, rule.factor))
            coordinates.append(Tie(start, rule.factor, rule.offset))
    return Coupling(tuple(coordinates), tuple(rates), tuple(leaders))


def ordered(links: list[LinkDescription]) -> list[LinkDescription]:
    """As in the file where parents come first, else depth first in file order."""
    seen = {WORLD}
    for link in links:
        if link.parent not in seen:
            break
        seen.add(str(link.name))
    else:
        return links
    children: dict[str, list[LinkDescription]] = {}
    for link in links:
        children.setdefault(str(link.parent), []).append(link)
    result: list[LinkDescription] = []
    stack = list(reversed(children.get(WORLD, [])))
    while stack:
        link = stack.pop()
        result.append(link)
        stack.extend(reversed(children.get(str(link.name), [])))
    return result


def _only_tip(robot: RobotDescription) -> str | None:
    parents = {link.parent for link in robot.links}
    tips = [str(link.name) for link in robot.links if link.name not in parents]
    return tips[0] if len(tips) == 1 else None


def _lump(robot: RobotDescription) -> tuple[list[_Body], dict[str, tuple[int, Array]]]:
    """The moving bodies (entry 0 is the world) and, for every named frame, its body and its pose there."""
    world = LinkDescription.model_construct(name=WORLD)  # stands first, so that numbers are the book's
    bodies = [_Body(world, Placement(np.eye(4), Z_AXIS, np.eye(4)), np.eye(4))]
    where: dict[str, tuple[int, Array]] = {WORLD: (0, np.eye(4))}
    for link in ordered(robot.links):
        carrier, mount = where[str(link.parent)]
        placed = placement(link, robot.convention)
        if link.joint.type == "fixed":
            pose = mount @ placed.before @ placed.after
            where[str(link.name)] = (carrier, pose)
            bodies[carrier].parts.append((pose, link))
        else:
            for body in _row(link, placed, mount):
                bodies[carrier].children.append(len(bodies))
                body.carrier, carrier = carrier, len(bodies)
                bodies.append(body)
            bodies[carrier].parts.append((np.eye(4), link))
            where[str(link.name)] = (carrier, np.eye(4))
    return bodies, where


def _row(link: LinkDescription, placed: Placement, mount: Array) -> list[_Body]:
    """The bodies of a joint, each to be carried by the one before."""
    kind = link.joint.type
    if kind not in ("cylindrical", "universal", "planar"):
        return [_Body(link, placed, mount, kind if kind == "prismatic" or kind == "helical" else "revolute")]
    row: list[_Body] = []
    still = np.eye(4)
    for (step, axis), part in zip(steps(link), VELOCITIES[kind], strict=True):
        row.append(_Body(link, Placement(still if row else placed.before, axis, still), mount, step, part, True))
        mount = still
    row[-1].virtual = False
    return row


def _choose_axes(bodies: list[_Body]) -> None:
    origin: dict[int, Array] = {}  # of each body, in its own frame, where its parent has chosen it
    for i, body in enumerate(bodies[1:], start=1):
        if body.about_point:
            for c in body.children:
                _nearest_origin(bodies[c], c, origin)
            continue  # its axes are the user's, in which its velocities are given
        own = body.own_axis
        own.point = origin.get(i, own.point)
        hint = frames.perpendicular(own.direction, np.array([1.0, 0.0, 0.0]))
        x = hint
        for rank, c in enumerate(body.children):
            child = bodies[c]
            line = child.axis_in_carrier
            if child.about_point:
                line.direction = own.direction  # it has a place and no axis: any line through it will do
            own_foot, child_foot, normal = frames.common_normal(own, line, hint)
            if rank == 0:
                x = normal
                if body.carrier == 0:
                    own.point = own_foot  # the links before it are independent of the first link's origin
            # The foot is a point of the child's axis: carry it over as a distance along that axis.
            along = (child_foot - line.point) @ line.direction
            axis = child.own_axis
            origin[c] = axis.point + along * axis.direction
        if not body.children and i in origin:
            x = _leaf_x(bodies, i, own)
        body.axes = frames.frame(own.point, x, own.direction)


def _nearest_origin(child: _Body, c: int, origin: dict[int, Array]) -> None:
    """Put the child's origin where its axis comes nearest to that of the body that carries it."""
    line, axis = child.axis_in_carrier, child.own_axis
    origin[c] = axis.point - (line.point @ line.direction) * axis.direction


def _leaf_x(bodies: list[_Body], i: int, own: frames.Axis) -> Array:
    """The x direction that needs no rotation from the parent's at q = 0."""
    body = bodies[i]
    normal = bodies[body.carrier].axes[:3, 0]
    return frames.perpendicular(own.direction, body.at_zero[:3, :3].T @ normal)


def _link(bodies: list[_Body], i: int, friction: bool, exact: bool) -> Link:
    body = bodies[i]
    carrier, described = bodies[body.carrier], body.described
    joint = described.joint
    relative = frames.inverse(carrier.axes) @ body.at_zero @ body.axes
    rotations, theta = frames.split_rotation(relative[:3, :3], exact)
    zero, quarters = frames.split_quarters(theta, exact)
    if body.kind == "prismatic" or body.about_point:
        c, s = frames.cosine_and_sine(theta, exact)
        rotations = rotations if (c, s) == (1.0, 0.0) else (*rotations, RotationZ(c, s))
        zero, quarters = 0.0, 0
    scale = max(1e-3, float(np.abs(relative[:3, 3]).max()))
    M, com = _mass(body, exact)
    back = frames.inverse(body.axes)
    socket = frames.inverse(carrier.axes) @ body.mount @ body.placed.before
    return Link(
        name=str(described.name),
        parent=body.carrier,
        joint=Joint(
            name=str(joint.name),
            kind=body.kind,
            p=_axis_twist(body.kind, joint.pitch or 0.0),
            offset=_vec(_clean(relative[:3, 3], scale, exact)),
            rotations=rotations,
            zero=zero,
            quarters=quarters,
            damping=joint.damping if friction else 0.0,
            coulomb=joint.coulomb if friction else 0.0,
            smoothing=joint.smoothing,
            stiffness=joint.stiffness,
            rest=joint.rest,
            armature=joint.armature,
            part=body.part,
        ),
        M=M,
        com=com,
        anchor=_vec((back @ np.append(body.own_axis.point, 1.0))[:3]),
        socket=_vec(socket[:3, 3]),
        virtual=body.virtual,
    )


def _about_point(link: Link, before: int, kind: str) -> list[Link]:
    """The links of a spherical or free joint, of which `before` come before them; the given one is the last.

    They turn about, then slide along x, y and z of the last one's axes: each renames the axes so that this is its z.
    """
    zero = Vec3(0.0, 0.0, 0.0)
    empty = MassMatrix(0.0, zero, Sym3(0.0, 0.0, 0.0, 0.0, 0.0, 0.0))
    parts = VELOCITIES[kind]
    row: list[Link] = []
    for rank, part in enumerate(parts):
        step: JointKind = "revolute" if rank < 3 else "prismatic"
        joint = replace(link.joint, kind=step, p=_axis_twist(step), part=part, coordinates=0)
        if rank == 0:
            joint = replace(joint, coordinates=len(COORDINATES[kind]))
        else:
            joint = replace(joint, offset=zero, rotations=(CYCLE,))
        item = replace(link, joint=joint, parent=before + rank if rank else link.parent)
        row.append(replace(item, M=empty, com=zero, virtual=True) if rank < len(parts) - 1 else item)
    return row


def _axis_twist(kind: JointKind, pitch: float = 0.0) -> Twist:
    zero, along = Vec3(0.0, 0.0, 0.0), Vec3(0.0, 0.0, 1.0)
    if kind == "helical":
        return Twist(along, Vec3(0.0, 0.0, pitch))
    return Twist(along, zero) if kind == "revolute" else Twist(zero, along)


def _mass(body: _Body, exact: bool) -> tuple[MassMatrix, Vec3]:
    """Mass, first moment and second moments of everything attached, about our origin; and the mass centre."""
    back = frames.inverse(body.axes)
    mass, first, second = 0.0, np.zeros(3), np.zeros((3, 3))
    for pose, part in body.parts:
        m = part.mass or 0.0
        local = np.array(part.com) if part.com is not None else -np.array(part.r or (0.0, 0.0, 0.0))
        T = back @ pose
        c = T[:3, :3] @ local + T[:3, 3]
        xx, xy, xz, yy, yz, zz = part.inertia or (0.0,) * 6
        tensor = T[:3, :3] @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ T[:3, :3].T
        mass += m
        first += m * c
        second += 0.5 * np.trace(tensor) * np.eye(3) - tensor + m * np.outer(c, c)
    h = _clean(first, float(np.abs(first).max()), exact)
    S = _clean(second, float(np.abs(second).max()), exact)
    com = h / mass if mass != 0.0 else np.zeros(3)
    moments = Sym3(*(float(S[a, b]) for a, b in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))))
    return MassMatrix(mass, _vec(h), moments), _vec(com)


def _clean(values: Array, scale: float, exact: bool) -> Array:
    return values if exact else np.where(np.abs(values) < NOISE * scale, 0.0, values)


def _vec(v: Array) -> Vec3:
    return Vec3(float(v[0]), float(v[1]), float(v[2]))


def _frame(axes: Array, pose: Array, body: int) -> Frame:
    local = frames.inverse(axes) @ pose
    return Frame(body, Pose(_mat(local[:3, :3]), _vec(local[:3, 3])))


def _mat(R: Array) -> Mat3:
    return Mat3(_vec(R[0]), _vec(R[1]), _vec(R[2]))
