"""redyn identify and redyn excite: parameters from measured torques, and exciting trajectories."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer
from rich.table import Table

from redyn import files
from redyn.cli.options import ROBOT_HELP, Force, Trusted, Unphysical, bold, numbers, progress_bar, wide_console, working
from redyn.errors import InputError
from redyn.words import counted

if TYPE_CHECKING:
    from redyn.identification import Identification
    from redyn.robot import Robot


def identify(
    data: Annotated[Path, typer.Argument(help="CSV: t, q_<joint>, tau_<joint>, and qd_, qdd_<joint> if measured.")],
    robot: Annotated[str, typer.Argument(help=ROBOT_HELP + " Its geometry is assumed to be exact.")],
    out: Annotated[Path | None, typer.Option(help="Write the fitted robot to this YAML file.")] = None,
    validate: Annotated[Path | None, typer.Option(help="Validate on this recording instead of the last fifth.")] = None,
    friction: Annotated[bool, typer.Option(help="Also estimate friction.")] = True,
    armature: Annotated[
        bool | None, typer.Option(help="Also estimate rotor inertia (default: if the file has some).")
    ] = None,
    cutoff: Annotated[
        float | None, typer.Option(help="Cutoff of the low-pass filter in Hz (default: automatic).")
    ] = None,
    degrees: Annotated[bool, typer.Option("--degrees", help="Angles without a unit are in degrees.")] = False,
    png: Annotated[Path | None, typer.Option(help="Save a figure of measured and predicted torques.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    force: Force = False,
    allow_unphysical: Unphysical = False,
    trust: Trusted = None,
) -> None:
    """Fit a robot's masses, mass centres, inertias and friction to measured torques.

    Missing rates and accelerations are computed by zero-phase filtering. Columns may be named by joint or
    number (q_elbow, q1, position_1, torque1) and have units (`q1 [deg]`, `t (ms)`). The new robot is physically
    consistent; intervals are 95 % confidence intervals of the unconstrained fit; errors are on unseen motion.

    Example: redyn identify data.csv kuka-kr5 --out fitted.yaml --png check.png
    """
    from redyn.identification import identify as run
    from redyn.identification import read_recording
    from redyn.robot import load

    files.check_all([("--out", out, files.ROBOT), ("--png", png, files.PICTURE)], force)
    loaded = load(robot, allow_unphysical=allow_unphysical, trust=trust)
    with working("reading") as say:
        recorded = read_recording(data, loaded, degrees)
        other = read_recording(validate, loaded, degrees) if validate is not None else 0.2
        found = run(loaded, recorded, friction=friction, armature=armature, cutoff=cutoff, validate=other, tick=say)
    if out is not None:
        found.robot.to_yaml(out, force)
    if png is not None:
        found.figure(png, force)
    if as_json:
        print(json.dumps(_data(found), allow_nan=False))
        return
    _show(found)
    for written in (out, png):
        if written is not None:
            print(f"wrote {written}")


def _finite(values: Any) -> list[float | None]:
    return [float(x) if np.isfinite(x) else None for x in values]


def _data(found: Identification) -> dict[str, object]:
    fit = found.fit
    return {
        "robot": found.robot.name,
        "rows": fit.rows,
        "outliers": fit.outliers,
        "cutoff": float(found.cutoff) if np.isfinite(found.cutoff) else None,
        "condition": float(fit.condition) if np.isfinite(fit.condition) else None,
        "error": found.error,
        "joints": [
            {"name": name, "noise": float(noise), "error": float(error), "error_before": float(before)}
            for name, noise, error, before in zip(
                found.robot.velocity_names, fit.noise, found.errors, found.prior_errors, strict=True
            )
        ],
        "base_parameters": [
            {"grouping": text, "estimate": float(value), "deviation": deviation, "physical": float(real)}
            for text, value, deviation, real in zip(
                fit.base.groupings, fit.values, _finite(fit.deviations), found.physical_values, strict=True
            )
        ],
        "parameters": found.robot.all_parameters(fit.base.friction, fit.base.armature).tolist(),
    }


def _show(found: Identification) -> None:
    fit, console = found.fit, wide_console()
    filtered = f"low-pass {found.cutoff:.3g} Hz" if np.isfinite(found.cutoff) else "no filter"
    console.print(
        bold(
            found.robot.name,
            f": {counted(fit.base.count, 'base parameter')} from {counted(fit.rows, 'row')} "
            f"({fit.outliers} outliers rejected, {filtered}, condition number {fit.condition:.3g})",
        )
    )
    table = Table("base parameter", "file", "estimate", "± 95 %", "", "physical", box=None, header_style="bold")
    for text, prior, value, deviation, real in zip(
        fit.base.groupings, fit.base.values, fit.values, fit.deviations, found.physical_values, strict=True
    ):
        half = 1.959964 * deviation
        share = f"{half / abs(value):.1%}" if np.isfinite(half) and value != 0 else ""
        shown = f"{half:.3g}" if np.isfinite(half) else "not seen"
        table.add_row(text, f"{prior:.5g}", f"{value:.5g}", shown, share, f"{real:.5g}")
    console.print(table)
    joints = Table("joint", "noise", "error on unseen motion", "before", box=None, header_style="bold")
    for name, noise, error, before in zip(
        found.robot.velocity_names, fit.noise, found.errors, found.prior_errors, strict=True
    ):
        joints.add_row(name, f"{noise:.3g}", f"{error:.2%}", f"{before:.1%}")
    console.print(joints)
    console.print(bold(f"error on unseen motion, all joints: {found.error:.2%}"))


def excite(
    robot: Annotated[str, typer.Argument(help=ROBOT_HELP)],
    out: Annotated[Path, typer.Option(help="Write t, q, qd, qdd to this CSV file.")] = Path("excite.csv"),
    duration: Annotated[float, typer.Option(help="Duration of one period in seconds.")] = 20.0,
    harmonics: Annotated[int, typer.Option(help="Harmonics of the Fourier series.")] = 5,
    rate: Annotated[float, typer.Option(help="Rows per second.")] = 100.0,
    speed: Annotated[str | None, typer.Option(help="Speed limits: one, or one per joint; default: the file's.")] = None,
    acceleration: Annotated[str | None, typer.Option(help="Acceleration limits: one, or one per joint.")] = None,
    friction: Annotated[bool, typer.Option(help="Also excite friction.")] = True,
    armature: Annotated[bool, typer.Option(help="Also excite rotor inertia.")] = False,
    seed: Annotated[int, typer.Option(help="Random seed of the search.")] = 0,
    force: Force = False,
    allow_unphysical: Unphysical = False,
    trust: Trusted = None,
) -> None:
    """Design a motion for identification: a Fourier series within the limits, at rest at both ends.

    It minimises the condition number of the base regressor. Collisions are not considered.

    Example: redyn excite kuka-kr5 --duration 20 --speed 1.2 --out excite.csv
    """
    from redyn.identification import base_parameters, condition, exciting_motion, limits_of
    from redyn.robot import load

    files.check_all([("--out", out, files.CSV)], force)
    loaded = load(robot, allow_unphysical=allow_unphysical, trust=trust)
    if not 0 < rate * duration <= 5e6:
        raise InputError("--rate: expected a positive number, and at most five million rows")
    fast = None if speed is None else numbers("--speed", speed, loaded.dof)
    strong = None if acceleration is None else numbers("--acceleration", acceleration, loaded.dof)
    steps = 40
    with progress_bar() as progress:
        job = progress.add_task("shaping", total=steps)

        def tick(step: int, found: float) -> None:
            progress.update(job, completed=step, description=f"condition {found:.3g}")

        motion = exciting_motion(
            loaded, duration, harmonics, speed=fast, acceleration=strong, friction=friction, armature=armature,
            steps=steps, seed=seed, tick=tick,
        )  # fmt: skip
    t = np.linspace(0.0, duration, round(rate * duration) + 1)
    q, qd, qdd = motion(t)
    header = ["t", *(f"{kind}_{joint}" for kind in ("q", "qd", "qdd") for joint in loaded.velocity_names)]
    files.write_csv(out, header, np.column_stack([t, q, qd, qdd]).tolist(), force)
    base = base_parameters(loaded, friction, armature)
    reached = condition(base, motion, limits_of(loaded, None, fast, strong))
    tau = loaded.inverse_dynamics(q, qd, qdd)
    table = Table("joint", "from", "to", "fastest", "acceleration", "torque", box=None, header_style="bold")
    for i, name in enumerate(loaded.velocity_names):
        peaks = (np.abs(x[:, i]).max() for x in (qd, qdd, tau))
        table.add_row(name, f"{q[:, i].min():.4g}", f"{q[:, i].max():.4g}", *(f"{x:.4g}" for x in peaks))
    wide_console().print(table)
    print(f"condition number of the regressor of {counted(base.count, 'base parameter')}: {reached:.3g}")
    print(f"wrote {out}")


def parameters(
    robot: Annotated[str, typer.Argument(help=ROBOT_HELP)],
    friction: Annotated[bool, typer.Option(help="Include friction.")] = False,
    armature: Annotated[bool, typer.Option(help="Include rotor inertia.")] = False,
    unknown_lengths: Annotated[
        bool, typer.Option("--unknown-lengths", help="In closed form with unknown lengths; for few joints.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    allow_unphysical: Unphysical = False,
    trust: Trusted = None,
) -> None:
    """The base parameters of a robot: the combinations of its inertial parameters that torques depend on.

    Per link m, mx, my, mz (mass times mass centre) and Ixx ... Izz, about the origin of the link's frame, in its axes.
    Lengths of a DH table appear by name and row: a2 is the a of row 2. With --unknown-lengths, the fewest constants
    that suffice for tau = Y beta, with their columns of Y.

    Examples: redyn parameters lagrange-two-link;  redyn parameters lagrange-two-link --unknown-lengths
    """
    from redyn.identification import base_parameters, symbolic_groupings
    from redyn.robot import load

    loaded = load(robot, allow_unphysical=allow_unphysical, trust=trust)
    if unknown_lengths:
        if friction or armature:
            raise InputError("--unknown-lengths cannot be combined with --friction or --armature")
        return _linear_form(loaded, as_json)
    with working("base parameters"):
        base = base_parameters(loaded, friction, armature)
        groupings = symbolic_groupings(base)
    if as_json:
        rows = [
            {"grouping": text, "numbers": plain, "value": float(value)}
            for text, plain, value in zip(groupings, base.groupings, base.values, strict=True)
        ]
        print(json.dumps({"robot": base.robot.name, "base": rows, "unidentifiable": base.unidentifiable}))
        return
    console = wide_console()
    console.print(bold(base.robot.name, f": {counted(base.count, 'base parameter')} of {len(base.names)}"))
    table = Table("", "grouping", "value", box=None, header_style="bold")
    rounding = 1e-14 * float(np.abs(base.values).max(initial=0.0))
    for k, (text, value) in enumerate(zip(groupings, base.values, strict=True), start=1):
        table.add_row(f"beta{k}", text, f"{value if abs(value) > rounding else 0:.6g}")
    console.print(table)
    if base.unidentifiable:
        console.print(f"no torque depends on {', '.join(base.unidentifiable)}")


def _linear_form(robot: Robot, as_json: bool) -> None:
    from redyn.symbolic.equations import derive
    from redyn.symbolic.notation import Typesetter

    with working("closed form"):
        eqs = derive(robot)
        form = eqs.linear
        write = Typesetter(latex=False).write
        groupings = [(write(beta), float(beta.subs(eqs.values))) for beta in form.parameters]
        regressor = [[write(x) for x in form.regressor.row(i)] for i in range(robot.dof)]
    if as_json:
        base = [{"grouping": text, "value": value} for text, value in groupings]
        print(json.dumps({"robot": robot.name, "base": base, "regressor": regressor}))
        return
    console = wide_console()
    console.print(bold(robot.name, f": {counted(len(groupings), 'parameter')}, lengths unknown; tau = Y beta"))
    table = Table("", "grouping", "value", box=None, header_style="bold")
    for k, (text, value) in enumerate(groupings, start=1):
        table.add_row(f"beta{k}", text, f"{value:.6g}")
    console.print(table)
    for joint, row in zip(robot.velocity_names, regressor, strict=True):
        console.print(bold(f"\nY, {joint}"))
        for k, text in enumerate(row, start=1):
            console.print(f"  beta{k}:  {text}")
