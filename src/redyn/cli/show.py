"""redyn show: the tables of one robot."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from redyn.cli.options import ROBOT_HELP, Actuated, Floating, Loops, Trusted, Unphysical, bold, listed, wide_console

if TYPE_CHECKING:
    from rich.console import Console

    from redyn.description import LinkDescription
    from redyn.robot import Robot

FILE_HELP = """The tables of a robot: geometry, joints, masses, warnings.

Example: redyn show puma        Example: redyn show my-arm.yaml --yaml

Example: redyn show leg.sdf --actuated hip,knee --yaml > leg.yaml

A robot file (YAML) has the fields name, title, group, convention (dh, modified-dh or frames), gravity, end_effector,
unphysical, source, masses (published or estimated), reach, defects, links and, where joints close loops, loops and
actuated. Each link has name, parent, joint, mass, com or r, inertia, visual, collision, and its geometry: a b alpha
theta (dh), a alpha d theta (modified-dh), xyz rpy axis axis2 (frames). A joint is a type (revolute, prismatic, fixed;
with frames also helical, cylindrical, universal, planar, spherical, free), or a mapping of type, name, damping,
coulomb, smoothing, armature, stiffness and rest (of a spring), limits, speed_limit, effort_limit, offset, pitch,
initial, mimic (joint, multiplier, offset), elastic (stiffness and damping of a gear that gives). A link that bends has
flexible: rho_A, EI, GJ, rho_Ip, or a table of them (x, ...), length, modes, load, damping_ratio, stiffening, hub, tip.
visual and collision are lists of shapes: type (box, cylinder, capsule,
sphere, ellipsoid, mesh), size, radius, length, file, scale, xyz, rpy, colour. A loop has name, between (two links, or
one and world), joint (revolute, prismatic, cylindrical, planar, spherical, universal, fixed, distance, gear), and at,
meets and axis, or frames; a distance has length, a gear coefficients. actuated names the joints that are driven.
Numbers may be written pi/2 or 90 deg.
"""


def show(
    robot: Annotated[str, typer.Argument(help=ROBOT_HELP)],
    yaml: Annotated[bool, typer.Option("--yaml", help="Print the complete robot file (YAML) instead.")] = False,
    floating_base: Floating = False,
    allow_unphysical: Unphysical = False,
    trust: Trusted = None,
    loops: Loops = None,
    actuated: Actuated = None,
) -> None:
    from redyn.description import RobotDescription, unphysical_links
    from redyn.description.numbers import format_angle
    from redyn.robot import load

    loaded = load(
        robot,
        floating_base=floating_base,
        allow_unphysical=allow_unphysical,
        trust=trust,
        loops=False if loops == "none" else loops,
        actuated=listed(actuated),
    )
    description: RobotDescription = loaded.description
    if yaml:
        print(loaded.to_yaml(), end="")
        return
    console = wide_console()
    pull = ", ".join(f"{g:g}" for g in description.gravity)
    tip = loaded.model.end_effector or "none named (several tips)"
    guess = " (estimated)" if description.masses == "estimated" else ""
    console.print(bold(description.name, f": {loaded.size}, {loaded.total_mass:.4g} kg in total{guess}"))
    console.print(f"gravity ({pull}) m/s^2; end effector {tip}")
    if description.source:
        console.print(f"source: {description.source}")
    if description.reach:
        reach = description.reach
        end = f"a point between {reach.least} and {reach.end}" if reach.least else reach.end
        console.print(f"reach {reach.value:g} m, from the axis of {reach.start} to {end} ({reach.source})")

    fields = {"dh": "a b alpha theta", "modified-dh": "alpha a d theta", "frames": "xyz rpy axis axis2"}[
        description.convention
    ].split()
    geometry = Table(
        "link",
        "parent",
        "joint",
        *fields,
        "initial",
        title=f"Geometry ({description.convention})",
        title_justify="left",
        box=None,
        header_style="bold",
    )
    booklike = description.convention == "dh"  # whose tables list r_i, from C_i to O_{i+1}
    masses = Table(
        "link",
        "mass",
        "r x" if booklike else "com x",
        "y",
        "z",
        "Ixx",
        "Ixy",
        "Ixz",
        "Iyy",
        "Iyz",
        "Izz",
        title=f"Mass (kg), {'r from mass centre to' if booklike else 'mass centre from'} link frame (m), inertia about "
        "mass centre (kg m^2)",
        title_justify="left",
        box=None,
        header_style="bold",
    )
    springs = ("stiffness", "rest") if any(link.joint.stiffness for link in description.links) else ()
    drives = Table(
        "joint",
        "damping",
        "coulomb",
        "armature",
        *springs,
        "offset",
        "lower",
        "upper",
        title="Joints",
        title_justify="left",
        box=None,
        header_style="bold",
    )

    def shown(value: float | tuple[float, ...] | None, angle: bool = False) -> str:
        if value is None:
            return "-"
        if isinstance(value, tuple):
            return " ".join(shown(v, angle) for v in value)
        return str(format_angle(float(value))) if angle else f"{float(value):.6g}"

    variable = {"revolute": "theta", "prismatic": "b" if description.convention == "dh" else "d"}
    for link in description.links:
        joint = link.joint
        cells = [
            "q"
            if description.convention != "frames" and variable.get(joint.type) == name
            else shown(getattr(link, name), name in ("alpha", "theta", "rpy"))
            for name in fields
        ]
        geometry.add_row(
            link.name,
            link.parent,
            joint.type,
            *cells,
            "-" if joint.type == "fixed" else shown(joint.initial or joint.neutral, joint.type == "revolute"),
        )
        if link.mass is not None:
            masses.add_row(
                link.name, *(f"{x:.6g}" for x in (link.mass, *_centre(link, booklike), *(link.inertia or (0.0,) * 6)))
            )
        if joint.type != "fixed":
            limits = joint.limits or (None, None)
            spring = [getattr(joint, name) for name in springs]
            drive = (joint.damping, joint.coulomb, joint.armature, *spring, joint.offset, *limits)
            drives.add_row(joint.name, *map(shown, drive))
    for table in (geometry, masses, drives):
        console.print()
        console.print(table)
    if any(link.flexible is not None for link in description.links):
        _show_beams(loaded, console)
    if any(link.joint.elastic is not None for link in description.links):
        _show_gears(loaded, console)
    if loaded.model.loops:
        _show_loops(loaded, console)
    if loaded.model.contacts:
        _show_wheels(loaded, console)
    if loaded.model.contact_points:
        _show_contacts(loaded, console)
    warnings = [*description.defects, *(f"{where}: {why}" for where, why in unphysical_links(description))]
    if warnings:
        console.print(bold("\nKnown defects and warnings"))
        for warning in warnings:
            console.print(f"- {warning}")


def _show_beams(robot: Robot, console: Console) -> None:
    """Links that bend, their modes, and the frequencies of each by itself, clamped, with the load of its modes."""
    from redyn.description.beams import beam_length

    names = ("link", "length", "rho_A", "EIy", "EIz", "GJ", "rho_Ip", "modes y z twist", "clamped (Hz)")
    table = Table(*names, title="Flexible links (kg/m, N m^2, kg m)", title_justify="left", box=None)
    table.header_style = "bold"
    beams = {beam.name: beam for _, beam in robot.model.beams}
    for link in robot.description.links:
        if link.flexible is None:
            continue
        beam, rows = beams.get(str(link.name)), link.flexible.stations
        ends = [(row.rho_A, *row.EI, row.GJ, row.rho_Ip) for row in (rows[0], rows[-1])]
        cells = [_along(a, b) for a, b in zip(*ends, strict=True)]
        curves = beam.curves if beam is not None else None
        kinds = () if curves is None else (curves.y, curves.z, curves.torsion)
        hertz = [f"{f / 6.283185307:.4g}" for shapes in kinds if shapes for f in shapes.frequencies]
        counts = " ".join(map(str, link.flexible.modes))
        table.add_row(link.name, f"{beam_length(link):.6g}", *cells, counts, " ".join(hertz) or "-")
    console.print()
    console.print(table)


def _along(root: float | None, tip: float | None) -> str:
    """A property of a beam from root to tip."""
    if root is None or tip is None:
        return "-"
    return f"{root:.6g}" if root == tip else f"{root:.4g} to {tip:.4g}"


def _show_gears(robot: Robot, console: Console) -> None:
    """Gears that give."""
    table = Table("joint", "stiffness", "damping", "motor", title="Elastic gears", title_justify="left", box=None)
    table.header_style = "bold"
    for joint in (link.joint for link in robot.description.links):
        if joint.elastic is not None:
            gear = joint.elastic
            table.add_row(joint.name, f"{gear.stiffness:.6g}", f"{gear.damping:.6g}", f"{joint.armature:.6g}")
    console.print()
    console.print(table)


def _show_loops(robot: Robot, console: Console) -> None:
    """The joints that close loops, how many of their rows count, and what can move."""
    from redyn.errors import AssemblyError
    from redyn.kinematics.summary import loop_summary

    table = Table("loop", "joint", "between", "rows", "open by", title="Loops", title_justify="left", box=None)
    table.header_style = "bold"
    summary = loop_summary(robot)
    for loop in summary.loops:
        table.add_row(loop.name, loop.joint, " - ".join(loop.between), " ".join(loop.rows), loop.gap)
    console.print()
    console.print(table)
    try:
        for line in summary.lines(robot):
            console.print(line)
    except AssemblyError as error:
        console.print(str(error))


def _show_wheels(robot: Robot, console: Console) -> None:
    """What rolls, and the entries of qd and tau that are left."""
    from redyn.description.numbers import format_angle

    table = Table("link", "kind", "radius", "roller", title="Wheels", title_justify="left")
    table.box, table.header_style = None, "bold"
    for wheel in robot.description.rolling:
        roller = "-" if wheel.roller is None else str(format_angle(wheel.roller))
        table.add_row(wheel.link, wheel.kind, "-" if wheel.radius is None else f"{wheel.radius:.6g}", roller)
    console.print()
    console.print(table)
    console.print(f"independent rates (qd): {', '.join(robot.velocity_names)}")
    console.print(f"torques (tau): {', '.join(robot.torque_names)}")


def _show_contacts(robot: Robot, console: Console) -> None:
    """What may touch the ground, and the ground itself."""
    table = Table("contact", "link", "radius", title="Contacts with the ground", title_justify="left", box=None)
    table.header_style = "bold"
    for point in robot.model.contact_points:
        table.add_row(point.name, robot.model.links[point.link - 1].name, f"{point.radius:.6g}")
    console.print()
    console.print(table)
    console.print(str(robot.ground()))


def _centre(link: LinkDescription, from_centre: bool) -> tuple[float, ...]:
    """The book's r, from the mass centre to the link frame, or its negative."""
    r = link.r if link.com is None else tuple(-x for x in link.com)
    return tuple((x if from_centre else -x) + 0.0 for x in r or (0.0, 0.0, 0.0))


show.__doc__ = FILE_HELP
