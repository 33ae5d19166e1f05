"""Motions of joints where links bend or gears give: what inverse dynamics means there.

The joints (of elastic gears, the motors) are driven along a motion, and the rest swings as it must. So the torques
along the motion follow from a simulation, which begins at rest under the weight.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from redyn.errors import InputError
from redyn.robot import Robot
from redyn.simulation.controllers import computed_torque
from redyn.simulation.joints import Joints, ReferenceMotion
from redyn.simulation.result import Run
from redyn.simulation.run import simulate

Array = NDArray[np.float64]

KP, KD = 100.0, 20.0  # of errors, which only rounding makes: the motion begins where the robot is
RTOL = 1e-7
PER_SECOND = 100  # steps of rosenbrock, about, if there are not more times
PER_RADIAN = 2.0  # evaluations of rkf45 for each radian of the fastest vibration


def tracked(robot: Robot, motion: ReferenceMotion, t: ArrayLike, gravity: ArrayLike | None = None) -> Run:
    """The robot with its joints driven along a motion of theirs, at times from 0 on: torques are `run.tau`.

    The motion gives q, qd and qdd of the joints alone, or of all coordinates, of which those of the joints count.

    >>> import numpy as np, redyn
    >>> robot = redyn.load("flexible-beam")
    >>> run = tracked(robot, redyn.trajectory.cycloidal([0.0], [1.0], 1.0), np.linspace(0.0, 1.0, 11))
    >>> round(float(run.q[-1, 0]), 6), run.tau.shape
    (1.0, (11, 3))
    """
    times = np.asarray(t, dtype=np.float64)
    if times.ndim != 1 or len(times) < 2 or times[0] != 0.0 or not (np.diff(times) > 0).all():
        raise InputError("t: expected at least two increasing times, the first of them zero")
    joints = Joints(robot, "tracked")
    wanted = joints.reference(motion)
    q, qd, _ = (np.asarray(x, dtype=np.float64) for x in wanted(0.0))
    start = robot.sag(joints.configuration(q), gravity=gravity)
    law = computed_torque(robot, wanted, KP, KD, gravity)
    return simulate(
        robot,
        start,
        joints.rates_of_all(qd),
        float(times[-1]),
        law,
        _method(robot, start, times),
        rtol=RTOL,
        sample=times,
        gravity=gravity,
        progress=False,
    )


def _method(robot: Robot, q: Array, t: Array) -> str:
    """The quicker one: rkf45 follows every vibration, rosenbrock takes longer steps at the cost of a Jacobian each."""
    found = robot.vibration(q)
    rate = float(np.max(found.frequencies * np.maximum(1.0, 2.0 * found.damping_ratios), initial=0.0))
    follows = PER_RADIAN * rate * float(t[-1])
    steps = max(len(t), PER_SECOND * float(t[-1]))
    return "rkf45" if follows < steps * (4 * robot.dof + 9) else "rosenbrock"
