"""What robots with flexible links cannot be asked."""

from __future__ import annotations

from redyn.dynamics.algorithm import Kind
from redyn.dynamics.task import Task
from redyn.errors import InputError
from redyn.model import Model

_SUPPLIED = (Kind.DRIVING, Kind.ROWS)  # what actuators alone have to supply


def refuse_flexible(model: Model, task: Task) -> None:
    """Raise where a task has no meaning, or no answer, for links that bend."""
    if not model.flexible:
        return
    if task.base.name == "regressor":
        raise InputError(
            f"regressor: {model.name} has flexible links, whose torques are not linear in ten parameters per link; "
            "robot.rigid() has a regressor"
        )
    if task.base.name == "coriolis_matrix_mci":
        raise InputError(
            "coriolis_matrix: the book's MCI is of rigid links; for those that bend use form='christoffel'"
        )
    supplied = any(output.kind in _SUPPLIED for output in task.base.outputs)
    if supplied and (model.contacts or model.loops):
        what = "closed loops" if model.loops else "wheels"
        raise InputError(
            f"{task.base.name}: in a robot with {what}, actuators cannot supply the forces of modes, which have none; "
            "use forward_dynamics, or robot.rigid(), or robot.tree without its " + what
        )
