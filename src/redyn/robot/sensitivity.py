"""How the largest torques of a motion change with the masses and lengths of a robot."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from redyn.dynamics.task import Task
from redyn.errors import InputError
from redyn.evaluate import Array, uncompiled
from redyn.robot.robot import Robot

NAMES = ("*.mass", "*.com", "*.a", "*.b", "*.d", "*.xyz")
SHARE = 0.01  # of a parameter, by which it grows
NOTHING = 1e-12  # of the largest change: rounding


class PeakSensitivity(NamedTuple):
    """The changes of the largest torque of every joint as each parameter grows by one percent, largest first."""

    names: tuple[str, ...]  # of the parameters
    nominal: Array
    peaks: Array  # (dof,), the largest torques themselves
    changes: Array  # (parameters, dof)


def peak_sensitivity(robot: Robot, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> PeakSensitivity:
    """Of the inverse dynamics along a motion, (N, nq) and (N, dof) twice. Exact to first order: where a torque is
    largest, its change with time is zero, so the derivative by the parameter at that instant is that of the peak.

    >>> import numpy as np, redyn
    >>> robot = redyn.load("two-link")
    >>> found = peak_sensitivity(robot, np.zeros((1, 2)), np.zeros((1, 2)), np.zeros((1, 2)))
    >>> found.names[0], found.changes[0].round(4)       # r of both links, from the far end, stays
    ('link1.a', array([0.1962, 0.    ]))
    """
    free = robot.free(*_possible(robot))
    nominal = free.nominal_parameters
    motion = [np.atleast_2d(np.asarray(x, dtype=np.float64)) for x in (q, qd, qdd)]
    tau: Array = robot.inverse_dynamics(motion[0], motion[1], motion[2])
    joints = list(range(tau.shape[1]))
    at = np.abs(tau).argmax(axis=0)
    largest = tau[at, joints]
    # A handful of instants: the recursion on arrays answers sooner than a kernel for them would be built.
    given = [x[at] for x in motion] + [np.tile(nominal, (len(at), 1))]
    task = Task("inverse_dynamics_by_parameters")
    (found,) = uncompiled.run(free.model, task, given, free.evaluator)
    slopes = found.reshape(len(at), len(joints), len(nominal))[joints, joints]
    changes: Array = (np.sign(largest)[:, None] * slopes).T * (SHARE * nominal)[:, None]
    sizes = np.abs(changes).max(axis=1)
    order = [int(k) for k in np.argsort(-sizes, kind="stable") if sizes[k] > NOTHING * max(1e-300, sizes.max())]
    names = free.parameter_names
    return PeakSensitivity(tuple(names[k] for k in order), nominal[order], np.abs(largest), changes[order])


def _possible(robot: Robot) -> list[str]:
    """The names that can be left open; an error if there are none."""
    found: list[str] = []
    why: InputError | None = None
    for name in NAMES:
        try:
            robot.free(name)
        except InputError as error:
            why = why or error
        else:
            found.append(name)
    if not found:
        raise why or InputError("no parameter can be left open")
    return found
