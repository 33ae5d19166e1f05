"""States that a robot with closed loops cannot have, or at which its motion is not determined: said in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from redyn.dynamics.mechanism import OPEN, SINGULAR
from redyn.dynamics.task import Task
from redyn.errors import AssemblyError, InputError, RedynError, SingularError
from redyn.model import Closure, Model

Array = NDArray[np.float64]
Evaluate = Callable[[Task, list[Array]], tuple[Array, ...]]


def explain(model: Model, evaluate: Evaluate, state: Mapping[str, Array], where: str) -> RedynError:
    """Why an algorithm refuses a state: q and perhaps qd and qdd of one row each. `where` is " in row 3", or empty."""
    closure = model.closure
    assert closure is not None
    q, rows = state["q"][None], list(closure.rows)
    error = np.zeros(len(model.rows))
    error[rows] = evaluate(Task("loop_error"), [q])[0][0, rows]
    if not np.linalg.norm(error) < OPEN:
        name, gap = _worst(model, error, "mm", "deg")
        return AssemblyError(f"loop {name!r} is open by {gap}{where}; use robot.assemble(q)")
    J = evaluate(Task("loop_jacobian"), [q])[0][0, rows]
    if "qd" in state:
        error[rows] = J @ state["qd"]
        if not np.linalg.norm(error) < OPEN:
            name, gap = _worst(model, error, "mm/s", "deg/s")
            return AssemblyError(f"qd opens loop {name!r} at {gap}{where}; use robot.project(q, qd)")
    if "qdd" in state:
        vectors = [state[name][None] for name in ("q", "qd", "qdd")]
        error[rows] = evaluate(Task("loop_accelerations"), vectors)[0][0, rows]
        if not np.linalg.norm(error) < OPEN * np.sqrt(1 + state["qdd"] @ state["qdd"]):
            name, gap = _worst(model, error, "mm/s^2", "deg/s^2")
            return AssemblyError(
                f"qdd opens loop {name!r} at {gap}{where}; accelerations that keep loops closed come from "
                "robot.complete or robot.forward_dynamics"
            )
    return _undetermined(model, closure, J, where)


def _undetermined(model: Model, closure: Closure, J: Array, where: str) -> RedynError:
    """Of a closed state: that it is singular, or what else its actuators cannot do."""
    rank = _rank(J)
    if rank < closure.rank:
        return SingularError(
            f"{model.name}: singular position{where}: the rows of its loops have rank {rank} there, {closure.rank} "
            "elsewhere, so that it could move in more ways than one; move away from it a little"
        )
    names = [link.joint.label for link in model.driven]
    dependent = closure.dependent(model.dof)
    if _rank(J[:, dependent]) < len(dependent):
        chosen = ", ".join(names[i] for i in closure.independent)
        return SingularError(
            f"{model.name}: singular position{where}: {chosen} alone does not determine how the other joints move"
        )
    driven = ", ".join(names[i] for i in closure.driven) or "none"
    if len(closure.driven) < model.mobility:
        return InputError(
            f"{model.name}: the actuated joints ({driven}) cannot supply what the motion needs{where}: "
            f"{len(closure.driven)} of {model.mobility} independent rates are driven, and part of the torque is left "
            "unbalanced; name more in actuated, or give accelerations from robot.forward_dynamics"
        )
    return SingularError(
        f"{model.name}: singular position{where}: the actuated joints ({driven}) have no hold on some motion of it"
    )


def _rank(A: Array) -> int:
    if not A.size:
        return 0
    values = np.linalg.svd(A, compute_uv=False)
    return int(np.sum(values > 30 * SINGULAR * max(float(values[0]), 1e-300)))


def _worst(model: Model, error: Array, length: str, angle: str) -> tuple[str, str]:
    """The loop with the largest entry, and that entry with its unit; angles in degrees, lengths in millimetres."""
    k = int(np.argmax(np.abs(np.nan_to_num(error, nan=np.inf))))
    loop, row = model.rows[k]
    size = float(abs(error[k]))
    if row < 3:
        return loop.name, f"{np.degrees(np.arcsin(min(size, 1.0)) if angle == 'deg' else size):.3g} {angle}"
    if loop.kind in ("gear", "universal") and row > 5:
        return loop.name, f"{np.degrees(size):.3g} {angle}"
    return loop.name, f"{1e3 * size:.3g} {length}"
