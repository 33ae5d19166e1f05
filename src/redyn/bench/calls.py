"""What a call costs from Python, beside Pinocchio: one state, small batches, batches of derivatives, keywords.

Arrays are float64 and contiguous, checks are on, friction is off, one thread. Pinocchio is called on its own arrays,
by its own Python functions and batch functions; results that it leaves in its data are not copied out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from redyn.bench.compare import BATCH, Array, Subject, named_robot
from redyn.bench.peers import PinocchioCalls
from redyn.bench.timing import Way, quickest
from redyn.dynamics.catalogue import CATALOGUE

METHODS = {  # by name: the entry of the catalogue
    name: name
    for name in (
        "inverse_dynamics",
        "forward_dynamics",
        "mass_matrix",
        "gravity_torque",
        "coriolis_matrix",
        "forward_kinematics",
        "jacobian",
        "inverse_dynamics_derivatives",
        "forward_dynamics_derivatives",
    )
} | {"coriolis_matrix": "coriolis_matrix_mci"}
BATCHES = {
    "inverse_dynamics": (8, 64),
    "forward_dynamics": (8, 64),
    "inverse_dynamics_derivatives": (BATCH,),
    "forward_dynamics_derivatives": (BATCH,),
}


@dataclass(frozen=True)
class CallRow:
    """One call: nanoseconds per state, the best of many."""

    robot: str
    dof: int
    algorithm: str
    states: int
    redyn: float
    pinocchio: float | None
    keywords: dict[str, float]  # nanoseconds that a call takes longer with each; for one state only

    @property
    def share(self) -> float | None:
        """redyn's time over Pinocchio's."""
        return None if self.pinocchio is None else self.redyn / self.pinocchio


def compare_calls(robots: list[str], seconds: float, tick: Callable[[str], None] = lambda _: None) -> list[CallRow]:
    """Every robot and call, for some seconds each."""
    rows: list[CallRow] = []
    for name in robots:
        subject = named_robot(name)
        pinocchio = PinocchioCalls.of(*subject[1:])
        for algorithm in METHODS:
            for count in (1, *BATCHES.get(algorithm, ())):
                tick(f"{subject.name} {algorithm}, {count}")
                rows.append(_measure(subject, pinocchio, algorithm, count, seconds))
    return rows


def _measure(subject: Subject, pinocchio: PinocchioCalls | None, algorithm: str, count: int, seconds: float) -> CallRow:
    robot = subject.robot
    entry = CATALOGUE[METHODS[algorithm]]
    state = subject.states(count)[: len(entry.base.state)]
    frame = pinocchio.frame if pinocchio is not None else robot.frame_names[-1]
    method = getattr(robot, algorithm)
    if "frame" in entry.options:
        method = partial(method, link=frame)
    ways: dict[str, list[Way]] = {}
    if count > 1:
        ways["redyn"] = [Way(partial(method, *state, **({"threads": 1} if count == BATCH else {})), count)]
        ways["pinocchio"] = pinocchio.batch(algorithm, state) if pinocchio is not None else []
    else:
        one = [np.ascontiguousarray(a[0]) for a in state]
        ways["redyn"] = [Way(partial(method, *one))]
        for name, value in _keywords(method(*one), "gravity" in entry.options).items():
            ways[name] = [Way(partial(method, *one, **{name: value}))]
        ways["pinocchio"] = pinocchio.single(algorithm, one) if pinocchio is not None else []
    best = {name: time * 1e9 for name, time in quickest(ways, seconds).items()}
    mine, theirs = best.pop("redyn"), best.pop("pinocchio", None)
    longer = {name: time - mine for name, time in best.items()}
    return CallRow(subject.name, robot.dof, algorithm, count, mine, theirs, longer)


def _keywords(result: Array | tuple[Array, ...], gravity: bool) -> dict[str, Any]:
    """What is timed beside the plain call."""
    out = tuple(np.empty_like(x) for x in result) if isinstance(result, tuple) else np.empty_like(result)
    found: dict[str, Any] = {"threads": 1, "out": out, "check": False}
    return found | {"gravity": np.array([0.0, 0.0, -9.81])} if gravity else found
