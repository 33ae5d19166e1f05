"""redyn dh: the DH table of a serial chain, from its joint axes."""

from __future__ import annotations

import json
from typing import Annotated

import typer
from rich.table import Table

from redyn.cli.options import ROBOT_HELP, Trusted, Unphysical, bold, wide_console


def dh(
    robot: Annotated[str, typer.Argument(help=ROBOT_HELP)],
    modified: Annotated[bool, typer.Option("--modified", help="Craig's modified DH.")] = False,
    link: Annotated[str | None, typer.Option(help="Frame at the end of the chain; default: the end effector.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, angles in radians.")] = False,
    allow_unphysical: Unphysical = False,
    trust: Trusted = None,
) -> None:
    """Denavit-Hartenberg parameters of the chain to a frame, for any convention of the file.

    Example: redyn dh ur5.urdf        Example: redyn dh puma --modified --json
    """
    from redyn.description.numbers import format_angle
    from redyn.description.poses import rpy_angles, vector
    from redyn.robot import load

    loaded = load(robot, allow_unphysical=allow_unphysical, trust=trust)
    table = loaded.dh_parameters(link, modified=modified)
    if as_json:
        print(json.dumps({"robot": loaded.name, **table.to_data()}))
        return

    def angle(value: float) -> str:
        neat = format_angle(value)
        return neat if isinstance(neat, str) else f"{value:.6g}"

    console = wide_console()
    form = "Rx(alpha) Tx(a) Rz(theta) Tz(d)" if modified else "Rz(theta) Tz(b) Tx(a) Rx(alpha)"
    kind = "modified DH, Craig's" if modified else "DH, the book's"
    console.print(bold(loaded.name, f" to {table.frame}: {kind}, T = {form}; + q marks the joint variable"))
    shown = Table("joint", "type", "theta", "d" if modified else "b", "a", "alpha", box=None, header_style="bold")
    for row in table.rows:
        theta, along = angle(row.theta), f"{row.d:.6g}"
        if row.kind == "revolute":
            theta = "q" if row.theta == 0 else f"{theta} + q"
        else:
            along = "q" if row.d == 0 else f"{along} + q"
        shown.add_row(row.joint, row.kind, theta, along, f"{row.a:.6g}", angle(row.alpha))
    console.print()
    console.print(shown)
    console.print()
    for name, T in (("base", table.base), ("tool", table.tool)):
        xyz = " ".join(f"{x:.6g}" for x in vector(T[:3, 3]))
        rpy = " ".join(angle(x) for x in rpy_angles(T[:3, :3]))
        console.print(f"{name}: xyz ({xyz}), rpy ({rpy})")
    choices = [f"{row.joint}: {row.choice}" for row in table.rows if row.choice]
    if choices:
        console.print(bold("\nParameters that the axes do not determine"))
        for choice in choices:
            console.print(f"- {choice}")
