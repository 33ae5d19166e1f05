"""Generates Python that repeats what is on the screen. It is self-contained: the robot and the numbers are in it."""

from __future__ import annotations

import pprint
from typing import Any, cast

import numpy as np

from redyn.description import RobotDescription, library, read, to_data
from redyn.description.schema import COORDINATES, VELOCITIES
from redyn.errors import InputError
from redyn.studio.plans import MotionPlan, RunPlan, Samples

MOST_NUMBERS = 200_000  # of a CSV file written out in the script


def inverse_code(description: RobotDescription, plan: MotionPlan) -> str:
    """Inverse dynamics along a motion."""
    lines = [
        "import numpy as np",
        "",
        "import redyn",
        "",
        *_robot(description),
        *_motion(plan, description),
        f"t = np.linspace(0.0, {plan.duration!r}, {plan.count})",
        "q, qd, qdd = motion(t)",
        "tau = robot.inverse_dynamics(q, qd, qdd)",
        "parts = robot.torque_parts(q, qd, qdd)  # inertia, coriolis, gravity, friction, springs: their sum is tau",
        "wrenches = robot.joint_wrenches(q, qd, qdd)",
        "",
        "for name, column in zip(robot.velocity_names, tau.T):",
        '    print(f"{name}: from {column.min():.6g} to {column.max():.6g}")',
    ]
    return "\n".join(lines) + "\n"


def forward_code(
    description: RobotDescription, plan: RunPlan, other: RobotDescription | None, methods: list[str]
) -> str:
    """One simulation, or two to compare."""
    law = _law(plan, description)
    lines = ["import redyn", "", *_robot(description)]
    if plan.table is not None or (plan.motion is not None and plan.motion.samples is not None):
        lines[:1] = ["import numpy as np", "", "import redyn"]
    lines += law
    q, qd = _numbers(plan.q), _numbers(plan.qd)

    def options(method: str) -> str:
        given = {"method": method, **plan.options(method)}
        return ", ".join([*(["torque=law"] if law else []), *(f"{name}={value!r}" for name, value in given.items())])

    for k, method in enumerate(methods):
        call = f"redyn.simulate(robot, {q}, {qd}, {plan.duration!r}, {options(method)})"
        lines.append(f"{'run' if not k else 'other'} = {call}")
    if other is not None:
        state = f"{q}, {qd}" if _size(other) == (len(plan.q), len(plan.qd)) else "second.initial, [0.0] * second.dof"
        call = f"redyn.simulate(second, {state}, {plan.duration!r}, {options(methods[0])})"
        lines += ["", *_robot(other, "second"), f"other = {call}"]
    lines += ["", "print(run)", 'print("energy balance within", abs(run.energy.balance).max(), "J")']
    lines += ["print(other)"] if len(methods) > 1 or other is not None else []
    lines += ['# run.html("run.html")  # a page to play; also run.plot(), run.to_csv("run.csv"), run.to_dataframe()']
    return "\n".join(lines) + "\n"


def state_code(description: RobotDescription, q: list[float], qd: list[float]) -> str:
    """The matrices at the current state."""
    lines = [
        "import redyn",
        "",
        *_robot(description),
        f"q = {_numbers(q)}",
        f"qd = {_numbers(qd)}",
        'print("mass matrix\\n", robot.mass_matrix(q))',
        'print("Coriolis matrix\\n", robot.coriolis_matrix(q, qd))',
        'print("gravity\\n", robot.gravity_torque(q))',
        'print("operations of the inverse dynamics:", robot.operation_count("inverse_dynamics"))',
    ]
    if {link.joint.type for link in description.links} <= {"revolute", "prismatic", "fixed"}:
        lines.append("print(robot.denoc(q, qd))  # the book's matrices")
    return "\n".join(lines) + "\n"


def _robot(description: RobotDescription, name: str = "robot") -> list[str]:
    """Lines that load the robot: by name if it is a library robot, else with all its numbers."""
    if description.name in library() and read(description.name) == description:
        return [f"{name} = redyn.load({description.name!r})"]
    data = to_data(description)
    for link in cast("list[dict[str, Any]]", data["links"]):
        link.pop("visual", None)
        link.pop("collision", None)
    text = pprint.pformat(data, width=110, compact=True, sort_dicts=False)
    return [f"{name} = redyn.load(", *(f"    {line}" for line in text.splitlines()), ")"]


def _size(description: RobotDescription) -> tuple[int, int]:
    """How many numbers q and qd have."""
    kinds = [link.joint.type for link in description.links if link.joint.type != "fixed"]
    return sum(len(COORDINATES.get(k, "q")) for k in kinds), sum(len(VELOCITIES.get(k, "q")) for k in kinds)


def _numbers(values: Any) -> str:
    return repr([float(x) for x in values])


def _array(values: Any) -> str:
    array = np.asarray(values)
    if array.size > MOST_NUMBERS:
        raise InputError(
            f"a file of {array.size:,} numbers is too long to be written out as Python; the limit is {MOST_NUMBERS:,}"
        )
    return f"np.array({array.tolist()!r})"


def _motion(plan: MotionPlan, description: RobotDescription) -> list[str]:
    start, stop = _numbers(plan.start), _numbers(plan.stop)
    nq, dof = _size(description)
    if plan.samples is None:
        extra = "" if nq == dof else ", robot=robot"
        return [f"motion = redyn.trajectory.{plan.kind}({start}, {stop}, {plan.duration!r}{extra})"]
    s: Samples = plan.samples
    given = [_array(x) for x in (s.t, s.q, s.qd, s.qdd) if x is not None]
    return [f"motion = redyn.trajectory.samples({', '.join(given)})  # {s.name}"]


def _law(plan: RunPlan, description: RobotDescription) -> list[str]:
    if plan.drive == "constant":
        return [f"law = {_numbers(plan.torque)}"]
    if plan.table is not None:
        return [f"law = ({_array(plan.table.t)}, {_array(plan.table.q)})  # {plan.table.name}"]
    if plan.drive == "pd":
        return [
            f"target = {_numbers(plan.target)}",
            "inertia = robot.mass_matrix(target).diagonal()",
            f"law = redyn.control.pd_gravity(robot, target, {plan.kp!r} * inertia, {plan.kd!r} * inertia)",
        ]
    if plan.motion is not None:
        law = f"law = redyn.control.computed_torque(robot, motion, {plan.kp!r}, {plan.kd!r})"
        return [*_motion(plan.motion, description), law]
    return []
