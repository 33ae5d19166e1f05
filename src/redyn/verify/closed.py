"""What closed loops change: forward dynamics against another program's, inverse dynamics by an identity."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from redyn.errors import RedynError, SingularError
from redyn.robot import Robot
from redyn.verify.peers import Peer
from redyn.verify.row import Row, States, compared

Array = NDArray[np.float64]


def loop_rows(robot: Robot, peer: Peer, states: States, allowed: float, condition: Array) -> list[Row]:
    """At closed states, whose last entry are torques of the actuators; `condition` is of the mass matrices."""
    forward = _forward(robot, peer, states, allowed, condition)
    if not peer.rigid_loops:
        return [forward, Row("inverse_dynamics", 0.0, allowed, forward.note)]
    return [forward, _inverse(robot, states, allowed)]


def _forward(robot: Robot, peer: Peer, states: States, allowed: float, condition: Array) -> Row:
    try:
        answer = peer.closed_forward_dynamics(robot.description)
    except RedynError as error:
        return Row("forward_dynamics", 0.0, allowed, f"not compared: {error}")
    expected = np.stack([answer(*state) for state in zip(*states, strict=True)])
    return compared("forward_dynamics", lambda: robot.forward_dynamics(*states), expected, allowed, condition)


def _inverse(robot: Robot, states: States, allowed: float) -> Row:
    """No other program has it: the torques of forward dynamics come back, or others that do the same work.

    Rounding is beside the torques that the tree would need at its joints, most of which the loops carry.
    """
    name = "inverse_dynamics of forward_dynamics"
    q, qd, tau = states
    try:
        qdd = robot.forward_dynamics(q, qd, tau)
        found = robot.inverse_dynamics(q, qd, qdd)
        G = robot.transmission(q)
    except SingularError as error:
        return Row(name, 0.0, allowed, f"not determined: {error}")
    carried = np.maximum(1.0, np.abs(robot.tree.inverse_dynamics(q, qd, qdd)).max(axis=1))
    apart = np.abs(np.einsum("nij,ni->nj", G, found - tau)).max(axis=1, initial=0.0) / carried
    return Row(name, float(apart.max()), allowed)
