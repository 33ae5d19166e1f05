"""URDF from any description.

What URDF cannot express is written as a comment: gravity, the end effector, initial joint values, the smoothing of
Coulomb friction and joint springs. Armature becomes the rotor inertia of a transmission without reduction, which redyn
reads back and Pinocchio and MuJoCo ignore. The last three change the dynamics, so they give warnings too. Shapes other
than meshes and ellipsoids are kept. Cylindrical and universal joints become two joints with a massless link between
them; a helical joint cannot be written. Rods and point masses get 1e-13 kg m^2 about axes without inertia, because
MuJoCo refuses a zero moment; the effect is below rounding.

Loops become the elements that urdf_loops reads. Joints of such a robot have two more attributes: `independent` of
URDF+, true for those that are driven, and `initial`, our own, from which loops are closed when the robot is read again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.sax.saxutils import quoteattr

import numpy as np

from redyn.description.placement import placement, steps
from redyn.description.poses import origin, vector
from redyn.description.schema import VELOCITIES, WORLD, JointDescription, LinkDescription, RobotDescription, Shape
from redyn.description.to_urdf_loops import loop_elements, numbers_text
from redyn.description.transforms.common import fresh, link_names
from redyn.description.transforms.frames import as_frames, mass_centre
from redyn.description.transforms.rigid import rigid
from redyn.errors import DescriptionError, warn
from redyn.words import counted

LEAST_MOMENT = 1e-13  # kg m^2; MuJoCo's limit is a tenth of it
_NO_XML = re.compile("[^\\t\\n\\r\\x20-\\ud7ff\\ue000-\\ufffd\\U00010000-\\U0010ffff]")
_KINDS = {"free": "floating"}
SMOOTHING = JointDescription.model_fields["smoothing"].default


def to_urdf(robot: RobotDescription) -> str:
    """The text of a URDF file. Its root link is `world`; every frame keeps its name and pose.

    >>> from redyn.description import read
    >>> print(to_urdf(read("one-link"))[:62])
    <?xml version="1.0" encoding="utf-8"?>
    <robot name="one-link">
    """
    if any(link.flexible is not None or link.joint.elastic is not None for link in robot.links):
        warn(f"{robot.name}: URDF has neither flexible links nor elastic gears; they are written as rigid ones")
        robot = rigid(robot)
    robot = as_frames(robot)
    odd = [f"{link.joint.name}: {what}" for link in robot.links for what in _odd(link.joint)]
    if odd:
        more = f" (and {len(odd) - 1} more)" if len(odd) > 1 else ""
        warn(f"{robot.name}: {odd[0]}{more}")
    if robot.loops:
        count = counted(len(robot.loops), "loop")
        warn(f"{robot.name}: URDF has no loops; {count} written as elements of URDF+ and redyn, which others ignore")
    if robot.rolling:
        warn(f"{robot.name}: URDF has no wheels that roll; all joints move on their own there. A .yaml file keeps them")
    lines = ['<?xml version="1.0" encoding="utf-8"?>', f"<robot name={_name(robot.name)}>"]
    lines += [f"  {_comment(note)}" for note in _notes(robot)]
    lines.append(f'  <link name="{WORLD}"/>')
    links = list(_single_joints(robot))
    for link in links:
        lines += _link(link)
        lines += _joint(link, _attributes(robot, link))
    for link in links:
        lines += _transmission(link.joint)
    lines += loop_elements(robot, _name)
    return "\n".join([*lines, "</robot>", ""])


def _single_joints(robot: RobotDescription) -> Iterator[LinkDescription]:
    """The links, split into several where URDF lacks the joint type."""
    taken = link_names(robot)
    for link in robot.links:
        joint = link.joint
        if joint.type == "helical":
            raise DescriptionError(str(joint.name), "URDF has no helical joint")
        if joint.type not in ("cylindrical", "universal"):
            yield link
            continue
        (first, axis), (second, other) = steps(link)
        names = [f"{joint.name}.{part}" for part in VELOCITIES[joint.type]]
        between = fresh(f"{link.name}_carrier", taken)
        starts = [None, None] if joint.initial is None else [(value,) for value in joint.initial]
        one, two = (
            joint.model_copy(update={"type": kind, "name": name, "initial": start})
            for kind, name, start in zip((first, second), names, starts, strict=True)
        )
        yield LinkDescription(
            name=between, parent=link.parent, joint=one, xyz=link.xyz, rpy=link.rpy, axis=vector(axis), mass=0.0
        )
        moved = {"parent": between, "joint": two, "xyz": None, "rpy": None, "axis": vector(other), "axis2": None}
        yield link.model_copy(update=moved)


def _odd(joint: JointDescription) -> Iterator[str]:
    if joint.armature:
        yield f"armature {joint.armature!r} is written as a transmission's rotor inertia, which few programs read"
    if joint.coulomb and joint.smoothing != SMOOTHING:
        yield f"URDF cannot express the smoothing {joint.smoothing!r} of its friction"
    if joint.stiffness:
        yield f"URDF cannot express its spring, of stiffness {joint.stiffness!r}"


def _notes(robot: RobotDescription) -> Iterator[str]:
    yield f"written by redyn; gravity is {numbers_text(robot.gravity)} m/s^2"
    if robot.source:
        yield f"source: {robot.source}"
    if robot.end_effector:
        yield f"end effector: {robot.end_effector}"


def _name(text: str | None) -> str:
    """A name as an attribute's value, in quotes."""
    if _NO_XML.search(str(text)):
        raise DescriptionError(repr(text), "has a character that XML cannot represent; choose another name")
    return quoteattr(str(text))


def _comment(text: str) -> str:
    text = _NO_XML.sub("?", text)
    while "--" in text:  # would end a comment
        text = text.replace("--", "- -")
    return f"<!-- {text} -->"


def _link(link: LinkDescription) -> list[str]:
    body = [*_inertial(link)]
    for tag, shapes in (("visual", link.visual), ("collision", link.collision)):
        for shape in shapes:
            body += _shape(tag, shape)
    name = _name(link.name)
    return [f"  <link name={name}>", *body, "  </link>"] if body else [f"  <link name={name}/>"]


def _inertial(link: LinkDescription) -> list[str]:
    inertia = link.inertia or (0.0,) * 6
    if not link.mass and not any(inertia) and link.joint.type == "fixed":
        return []  # a moving massless link has an explicit <inertial>
    if link.mass:
        inertia = _without_zero_moments(inertia)
    names = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
    entries = " ".join(f'{name}="{value!r}"' for name, value in zip(names, inertia, strict=True))
    return [
        "    <inertial>",
        f'      <origin xyz="{numbers_text(mass_centre(link))}" rpy="0 0 0"/>',
        f'      <mass value="{link.mass or 0.0!r}"/>',
        f"      <inertia {entries}/>",
        "    </inertial>",
    ]


def _without_zero_moments(inertia: tuple[float, ...]) -> tuple[float, ...]:
    """The same numbers, unless a principal moment is zero: that one becomes the minimum."""
    xx, xy, xz, yy, yz, zz = inertia
    tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    moments, axes = np.linalg.eigh(tensor)
    lacking = LEAST_MOMENT * (np.abs(moments) < LEAST_MOMENT)
    if not lacking.any():
        return inertia
    tensor += axes @ np.diag(lacking) @ axes.T
    return tuple(float(tensor[i, j]) for i, j in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)))


def _shape(tag: str, shape: Shape) -> list[str]:
    if shape.type in ("mesh", "ellipsoid"):
        return [f"    {_comment(f'{tag} {shape.type} left out: {shape.file or shape.size}')}"]
    if shape.type == "box":
        solid = f'box size="{numbers_text(shape.size or (0.0, 0.0, 0.0))}"'
    elif shape.type in ("cylinder", "capsule"):
        solid = f'{shape.type} radius="{shape.radius!r}" length="{shape.length!r}"'
    else:
        solid = f'sphere radius="{shape.radius!r}"'
    place = f'<origin xyz="{numbers_text(shape.xyz)}" rpy="{numbers_text(shape.rpy)}"/>'
    colour = ""
    if shape.colour is not None and tag == "visual":
        colour = f'<material name=""><color rgba="{numbers_text(shape.colour)}"/></material>'
    return [f"    <{tag}>{place}<geometry><{solid}/></geometry>{colour}</{tag}>"]


def _attributes(robot: RobotDescription, link: LinkDescription) -> str:
    """Attributes of the joints of a robot with loops."""
    joint = link.joint
    if not robot.loops or joint.type == "fixed":
        return ""
    # The two steps of a joint that was split have the names of its coordinates.
    driven = {str(joint.name), str(joint.name).rpartition(".")[0]} & set(robot.actuated or ())
    initial = f' initial="{numbers_text(joint.initial)}"' if joint.initial else ""
    return f' independent="{"true" if driven else "false"}"{initial}'


def _joint(link: LinkDescription, attributes: str = "") -> list[str]:
    joint = link.joint
    kind = _KINDS.get(joint.type, joint.type)
    if joint.type == "revolute" and joint.limits is None:
        kind = "continuous"
    placed = placement(link, "frames")
    # A constant added to the joint variable becomes part of the joint's pose.
    T = origin(placed.at(joint, joint.offset))
    if not joint.offset:
        T = {"xyz": link.xyz or (0.0, 0.0, 0.0), "rpy": link.rpy or (0.0, 0.0, 0.0)}
    lines = [
        f'  <joint name={_name(joint.name)} type="{kind}"{attributes}>',
        f"    <parent link={_name(link.parent)}/>",
        f"    <child link={_name(link.name)}/>",
        f'    <origin xyz="{numbers_text(T["xyz"])}" rpy="{numbers_text(T["rpy"])}"/>',
    ]
    if joint.type in ("revolute", "prismatic", "planar"):
        lines.append(f'    <axis xyz="{numbers_text(tuple(map(float, placed.axis)))}"/>')
    if joint.type != "fixed":
        lines += _drive(joint)
    return [*lines, "  </joint>"]


def _transmission(joint: JointDescription) -> Iterator[str]:
    """The reflected rotor inertia of a joint, as a transmission with a reduction of 1."""
    if not joint.armature:
        return
    yield f"  <transmission name={_name(f'{joint.name}_transmission')}>"
    yield "    <type>transmission_interface/SimpleTransmission</type>"
    yield f"    <joint name={_name(joint.name)}/>"
    yield f"    <actuator name={_name(f'{joint.name}_actuator')}>"
    yield "      <mechanicalReduction>1</mechanicalReduction>"
    yield f"      <rotorInertia>{joint.armature!r}</rotorInertia>"
    yield "    </actuator>"
    yield "  </transmission>"


def _drive(joint: JointDescription) -> Iterator[str]:
    """Limits, friction, and comments for what has no element. Parsers require <limit>, with zeros if there is none."""
    if joint.limits or joint.type == "prismatic" or joint.speed_limit or joint.effort_limit:
        ends = 'lower="{!r}" upper="{!r}" '.format(*joint.limits) if joint.limits else ""
        yield f'    <limit {ends}effort="{joint.effort_limit or 0.0!r}" velocity="{joint.speed_limit or 0.0!r}"/>'
    if joint.damping or joint.coulomb:
        yield f'    <dynamics damping="{joint.damping!r}" friction="{joint.coulomb!r}"/>'
    if joint.mimic:
        follows = f'multiplier="{joint.mimic.multiplier!r}" offset="{joint.mimic.offset!r}"'
        yield f"    <mimic joint={_name(joint.mimic.joint)} {follows}/>"
    if joint.coulomb and joint.smoothing != SMOOTHING:
        yield f"    {_comment(f'smoothing {joint.smoothing!r}')}"
    if joint.stiffness:
        yield f"    {_comment(f'spring: stiffness {joint.stiffness!r}, at rest at {joint.rest!r}')}"
    if joint.initial:
        yield f"    {_comment(f'initial value {numbers_text(joint.initial)}')}"
