"""Masses and inertias beside the shapes of their links.

A body of mass m within a box has second moments of at most m (c - low) (high - c) about its mass centre c, along every
axis (the inequality of Bhatia and Davis). Beyond that, the numbers are not those of a body with these shapes.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import permutations, product

import numpy as np
from numpy.typing import NDArray

from redyn.description.meshes import find_package, package_of
from redyn.verify.doctor.checks.inertias import six
from redyn.verify.doctor.estimate import estimate, number, tensor_repair, text
from redyn.verify.doctor.finding import Finding, Repair, Severity
from redyn.verify.doctor.solid import Rooms, Solid
from redyn.verify.doctor.survey import Body, Survey

Array = NDArray[np.float64]

OSMIUM = 22_600.0  # kg/m^3: nothing is denser
DENSE, LIGHT = 14_000.0, 5.0  # kg/m^3: of a hull, which is larger than what is in it
SMALL = 0.02  # m: smaller shapes stand in for something else
MARGIN = 0.1  # of the diagonal of a box: shapes leave out screws, cables and covers
IMPOSSIBLE = 1e5  # times the inertia of a solid: a slip of units, not of shapes
WIDE, NARROW = 2.5, 0.2  # radius of gyration, of that of a solid
GIANT, TINY = 30.0, 3e-4  # mesh sizes relative to the robot's reach
UNITS = ((1e3, "g or kg mm^2 * 1e3"), (1e4, "kg cm^2"), (1e6, "kg mm^2"), (1e7, "g cm^2"), (1e9, "g mm^2"))


def meshes(survey: Survey, rooms: Rooms) -> Iterator[Finding]:
    """Files of meshes that are missing or damaged, and meshes in other units."""
    if rooms.missing is not None:
        yield Finding("no-meshes", "note", "file", "", "mesh", "meshes are not read", str(rooms.missing))
    absent: set[str] = set()
    for body, tag, shape, error in rooms.failed:
        name = shape.file or ""
        package = package_of(name)
        if package is not None and find_package(package, survey.folder) is None:
            if package not in absent:
                absent.add(package)
                what = f"package {package!r} is not found, nor are its meshes ({name})"
                right = f"put the folder {package} beside the file's own package, or set ROS_PACKAGE_PATH"
                yield Finding("package-missing", "warning", "link", body.name, f"{tag}.mesh", what, right, body.line)
            continue
        severity: Severity = "error" if "no such mesh" in error.what else "warning"
        code = "mesh-missing" if severity == "error" else "mesh-unread"
        yield Finding(code, severity, "link", body.name, f"{tag}.mesh", f"{name}: {error.what}", "", body.line)
    for name in survey.bodies:
        yield from _scales(survey, rooms, name)


def _scales(survey: Survey, rooms: Rooms, link: str) -> Iterator[Finding]:
    for shape, solid in rooms.shapes[link]:
        factor = unit_slip(survey, solid)
        if shape.type != "mesh" or factor is None:
            continue
        what = f"{shape.file}: {solid.diagonal:.3g} m across, beside a robot that reaches {survey.reach:.3g} m"
        scale = np.array(shape.scale or (1.0, 1.0, 1.0)) * factor
        tag = "visual" if any(shape is other for other in survey.bodies[link].visual) else "collision"
        place = (tag, "geometry", "mesh")
        does = f"scale the mesh by {factor:g}"
        repair = Repair("link", link, place, {"scale": text(scale)}, does, where={"filename": shape.file or ""})
        right = f'with scale="{text(scale)}" it would be {solid.diagonal * factor:.3g} m'
        yield Finding(
            "mesh-scale", "error", "link", link, f"{tag}.mesh.scale", what, right, survey.bodies[link].line, (repair,)
        )


def unit_slip(survey: Survey, solid: Solid) -> float | None:
    """The factor that brings a mesh to the size of the robot, if it is in other units."""
    size, reach = solid.diagonal, survey.reach
    if size > 10.0 and size > GIANT * max(reach, 0.3):
        return 0.001
    if 0.0 < size < 0.002 and size < TINY * max(reach, 1.0):
        return 1000.0
    return None


def rooms_and_masses(survey: Survey, rooms: Rooms) -> Iterator[Finding]:
    """Density, mass centre and inertia of every link with shapes."""
    for body in survey.bodies.values():
        solid = rooms.own[body.name]
        if solid is None or body.mass is None or body.com is None or body.mass <= 0.0:
            continue
        if any(unit_slip(survey, other) for _, other in rooms.shapes[body.name]):
            continue  # nothing can be said of its size
        around = rooms.group(body.name) or solid
        yield from _density(survey, body, solid, around)
        outside = list(_centre(survey, body, solid, around))
        yield from outside
        yield from _inertia(body, solid, around, bool(outside))


def _density(survey: Survey, body: Body, solid: Solid, around: Solid) -> Iterator[Finding]:
    assert body.mass is not None
    group = [survey.bodies[name] for name in survey.group_of[body.name]]
    whole = sum(abs(other.mass or 0.0) for other in group)
    line, box = body.line_of("mass"), float(np.prod(np.maximum(around.size, 1e-3)))
    most, least = body.mass / box, body.mass / around.volume if around.volume > 0.0 else math.inf
    if most > OSMIUM or (least > DENSE and most > DENSE / 2):
        severity: Severity = "error" if most > OSMIUM and float(around.size.max()) > SMALL else "warning"
        what = f"{body.mass:g} kg in a box of {_sizes(around)}: {most:.3g} kg/m^3 at least"
        right = f"steel has 7,850 kg/m^3; {body.mass / 1000:g} kg, if it is in grams"
        repair = Repair(
            "link", body.name, ("inertial", "mass"), {"value": number(body.mass / 1000)}, "take the mass as grams"
        )
        yield Finding("density-high", severity, "link", body.name, "mass", what, right, line, (repair,))
    elif solid.volume > 1e-5 and whole / solid.volume < LIGHT:
        what = f"{whole:g} kg in shapes of {solid.volume * 1000:.3g} litres: {whole / solid.volume:.2g} kg/m^3"
        right = "foam has 30 kg/m^3; check its unit, and whether the number is a placeholder"
        yield Finding("density-low", "warning", "link", body.name, "mass", what, right, line)


def _sizes(solid: Solid) -> str:
    return " x ".join(f"{x:.3g}" for x in solid.size) + " m"


def beyond(point: Array, solid: Solid, margin: float) -> float:
    """How far a point is outside a box with a margin, in diagonals of the box; 0 inside."""
    room = margin * solid.diagonal
    away = np.maximum(np.maximum(solid.low - room - point, point - solid.high - room), 0.0)
    return float(np.linalg.norm(away)) / max(solid.diagonal, 1e-9)


def _centre(survey: Survey, body: Body, solid: Solid, around: Solid) -> Iterator[Finding]:
    assert body.com is not None
    own, far = beyond(body.com, solid, MARGIN), beyond(body.com, around, MARGIN)
    if own == 0.0:
        return
    line, pose = body.line_of("com"), survey.poses[body.name]
    in_link = pose[:3, :3].T @ (body.com - pose[:3, 3])
    what = f"the mass centre, {text(np.round(body.com, 6))}, is {own * solid.diagonal:.3g} m outside its shapes"
    right = f"the middle of its shapes is {text(np.round(solid.centre, 6))}"
    place = solid.centre
    if beyond(in_link, solid, 0.0) == 0.0 and np.linalg.norm(pose[:3, 3]) > 1e-6:
        what += "; it would be inside if it were given in the frame of the root"
        right, place = f"in the frame of the link it is {text(np.round(in_link, 6))}", in_link
    elif beyond(body.com / 1000, solid, 0.0) == 0.0 and float(np.abs(body.com).max()) > 1.0:
        right, place = f"in metres, if it is in millimetres: {text(body.com / 1000)}", body.com / 1000
    repair = Repair("link", body.name, ("inertial", "origin"), {"xyz": text(place)}, f"mass centre {text(place)}")
    if far == 0.0:
        what += ", but among those that are fixed to it"
        yield Finding("com-outside", "note", "link", body.name, "inertial.origin", what, right, line)
        return
    severity: Severity = "error" if far > 5.0 and far * around.diagonal > 1.0 else "warning"
    yield Finding("com-outside", severity, "link", body.name, "inertial.origin", what, right, line, (repair,))


def _inertia(body: Body, solid: Solid, around: Solid, outside: bool) -> Iterator[Finding]:
    """`outside`: its mass centre is wrong, so that its inertia can be compared in size alone."""
    assert body.mass is not None
    assert body.com is not None
    inertia, m, line = body.inertia, body.mass, body.line_of("inertia")
    if inertia is None or not inertia.any() or float(np.linalg.eigvalsh(inertia)[0]) <= 0.0:
        return
    S = np.trace(inertia) / 2 * np.eye(3) - inertia
    room = MARGIN * around.diagonal
    c = np.clip(body.com, around.low, around.high)
    bound = m * (c - around.low + room) * (around.high - c + room)
    over = 0.0 if outside else float((np.diag(S) / bound).max())
    if solid.volume <= 0.0:
        return
    expected = solid.inertia(m)
    ratio = float(np.trace(inertia) / np.trace(expected))
    repairs = estimate(body.name, m, solid, "inertia of a solid of its shapes and mass", body)
    moments = ", ".join(f"{x:.3g}" for x in np.linalg.eigvalsh(inertia))
    solids = ", ".join(f"{x:.3g}" for x in np.linalg.eigvalsh(expected))
    right = f"a solid of its shapes would have {solids} kg m^2{_unit_hint(ratio)}"
    shift = m * (body.com @ body.com * np.eye(3) - np.outer(body.com, body.com))
    if ratio > 1.5 and not outside:
        about_origin = _about_origin(inertia, shift, expected)
        if about_origin is not None:
            moved = body.turn.T @ about_origin @ body.turn
            what = f"the inertia ({moments} kg m^2) is too large for its shapes, as if it were about the link's origin"
            right = "give it about the mass centre: " + ", ".join(f"{x:.3g}" for x in np.linalg.eigvalsh(about_origin))
            repair = tensor_repair(body.name, moved, "move the inertia from the link's origin to the mass centre")
            yield Finding("inertia-origin", "warning", "link", body.name, "inertia", what, right, line, (repair,))
            return
    if NARROW**2 < ratio < WIDE**2 and not outside:
        exchanged = list(_axes(body, inertia, expected, repairs))
        if exchanged:
            yield from exchanged
            return
    shaped = float(solid.size.max()) > SMALL and not np.allclose(inertia, np.eye(3) * inertia[0, 0])
    severity: Severity = "error" if ratio > IMPOSSIBLE and shaped else "warning"  # else placeholders
    if over > 1.0:
        what = f"{m:g} kg within {_sizes(around)} cannot have the moments {moments} kg m^2"
        yield Finding("inertia-large", severity, "link", body.name, "inertia", what, right, line, repairs)
    elif ratio > WIDE**2:
        what = f"the moments {moments} kg m^2 are {ratio:.3g} times those of a solid of its shapes"
        yield Finding("inertia-large", severity, "link", body.name, "inertia", what, right, line, repairs)
    elif ratio < NARROW**2:
        what = f"the moments {moments} kg m^2 are {ratio:.2g} of those of a solid of its shapes"
        yield Finding("inertia-small", "warning", "link", body.name, "inertia", what, right, line, repairs)


def _unit_hint(ratio: float) -> str:
    for factor, unit in UNITS:
        if 0.2 < ratio / factor < 5.0:
            return f"; is it in {unit}?" if factor != 1e3 else "; is it in g m^2?"
        if 0.2 < ratio * factor < 5.0 and factor in (1e3, 1e6):
            return f"; it is {factor:g} times too small"
    return ""


def _about_origin(inertia: Array, shift: Array, expected: Array) -> Array | None:
    """The tensor about the mass centre, if the given one fits the shapes better as one about the link's origin."""
    moved = inertia - shift
    low, middle, high = np.linalg.eigvalsh(moved)
    if low <= 0.0 or low + middle < 0.98 * high:
        return None
    before, after = (float(np.linalg.norm(x - expected) / np.linalg.norm(expected)) for x in (inertia, moved))
    return moved if after < 0.4 * before and before > 0.7 and after < 1.0 else None


def _axes(body: Body, inertia: Array, expected: Array, repairs: tuple[Repair, ...]) -> Iterator[Finding]:
    """Whether other axes would fit the shapes much better."""
    given, solid = inertia / np.trace(inertia), expected / np.trace(expected)
    off = float(np.linalg.norm(given - solid))
    if off < 0.3:
        return
    turned = [(float(np.linalg.norm(R @ given @ R.T - solid)), R) for R in _turns()]
    best, _ = min(turned, key=lambda item: item[0])
    if best > 0.4 * off:
        return
    own = ", ".join(f"{x:.3g}" for x in six(inertia))
    wanted = ", ".join(f"{x:.3g}" for x in six(expected))
    what = f"the tensor (xx, xy, xz, yy, yz, zz {own}) fits its shapes much better on other axes"
    right = f"are axes exchanged, or an rpy left out? A solid of its shapes would have {wanted} kg m^2"
    line = body.line_of("inertia")
    yield Finding("inertia-axes", "warning", "link", body.name, "inertia", what, right, line, repairs[-1:])


def _turns() -> list[Array]:
    """Exchanges of axes, with signs."""
    found: list[Array] = []
    for order in permutations(range(3)):
        for signs in product((1.0, -1.0), repeat=2):
            R = np.zeros((3, 3))
            for k, (axis, sign) in enumerate(zip(order, (1.0, *signs), strict=True)):
                R[k, axis] = sign
            found.append(R)
    return found
