"""Generates Python that repeats what is on the screen. It is self-contained: the robot and the numbers are in it."""

from __future__ import annotations

import pprint
import re
from typing import Any, cast

import numpy as np

from redyn.description import RobotDescription, library, read, to_data
from redyn.description.schema import WORLD
from redyn.errors import InputError
from redyn.robot import Robot
from redyn.studio.carrying import Payload
from redyn.studio.entries import entries, guided, independent_joints, is_closed, planned
from redyn.studio.plans import FINE, MotionPlan, RunPlan, Samples, fitted, is_rigid_of
from redyn.studio.reaching import PoseForm, unsolved
from redyn.studio.teaching import TaughtPlan

MOST_NUMBERS = 200_000  # of a CSV file written out in the script


_TRACKED = [
    "run = tracked(robot, motion, t)  # joints are driven, what bends or gives swings",
    "q, qd, qdd, tau = run.q, run.qd, run.qdd, run.tau",
]


def inverse_code(robot: Robot, plan: MotionPlan, payload: Payload | None = None) -> str:
    """Inverse dynamics along a motion."""
    lines = [
        "import numpy as np",
        "",
        "import redyn",
        "",
        *_robot(robot.description, payload=payload),
        *_motion(plan, robot),
        f"t = np.linspace(0.0, {plan.duration!r}, {plan.count})",
        *(_TRACKED if robot.model.gives else ["q, qd, qdd = motion(t)", "tau = robot.inverse_dynamics(q, qd, qdd)"]),
        "parts = robot.torque_parts(q, qd, qdd)  # inertia, coriolis, gravity, friction, springs: their sum is tau",
        "wrenches = robot.joint_wrenches(q, qd, qdd)",
    ]
    if robot.model.gives:
        lines[2] = "import redyn\nfrom redyn.simulation import tracked"
    if is_closed(robot):
        lines += [
            "pins = robot.loop_wrenches(q, qd, tau)  # of the joints that close the loops",
            "",
            "for i in robot.driven_rates:  # passive joints carry no torque",
            '    print(f"{robot.velocity_names[i]}: from {tau[:, i].min():.6g} to {tau[:, i].max():.6g}")',
        ]
    else:
        lines += [
            "",
            "for name, column in zip(robot.torque_names, tau.T):",
            '    print(f"{name}: from {column.min():.6g} to {column.max():.6g}")',
        ]
    return "\n".join(lines) + "\n"


def forward_code(robot: Robot, plan: RunPlan, other: RobotDescription | None, methods: list[str]) -> str:
    """One simulation, or two to compare."""
    law = _law(plan, robot)
    start = _state(robot, plan)
    lines = ["import redyn", "", *_robot(robot.description, payload=plan.payload)]
    if any("np." in line for line in (*law, *start)):
        lines[:1] = ["import numpy as np", "", "import redyn"]
    if any("tracked(" in line for line in law):
        lines.insert(lines.index("import redyn") + 1, "from redyn.simulation import tracked")
    lines += [*start, *law]
    q, qd = ("q", "qd") if start else (_numbers(plan.q), _numbers(plan.qd))

    def options(method: str, torque: str = "law") -> str:
        given = {"method": method, **plan.options(method)}
        driven = [f"torque={torque}"] if law else []
        return ", ".join([*driven, *(f"{name}={_option(value)}" for name, value in given.items())])

    for k, method in enumerate(methods):
        call = f"redyn.simulate(robot, {q}, {qd}, {plan.duration!r}, {options(method)})"
        lines.append(f"{'run' if not k else 'other'} = {call}")
    if other is not None:
        second = Robot(other)
        own, begin = entries(second), list[str]()
        same = plan.drive == "inverse"  # the torques are those of the first robot
        driven = options(methods[0], "law" if same else "law_second")
        state = "second.initial, [0.0] * second.dof"
        rigid = is_rigid_of(second, robot)
        if rigid or (len(own.q), len(own.qd)) == (len(plan.q), len(plan.qd)):
            mine = fitted(plan, second, robot)
            begin = [*_state(second, mine), *([] if same else _law(mine, second))]
            state = f"{_numbers(mine.q)}, {_numbers(mine.qd)}" if own.way == "all" else "q_second, qd_second"
        begin = [_of_second(line) for line in begin]
        if rigid and same:  # its torques have no entries for what bends or gives
            begin, driven = ["law_second = (t, law[1][:, robot.driven_rates])"], options(methods[0], "law_second")
        call = f"redyn.simulate(second, {state}, {plan.duration!r}, {driven})"
        made = ["second = robot.rigid()"] if rigid else _robot(other, "second", plan.payload)
        lines += ["", *made, *begin, f"other = {call}"]
    lines += ["", "print(run)", 'print("energy balance within", abs(run.energy.balance).max(), "J")']
    if is_closed(robot):
        lines += ['print("loops closed within", abs(run.loop_error).max(), "m")']
    lines += ["print(other)"] if len(methods) > 1 or other is not None else []
    lines += ['# run.html("run.html")  # a page to play; also run.plot(), run.to_csv("run.csv"), run.to_dataframe()']
    return "\n".join(lines) + "\n"


def _option(value: Any) -> str:
    """An argument of `redyn.simulate`."""
    if isinstance(value, list):  # of pushes
        return f"[{', '.join(f'redyn.{push!r}' for push in cast('list[Any]', value))}]"
    return repr(value)


def state_code(robot: Robot, q: list[float], qd: list[float]) -> str:
    """The matrices at the current state."""
    description = robot.description
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
    if (
        robot.model.simple
        and not robot.model.gives
        and {link.joint.type for link in description.links} <= {"revolute", "prismatic", "fixed"}
    ):
        lines.append("print(robot.denoc(q, qd))  # the book's matrices")
    return "\n".join(lines) + "\n"


def reach_code(robot: Robot, form: PoseForm, q: list[float]) -> str:
    """All solutions of a pose, and what the frame can do at the current one."""
    mask = "" if form.counts == "pose" else ", mask=[False] * 3 + [True] * 3"
    of, seen_from = ("0" if name == WORLD else repr(name) for name in (form.of, form.seen_from))
    lines = ["import redyn", "", *_robot(robot.description), f"q = {_numbers(q)}", f"frame = {form.frame!r}"]
    if not unsolved(robot):
        lines += [
            f"pose = {form.pose().tolist()!r}",
            f"found = robot.inverse_kinematics_all(pose, frame, q{mask})",
            "print(found.how, found.reason)",
            "print(found.solutions)",
        ]
    lines += ['print("Jacobian\\n", robot.jacobian(q, frame))']
    if not robot.model.loops:
        lines += ["print(robot.manipulability(q, frame))"]
    lines += [f'print("transform\\n", robot.transform(q, {of}, seen_from={seen_from}))']
    return "\n".join(lines) + "\n"


def _robot(description: RobotDescription, name: str = "robot", payload: Payload | None = None) -> list[str]:
    """Lines that load the robot: by name if it is a library robot, else with all its numbers; and its payload."""
    if payload is not None:
        numbers = f"{payload.mass!r}, com={_numbers(payload.com)}, inertia={_numbers(payload.inertia)}"
        return [*_robot(description, name), f"{name} = {name}.with_payload({numbers})"]
    if description.name in library() and read(description.name) == description:
        return [f"{name} = redyn.load({description.name!r})"]
    data = to_data(description)
    for link in cast("list[dict[str, Any]]", data["links"]):
        link.pop("visual", None)
        link.pop("collision", None)
    text = pprint.pformat(data, width=110, compact=True, sort_dicts=False)
    return [f"{name} = redyn.load(", *(f"    {line}" for line in text.splitlines()), ")"]


def _pose(robot: Robot, values: Any, near: str = "") -> str:
    """An expression for a configuration, from the numbers that users enter: see `entries.whole_pose`."""
    own, given = guided(robot), _numbers(values)
    if own.way in ("all", "joints"):
        return given
    if own.way == "complete":
        return f"robot.complete({given}{f', near={near}' if near else ''}).q"
    if own.way == "project":
        return f"robot.assemble({given})"
    q = robot.initial
    q[own.q] = values
    return f"robot.assemble({_numbers(q)}, fixed={independent_joints(robot)!r})"


def _state(robot: Robot, plan: RunPlan) -> list[str]:
    """Lines for q and qd, where they are completed: see `entries.whole_state`."""
    way, q, qd = entries(robot).way, _numbers(plan.q), _numbers(plan.qd)
    if way == "all":
        return []
    if way == "complete":
        return [f"q, qd, _ = robot.complete({q}, {qd})  # of the driven joints"]
    if way == "project":
        return [f"q, qd = robot.project({q}, {qd})"]
    return [f"q = {_pose(robot, plan.q)}", f"qd = robot.transmission(q) @ {qd}"]


_NAMES = re.compile(r"(?<!['\".])\b(robot|q|qd|law|target|inertia|start|stop|motion|t|rows)\b(?![='\"])")


def _of_second(line: str) -> str:
    """A line about the robot, for the second one: its names are others, those of arguments and joints stay."""
    return _NAMES.sub(lambda match: "second" if match[1] == "robot" else f"{match[1]}_second", line)


def _numbers(values: Any) -> str:
    return repr([float(x) for x in values])


def _array(values: Any) -> str:
    array = np.asarray(values)
    if array.size > MOST_NUMBERS:
        raise InputError(
            f"a file of {array.size:,} numbers is too long to be written out as Python; the limit is {MOST_NUMBERS:,}"
        )
    return f"np.array({array.tolist()!r})"


def _motion(plan: MotionPlan, robot: Robot) -> list[str]:
    closed = is_closed(robot)
    if plan.samples is not None:
        s: Samples = plan.samples
        given = [*(["robot"] if closed else []), *(_array(x) for x in (s.t, s.q, s.qd, s.qdd) if x is not None)]
        return [f"motion = redyn.trajectory.{'closed_' if closed else ''}samples({', '.join(given)})  # {s.name}"]
    if plan.taught is not None:
        return _taught(plan.taught, _planned(robot))
    start = _pose(robot, plan.start)
    if plan.path is not None:
        path = plan.path
        advance = f", advance={path.advance!r}" if plan.kind == "screw" else ""
        numbers = f"{_numbers(path.centre)}, {plan.duration!r}, {_numbers(path.axis)}, {path.angle!r}{advance}"
        call = f"redyn.trajectory.{plan.kind}({_planned(robot)}, {numbers}, start=start)"
        lines = [f"start = {start}", f"motion = {call}"]
        if robot.model.gives:  # which asks for every instant
            lines += [f"fine = np.linspace(0.0, {plan.duration!r}, {FINE})"]
            lines += ["motion = redyn.trajectory.samples(fine, *motion(fine))  # quicker at each instant"]
        return lines
    if closed:
        return [
            f"start = {start}",
            f"stop = {_pose(robot, plan.stop, 'start')}",
            f"motion = redyn.trajectory.{plan.kind}(start, stop, {plan.duration!r}, robot=robot)",
        ]
    extra = "" if robot.nq == robot.dof or robot.model.gives else ", robot=robot"
    return [f"motion = redyn.trajectory.{plan.kind}({start}, {_numbers(plan.stop)}, {plan.duration!r}{extra})"]


def _planned(robot: Robot) -> str:
    """The robot for which paths are planned: see `entries.planned`."""
    return "robot.rigid()" if robot.model.gives else "robot"


def _taught(plan: TaughtPlan, robot: str) -> list[str]:
    point = "redyn.trajectory.Point"
    rows = [
        f"    {point}(q={_numbers(each.q)}{''.join(f', {name}={value!r}' for name, value in each.options.items())}),"
        for each in plan.points
    ]
    limits = {"speed": plan.speed, "acceleration": plan.acceleration}
    given = "".join(f", {name}={list(value)!r}" for name, value in limits.items() if value is not None)
    given += "".join(f", {name}={value!r}" for name, value in plan.tip.items())
    return ["points = [", *rows, "]", f"motion = redyn.trajectory.taught({robot}, points{given})"]


def _law(plan: RunPlan, robot: Robot) -> list[str]:
    whole = len(entries(robot).tau) == len(robot.torque_names)
    if plan.drive == "constant":
        if whole:
            return [f"law = {_numbers(plan.torque)}"]
        return ["law = np.zeros(robot.dof)", f"law[robot.driven_rates] = {_numbers(plan.torque)}"]
    if plan.drive == "inverse" and plan.motion is not None:
        times = f"t = np.linspace(0.0, {plan.motion.duration!r}, {plan.motion.count})"
        torques = "tracked(robot, motion, t).tau" if robot.model.gives else "robot.inverse_dynamics(*motion(t))"
        return [*_motion(plan.motion, robot), times, f"law = (t, {torques})"]
    if plan.table is not None:
        t, rows, name = _array(plan.table.t), _array(plan.table.q), plan.table.name
        if whole:
            return [f"law = ({t}, {rows})  # {name}"]
        fill = "rows[:, robot.driven_rates]"
        return [f"t = {t}  # {name}", "rows = np.zeros((len(t), robot.dof))", f"{fill} = {rows}", "law = (t, rows)"]
    if plan.drive == "pd":
        inertia = ["inertia = robot.mass_matrix(target).diagonal()"]
        if is_closed(robot):
            at = "[robot.velocity_names.index(name) for name in robot.independent]"
            seen = f"inertia[{at}] = robot.mass_matrix(target, reduced=True).diagonal()"
            inertia = ["inertia = np.zeros(robot.dof)", seen]
        if guided(robot).way == "joints":
            n, base = len(plan.target), len(planned(robot).initial) - len(plan.target)
            at = "target" if not base else f"[*robot.rigid().initial[:{base}], *target]"
            inertia = [
                f"inertia = robot.rigid().mass_matrix({at}).diagonal()[-{n}:]  # as if links and gears were rigid"
            ]
        return [
            f"target = {_pose(robot, plan.target)}",
            *inertia,
            f"law = redyn.control.pd_gravity(robot, target, {plan.kp!r} * inertia, {plan.kd!r} * inertia)",
        ]
    if plan.motion is not None:
        law = f"law = redyn.control.computed_torque(robot, motion, {plan.kp!r}, {plan.kd!r})"
        return [*_motion(plan.motion, robot), law]
    return []
