"""redyn page: a robot as one HTML file in which its dynamics run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from redyn.cli.options import ROBOT_HELP, Force, Trusted, Unphysical, listed, positions, rates, working


def page(
    robot: Annotated[str, typer.Argument(help=ROBOT_HELP)],
    out: Annotated[Path | None, typer.Option(help="The file; by default the robot's name with .html.")] = None,
    q: Annotated[str | None, typer.Option(help="Joint values to start from, as `0, 90 deg`.")] = None,
    qd: Annotated[str | None, typer.Option(help="Rates to start with, as `1, 0`; by default at rest.")] = None,
    free: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES",
            help="The numbers that have sliders, as `*.mass, link2.a, gravity`; by default masses, lengths, damping, "
            "gravity and a payload.",
        ),
    ] = None,
    title: Annotated[str, typer.Option(help="Title of the page; by default the robot's name.")] = "",
    no_friction: Annotated[bool, typer.Option("--no-friction", help="Leave friction out.")] = False,
    force: Force = False,
    allow_unphysical: Unphysical = False,
    trust: Trusted = None,
) -> None:
    """Write a living page: one HTML file of a robot whose forward and inverse dynamics run in the browser.

    It works offline, on phones too. The robot falls, is dragged, or is held by PD or computed torque; sliders change
    its masses and lengths; matrices and torques are shown with the numbers of the book's equations.

    Example: redyn page two-link --out arm.html

    Example: redyn page arm.urdf --q "0, 45 deg, 0" --free "*.mass, gravity"
    """
    from redyn.living import page as write
    from redyn.robot import load

    loaded = load(robot, friction=not no_friction, allow_unphysical=allow_unphysical, trust=trust)
    start = None if q is None else positions("q", q, loaded)
    speeds = None if qd is None else rates("qd", qd, loaded, loaded.initial if start is None else start)
    if free is not None:
        loaded = loaded.free(*(listed(free) or []))
    with working("tracing") as say:
        print(f"wrote {write(loaded, out, q=start, qd=speeds, title=title, force=force, tick=say)}")
