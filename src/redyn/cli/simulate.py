"""redyn simulate: free fall, given torques or a controlled motion."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer
from rich.table import Table

from redyn import files
from redyn.cli.ground import GroundOption, contact_data, contact_table, read_ground
from redyn.cli.interrupt import Interrupted
from redyn.cli.motors import MotorOption, MotorPlot, motor_data, motor_table, read_motors
from redyn.cli.options import (
    ROBOT_HELP,
    Actuated,
    Floating,
    Force,
    Payload,
    Trusted,
    Unphysical,
    listed,
    numbers,
    of_joints,
    positions,
    rates,
    torques,
    wide_console,
    with_payload,
    working,
)
from redyn.errors import InputError

if TYPE_CHECKING:
    from redyn.robot import Robot
    from redyn.simulation import Push, Run
    from redyn.simulation.sizing import Sizing
    from redyn.trajectory import Motion

KINDS = ("cycloid", "cubic", "quintic", "trapezoid", "csv")
CONTROLS = ("computed-torque", "feedforward-pd", "feedforward")
APART = 1e-3  # rad or m: from here on two methods count as different


def simulate(
    robot: Annotated[str, typer.Argument(help=ROBOT_HELP)],
    duration: Annotated[float, typer.Option(help="Duration in seconds.")] = 10.0,
    method: Annotated[str, typer.Option(help="rkf45 dopri5 abm rk4 euler taylor rosenbrock radau lsoda.")] = "rkf45",
    q: Annotated[str | None, typer.Option(help="Initial joint values, `0, pi/2, 90 deg`; default: the file's.")] = None,
    qd: Annotated[str, typer.Option(help="Initial joint rates.")] = "0",
    sag: Annotated[bool, typer.Option("--sag", help="Start flexible links where they rest under their load.")] = False,
    torque: Annotated[str | None, typer.Option(help="Torques, or a CSV file: t, tau_<joint>, ...")] = None,
    pd: Annotated[
        tuple[str, str, str] | None,
        typer.Option(metavar="TARGET KP KD", help="PD control to TARGET with gravity compensation."),
    ] = None,
    follow: Annotated[
        tuple[str, str] | None,
        typer.Option(metavar="KIND STOP", help=f"Track a motion to STOP ({', '.join(KINDS[:-1])}), or `csv FILE`."),
    ] = None,
    control: Annotated[str, typer.Option(help=f"Controller for --follow: {', '.join(CONTROLS)}.")] = CONTROLS[0],
    kp: Annotated[str, typer.Option(help="Position gain of the controller for --follow.")] = "100",
    kd: Annotated[str, typer.Option(help="Velocity gain of the controller for --follow.")] = "20",
    stops: Annotated[bool, typer.Option(help="Springs and dampers at the joint limits.")] = False,
    saturate: Annotated[bool, typer.Option(help="Actuators give no more than the effort limits of the file.")] = False,
    push: Annotated[
        list[str] | None,
        typer.Option(
            metavar="LINK,FX,FY,FZ,START,DURATION",
            help="A force on a link in world axes (N), from START for DURATION seconds; may be repeated. At the origin "
            "of its frame, or at a point in it: `link2, 0, 50, 0, 0.2, 0.1, -0.5, 0, 0`.",
        ),
    ] = None,
    ground: GroundOption = None,
    friction: Annotated[bool, typer.Option(help="Include the friction of the robot's file.")] = True,
    payload: Payload = None,
    gravity: Annotated[str | None, typer.Option(help="Gravity instead of the robot's own, as `0, 0, -9.81`.")] = None,
    step: Annotated[float | None, typer.Option(help="Step of fixed-step methods; largest of adaptive ones.")] = None,
    rtol: Annotated[float, typer.Option(help="Relative tolerance of adaptive methods.")] = 1e-8,
    atol: Annotated[
        float | None, typer.Option(help="Absolute tolerance of adaptive methods; a hundredth of rtol unless given.")
    ] = None,
    sample: Annotated[float, typer.Option(help="Seconds between samples.")] = 0.01,
    html: Annotated[Path | None, typer.Option(help="Write an animated report to this file.")] = None,
    csv: Annotated[Path | None, typer.Option(help="Write the samples to this file.")] = None,
    plot: Annotated[Path | None, typer.Option(help="Save a figure of the motion.")] = None,
    compare: Annotated[str | None, typer.Option(help="Compare several methods, as `rkf45,abm`.")] = None,
    motor: MotorOption = None,
    motor_plot: MotorPlot = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    force: Force = False,
    floating_base: Floating = False,
    allow_unphysical: Unphysical = False,
    trust: Trusted = None,
    actuated: Actuated = None,
) -> None:
    """Simulate a robot: in free fall, with given torques, or tracking a motion.

    Example: redyn simulate kuka-kr5 --duration 3 --html fall.html

    Example: redyn simulate puma --follow cycloid pi/2 --control feedforward --compare rkf45,abm

    Example: redyn simulate two-link --pd "pi/2, 0" 50 15 --duration 5 --plot settle.png

    Example: redyn simulate two-link --push "link2, 0, 50, 0, 0.2, 0.1" --html push.html

    Example: redyn simulate four-bar --torque 0.5 --duration 2 --html four-bar.html

    Example: redyn simulate flexible-two-link --follow cycloid "1, 0.5" --duration 4 --html flexible.html

    Example: redyn simulate dog.urdf --floating-base --ground "contacts=collision, friction=0.6" --html drop.html
    """
    from redyn.robot import load
    from redyn.simulation import SimulationError
    from redyn.simulation import simulate as run_robot

    outputs = ("--html", html, files.HTML), ("--csv", csv, files.CSV), ("--plot", plot, files.PICTURE)
    files.check_all([*outputs, ("--motor-plot", motor_plot, files.PICTURE)], force)
    loaded = load(
        robot,
        floating_base=floating_base,
        friction=friction,
        allow_unphysical=allow_unphysical,
        trust=trust,
        actuated=listed(actuated),
    )
    loaded = with_payload(loaded, payload)
    start = loaded.initial if q is None else positions("--q", q, loaded)
    moving = rates("--qd", qd, loaded, start)
    pull = None if gravity is None else numbers("--gravity", gravity, 3)
    start = loaded.sag(start, gravity=pull) if sag else start
    pushes = [_push(text) for text in push or []]
    under = read_ground(ground)
    motors = read_motors(motor, motor_plot, loaded)
    law = _law(loaded, start, duration, torque, pd, follow, control, kp, kd, pull)
    methods = [name.strip() for name in compare.split(",")] if compare else [method]

    def go(name: str, seconds: float) -> Run:
        return run_robot(
            loaded,
            start,
            moving,
            seconds,
            torque=law,
            method=name,
            step=step,
            rtol=rtol,
            atol=atol,
            stops=stops,
            saturate=saturate,
            pushes=pushes,
            ground=under,
            sample=min(sample, seconds),
            gravity=pull,
        )

    runs: list[tuple[Run, float]] = []
    failure: SimulationError | None = None
    for name in methods:
        with working(f"compiling {name} (once on this machine)"):
            go(name, min(duration, 1e-6))
        began = time.perf_counter()
        try:
            run = go(name, duration)
        except SimulationError as error:
            run, failure = error.run, error
        runs.append((run, time.perf_counter() - began))
        if run.ending:
            break
    first = runs[0][0]
    written = [path for _, path, _ in outputs if path is not None]
    for writer, (_, path, _) in zip((first.html, first.to_csv, first.plot), outputs, strict=True):
        if path is not None:
            writer(path, force)
    sizing = None if motors is None or len(first.t) < 2 else first.size(motors)
    if sizing is not None and motor_plot is not None:
        sizing.plot(motor_plot, force)
        written.append(motor_plot)
    if as_json:
        print(
            json.dumps(_data(runs) | contact_data(first) | ({} if sizing is None else {"motors": motor_data(sizing)}))
        )
    else:
        _show(runs, sizing, written)
    if failure is not None:
        raise failure
    if runs[-1][0].interrupted:
        partial = (
            f"; the results up to then are in {', '.join(map(str, written))}" if written and len(runs) == 1 else ""
        )
        raise Interrupted(f"{runs[-1][0].method}: {runs[-1][0].ending}{partial}")


def _show(runs: list[tuple[Run, float]], sizing: Sizing | None, written: list[Path]) -> None:
    first = runs[0][0]
    console = wide_console()
    console.print(_motion_table(first))
    contacts = contact_table(first)
    if contacts is not None:
        console.print(f"{first.ground}")
        console.print(contacts)
    if sizing is not None:
        console.print(motor_table(sizing))
    console.print(_method_table(runs))
    for run, _ in runs:
        if run.ending:
            console.print(f"{run.method}: {run.ending}")
    touched = first.clearance.touched
    if touched:
        console.print("links that collide: " + ", ".join(f"{a} and {b}" for a, b in touched))
    for path in written:
        print(f"wrote {path}")


def _law(
    robot: Robot,
    start: Any,
    duration: float,
    torque: str | None,
    pd: tuple[str, str, str] | None,
    follow: tuple[str, str] | None,
    control: str,
    kp: str,
    kd: str,
    gravity: Any,
) -> Any:
    """The torque of the simulation."""
    from redyn.simulation import controllers

    if control not in CONTROLS:
        raise InputError(f"--control: expected one of {', '.join(CONTROLS)}, got {control!r}")
    gains = _gains("--kp", kp, robot), _gains("--kd", kd, robot)
    if sum(x is not None for x in (torque, pd, follow)) > 1:
        raise InputError("give at most one of --torque, --pd and --follow")
    if robot.model.contacts and (pd or follow):
        raise InputError(
            f"{'--pd' if pd else '--follow'}: the wheels of {robot.name} tie its joints to each other, so that they "
            "cannot be brought to any values; give --torque, or a controller to redyn.simulate"
        )
    if torque is not None:
        return _torque(robot, torque)
    if pd is not None:
        p, d = (_gains("--pd", text, robot) for text in pd[1:])
        return controllers.pd_gravity(robot, positions("--pd", pd[0], robot), p, d, gravity)
    if follow is None:
        return None
    motion = _motion(robot, start, duration, *follow)
    ways: dict[str, Callable[[], Any]] = {
        "computed-torque": lambda: controllers.computed_torque(robot, motion, *gains, gravity),
        "feedforward-pd": lambda: controllers.feedforward_pd(robot, motion, *gains, gravity),
        "feedforward": lambda: controllers.feedforward(robot, motion, gravity),
    }
    return ways[control]()


def _gains(name: str, text: str, robot: Robot) -> Any:
    """Of all joints; of a robot that bends, of those that are driven."""
    found = of_joints(name, text, robot)
    return numbers(name, text, robot.dof) if found is None else found


def _push(text: str) -> Push:
    """`link2, 0, 50, 0, 0.2, 0.1`."""
    from redyn.simulation import Push

    link, _, rest = text.partition(",")
    count = len(rest.split(","))
    if count not in (5, 8):
        wanted = "LINK, FX, FY, FZ, START, DURATION, or also a point X, Y, Z"
        raise InputError(f"--push: expected {wanted}, got {text!r}")
    values = numbers("--push", rest, count).tolist()
    return Push(link.strip(), values[:3], values[5:] or (0.0, 0.0, 0.0), values[3], values[4])


def _torque(robot: Robot, text: str) -> Any:
    if not text.lower().endswith(".csv"):
        return torques("--torque", text, robot)
    from redyn.trajectory import read_table

    table = read_table(text)
    names = [f"tau_{joint}" for joint in robot.torque_names]
    missing = [name for name in names if name not in table.columns]
    if missing:
        raise InputError(
            f"{text}: no column {missing[0]}; the columns besides t are: {', '.join(list(table.columns)[:12])}"
        )
    return table.times, np.stack([table.columns[name] for name in names], axis=1)


def _motion(robot: Robot, start: Any, duration: float, kind: str, stop: str) -> Motion:
    from redyn import trajectory

    if kind not in KINDS:
        raise InputError(f"--follow: expected one of {', '.join(KINDS)}, got {kind!r}")
    if kind == "csv":
        return trajectory.from_csv(stop, robot.velocity_names)
    make = {
        "cycloid": trajectory.cycloidal,
        "cubic": trajectory.cubic,
        "quintic": trajectory.quintic,
        "trapezoid": trajectory.trapezoidal,
    }[kind]
    return make(start, positions("--follow", stop, robot), duration, robot=robot)


def _motion_table(run: Run) -> Table:
    table = Table("joint", "from", "to", "smallest", "largest", "fastest", "largest torque", box=None)
    robot, model = run.robot, run.robot.model
    rates = robot.rates(run.q, run.qd, check=False) if model.contacts else run.qd  # with wheels, of the whole tree
    places = {variable.rate: variable.q for variable in model.variables if variable.joint.single}
    torques = {name: np.abs(run.tau[:, i]).max() for i, name in enumerate(robot.torque_names)}
    for i, link in enumerate(model.located):
        cells = ["-"] * 4  # the entries of a quaternion do not correspond to velocities
        if i in places:
            x = run.q[:, places[i]]
            cells = [f"{value:.6g}" for value in (x[0], x[-1], x.min(), x.max())]
        most = f"{torques[link.joint.label]:.6g}" if link.joint.label in torques else "-"
        table.add_row(link.joint.label, *cells, f"{np.abs(rates[:, i]).max():.6g}", most)
    return table


def _method_table(runs: list[tuple[Run, float]]) -> Table:
    heads = ["method", "steps", "rejected", "evaluations", "time (ms)", "energy error (J)"]
    if len(runs) > 1:
        heads += [f"apart from {runs[0][0].method}", f"by {APART:g} at (s)"]
    table = Table(*heads, box=None)
    for run, took in runs:
        counts = [str(x) for x in (run.steps, run.rejected, run.evaluations)]
        cells = [run.method, *counts, f"{took * 1e3:.1f}", f"{np.abs(run.energy.balance).max():.1e}"]
        if len(runs) > 1:
            gap = _gap(runs[0][0], run)
            late = np.flatnonzero(gap > APART)
            cells += [f"{gap.max():.1e}", f"{run.t[late[0]]:.4g}" if len(late) else "never"]
        table.add_row(*cells)
    return table


def _gap(first: Run, other: Run) -> Any:
    count = min(len(first.t), len(other.t))
    return np.abs(first.q[:count] - other.q[:count]).max(axis=1)


def _data(runs: list[tuple[Run, float]]) -> dict[str, Any]:
    first = runs[0][0]
    return {
        "robot": first.robot.name,
        "joints": first.robot.velocity_names,
        "actuators": first.robot.torque_names,
        "t": first.t.tolist(),
        "q": first.q.tolist(),
        "qd": first.qd.tolist(),
        "tau": first.tau.tolist(),
        "methods": [
            {
                "method": run.method,
                "steps": run.steps,
                "rejected": run.rejected,
                "evaluations": run.evaluations,
                "seconds": took,
                "energy_error": float(np.abs(run.energy.balance).max()),
                "apart": float(_gap(first, run).max()),
                "ending": run.ending,
            }
            for run, took in runs
        ],
    }
