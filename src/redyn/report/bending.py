"""What bends, as the viewer and the charts show it: flexible links as tubes, and gears that give.

The browser is sent mode shapes at places along every beam, and elastic coordinates over time. From these it draws bent
tubes and, where deflections are exaggerated, moves all that the tips carry along by the same kinematics as
dynamics.beams: the tip is at (L - e^T H e / 2, u_y, u_z), its axes are Rz(u_y') Ry(-u_z') Rx(chi).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from redyn.kinematics import Capsule
from redyn.kinematics.bending import Bend, Gear, bends, gears
from redyn.kinematics.shape import bodies, joint_places
from redyn.model.centre_line import centre_line
from redyn.report.plots import Plot
from redyn.robot import Robot

Array = NDArray[np.float64]
Pack = Callable[[Array], str]

FACTORS = (10, 20, 50, 100, 200, 500, 1000)  # by which deflections can be exaggerated: the first that is enough
ENOUGH = 0.4  # deflection of a tip, as a share of its length; rad of a gear
USUAL = 50.0  # factor where nothing is bent yet
NEEDLE, THIN = 0.85, 0.22  # length and radius of a needle that shows where a motor is, as shares of its link's
PLACES, MORE = 25, 8  # along a beam, and for each of its modes in one plane


def bending_data(robot: Robot, q: Array, shapes: Sequence[Capsule], pack: Pack, place: Any) -> dict[str, Any] | None:
    """Data for bending.js at states q (F, nq); None if nothing bends. `place` writes a 4x4 pose."""
    flexible, giving = bends(robot), gears(robot)
    if not flexible and not giving:
        return None
    radii = {shape.piece[0]: shape.radius for shape in shapes if shape.piece is not None}
    where = joint_places(robot)
    return {
        "beams": [_beam(bend, radii[k], pack, place) for k, bend in enumerate(flexible)],
        "gears": [
            {
                "name": gear.name,
                "link": gear.body,
                "point": where[gear.body - 1].point.tolist(),
                "axis": where[gear.body - 1].axis.tolist(),
                "slides": _slides(robot, gear),
                "needle": _needle(gear, where[gear.body - 1].point, shapes),
            }
            for gear in giving
        ],
        "parents": [body.parent for body in bodies(robot)],
        "values": pack(elastic_values(flexible, giving, q)),
        "most": _most(flexible, giving, q),
    }


def elastic_values(flexible: Sequence[Bend], giving: Sequence[Gear], q: Array) -> Array:
    """Elastic coordinates of every beam, then by how much links are ahead of the motors of their gears: (..., E)."""
    ahead = [q[..., [gear.link]] - q[..., [gear.motor]] for gear in giving]
    return np.concatenate([*(q[..., bend.places] for bend in flexible), *ahead, q[..., :0]], axis=-1)


def deflections(bend: Bend, q: Array) -> tuple[Array, Array]:
    """Of the tip across the beam, along y and along z of its root, at states (..., nq)."""
    y, tip = bend.beam.along_y, np.array(bend.beam.tip, dtype=np.float64)
    bending = q[..., bend.places[: bend.beam.bending]]
    return bending[..., :y] @ tip[:y], bending[..., y:] @ tip[y:]


def twist(bend: Bend, q: Array) -> Array:
    """Of the tip about the beam, at states (..., nq)."""
    return q[..., bend.places[bend.beam.bending :]] @ np.array(bend.beam.twist, dtype=np.float64)


def charts(robot: Robot, q: Array) -> list[Plot]:
    """Elastic coordinates as they are, by how much tips are deflected and twisted, and the twist of gears.

    At states (N, nq). What is in metres and what in radians have charts of their own.
    """
    flexible, giving, found = bends(robot), gears(robot), list[Plot]()
    names = iter(robot.mode_names)
    modes = [(next(names), place, part) for b in flexible for place, part in zip(b.places, b.beam.parts, strict=True)]
    for title, unit, twists in (("Elastic coordinates", "m", False), ("Elastic coordinates of torsion", "rad", True)):
        own = [(name, place) for name, place, part in modes if part.startswith("twist") is twists]
        if own:
            found.append(Plot(title, unit, [name for name, _ in own], q[:, [place for _, place in own]]))
    tips: dict[str, Array] = {}
    for bend in flexible:
        count = bool(bend.beam.along_y) + bool(bend.beam.along_z)
        for axis, across in zip("yz", deflections(bend, q), strict=True):
            if bend.beam.along_y if axis == "y" else bend.beam.along_z:
                tips[f"{bend.beam.name} {axis}" if count > 1 else bend.beam.name] = across
    if tips:
        found.append(Plot("Tip deflection", "m", list(tips), np.column_stack(list(tips.values()))))
    twisted = [bend for bend in flexible if bend.beam.torsion]
    if twisted:
        angles = np.column_stack([twist(bend, q) for bend in twisted])
        found.append(Plot("Tip twist", "rad", [bend.beam.name for bend in twisted], angles))
    for title, unit, slides in (("Twist of gears", "rad", False), ("Give of gears", "m", True)):
        own = [gear for gear in giving if _slides(robot, gear) is slides]
        if own:
            ahead = np.column_stack([q[:, gear.link] - q[:, gear.motor] for gear in own])
            found.append(Plot(title, unit, [gear.name for gear in own], ahead))
    return found


def _slides(robot: Robot, gear: Gear) -> bool:
    return bodies(robot)[gear.body - 1].kind == "prismatic"


def _needle(gear: Gear, point: Array, shapes: Sequence[Capsule]) -> dict[str, Any] | None:
    """A thin line from a joint to the far end of the link beyond it; None if that has no length."""
    own = [shape for shape in shapes if shape.link == gear.body and shape.kind == "arm"]
    far = max(
        (end for shape in own for end in (shape.start, shape.end)),
        key=lambda p: np.linalg.norm(p - point),
        default=point,
    )
    if not own or np.linalg.norm(far - point) < 1e-9:
        return None
    end = point + NEEDLE * (far - point)
    return {"start": point.tolist(), "end": end.tolist(), "radius": THIN * own[0].radius}


def _most(flexible: Sequence[Bend], giving: Sequence[Gear], q: Array) -> float:
    shares = [float(np.hypot(*deflections(bend, q)).max()) / float(bend.line.x[-1]) for bend in flexible]
    shares += [float(np.abs(q[:, gear.link] - q[:, gear.motor]).max()) for gear in giving]
    largest = max(shares)
    if largest < ENOUGH / FACTORS[-1]:
        return USUAL if largest < 1e-9 else FACTORS[-1]
    return next(factor for factor in FACTORS if factor * largest >= ENOUGH)


def _beam(bend: Bend, radius: float, pack: Pack, place: Any) -> dict[str, Any]:
    beam, L = bend.beam, float(bend.line.x[-1])
    assert beam.curves is not None
    x: Array = np.linspace(0.0, L, PLACES + MORE * max(beam.along_y, beam.along_z, beam.torsion))
    line = centre_line(beam, x)
    slopes = beam.curves.values(x, 1)
    m, first = (float(value) for value in (beam.M.m, beam.M.h.x))  # pyright: ignore[reportArgumentType]
    return {
        "name": beam.name,
        "link": bend.root,
        "root": place(bend.root_pose),
        "tip": bend.tip,
        "end": place(np.linalg.inv(bend.tip_pose)),  # the body's frame in the axes of the tip
        "radius": radius,
        "counts": [beam.along_y, beam.along_z, beam.torsion],
        "x": pack(x),
        "y": pack(line.y),
        "z": pack(line.z),
        "slopeY": pack(slopes[0]),
        "slopeZ": pack(slopes[1]),
        "twist": pack(beam.curves.values(x)[2]),
        "H": pack(line.H),
        "mass": m,
        "centre": first / m,
        "S": (np.array(beam.S, dtype=np.float64) / m).tolist(),
        "P": (np.array(beam.P, dtype=np.float64) / m).tolist(),
    }
