"""What is timed of other programs, where they are installed: their own functions on arrays in their own layout."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from redyn.bench.timing import Way
from redyn.errors import RedynError
from redyn.robot import Robot
from redyn.verify.mujoco_peer import Mujoco
from redyn.verify.peers import P, common_frame, read
from redyn.verify.pinocchio_peer import Pinocchio

Array = NDArray[np.float64]

LOOP = 256  # states of a loop over single calls: a longer one takes as long per state, but is seldom left in peace


def _peer(kind: type[P], robot: Robot, file: Path | None, floating_base: bool) -> P | None:
    """The program with this robot in it; None if it is not installed or does not take the robot."""
    if importlib.util.find_spec(kind.module) is None:
        return None
    try:
        return read(kind, robot, file, floating_base)
    except RedynError:
        return None


class PinocchioCalls:
    """Pinocchio's functions by redyn's names, one thread; batches by its own batch calls, or by loops without one."""

    def __init__(self, peer: Pinocchio, frame: str) -> None:
        self.peer, self.frame = peer, frame
        pin, model, data = peer.pin, peer.model, peer.data
        number, aligned = peer.frame(frame), pin.ReferenceFrame.LOCAL_WORLD_ALIGNED

        def one_frame(q: Array) -> None:
            pin.forwardKinematics(model, data, q)
            pin.updateFramePlacement(model, data, number)

        def jacobian(q: Array) -> None:
            pin.computeFrameJacobian(model, data, q, number, aligned)

        # Where there are several ways to the same result, the best time of all is taken.
        self._functions: dict[str, list[Callable[..., object]]] = {
            "inverse_dynamics": [partial(pin.rnea, model, data)],
            "forward_dynamics": [partial(pin.aba, model, data)],
            "mass_matrix": [partial(pin.crba, model, data)],
            "gravity_torque": [partial(pin.computeGeneralizedGravity, model, data)],
            "coriolis_matrix": [partial(pin.computeCoriolisMatrix, model, data)],
            "forward_kinematics": [partial(pin.framesForwardKinematics, model, data), one_frame],
            "jacobian": [jacobian],
            "inverse_dynamics_derivatives": [partial(pin.computeRNEADerivatives, model, data)],
            "forward_dynamics_derivatives": [partial(pin.computeABADerivatives, model, data)],
        }
        self._batches = {"inverse_dynamics": pin.rneaInParallel, "forward_dynamics": pin.abaInParallel}
        self._pool = pin.ModelPool(model, 1)

    @classmethod
    def of(cls, robot: Robot, file: Path | None, floating_base: bool) -> PinocchioCalls | None:
        peer = _peer(Pinocchio, robot, file, floating_base)
        frame = None if peer is None else common_frame(peer, robot)
        return None if peer is None or frame is None else cls(peer, frame)

    def single(self, algorithm: str, state: Sequence[Array]) -> list[Way]:
        """Calls on one state, given in redyn's order."""
        theirs = self.peer.state(*state)
        return [Way(partial(function, *theirs)) for function in self._functions[algorithm]]

    def batch(self, algorithm: str, state: Sequence[Array]) -> list[Way]:
        """Calls on rows of states, given in redyn's order."""
        rows = [self.peer.state(*row) for row in zip(*state, strict=True)]
        if algorithm in self._batches:
            columns = [np.asfortranarray(np.array(part).T) for part in zip(*rows, strict=True)]
            call = partial(self._batches[algorithm], 1, self._pool, *columns, np.empty_like(columns[1]))
            return [Way(call, len(rows))]
        rows = rows[:LOOP]

        def loop(function: Callable[..., object]) -> None:
            for row in rows:
                function(*row)

        return [Way(partial(loop, function), len(rows)) for function in self._functions[algorithm]]


class _Fused(Mujoco):
    fuse = True


class MujocoCalls:
    """mj_inverse, mj_forward and mj_step without contacts, limits and geometry; one state per call, as it works."""

    def __init__(self, peer: Mujoco) -> None:
        self.peer = peer

    @classmethod
    def of(cls, robot: Robot, file: Path | None, floating_base: bool) -> MujocoCalls | None:
        peer = _peer(_Fused, robot, file, floating_base)
        return None if peer is None else cls(peer)

    def single(self, algorithm: str, state: Sequence[Array]) -> list[Way]:
        mujoco, model, data = self.peer.mujoco, self.peer.model, self.peer.data
        run = {"inverse_dynamics": mujoco.mj_inverse, "forward_dynamics": mujoco.mj_forward}.get(algorithm)
        if run is None:
            return []
        given = data.qacc if algorithm == "inverse_dynamics" else data.qfrc_applied
        q, v, x = self.peer.state(*state)

        def call() -> None:
            data.qpos[:], data.qvel[:], given[:] = q, v, x
            run(model, data)

        return [Way(call)]

    def stepper(self, state: Sequence[Array], step: float, count: int) -> Callable[[], object]:
        """`count` Runge-Kutta steps in one call."""
        mujoco, model, data = self.peer.mujoco, self.peer.model, self.peer.data
        model.opt.integrator, model.opt.timestep = mujoco.mjtIntegrator.mjINT_RK4, step
        q, v, tau = self.peer.state(*state)

        def run() -> None:
            mujoco.mj_resetData(model, data)
            data.qpos[:], data.qvel[:], data.qfrc_applied[:] = q, v, tau
            mujoco.mj_step(model, data, nstep=count)

        return run


def toolbox_calls(robot: Robot, algorithm: str, state: Sequence[Array]) -> list[Way]:
    """The Robotics Toolbox's Newton-Euler recursion for a standard DH robot, one state per call."""
    if algorithm != "inverse_dynamics" or robot.description.convention != "dh":
        return []
    try:
        toolbox: Any = importlib.import_module("roboticstoolbox")
    except ImportError:
        return []
    links: list[Any] = []
    for link in robot.description.links:
        if link.joint.type == "fixed":
            return []
        com = link.com or tuple(-x for x in link.r or (0.0, 0.0, 0.0))
        xx, xy, xz, yy, yz, zz = link.inertia or (0.0,) * 6
        same: dict[str, Any] = {"a": link.a or 0.0, "alpha": link.alpha or 0.0, "m": link.mass, "r": com}
        same |= {"I": [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]], "Jm": 0.0, "G": 1.0, "B": 0.0}
        turns = link.joint.type == "revolute"
        make = toolbox.RevoluteDH if turns else toolbox.PrismaticDH
        links.append(make(**same, **({"d": link.b or 0.0} if turns else {"theta": link.theta or 0.0})))
    peer = toolbox.DHRobot(links, gravity=[-g for g in robot.description.gravity])
    return [Way(partial(peer.rne, *state))]
