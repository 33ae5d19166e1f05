"""From a description to a model: order the links, lump what is fixed, choose axes, express every constant in them.

A cylindrical, universal or planar joint becomes a row of bodies here, all but the last without mass. A joint that turns
about a point stays one body, whose axes are those of the user's frame, until its links are written out at the end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from redyn.algebra import GeneralRotation, MassMatrix, Mat3, Pose, RotationZ, Sym3, Twist, Vec3
from redyn.description.beams import beam_length, rod_body
from redyn.description.contacts import spheres
from redyn.description.ends import end_frames, frame_links
from redyn.description.loops import loop_frames
from redyn.description.placement import (
    Z_AXIS,
    Placement,
    clamped_placement,
    link_at_tip,
    placement,
    steps,
    translation,
)
from redyn.description.schema import (
    COORDINATES,
    ELASTIC,
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
from redyn.model.bending import Root, initial_values, mode_joint, mode_row, rigid_part, with_beams
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
    name: str = ""  # of its frame, unless that is the user's link
    root: Array | None = None  # of the tip of a beam: where that is clamped, in the carrier's frame
    motor: int = 0  # of a body behind an elastic gear: the body of the motor
    parts: list[tuple[Array, LinkDescription]] = field(default_factory=list[tuple[Array, LinkDescription]])
    children: list[int] = field(default_factory=list[int])
    axes: Array = field(default_factory=lambda: np.eye(4))  # our axes in the user's link frame

    @property
    def about_point(self) -> bool:
        return self.described.joint.type in ("spherical", "free")

    @property
    def is_tip(self) -> bool:
        return self.root is not None

    @property
    def is_motor(self) -> bool:
        return self.part == ELASTIC[0]

    @property
    def at_zero(self) -> Array:
        """The user's link frame in the carrier's frame, with q = 0."""
        if self.is_tip or self.described.joint.type in SEVERAL:
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


class Built(NamedTuple):
    """A model, and what of it models with other numbers need."""

    model: Model
    seats: list[Array]  # of every body, our axes in the frame that its joint moves: z on the joint
    parts: list[list[tuple[Array, LinkDescription]]]  # of every link, what is lumped into it, with its pose in our axes


def build(robot: RobotDescription, *, friction: bool = True, exact: bool = False, couple: bool = False) -> Model:
    """The model of a robot. `exact` keeps every constant as given; otherwise right angles are snapped.

    `couple` ties joints that mimic others to them.
    """
    return built(robot, friction, exact, couple).model


def built(
    robot: RobotDescription, friction: bool, exact: bool, couple: bool, seats: Sequence[Array] | None = None
) -> Built:
    """The same with its parts; with `seats`, axes are where another robot of the same structure has them."""
    bodies, named, mounts = _lump(robot)
    if seats is None:
        _choose_axes(bodies)
    else:
        for body, seat in zip(bodies, seats, strict=True):
            body.axes = frames.inverse(body.placed.after) @ seat
    links: list[Link] = []
    number = [0]  # of each body's last link
    roots: dict[int, Root] = {}
    for i in range(1, len(bodies)):
        body = bodies[i]
        link = _tip(body, exact) if body.is_tip else _link(bodies, i, friction, exact)
        link = replace(link, parent=number[link.parent])
        if body.is_tip:
            root = roots[len(links)] = _root(bodies, body, exact)
            links += mode_row(link, len(links), sum(root.flexible.modes))
        elif body.about_point:
            links += _about_point(link, len(links), body.described.joint.type)
        else:
            links.append(replace(link, joint=replace(link.joint, motor=number[body.motor])) if body.motor else link)
        number.append(len(links))
    if roots:
        links = with_beams(links, roots, initial_values(robot, links), friction)
    gravity = Vec3(*robot.gravity)
    kept = {name: _frame(bodies[body].axes, pose, number[body]) for name, (body, pose) in named.items()}
    coupling = _coupling(robot, links) if couple else None
    loops = tuple(
        _loop(loop, where, bodies, mounts, number, exact)
        for loop, where in zip(robot.loops, loop_frames(robot), strict=True)
    )
    tip = robot.end_effector or _only_tip(robot)
    contacts = tuple(_contact(contact, bodies, named, number) for contact in robot.rolling)
    up = _normal(robot) if contacts else Vec3(0.0, 0.0, 1.0)
    carrying = {name: _frame(bodies[body].axes, pose, number[body]) for name, (body, pose) in mounts.items()}
    points = _contact_points(robot, carrying, exact)
    model = Model(
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
    parts: list[list[tuple[Array, LinkDescription]]] = [[] for _ in links]
    for body, last in list(zip(bodies, number, strict=True))[1:]:
        parts[last - 1] = [(frames.inverse(body.axes) @ pose, part) for pose, part in body.parts]
    return Built(model, [body.placed.after @ body.axes for body in bodies], parts)


def _contact_points(robot: RobotDescription, carrying: dict[str, Frame], exact: bool) -> tuple[ContactPoint, ...]:
    """What may touch the ground; links that are fixed to the world cannot."""
    found: list[ContactPoint] = []
    for sphere in spheres(robot.contacts):
        frame = carrying[sphere.link]
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
    seen, owner = {WORLD}, {WORLD: WORLD, **frame_links(links)}
    for link in links:
        if owner[str(link.parent)] not in seen:
            break
        seen.add(str(link.name))
    else:
        return links
    children: dict[str, list[LinkDescription]] = {}
    for link in links:
        children.setdefault(owner[str(link.parent)], []).append(link)
    result: list[LinkDescription] = []
    stack = list(reversed(children.get(WORLD, [])))
    while stack:
        link = stack.pop()
        result.append(link)
        stack.extend(reversed(children.get(str(link.name), [])))
    return result


def _only_tip(robot: RobotDescription) -> str | None:
    owner = {WORLD: WORLD, **frame_links(robot.links)}
    parents = {owner[str(link.parent)] for link in robot.links}
    tips = [link for link in robot.links if link.name not in parents]
    if len(tips) != 1:
        return None
    bends = tips[0].flexible is not None and link_at_tip(tips[0], robot.convention) is None
    return f"{tips[0].name}.tip" if bends else str(tips[0].name)


_Places = dict[str, tuple[int, Array]]  # by frame: a body, and a pose in its frame


def _lump(robot: RobotDescription) -> tuple[list[_Body], _Places, _Places]:
    """The moving bodies (entry 0 is the world), where every named frame is, and where that is mounted which names it.

    The two differ for a flexible link whose frame is at its root: what it carries, its tip carries.
    """
    world = LinkDescription.model_construct(name=WORLD)  # stands first, so that numbers are the book's
    bodies = [_Body(world, Placement(np.eye(4), Z_AXIS, np.eye(4)), np.eye(4))]
    where: dict[str, tuple[int, Array]] = {WORLD: (0, np.eye(4))}
    mounts = dict(where)
    for link in ordered(robot.links):
        carrier, mount = mounts[str(link.parent)]
        placed = clamped_placement(link, robot.convention)
        pose = mount @ placed.before @ placed.after
        if link.joint.type != "fixed":
            for body in _row(link, placed, mount):
                body.carrier = carrier
                bodies.append(body)
                if body.is_motor:
                    continue  # beside the link, not below it
                if bodies[-2].is_motor:
                    body.motor = len(bodies) - 2
                bodies[carrier].children.append(len(bodies) - 1)
                carrier = len(bodies) - 1
            pose = np.eye(4)
        name = str(link.name)
        where[name] = mounts[name] = (carrier, pose)
        if link.flexible is not None:
            tip = _bend(bodies, link, carrier, pose)
            ends = dict(zip(end_frames(link), ((carrier, pose), tip), strict=True))
            where |= ends
            mounts |= ends
            at_tip = link_at_tip(link, robot.convention)
            if at_tip is not None:  # the frame of the link is at its far end
                where[name] = mounts[name] = (tip[0], tip[1] @ at_tip)
                if link.joint.type != "fixed":
                    bodies[carrier].name = f"{name}.root"
            else:
                mounts[name] = (tip[0], tip[1] @ translation(-beam_length(link), 0.0, 0.0))
                if bodies[tip[0]].is_tip:
                    bodies[tip[0]].name = f"{name}.tip"
        bodies[where[name][0]].parts.append((where[name][1], link))
    return bodies, where, mounts


def _bend(bodies: list[_Body], link: LinkDescription, carrier: int, root: Array) -> tuple[int, Array]:
    """The tip of a flexible link as a body of its own, and the rigid bodies on its ends; the tip's place."""
    flexible = link.flexible
    assert flexible is not None
    end = root @ translation(beam_length(link), 0.0, 0.0)
    tip = (carrier, end)
    if any(flexible.modes):
        tip = (len(bodies), np.eye(4))
        still = Placement(np.eye(4), Z_AXIS, np.eye(4))
        bodies[carrier].children.append(tip[0])
        bodies.append(_Body(link, still, end, "mode", carrier=carrier, root=root))
    else:
        bodies[carrier].parts.append((root, rigid_part(rod_body(link))))
    for at, rigid in (((carrier, root), flexible.hub), (tip, flexible.tip)):
        if rigid is not None:
            bodies[at[0]].parts.append((at[1], rigid_part(rigid)))
    return tip


def _row(link: LinkDescription, placed: Placement, mount: Array) -> list[_Body]:
    """The bodies of a joint, each to be carried by the one before."""
    kind = link.joint.type
    if kind not in ("cylindrical", "universal", "planar"):
        step: JointKind = kind if kind == "prismatic" or kind == "helical" else "revolute"
        if link.joint.elastic is None:
            return [_Body(link, placed, mount, step)]
        motor, beyond = ELASTIC
        return [_Body(link, placed, mount, step, motor, True), _Body(link, placed, mount, step, beyond)]
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
        if body.about_point or body.is_tip:
            for c in body.children:
                if not bodies[c].is_tip:
                    _nearest_origin(bodies[c], c, origin)
            continue  # its axes are the user's, in which its velocities are given, or in which the beam bends
        own = body.own_axis
        own.point = origin.get(i, own.point)
        hint = frames.perpendicular(own.direction, np.array([1.0, 0.0, 0.0]))
        x = hint
        for rank, c in enumerate(body.children):
            child = bodies[c]
            if child.root is not None:
                if rank == 0:  # x along the beam, where that is normal to the joint
                    x = frames.perpendicular(own.direction, child.root[:3, 0])
                    if body.carrier == 0:
                        own.point = own.point + own.direction * (own.direction @ (child.root[:3, 3] - own.point))
                continue
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
    rubs = friction and not body.motor  # behind an elastic gear, armature and friction are the motor's
    gear = joint.elastic if body.motor else None
    return Link(
        name=body.name or str(described.name),
        parent=body.carrier,
        joint=Joint(
            name=str(joint.name),
            kind=body.kind,
            p=_axis_twist(body.kind, joint.pitch or 0.0),
            offset=_vec(_clean(relative[:3, 3], scale, exact)),
            rotations=rotations,
            zero=zero,
            quarters=quarters,
            damping=joint.damping if rubs else 0.0,
            coulomb=joint.coulomb if rubs else 0.0,
            smoothing=joint.smoothing,
            stiffness=0.0 if body.is_motor else joint.stiffness,
            rest=joint.rest,
            armature=0.0 if body.motor else joint.armature,
            gear_stiffness=0.0 if gear is None else gear.stiffness,
            gear_damping=gear.damping if gear is not None and friction else 0.0,
            part=body.part,
        ),
        M=M,
        com=com,
        anchor=_vec((back @ np.append(body.own_axis.point, 1.0))[:3]),
        socket=_vec(socket[:3, 3]),
        virtual=body.virtual,
    )


def _tip(body: _Body, exact: bool) -> Link:
    """The body at the tip of a beam, whose axes are those of the tip."""
    M, com = _mass(body, exact)
    still = Vec3(0.0, 0.0, 0.0)
    name = body.name or str(body.described.name)
    return Link(name, body.carrier, mode_joint(str(body.described.name)), M, com, still, still)


def _root(bodies: list[_Body], body: _Body, exact: bool) -> Root:
    """Where the beam of a tip is clamped, in the axes of the link that carries it."""
    assert body.root is not None
    placed = frames.inverse(bodies[body.carrier].axes) @ body.root
    R, o = placed[:3, :3], placed[:3, 3]
    if not exact:
        R, o = frames.snapped(R), _clean(o, max(1e-3, float(np.abs(o).max())), exact)
    rotations = () if np.abs(R - np.eye(3)).max() < frames.ROUNDING else (GeneralRotation(_mat(R)),)
    return Root(body.described, _vec(o), rotations)


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
