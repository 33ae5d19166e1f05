"""The options --motor and --motor-plot: whether motors can drive the joints through a motion."""

from __future__ import annotations

import math
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from redyn.errors import InputError
from redyn.words import suggestion

if TYPE_CHECKING:
    from redyn.robot import Robot
    from redyn.simulation.sizing import Motor, Sizing

MotorOption = Annotated[
    list[str] | None,
    typer.Option(
        "--motor",
        metavar="NAME=VALUE,...",
        help="Check a motor, for all joints or again for each: `rated_torque=1.3, peak_torque=3.8, max_speed=3000 rpm, "
        "ratio=100`; also rated_speed, efficiency, inertia. Values of the motor shaft, in SI units or rpm.",
    ),
]
MotorPlot = Annotated[Path | None, typer.Option(help="Save a figure of torque over speed of the motors.")]
NEEDED = ("rated_torque", "peak_torque", "max_speed")


def read_motors(texts: list[str] | None, plot: Path | None, robot: Robot) -> Motor | list[Motor] | None:
    """The motors of --motor: one for all joints, or one for each."""
    if not texts:
        if plot is not None:
            raise InputError("--motor-plot needs --motor")
        return None
    motors = [_motor(text) for text in texts]
    if len(motors) not in (1, robot.dof):
        raise InputError(f"--motor: give one for all joints or {robot.dof}, one per joint, got {len(motors)}")
    return motors[0] if len(motors) == 1 else motors


def _motor(text: str) -> Motor:
    from redyn.description.numbers import parse_number
    from redyn.simulation.sizing import Motor

    known = [item.name for item in fields(Motor)]
    values: dict[str, Any] = {}
    for part in text.split(","):
        name, sign, value = (piece.strip() for piece in part.partition("="))
        if not sign or name not in known:
            raise InputError(f"--motor: expected NAME=VALUE, got {part.strip()[:60]!r}{suggestion(name, known)}")
        if name in values:
            raise InputError(f"--motor: {name} is given twice")
        rpm = value.endswith("rpm") and name in ("max_speed", "rated_speed")
        try:
            number = value if name == "name" else parse_number(value.removesuffix("rpm") if rpm else value)
        except ValueError as error:
            raise InputError(f"--motor: {name}: {error}") from None
        values[name] = number * math.tau / 60 if rpm and isinstance(number, float) else number
    for name in NEEDED:
        if name not in values:
            raise InputError(f"--motor: {name} is missing")
    return Motor(**values)


def motor_table(sizing: Sizing) -> Table:
    heads = ["joint", "rms", "peak", "", "energy (J)", "motor rms (Nm)", "peak (Nm)", "speed (rad/s)", "power (W)"]
    table = Table(*heads, "rms", "peak", "speed", "", box=None, header_style="bold")
    for joint in sizing.joints:
        there, here = joint.joint_side, joint.motor_side
        unit = "Nm" if joint.turns else "N"
        first = [f"{there.rms_torque:.4g}", f"{there.peak_torque:.4g}", unit, f"{there.energy:.4g}"]
        second = [f"{x:.4g}" for x in (here.rms_torque, here.peak_torque, here.peak_speed, here.peak_power)]
        used = [f"{x:.0%}" if math.isfinite(x) else "-" for x in (joint.continuous, joint.peak, joint.speed)]
        table.add_row(joint.name, *first, *second, *used, joint.verdict)
    return table


def motor_data(sizing: Sizing) -> list[dict[str, Any]]:
    """The same for a program."""
    return [
        {
            "joint": joint.name,
            "joint_side": vars(joint.joint_side),
            "motor_side": vars(joint.motor_side),
            "continuous": joint.continuous,
            "peak": joint.peak if math.isfinite(joint.peak) else None,
            "speed": joint.speed,
            "fits": joint.fits,
            "verdict": joint.verdict,
        }
        for joint in sizing.joints
    ]
