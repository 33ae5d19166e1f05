"""Closed loops in other programs, where they are installed: Pinocchio's rigid constraints, MuJoCo's soft ones."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from redyn.description.loops import loop_frames
from redyn.description.schema import WORLD, RobotDescription
from redyn.description.transforms.frames import as_frames
from redyn.errors import RedynError
from redyn.robot import Robot
from redyn.verify.mujoco_build import mujoco_spec
from redyn.verify.mujoco_peer import Mujoco
from redyn.verify.peers import joint_names, read
from redyn.verify.pinocchio_loops import APART, Constraints
from redyn.verify.pinocchio_peer import Pinocchio

Array = NDArray[np.float64]

# Absolute and relative accuracy, mu and the most iterations: one is the cheapest, and enough with so small a mu.
CHEAPEST = (1e-12, 1e-12, 1e-12, 1)
TWO_POINTS, ONE_POINT = "two points", "one point"  # how pins are held; a robot without pins has the former alone
SAME = 1e-6  # what its accelerations may differ by, of the largest, to be called the same


class _OnePoint(Constraints):
    """A pin by one point of its axis: enough in a mechanism that is planar anyway."""

    points = 1


class PinocchioLoops:
    """constraintDynamics on one state, as its Python call is quickest."""

    def __init__(self, robot: Robot) -> None:
        self._peer, self._robot = read(Pinocchio, robot), robot
        self._settings = self._peer.pin.ProximalSettings(*CHEAPEST)
        two, one = (kind(self._peer.model, robot.description) for kind in (Constraints, _OnePoint))
        self._made = {TWO_POINTS: two} | ({} if one.rows == two.rows else {ONE_POINT: one})

    @classmethod
    def of(cls, robot: Robot) -> PinocchioLoops | None:
        """None if it is not installed, or has no such loops."""
        if importlib.util.find_spec(Pinocchio.module) is None:
            return None
        try:
            return cls(robot)
        except RedynError:
            return None

    def calls(self, states: Sequence[Sequence[Array]]) -> dict[str, Callable[[], object]]:
        """On the first state: with two points per pin and with one, if that gives redyn's accelerations at all."""
        first = self._peer.state(*states[0])
        return {
            name: partial(
                made.pin.constraintDynamics, made.model, made.data, *first, made.models, made.datas, self._settings
            )
            for name, made in self._made.items()
            if all(self._same(made, state) for state in states)
        }

    def _same(self, made: Constraints, state: Sequence[Array]) -> bool:
        q, qd, tau = self._peer.state(*state)
        found = made.forward_dynamics(q, qd, tau, self._settings)[self._peer.back]
        at, rates, torques = state
        ours = self._robot.forward_dynamics(at, rates, torques)
        return float(np.abs(found - ours).max()) < SAME * max(1.0, float(np.abs(ours).max()))


class MujocoLoops:
    """A robot whose loops are `connect` constraints at MuJoCo's default softness: a pin is two points of its axis."""

    def __init__(self, robot: Robot) -> None:
        mujoco: Any = importlib.import_module(Mujoco.module)
        description = physical(robot.description)
        spec = mujoco_spec(description)
        held = _connect(mujoco, spec, description)
        try:
            model = spec.compile()
        except ValueError as error:
            raise RedynError(f"MuJoCo does not accept it: {error}") from None
        self.peer = Mujoco(model, joint_names(robot), robot.gravity, by_name=True)
        model.opt.disableflags &= ~int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
        self._mujoco, self._model, self.data = mujoco, model, self.peer.data
        self._pairs = [[int(model.site(name).id) for name in names] for names in held]

    @classmethod
    def of(cls, robot: Robot) -> MujocoLoops | None:
        """None if it is not installed, or does not take the robot or its loops."""
        if importlib.util.find_spec(Mujoco.module) is None:
            return None
        try:
            return cls(robot)
        except RedynError:
            return None

    def stepper(self, integrator: str, state: Sequence[Array], step: float, count: int) -> Callable[[], object]:
        """`count` steps in one call, by "rk4" or "implicit"."""
        begin = self._begin(integrator, state, step)

        def run() -> None:
            begin()
            self._mujoco.mj_step(self._model, self.data, nstep=count)

        return run

    def widest(self, integrator: str, state: Sequence[Array], step: float, count: int) -> float | None:
        """By how much its loops open during a motion, m; None if it diverges."""
        self._begin(integrator, state, step)()
        widest = 0.0
        for _ in range(count):
            self._mujoco.mj_step(self._model, self.data)
            sites = self.data.site_xpos
            widest = max(widest, *(float(np.linalg.norm(sites[a] - sites[b])) for a, b in self._pairs))
        return None if any(warning.number for warning in self.data.warning) else widest

    def _begin(self, integrator: str, state: Sequence[Array], step: float) -> Callable[[], None]:
        kinds = self._mujoco.mjtIntegrator
        kind = {"rk4": kinds.mjINT_RK4, "implicit": kinds.mjINT_IMPLICIT}[integrator]
        q, v, tau = self.peer.state(*state)

        def begin() -> None:
            self._model.opt.integrator, self._model.opt.timestep = kind, step
            self._mujoco.mj_resetData(self._model, self.data)
            self.data.qpos[:], self.data.qvel[:], self.data.qfrc_applied[:] = q, v, tau

        return begin


def _connect(mujoco: Any, spec: Any, description: RobotDescription) -> list[list[str]]:
    """Adds the loops to a specification; the names of the two sites that each joint holds together."""
    pairs: list[list[str]] = []
    for loop, frames in zip(description.loops, loop_frames(description), strict=True):
        heights = {"spherical": (0.0,), "revolute": (0.0, APART)}.get(loop.joint)
        if heights is None:
            raise RedynError(f"MuJoCo's connect is no {loop.joint} joint")
        for height in heights:
            equality = spec.add_equality(name=f"{loop.name} at {height}")
            names = [f"{equality.name}, {link}" for link in loop.between]
            for name, link, T in zip(names, loop.between, frames, strict=True):
                body = spec.worldbody if link == WORLD else spec.body(link)
                body.add_site(name=name, pos=(T @ [0.0, 0.0, height, 1.0])[:3])
            equality.type, equality.objtype = mujoco.mjtEq.mjEQ_CONNECT, mujoco.mjtObj.mjOBJ_SITE
            equality.name1, equality.name2 = names
            if height == 0.0:
                pairs.append(names)
    return pairs


def physical(description: RobotDescription) -> RobotDescription:
    """With moments of inertia that MuJoCo accepts: the smallest one is raised, which has no effect on planar motion."""
    links = [link.model_copy(update={"inertia": _raised(link.inertia)}) for link in as_frames(description).links]
    return as_frames(description).model_copy(update={"links": links})


def _raised(inertia: tuple[float, ...] | None) -> tuple[float, ...] | None:
    if inertia is None:
        return None
    xx, xy, xz, yy, yz, zz = inertia
    tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    (low, middle, high), axes = np.linalg.eigh(tensor)
    lacking = high - low - middle
    if lacking <= 0.0:
        return inertia
    tensor += 1.000001 * lacking * np.outer(axes[:, 0], axes[:, 0])
    return tuple(float(tensor[i, j]) for i, j in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)))
