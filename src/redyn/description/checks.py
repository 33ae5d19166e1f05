"""Checks of a description beyond the type of each field."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from redyn.description.contacts import checked_contacts
from redyn.description.ends import end_frames, frame_links
from redyn.description.loops import checked_loops
from redyn.description.physical import impossible
from redyn.description.rolling import check_rolling
from redyn.description.schema import SEVERAL, WORLD, LinkDescription, RobotDescription
from redyn.description.ties import in_rings, is_single
from redyn.errors import DescriptionError
from redyn.words import suggestion

_GEOMETRY = {
    "dh": ("a", "b", "alpha", "theta"),
    "modified-dh": ("a", "alpha", "d", "theta"),
    "frames": ("xyz", "rpy", "axis", "axis2"),
}
_VARIABLE = {
    ("dh", "revolute"): "theta",
    ("dh", "prismatic"): "b",
    ("modified-dh", "revolute"): "theta",
    ("modified-dh", "prismatic"): "d",
}


def complete(robot: RobotDescription) -> RobotDescription:
    """The same robot with all names and parents filled in, checked as a whole."""
    links: list[LinkDescription] = []
    for i, link in enumerate(robot.links):
        name = link.name or f"link{i + 1}"
        before = links[i - 1].name if i else WORLD
        joint = link.joint.model_copy(update={"name": link.joint.name or f"joint{i + 1}"})
        link = link.model_copy(update={"name": name, "parent": link.parent or before, "joint": joint})
        where = f"links[{i}]"
        _check_geometry(link, robot, where)
        if link.flexible is not None:
            _check_beam(link, robot, where)
        links.append(_with_initial(link, robot, where))
        _check_mass(link, where)
    _check_names(links)
    _check_parents(links)
    _check_mimics(links)
    names = list(frame_links(links))
    if robot.end_effector is not None and robot.end_effector not in names:
        raise DescriptionError(
            "end_effector", f"no link is called {robot.end_effector!r}{suggestion(robot.end_effector, names)}"
        )
    check_rolling(robot, links)
    contacts = checked_contacts(robot, links) if robot.contacts else []
    return robot.model_copy(update={"links": links, "loops": checked_loops(robot, links), "contacts": contacts})


def check_moves(robot: RobotDescription, origin: str = "") -> None:
    if all(link.joint.type == "fixed" and not bends(link) for link in robot.links):
        where = f"{origin}: links" if origin else "links"
        raise DescriptionError(where, "no joint moves; at least one must not be fixed, or the base must float")


def _check_geometry(link: LinkDescription, robot: RobotDescription, where: str) -> None:
    allowed = _GEOMETRY[robot.convention]
    every = {field for fields in _GEOMETRY.values() for field in fields}
    for field in sorted(every - set(allowed)):
        if getattr(link, field) is not None:
            raise DescriptionError(
                f"{where}.{field}",
                f"not allowed with convention {robot.convention!r}, whose fields are {', '.join(allowed)}",
            )
    for field, axis in (("axis", link.axis), ("axis2", link.axis2)):
        if axis is not None and not 1e-6 < float(np.linalg.norm(axis)) < 1e6:
            raise DescriptionError(f"{where}.{field}", f"expected a direction such as [0, 0, 1], got {list(axis)}")
    _check_kind(link, robot, where)
    if robot.convention != "frames":
        variable = _VARIABLE.get((robot.convention, link.joint.type))
        for field in allowed:
            if field != variable and getattr(link, field) is None:
                raise DescriptionError(
                    f"{where}.{field}",
                    f"missing; a {link.joint.type} joint in {robot.convention} needs {_needed(allowed, variable)}",
                )


def bends(link: LinkDescription) -> bool:
    """Whether a link has modes."""
    return link.flexible is not None and any(link.flexible.modes)


def _check_beam(link: LinkDescription, robot: RobotDescription, where: str) -> None:
    """That the length of a flexible link is given once: in `dh` by a, else by `length` or its table."""
    flexible = link.flexible
    assert flexible is not None
    at, table = f"{where}.flexible", flexible.table
    given = table[-1].x if table is not None else flexible.length
    if table is not None and flexible.length is not None and flexible.length != given:
        raise DescriptionError(f"{at}.length", f"the table ends at {given}; leave length out, or make it the same")
    if robot.convention == "dh":
        if not link.a or link.a < 0.0:
            raise DescriptionError(f"{where}.a", f"a flexible link bends over its length a > 0, got {link.a}")
        if given is not None and abs(given - link.a) > 1e-12 * link.a:
            what = "the table" if table is not None else "length"
            raise DescriptionError(at, f"{what} ends at {given}, and the link at a = {link.a}; make them the same")
    elif given is None:
        raise DescriptionError(f"{at}.length", "missing; the beam runs along x of the link's frame, so far (in metres)")


def _check_kind(link: LinkDescription, robot: RobotDescription, where: str) -> None:
    """Checks the geometry fields that a joint type requires."""
    kind = link.joint.type
    if robot.convention != "frames" and (kind in SEVERAL or kind == "helical"):
        raise DescriptionError(
            f"{where}.joint.type", f"a {kind} joint needs convention 'frames', got {robot.convention!r}"
        )
    if (link.axis2 is not None) != (kind == "universal"):
        missing = "missing; a universal joint rotates about axis, then about axis2"
        raise DescriptionError(f"{where}.axis2", missing if kind == "universal" else f"not used by a {kind} joint")
    if kind == "universal":
        first, second = np.array(link.axis or (0.0, 0.0, 1.0)), np.array(link.axis2)
        sine = np.linalg.norm(np.cross(first, second)) / (np.linalg.norm(first) * np.linalg.norm(second))
        if sine < 1e-3:
            raise DescriptionError(f"{where}.axis2", "the two axes of a universal joint must differ")
    if kind in ("spherical", "free") and link.axis is not None:
        raise DescriptionError(f"{where}.axis", f"a {kind} joint has no axis")


def _needed(allowed: tuple[str, ...], variable: str | None) -> str:
    return ", ".join(field for field in allowed if field != variable)


def _with_initial(link: LinkDescription, robot: RobotDescription, where: str) -> LinkDescription:
    """A number in the column of the joint variable is its initial value, as in the book's tables: `JV [0]`."""
    variable = _VARIABLE.get((robot.convention, link.joint.type))
    value = getattr(link, variable) if variable else None
    if variable is None or value is None:
        return link
    if link.joint.initial is not None and link.joint.initial != (value,):
        raise DescriptionError(
            f"{where}.{variable}",
            f"{variable} is the variable of this joint, so its number is the initial value, but joint.initial says "
            f"{link.joint.initial[0]}; give one of them (a constant to add goes into joint.offset)",
        )
    joint = link.joint.model_copy(update={"initial": (value,)})
    return link.model_copy(update={variable: None, "joint": joint})


def _check_mass(link: LinkDescription, where: str) -> None:
    moving = link.joint.type != "fixed"
    if link.mass is None:
        if moving and link.flexible is None:
            raise DescriptionError(f"{where}.mass", "missing; write the mass in kg (0 for a massless link)")
        for field in ("com", "r", "inertia"):
            if getattr(link, field) is not None:
                raise DescriptionError(f"{where}.mass", f"missing, though {field} is given; write the mass in kg")
        return
    if link.com is not None and link.r is not None:
        raise DescriptionError(
            f"{where}.r",
            "give either com (mass centre from the link frame) or r (from the mass centre to the link frame)",
        )
    if link.mass != 0.0:
        if link.com is None and link.r is None:
            raise DescriptionError(
                f"{where}.com", "missing; give com, the mass centre from the link frame, or the book's r = -com"
            )
        if link.inertia is None:
            raise DescriptionError(
                f"{where}.inertia", "missing; six numbers about the mass centre ([0, 0, 0] for a point mass)"
            )


def _check_names(links: list[LinkDescription]) -> None:
    ends = {end: str(link.name) for link in links for end in end_frames(link)}
    for i, link in enumerate(links):
        if link.name in ends:
            raise DescriptionError(
                f"links[{i}].name", f"{link.name!r} is the name of an end of the flexible link {ends[link.name]!r}"
            )
    for kind, names in (
        ("name", [link.name for link in links]),
        ("joint.name", [link.joint.name for link in links]),
    ):
        seen: dict[str | None, int] = {}
        for i, name in enumerate(names):
            if name == WORLD and kind == "name":
                raise DescriptionError(f"links[{i}].name", f"{name!r} is the fixed world; choose another name")
            if name in seen:
                raise DescriptionError(
                    f"links[{i}].{kind}", f"{name!r} is already used by links[{seen[name]}]; names must differ"
                )
            seen[name] = i


def _check_parents(links: list[LinkDescription]) -> None:
    index = {str(link.name): i for i, link in enumerate(links)}
    owner = {WORLD: WORLD, **frame_links(links)}
    for i, link in enumerate(links):
        if link.parent not in owner:
            raise DescriptionError(
                f"links[{i}].parent", f"no link is called {link.parent!r}{suggestion(str(link.parent), list(owner))}"
            )
    grounded = {WORLD}
    for link in links:
        path: dict[str, None] = {}  # ordered set
        at = str(link.name)
        while at not in grounded:
            if at in path:
                names = list(path)
                loop = " -> ".join([*names[names.index(at) :], at])
                raise DescriptionError(
                    f"links[{index[at]}].parent",
                    f"the parents form a loop: {loop}; one of them must have another parent or the world",
                )
            path[at] = None
            at = owner[str(links[index[at]].parent)]
        grounded.update(path)


def _check_mimics(links: list[LinkDescription]) -> None:
    """Mimicked joints must exist, move and have one coordinate, and no joint may mimic itself, even indirectly."""
    singles = {str(link.joint.name): None for link in links if is_single(link)}  # ordered set
    every = {link.joint.name for link in links}
    leaders = {str(link.joint.name): link.joint.mimic.joint for link in links if link.joint.mimic is not None}
    rings = in_rings(leaders)
    for i, link in enumerate(links):
        leader = leaders.get(str(link.joint.name))
        if leader is None:
            continue
        wrong = ""
        if leader not in every:
            wrong = f"no joint is called {leader!r}{suggestion(leader, list(singles))}"
        elif leader not in singles:
            wrong = f"{leader!r} cannot be mimicked; only joints with one coordinate can"
        elif link.joint.name in rings:
            wrong = f"mimicking {leader!r} closes a cycle of mimic joints; one of them must be independent"
        if wrong:
            raise DescriptionError(f"links[{i}].joint.mimic.joint", wrong)


def unphysical_links(robot: RobotDescription) -> Iterator[tuple[str, str]]:
    """Physically impossible links, and why."""
    for i, link in enumerate(robot.links):
        mass = link.mass or 0.0
        if mass < 0:
            yield f"links[{i}].mass", f"the mass is negative ({mass} kg)"
        tensors = {"inertia": link.inertia}
        if link.flexible is not None:
            bodies = {"flexible.hub": link.flexible.hub, "flexible.tip": link.flexible.tip}
            tensors |= {f"{end}.inertia": body.inertia for end, body in bodies.items() if body is not None}
        for field, tensor in tensors.items():
            why = impossible(tensor or (0.0,) * 6)
            if why:
                yield f"links[{i}].{field}", why


def check_physical(robot: RobotDescription, origin: str = "") -> None:
    if robot.unphysical is not None:
        return
    for where, why in unphysical_links(robot):
        raise DescriptionError(
            f"{origin}: {where}" if origin else where,
            f"{why}; correct it, or say in the file `unphysical: why`, or load with allow_unphysical=True",
        )
