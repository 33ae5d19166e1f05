"""Gymnasium's environments of a task: many at once, and one."""

from __future__ import annotations

from typing import Any

import gymnasium as gym  # pyright: ignore[reportMissingImports]
import numpy as np
from gymnasium import spaces  # pyright: ignore
from gymnasium.vector import AutoresetMode  # pyright: ignore
from numpy.typing import NDArray

from redyn.errors import InputError
from redyn.gym.tasks import TASKS, Task
from redyn.simulation import simulate_batch
from redyn.words import suggestion

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUntypedBaseClass=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false


def task_of(task: str | Task) -> Task:
    """A task by its name, or itself."""
    if isinstance(task, Task):
        return task
    if task not in TASKS:
        raise InputError(f"task: expected one of {', '.join(TASKS)}, got {task!r}{suggestion(str(task), list(TASKS))}")
    return TASKS[task]()


def _spaces(task: Task) -> tuple[Any, Any]:
    seen = spaces.Box(-np.inf, np.inf, (task.observations,), np.float32)
    return seen, spaces.Box(-1.0, 1.0, (task.actions,), np.float32)


class RobotVectorEnv(gym.vector.VectorEnv):
    """N environments of a task; a step of all of them is one `simulate_batch`.

    An episode that ended begins anew in the next step, whose action does not count (Gymnasium's NEXT_STEP).
    """

    metadata = {"autoreset_mode": AutoresetMode.NEXT_STEP, "render_modes": []}  # noqa: RUF012 - Gymnasium's way

    def __init__(
        self,
        task: str | Task = "pendulum",
        num_envs: int = 1,
        threads: int | None = None,
        render_mode: str | None = None,
    ) -> None:
        if isinstance(num_envs, bool) or not isinstance(num_envs, int | np.integer) or num_envs < 1:  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InputError(f"num_envs: expected a whole number from 1, got {num_envs!r}")
        self.task, self.num_envs, self.threads = task_of(task), int(num_envs), threads
        self.render_mode = render_mode
        self.single_observation_space, self.single_action_space = _spaces(self.task)
        self.observation_space = gym.vector.utils.batch_space(self.single_observation_space, self.num_envs)
        self.action_space = gym.vector.utils.batch_space(self.single_action_space, self.num_envs)
        robot = self.task.robot
        self.q, self.qd = np.zeros((self.num_envs, robot.nq)), np.zeros((self.num_envs, robot.dof))
        self.goal = np.zeros((self.num_envs, 0))
        self.age = np.zeros(self.num_envs, dtype=np.intp)
        self.ended = np.zeros(self.num_envs, dtype=bool)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """All episodes begin anew, or those of options["reset_mask"]."""
        super().reset(seed=seed)
        mask = None if options is None else options.get("reset_mask")
        if mask is None or self.goal.shape[0] != self.num_envs:
            self.q, self.qd, self.goal = self.task.start(self.num_envs, self.np_random)
            self.age[:], self.ended[:] = 0, False
        else:
            self._begin(np.asarray(mask, dtype=bool))
        return self._observed(), {}

    def _begin(self, which: Flags) -> None:
        if not which.any():
            return
        q, qd, goal = self.task.start(int(which.sum()), self.np_random)
        self.q[which], self.qd[which], self.goal[which] = q, qd, goal
        self.age[which], self.ended[which] = 0, False

    def _observed(self) -> Any:
        return self.task.observe(self.q, self.qd, self.goal).astype(np.float32)

    def step(self, actions: Any) -> tuple[Any, Array, Flags, Flags, dict[str, Any]]:
        """One period of all robots."""
        action = np.clip(np.asarray(actions, dtype=np.float64), -1.0, 1.0)
        if action.shape != (self.num_envs, self.task.actions):
            raise InputError(f"actions: expected shape {(self.num_envs, self.task.actions)}, got {action.shape}")
        again, task = self.ended.copy(), self.task
        batch = simulate_batch(
            task.robot,
            self.q,
            self.qd,
            task.period,
            torque=task.torque(action),
            step=task.step,
            method=task.method,
            ground=task.ground,
            threads=self.threads,
            check=False,
            progress=False,
        )
        q, qd = batch.q[-1].copy(), batch.qd[-1].copy()
        lost = ~(np.isfinite(q).all(axis=1) & np.isfinite(qd).all(axis=1))
        if lost.any():  # a motion that diverged ends where it was
            q[lost], qd[lost] = self.q[lost], self.qd[lost]
        self.q, self.qd, self.age = q, qd, self.age + 1
        reward = task.reward(q, qd, self.goal, action)
        terminated = task.over(q, qd) | lost
        truncated = ~terminated & (self.age >= task.horizon)
        self.ended = terminated | truncated
        if again.any():
            self._begin(again)
            reward[again], terminated[again], truncated[again] = 0.0, False, False
        return self._observed(), reward, terminated, truncated, {}


class RobotEnv(gym.Env):
    """One environment of a task: a vector of one."""

    metadata = {"render_modes": []}  # noqa: RUF012

    def __init__(self, task: str | Task = "pendulum", render_mode: str | None = None) -> None:
        self.many = RobotVectorEnv(task, 1)
        self.render_mode = render_mode
        self.observation_space, self.action_space = _spaces(self.many.task)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self.many.np_random = self.np_random
        seen, told = self.many.reset(options=options)
        return seen[0], told

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        seen, reward, terminated, truncated, told = self.many.step(np.asarray(action)[None])
        return seen[0], float(reward[0]), bool(terminated[0]), bool(truncated[0]), told


def vector(task: str | Task, num_envs: int, threads: int | None = None) -> RobotVectorEnv:
    """Many environments of a task: pendulum, reacher, standing, or one of your own.

    >>> import numpy as np
    >>> env = vector("pendulum", 4)
    >>> seen, _ = env.reset(seed=0)
    >>> seen, reward, terminated, truncated, _ = env.step(np.zeros((4, 1)))
    >>> seen.shape, reward.shape
    ((4, 3), (4,))
    """
    return RobotVectorEnv(task, num_envs, threads)
