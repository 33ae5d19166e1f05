"""What other programs answer to the same questions, where they are installed."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from redyn.robot import Robot
from redyn.verify import pinocchio_peer as converter
from redyn.verify.compare import joint_names

Array = NDArray[np.float64]
Calls = dict[str, Callable[[], object]]


def robots_folder() -> Path | None:
    """Where the package example-robot-data keeps its robots."""
    spec = importlib.util.find_spec("pinocchio") or importlib.util.find_spec("example_robot_data")
    if spec is None or spec.origin is None:
        return None
    for parent in Path(spec.origin).parents:
        for tail in ("share/example-robot-data/robots", "cmeel.prefix/share/example-robot-data/robots"):
            if (parent / tail).is_dir():
                return parent / tail
    return None


def _module(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


class Pinocchio:
    """Pinocchio's own batch calls where it has them, loops over single calls elsewhere; one thread."""

    def __init__(self, urdf: Path, robot: Robot) -> None:
        self.pin = _module("pinocchio")
        self.ready = self.pin is not None
        if not self.ready:
            return
        names, free = joint_names(robot), robot.nq != robot.dof
        self.peer = converter.Pinocchio(urdf, names, robot.gravity, np.zeros(robot.dof), free)
        self.model, self.data, self.order = self.peer.model, self.peer.data, self.peer.order

    def calls(self, state: list[Array], single: list[Array]) -> dict[str, Calls]:
        """By algorithm: what to time, by kind of call."""
        if not self.ready:
            return {}
        pin, model, data = self.pin, self.model, self.data
        pool = pin.ModelPool(model, 1)
        rows = [np.array([self.peer.q(row) for row in state[0]])]
        rows += [np.ascontiguousarray(a[:, self.order]) for a in state[1:]]
        q, v, x = (np.asfortranarray(a.T) for a in rows)
        out = np.asfortranarray(np.empty_like(v))
        one = [self.peer.q(single[0]), *(np.ascontiguousarray(a[self.order]) for a in single[1:])]

        def loop(function: Any, count: int) -> Callable[[], object]:
            def run() -> None:
                for arguments in zip(*rows[:count], strict=True):
                    function(model, data, *arguments)

            return run

        return {
            "inverse_dynamics": {
                "batch": lambda: pin.rneaInParallel(1, pool, q, v, x, out),
                "single": lambda: pin.rnea(model, data, *one),
            },
            "forward_dynamics": {
                "batch": lambda: pin.abaInParallel(1, pool, q, v, x, out),
                "single": lambda: pin.aba(model, data, *one),
            },
            "mass_matrix": {"batch": loop(pin.crba, 1)},
            "inverse_dynamics_derivatives": {"batch": loop(pin.computeRNEADerivatives, 3)},
            "forward_dynamics_derivatives": {"batch": loop(pin.computeABADerivatives, 3)},
        }


class Mujoco:
    """mj_inverse and mj_forward with contacts, limits and visuals stripped; one state per call, as it works."""

    def __init__(self, urdf: Path, robot: Robot) -> None:
        mujoco = _module("mujoco")
        self.ready = False
        if mujoco is None:
            return
        try:
            spec = mujoco.MjSpec.from_file(str(urdf))
            for geom in list(spec.geoms):
                spec.delete(geom)
            for mesh in list(spec.meshes):
                spec.delete(mesh)
            spec.option.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
            self.model = spec.compile()
        except Exception:
            return
        self.mujoco, self.data = mujoco, mujoco.MjData(self.model)
        self.ready = self.model.nq == self.model.nv == robot.dof

    def stepper(self, q: Array, qd: Array, tau: Array, step: float, count: int) -> Callable[[], object]:
        """`count` Runge-Kutta steps in one call."""
        mujoco, model, data = self.mujoco, self.model, self.data
        model.opt.integrator, model.opt.timestep = mujoco.mjtIntegrator.mjINT_RK4, step

        def run() -> None:
            mujoco.mj_resetData(model, data)
            data.qpos[:], data.qvel[:], data.qfrc_applied[:] = q, qd, tau
            mujoco.mj_step(model, data, nstep=count)

        return run

    def calls(self, single: list[Array]) -> dict[str, Calls]:
        if not self.ready:
            return {}
        mujoco, model, data = self.mujoco, self.model, self.data
        q, v, x = single

        def inverse() -> None:
            data.qpos[:], data.qvel[:], data.qacc[:] = q, v, x
            mujoco.mj_inverse(model, data)

        def forward() -> None:
            data.qpos[:], data.qvel[:], data.qfrc_applied[:] = q, v, x
            mujoco.mj_forward(model, data)

        return {"inverse_dynamics": {"single": inverse}, "forward_dynamics": {"single": forward}}


def toolbox_calls(robot: Robot, single: list[Array]) -> dict[str, Calls]:
    """The Robotics Toolbox's Newton-Euler for a standard DH robot, one state per call."""
    toolbox = _module("roboticstoolbox")
    if toolbox is None or robot.description.convention != "dh":
        return {}
    links: list[Any] = []
    for link in robot.description.links:
        if link.joint.type == "fixed":
            return {}
        com = link.com or tuple(-x for x in link.r or (0.0, 0.0, 0.0))
        xx, xy, xz, yy, yz, zz = link.inertia or (0.0,) * 6
        same: dict[str, Any] = {"a": link.a or 0.0, "alpha": link.alpha or 0.0, "m": link.mass, "r": com}
        same |= {"I": [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]], "Jm": 0.0, "G": 1.0, "B": 0.0}
        turns = link.joint.type == "revolute"
        make = toolbox.RevoluteDH if turns else toolbox.PrismaticDH
        links.append(make(**same, **({"d": link.b or 0.0} if turns else {"theta": link.theta or 0.0})))
    peer = toolbox.DHRobot(links, gravity=[-g for g in robot.description.gravity])
    return {"inverse_dynamics": {"single": lambda: peer.rne(*single)}}
