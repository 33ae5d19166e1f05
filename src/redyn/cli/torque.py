"""redyn torque: inverse dynamics at a state or along a cycloidal motion."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer
from numpy.typing import NDArray
from rich.table import Table

from redyn import files
from redyn.cli.motors import MotorOption, MotorPlot, motor_data, motor_table, read_motors
from redyn.cli.options import (
    ROBOT_HELP,
    Actuated,
    Floating,
    Force,
    Payload,
    Trusted,
    Unphysical,
    accelerations,
    listed,
    numbers,
    positions,
    rates,
    wide_console,
    with_payload,
)
from redyn.errors import InputError

if TYPE_CHECKING:
    from redyn.robot import Robot

Array = NDArray[np.float64]


def torque(
    robot: Annotated[str, typer.Argument(help=ROBOT_HELP)],
    q: Annotated[
        str | None,
        typer.Option(help="Joint values, as `0, pi/2, 90 deg`; or one for all. Of loops, the actuated ones do."),
    ] = None,
    qd: Annotated[str, typer.Option(help="Joint rates.")] = "0",
    qdd: Annotated[str, typer.Option(help="Joint accelerations.")] = "0",
    cycloid: Annotated[
        tuple[str, str] | None, typer.Option(metavar="START STOP", help="Move from START to STOP, Eq. (9.36).")
    ] = None,
    duration: Annotated[float, typer.Option(help="Duration of the motion in seconds.")] = 10.0,
    samples: Annotated[int, typer.Option(help="Number of instants along the motion.")] = 101,
    payload: Payload = None,
    gravity: Annotated[str | None, typer.Option(help="Gravity instead of the robot's own, as `0, 0, -9.81`.")] = None,
    csv_path: Annotated[Path | None, typer.Option("--csv", help="Write t, q, qd, qdd and tau to this file.")] = None,
    plot: Annotated[Path | None, typer.Option(help="Save a figure of the motion and the torques.")] = None,
    motor: MotorOption = None,
    motor_plot: MotorPlot = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    force: Force = False,
    floating_base: Floating = False,
    allow_unphysical: Unphysical = False,
    trust: Trusted = None,
    actuated: Actuated = None,
) -> None:
    """Inverse dynamics: the torques at one state or along a cycloidal motion.

    Example: redyn torque puma --q "0, pi/4, -30 deg, 0, 0, 0" --qd 0.1

    Example: redyn torque kuka-kr5 --cycloid 0 pi/3 --duration 10 --csv kuka.csv

    Example: redyn torque four-bar --q "45 deg" --qd 4.71

    Where links bend or gears give, joints are driven and the rest swings as it must: at one state links are bent as
    they rest there, and along a motion the robot is simulated.

    Example: redyn torque flexible-two-link --cycloid "0, 90 deg" "1, 0.5" --duration 4

    Example: redyn torque two-link --cycloid 0 pi --motor "rated_torque=0.2, peak_torque=0.6, max_speed=3000 rpm,
    ratio=100, efficiency=0.8" --motor-plot motors.png
    """
    from redyn.report.plots import turning
    from redyn.robot import load
    from redyn.simulation.joints import gives
    from redyn.trajectory import cycloidal

    outputs = ("--csv", csv_path, files.CSV), ("--plot", plot, files.PICTURE)
    files.check_all([*outputs, ("--motor-plot", motor_plot, files.PICTURE)], force)
    loaded = load(
        robot,
        floating_base=floating_base,
        allow_unphysical=allow_unphysical,
        trust=trust,
        actuated=listed(actuated),
    )
    loaded = with_payload(loaded, payload)
    n, nq = loaded.dof, loaded.nq
    if (q is None) == (cycloid is None):
        raise InputError("give either --q (one state) or --cycloid START STOP (a motion)")
    if cycloid is None and (csv_path or plot or motor):
        raise InputError("--csv, --plot and --motor need a motion: --cycloid START STOP")
    motors = read_motors(motor, motor_plot, loaded)
    if not 2 <= samples <= 10_000_000:
        raise InputError(f"--samples: expected from 2 to 10000000, got {samples}")
    pull = None if gravity is None else numbers("--gravity", gravity, 3)
    if gives(loaded):
        t, state, tau = _driven(loaded, q, qd, qdd, cycloid, duration, samples, pull)
    else:
        if cycloid is None:
            t = np.zeros(1)
            at = positions("--q", q or "", loaded)
            moving = rates("--qd", qd, loaded, at)
            state = [x[None] for x in (at, moving, accelerations("--qdd", qdd, loaded, at, moving))]
        else:
            first, last = (positions("--cycloid", end, loaded) for end in cycloid)
            motion = cycloidal(first, last, duration, robot=loaded)
            t = np.linspace(0.0, duration, samples)
            state = list(motion(t))
        tau = loaded.inverse_dynamics(state[0], state[1], state[2], gravity=pull)

    units = ["Nm" if turns else "N" for turns in turning(loaded, "actuators")]
    names = loaded.torque_names
    if csv_path is not None:
        header = ["t", *(f"q_{name}" for name in loaded.coordinate_names)]
        header += [f"{kind}_{name}" for kind in ("qd", "qdd") for name in loaded.velocity_names]
        header += [f"tau_{name}" for name in names]
        files.write_csv(csv_path, header, np.column_stack([t, *state, tau]).tolist(), force)
    if plot is not None:
        from redyn.report.figures import torque_figure

        torque_figure(loaded, t, state[0], tau, plot, f"{loaded.name}: torques of the cycloidal motion", force)
    sizing = None
    if motors is not None:
        from redyn.simulation.sizing import size

        sizing = size(loaded, motors, t, state[1], tau, state[2])
        if motor_plot is not None:
            sizing.plot(motor_plot, force)
    if as_json:
        result = {
            "robot": loaded.name,
            "joints": names,
            "units": units,
            "t": t.tolist(),
            "tau": tau.tolist(),
        }
        if sizing is not None:
            result["motors"] = motor_data(sizing)
        print(json.dumps(result if cycloid else {**result, "t": None, "tau": tau[0].tolist()}))
        return
    if cycloid is None:
        shown = state if nq == n else state[1:]  # the entries of a quaternion do not correspond to velocities
        shown = shown if names == loaded.velocity_names else []
        table = Table("joint", *("q", "qd", "qdd")[3 - len(shown) :], "torque", "", box=None, header_style="bold")
        for i, name in enumerate(names):
            table.add_row(name, *(f"{x[0, i]:.6g}" for x in shown), f"{tau[0, i]:.6f}", units[i])
    else:
        table = Table("joint", "smallest", "largest", "at (s)", "rms", "", box=None, header_style="bold")
        for i, name in enumerate(names):
            column = tau[:, i]
            table.add_row(
                name,
                f"{column.min():.6g}",
                f"{column.max():.6g}",
                f"{t[int(np.abs(column).argmax())]:.4g}",
                f"{np.sqrt((column**2).mean()):.6g}",
                units[i],
            )
    wide_console().print(table)
    if sizing is not None:
        wide_console().print(motor_table(sizing))
    for written in (csv_path, plot, motor_plot):
        if written is not None:
            print(f"wrote {written}")


def _driven(
    robot: Robot,
    q: str | None,
    qd: str,
    qdd: str,
    cycloid: tuple[str, str] | None,
    duration: float,
    samples: int,
    gravity: Array | None,
) -> tuple[Array, list[Array], Array]:
    """Times, states and torques of a robot whose links bend or whose gears give, with its joints driven."""
    from redyn.simulation.joints import Joints
    from redyn.simulation.tracking import tracked
    from redyn.trajectory import cycloidal

    joints = Joints(robot, "torque")
    if cycloid is None:
        at = positions("--q", q or "", robot)
        if len((q or "").replace(",", " ").split()) != robot.nq:
            at = robot.sag(at, gravity=gravity)
        moving = rates("--qd", qd, robot, at)
        wanted = accelerations("--qdd", qdd, robot, at, moving)[joints.rates]
        tau, found = robot.driven(at, moving, wanted, gravity=gravity)
        return np.zeros(1), [x[None] for x in (at, moving, found)], tau[None]
    first, last = (positions("--cycloid", end, robot) for end in cycloid)
    motion = cycloidal(first[joints.places], last[joints.places], duration)
    run = tracked(robot, motion, np.linspace(0.0, duration, samples), gravity)
    return run.t, [run.q, run.qd, run.qdd], run.tau
