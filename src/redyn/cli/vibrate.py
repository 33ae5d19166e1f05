"""redyn vibrate: natural frequencies, modes as a page, Bode plots."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from redyn import files
from redyn.cli.options import ROBOT_HELP, Floating, Force, Trusted, Unphysical, positions, wide_console, working
from redyn.errors import InputError

if TYPE_CHECKING:
    from redyn.robot import Robot
    from redyn.vibration import Vibration

ALL = "all"
MOVES = 3  # rates that are listed for each mode
LEAST = 0.02  # of the one that moves most


def vibrate(
    robot: Annotated[str, typer.Argument(help=ROBOT_HELP)],
    q: Annotated[
        str | None,
        typer.Option(help="Joint values, `0, pi/2, 90 deg`, or all of q; default: the file's, with straight links."),
    ] = None,
    lock: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="A joint that is held; may be repeated. `all`: every joint."),
    ] = None,
    sag: Annotated[bool, typer.Option("--sag", help="About the shape at rest under its weight, joints held.")] = False,
    html: Annotated[Path | None, typer.Option(help="Write a page on which modes are chosen and played.")] = None,
    bode: Annotated[
        Path | None, typer.Option(help="Save a Bode plot, from a torque to the position of a link.")
    ] = None,
    torque: Annotated[
        str | None, typer.Option(metavar="JOINT", help="Of --bode: where the torque acts; default: the first joint.")
    ] = None,
    link: Annotated[
        str | None, typer.Option(help="Of --bode: the link or frame that swings; default: the end effector.")
    ] = None,
    friction: Annotated[bool, typer.Option(help="Include the friction and damping of the robot's file.")] = True,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    force: Force = False,
    floating_base: Floating = False,
    allow_unphysical: Unphysical = False,
    trust: Trusted = None,
) -> None:
    """Natural frequencies and modes of a robot with flexible links, elastic gears, springs or weight.

    Example: redyn vibrate flexible-two-link --lock all

    Example: redyn vibrate flexible-beam --sag --lock joint1 --html modes.html

    Example: redyn vibrate flexible-two-link --bode bode.png --torque joint1 --link link2.tip

    Frequencies are undamped. What nothing drives back, such as a free joint without weight, has none. With an elastic
    gear, a joint that is held holds its motor.
    """
    from redyn.robot import load

    outputs = ("--html", html, files.HTML), ("--bode", bode, files.PICTURE)
    files.check_all(list(outputs), force)
    for name, value in (("--torque", torque), ("--link", link)):
        if value is not None and bode is None:
            raise InputError(f"{name}: this is of a Bode plot; give --bode FILE as well")
    loaded = load(robot, floating_base=floating_base, friction=friction, allow_unphysical=allow_unphysical, trust=trust)
    at = loaded.initial if q is None else positions("--q", q, loaded)
    at = loaded.sag(at) if sag else at
    held = loaded.joint_names if ALL in (lock or []) and ALL not in loaded.joint_names else list(lock or [])
    found = loaded.vibration(at, held)
    if html is not None:
        from redyn.report.modes import write_modes

        with working("writing the page"):
            write_modes(html, loaded, found, notes=_notes(loaded, held, sag, q is None), force=force)
    if bode is not None:
        from redyn.report.bode import bode as draw

        draw(loaded.frequency_response(at, torque, link, locked=held), bode, force=force)
    if as_json:
        print(json.dumps(_data(loaded, found, held)))
        return
    console = wide_console()
    if not len(found.frequencies):
        console.print("no natural frequencies: nothing drives the robot back to where it is")
    else:
        console.print(_table(found))
    for _, path, _ in outputs:
        if path is not None:
            print(f"wrote {path}")


def _notes(robot: Robot, held: list[str], sag: bool, initial: bool) -> list[str]:
    where = "the initial configuration" if initial else "the given configuration"
    joints = "every joint is held" if held and set(held) >= set(robot.joint_names) else f"held: {', '.join(held)}"
    return [f"about {where}{', at rest under its weight' if sag else ''}", joints if held else "no joint is held"]


def _table(found: Vibration) -> Table:
    table = Table("mode", "Hz", "rad/s", "damping ratio", "moves most", box=None, header_style="bold")
    for column in table.columns[1:4]:
        column.justify = "right"
    for k, omega in enumerate(found.frequencies):
        shares = sorted(found.share(k).items(), key=lambda item: -abs(item[1]))[:MOVES]
        moves = ", ".join(f"{name} {share:.2f}" for name, share in shares if abs(share) >= LEAST)
        table.add_row(str(k + 1), f"{found.hertz[k]:.5g}", f"{omega:.5g}", f"{found.damping_ratios[k]:.3g}", moves)
    return table


def _data(robot: Robot, found: Vibration, held: list[str]) -> dict[str, Any]:
    return {
        "robot": robot.name,
        "q": found.q.tolist(),
        "locked": held,
        "modes": [
            {
                "hertz": float(found.hertz[k]),
                "frequency": float(omega),
                "damping_ratio": float(found.damping_ratios[k]),
                "shape": found.share(k),
            }
            for k, omega in enumerate(found.frequencies)
        ],
    }
