"""What is learned: robots, what a policy sees and does, and what it is paid for. N states at once, arrays alone."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from redyn.robot import Robot, load
from redyn.simulation import controllers

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]


class Task(ABC):
    """A robot and its task. Actions are numbers from -1 to 1."""

    robot: Robot
    observations: int  # numbers that a policy sees
    actions: int
    horizon: int  # steps of an episode
    period = 0.05  # s, of a step of the environment
    step = 5e-3  # s, of the integrator
    method: Any = "rk4"
    ground: Any = None

    @abstractmethod
    def start(self, count: int, rng: np.random.Generator) -> tuple[Array, Array, Array]:
        """q, qd and goals of episodes that begin; goals are whatever numbers an episode needs, a row each."""

    @abstractmethod
    def torque(self, action: Array) -> Any:
        """What `simulate_batch` takes, for actions (N, actions)."""

    @abstractmethod
    def observe(self, q: Array, qd: Array, goal: Array) -> Array:
        """(N, observations)"""

    @abstractmethod
    def reward(self, q: Array, qd: Array, goal: Array, action: Array) -> Array:
        """(N,), after the step."""

    def over(self, q: Array, qd: Array) -> Flags:
        """Whether an episode has ended for good, as by a fall: (N,)."""
        del qd
        return np.zeros(len(q), dtype=bool)


class Pendulum(Task):
    """A rod that hangs, with a motor that can hold a third of its weight: it has to swing to get up."""

    def __init__(self) -> None:
        self.robot = load("one-link")  # along x it hangs: gravity is +x
        self.strongest = float(np.abs(self.robot.gravity_torque([np.pi / 2]))[0]) / 3
        self.observations, self.actions, self.horizon = 3, 1, 100

    def start(self, count: int, rng: np.random.Generator) -> tuple[Array, Array, Array]:
        q = rng.uniform(-np.pi, np.pi, (count, 1))
        return q, rng.uniform(-1.0, 1.0, (count, 1)), np.zeros((count, 0))

    def torque(self, action: Array) -> Array:
        return action * self.strongest

    def observe(self, q: Array, qd: Array, goal: Array) -> Array:
        del goal
        return np.hstack([np.cos(q), np.sin(q), qd / 8.0])

    def reward(self, q: Array, qd: Array, goal: Array, action: Array) -> Array:
        """1 upright and at rest, down to about 0 hanging."""
        del goal
        up = (1.0 - np.cos(q[:, 0])) / 2
        return up - 0.005 * qd[:, 0] ** 2 - 0.001 * action[:, 0] ** 2


class Reacher(Task):
    """A two-link arm in a horizontal plane brings its tip to a target."""

    def __init__(self) -> None:
        described = load("two-link").to_data()["description"]
        links = [{**link, "joint": {"type": "revolute", "damping": 0.5}} for link in described["links"]]
        self.robot = load({**described, "name": "reacher", "gravity": [0.0, 0.0, 0.0], "links": links})
        self.strongest = np.array([6.0, 2.0])
        self.observations, self.actions, self.horizon = 10, 2, 60

    def start(self, count: int, rng: np.random.Generator) -> tuple[Array, Array, Array]:
        q = rng.uniform(-np.pi, np.pi, (count, 2))
        radius, angle = np.sqrt(rng.uniform(0.2**2, 1.8**2, count)), rng.uniform(-np.pi, np.pi, count)
        return q, np.zeros((count, 2)), np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)

    def torque(self, action: Array) -> Array:
        return action * self.strongest

    def tip(self, q: Array) -> Array:
        return self.robot.forward_kinematics(q)[:, :2, 3]

    def observe(self, q: Array, qd: Array, goal: Array) -> Array:
        return np.hstack([np.cos(q), np.sin(q), qd / 5.0, goal, self.tip(q) - goal])

    def reward(self, q: Array, qd: Array, goal: Array, action: Array) -> Array:
        del qd
        return -np.linalg.norm(self.tip(q) - goal, axis=1) - 0.01 * (action**2).sum(axis=1)


class Standing(Task):
    """A quadruped on yielding ground keeps its trunk level after a push; actions move the targets of its joints."""

    step, method = 1e-3, "rkc"  # friction of the ground limits the step

    def __init__(self) -> None:
        self.robot = load("quadruped")
        self.ground = {"law": "smooth", "stiffness": 2e4, "friction": 0.7, "slip": 0.05}
        self.stance = self.robot.initial
        self.up = -self.robot.gravity / np.linalg.norm(self.robot.gravity)
        self.height = float(self.up @ self.stance[:3])
        self.actions = self.robot.nq - 7
        self.observations, self.horizon = 1 + 3 + 6 + 2 * self.actions, 100

    def start(self, count: int, rng: np.random.Generator) -> tuple[Array, Array, Array]:
        q = np.tile(self.stance, (count, 1))
        q[:, 7:] += rng.uniform(-0.05, 0.05, (count, self.actions))
        qd = np.zeros((count, self.robot.dof))
        qd[:, 3:6] = rng.uniform(-0.3, 0.3, (count, 3))  # as after a push
        return q, qd, np.zeros((count, 0))

    def torque(self, action: Array) -> Any:
        return controllers.pd(self.robot, self.stance[7:] + 0.3 * action, kp=300.0, kd=10.0)

    def leaning(self, q: Array) -> Array:
        """The direction up in the axes of the trunk: (N, 3)."""
        x, y, z, w = q[:, 3:7].T
        v, u = np.stack([x, y, z], axis=1), np.broadcast_to(self.up, (len(q), 3))
        return u - 2 * w[:, None] * np.cross(v, u) + 2 * np.cross(v, np.cross(v, u))  # turned back by the quaternion

    def observe(self, q: Array, qd: Array, goal: Array) -> Array:
        del goal
        height = (q[:, :3] @ self.up - self.height)[:, None]
        return np.hstack([10 * height, self.leaning(q), qd[:, :6], q[:, 7:] - self.stance[7:], 0.1 * qd[:, 6:]])

    def reward(self, q: Array, qd: Array, goal: Array, action: Array) -> Array:
        del goal
        low = np.abs(q[:, :3] @ self.up - self.height)
        level = np.clip(self.leaning(q) @ self.up, 0.0, 1.0)
        return level - 5 * low - 0.05 * np.linalg.norm(qd[:, :6], axis=1) - 0.01 * (action**2).mean(axis=1)

    def over(self, q: Array, qd: Array) -> Flags:
        del qd
        return (q[:, :3] @ self.up < 0.6 * self.height) | (self.leaning(q) @ self.up < 0.7)


TASKS: dict[str, type[Task]] = {"pendulum": Pendulum, "reacher": Reacher, "standing": Standing}
