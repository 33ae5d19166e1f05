"""Other robot dynamics for JAX, where they are installed: frax, adam and MJX, as functions of one state."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from redyn.errors import RedynError
from redyn.robot import Robot
from redyn.verify.mujoco_peer import Mujoco
from redyn.verify.peers import read

# By the name of an algorithm, functions (q, qd, qdd or tau) of JAX.
Functions = dict[str, Callable[..., Any]]


def frax(robot: Robot, file: Path | None) -> Functions | None:
    """frax: its recursive Newton-Euler algorithm, and its forward dynamics from the mass matrix. It reads URDF."""
    if file is None or file.suffix != ".urdf":
        return None
    jnp = importlib.import_module("jax.numpy")
    theirs = importlib.import_module("frax.core.robot").Robot(str(file), joint_ordering=robot.joint_names)
    up = jnp.array([*-robot.gravity, 0.0, 0.0, 0.0])

    def inverse(q: Any, qd: Any, qdd: Any) -> Any:
        return theirs.rnea(q, qd, qdd, up, None)

    def forward(q: Any, qd: Any, tau: Any) -> Any:
        return theirs.forward_dynamics(q, qd, tau, None)

    return {"inverse_dynamics": inverse, "forward_dynamics": forward}


def adam(robot: Robot, file: Path | None) -> Functions | None:
    """adam: from its mass matrix and bias force, with the base held. It reads URDF."""
    if file is None or file.suffix != ".urdf":
        return None
    jnp = importlib.import_module("jax.numpy")
    gravity = jnp.array([*robot.gravity, 0.0, 0.0, 0.0])
    theirs = importlib.import_module("adam.jax").KinDynComputations(str(file), robot.joint_names, gravity=gravity)
    base, still = jnp.eye(4), jnp.zeros(6)

    def parts(q: Any, qd: Any) -> tuple[Any, Any]:
        return theirs.mass_matrix(base, q)[6:, 6:], theirs.bias_force(base, q, still, qd)[6:]

    def inverse(q: Any, qd: Any, qdd: Any) -> Any:
        M, h = parts(q, qd)
        return M @ qdd + h

    def forward(q: Any, qd: Any, tau: Any) -> Any:
        M, h = parts(q, qd)
        return jnp.linalg.solve(M, tau - h)

    return {"inverse_dynamics": inverse, "forward_dynamics": forward}


def mjx(robot: Robot, file: Path | None) -> Functions | None:
    """MJX, MuJoCo's dynamics in JAX: `inverse` and `forward`, without contacts, limits and actuators."""
    module = importlib.import_module("mujoco.mjx")
    model = module.put_model(read(Mujoco, robot, file, False).model)
    data = module.make_data(model)

    def inverse(q: Any, qd: Any, qdd: Any) -> Any:
        return module.inverse(model, data.replace(qpos=q, qvel=qd, qacc=qdd)).qfrc_inverse

    def forward(q: Any, qd: Any, tau: Any) -> Any:
        return module.forward(model, data.replace(qpos=q, qvel=qd, qfrc_applied=tau)).qacc

    return {"inverse_dynamics": inverse, "forward_dynamics": forward}


PEERS: dict[str, Callable[[Robot, Path | None], Functions | None]] = {"frax": frax, "adam": adam, "mjx": mjx}


def peers_of(robot: Robot, file: Path | None, missing: dict[str, str]) -> dict[str, Functions]:
    """The peers that take this robot; `missing` is told why others do not."""
    found: dict[str, Functions] = {}
    for name, make in PEERS.items():
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                made = make(robot, file)
        except ImportError as error:
            missing[name] = f"not installed ({error.name})"
        except (RedynError, ValueError, KeyError, NotImplementedError) as error:
            missing[name] = f"does not take {robot.name}: {str(error)[:200]}"
        else:
            if made is None:
                missing[name] = f"reads URDF, which {robot.name} does not come from"
            else:
                found[name] = made
    return found
