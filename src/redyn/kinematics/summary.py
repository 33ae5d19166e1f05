"""Loops in words: their rows, ranks and mobility, as commands and pages show them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from redyn.dynamics.task import Task
from redyn.kinematics.assembly import measured
from redyn.kinematics.linear import rank, smallest_value
from redyn.kinematics.loops import assembler, closure_of
from redyn.kinematics.robot_like import RobotLike
from redyn.model import ROW_NAMES
from redyn.words import counted

Array = NDArray[np.float64]


class LoopLine(NamedTuple):
    """One loop: what closes it, which rows it has, and how far it is open in the initial pose."""

    name: str
    joint: str
    between: tuple[str, str]
    rows: list[str]
    gap: str


class LoopSummary(NamedTuple):
    loops: list[LoopLine]

    def lines(self, robot: RobotLike) -> list[str]:
        """What the loops come down to; AssemblyError where they cannot be closed."""
        closure, model = closure_of(robot), robot.model
        count, kept = len(model.rows), len(closure.rows)
        found: list[str] = []
        if kept < count:
            plane = "planar: " if _is_planar(robot) else ""
            found.append(f"{plane}{count - kept} of {counted(count, 'row')} are redundant")
        if closure.deficient:
            found.append(
                f"overconstrained: of {counted(kept, 'row')} only {closure.rank} are independent at any position"
            )
        here = rank(robot.evaluator(Task("loop_jacobian"), [robot.initial[None]])[0][0])
        found.append(f"rows {count}, rank {kept} over all positions, {here} in the initial pose")
        names = [link.joint.label for link in model.driven]
        driven = ", ".join(names[i] for i in closure.driven) or "none"
        found.append(f"mobility {model.mobility} of {counted(robot.dof, 'joint rate')}; driven: {driven}")
        surplus = len(closure.driven) - model.mobility
        if surplus > 0:
            found.append(
                f"{counted(surplus, 'actuator')} more than the mobility: torques are the least of those that do"
            )
        elif surplus < 0:
            found.append(f"{-surplus} of its motions have no actuator")
        kernels = robot.evaluator.kernels
        if kernels is None or not kernels.covers(Task("forward_dynamics")):
            found.append("too many rows for compiled code: calls take milliseconds")
        share = singular_share(robot, robot.initial)
        found.append(f"distance from a singular position: {share:.2g} (1: usual, 0: singular)")
        return found


def loop_summary(robot: RobotLike) -> LoopSummary:
    """The loops of a robot in its initial pose."""
    residual = np.zeros(len(robot.model.rows))
    solver = assembler(robot)
    residual[solver.rows] = np.abs(solver.residual(robot.initial[None])[0])
    lines: list[LoopLine] = []
    first = 0
    for loop, described in zip(robot.model.loops, robot.description.loops, strict=True):
        own = residual[first : first + len(loop.rows)]
        worst = int(np.argmax(own))
        gap = "closed" if own[worst] < 1e-9 else measured(float(own[worst]), loop.rows[worst], loop.kind == "gear")
        names = [ROW_NAMES[row] for row in loop.rows]
        lines.append(LoopLine(loop.name, loop.kind, described.between, names, gap))
        first += len(loop.rows)
    return LoopSummary(lines)


def singular_share(robot: RobotLike, q: Array) -> float:
    """How far a closed configuration is from singular ones, 0 to 1: at 0 the dependent joints no longer follow.

    The smallest singular value of the columns of J that belong to the dependent rates, beside what it usually is.
    """
    closure = closure_of(robot)
    J = robot.evaluator(Task("loop_jacobian"), [q[None]])[0][0][list(closure.rows)]
    return min(1.0, smallest_value(J[:, closure.dependent(robot.dof)]) / max(closure.regular, 1e-300))


def _is_planar(robot: RobotLike) -> bool:
    """Whether all that moves in the loops turns about parallel axes, or slides across them."""
    links = robot.model.links
    moved = {i for loop in robot.model.loops for frame in (loop.A, loop.B) for i in robot.model.path(frame.link)}
    for loop in robot.model.loops:
        moved -= set(robot.model.path(loop.A.link)) & set(robot.model.path(loop.B.link))
    poses = robot.link_motion(robot.initial, np.zeros(robot.dof), np.zeros(robot.dof))[0]
    numbers = {i: k for k, i in enumerate(robot.model.bodies)}
    axes: list[Array] = []
    slides: list[Array] = []
    for i in sorted(moved):
        if i not in numbers or not links[i - 1].joint.single:
            return False
        frame = robot.model.frames[links[i - 1].name].pose.R
        axis = poses[numbers[i], :3, :3] @ np.array(frame.z.components(), dtype=np.float64)
        (slides if links[i - 1].joint.kind == "prismatic" else axes).append(axis)
    if not axes:
        return False
    across = all(np.linalg.norm(np.cross(axes[0], axis)) < 1e-6 for axis in axes)
    return across and all(abs(float(axes[0] @ axis)) < 1e-6 for axis in slides)
