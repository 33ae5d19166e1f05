"""redyn bench: speed of redyn and its peers, measured in one run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from redyn import files
from redyn.cli.options import Force, wide_console
from redyn.errors import InputError


def bench(
    robots: Annotated[list[str] | None, typer.Argument(help="Robots to time; default: all available ones.")] = None,
    algorithm: Annotated[list[str] | None, typer.Option(help="Only this algorithm; may be repeated.")] = None,
    seconds: Annotated[float, typer.Option(help="Time for each robot and algorithm.")] = 3.0,
    out: Annotated[Path | None, typer.Option(help="Save the measurements (JSON).")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
    force: Force = False,
) -> None:
    """Time redyn and the installed peers, interleaved in one run, best of many repeats.

    Robots come from the package example-robot-data (ur5, panda, talos, hyq; hyq-free, g1-free, talos-free
    on a floating base) and the library. Friction is off; batches
    are (4096, n) arrays, one thread, with checks and without out=; peers get arrays in their fastest layout.

    `redyn bench calls ROBOT...` times what a call costs from Python, one state and small batches, with its keywords.

    `redyn bench simulate` times simulation instead: steps against MuJoCo's, a free fall against SciPy's solve_ivp.

    `redyn bench loops ROBOT...` times closed loops: batches, single calls and runs, against Pinocchio's
    constraintDynamics and MuJoCo's connect, with the gap that the latter leaves. --seconds 0.5 gives a quick look.

    `redyn bench ground ROBOT...` drops robots (hyq, solo12, g1) that hold a pose on the ground, against MuJoCo: time
    per simulated second, with the longest step of each that is accurate enough.

    `redyn bench flexible ROBOT...` times robots with flexible links, beside Pinocchio with a chain of rods for each.

    `redyn bench parameters ROBOT...` times robots of different masses in one call, beside states of one robot.

    `redyn bench sweep ROBOT` times sweeps on one core: a million inverse dynamics with masses that vary, and
    simulations, as ratios to plain loops over batched calls; and what a shard costs by itself.

    `redyn bench jax ROBOT...` times redyn inside JAX, with gradients and the time to compile, beside frax, adam and
    MJX where these are installed.

    Example: redyn bench ur5 --seconds 5

    Example: redyn bench calls ur5 panda arm.urdf

    Example: redyn bench simulate

    Example: redyn bench loops four-bar stewart

    Example: redyn bench ground hyq

    Example: redyn bench sweep puma

    Example: redyn bench jax ur5 --seconds 1

    Example: redyn bench ur5 panda --algorithm inverse_dynamics --out speed.json
    """
    from redyn.cli.benches import KINDS, batches

    files.check_all([("--out", out, files.JSON)], force)
    if not 0 < seconds < 3600:
        raise InputError(f"--seconds: expected a positive number, got {seconds}")
    kind, *rest = robots or [""]
    if kind in KINDS and algorithm:
        raise InputError(f"--algorithm: bench {kind} has its own calls; leave it out")
    measured = KINDS[kind](rest, seconds) if kind in KINDS else batches(robots or [], algorithm or [], seconds)
    text = json.dumps(measured.data, indent=2)
    if out is not None:
        files.write(out, text + "\n", files.JSON, force)
    if as_json:
        print(text)
        return
    console = wide_console()
    for part in measured.shown:
        console.print(part, highlight=False)
