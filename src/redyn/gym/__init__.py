"""Environments of Gymnasium: a step of all of them is one `redyn.simulate_batch`.

    import gymnasium, redyn.gym
    many = gymnasium.make_vec("redyn/Pendulum-v0", num_envs=256, vectorization_mode="vector_entry_point")
    one = gymnasium.make("redyn/Reacher-v0")

`redyn/Pendulum-v0` swings up a pendulum that is too weak to lift itself, `redyn/Reacher-v0` brings the tip of an arm
to a target, `redyn/Standing-v0` keeps a quadruped on its feet while it is pushed. `RobotVectorEnv` with a `Task` of
your own makes others.
"""

from __future__ import annotations

from redyn.errors import MissingExtraError

try:
    import gymnasium  # pyright: ignore[reportMissingImports]
except ImportError:
    raise MissingExtraError("gymnasium", "gym", "redyn.gym") from None

from redyn.gym.environments import RobotEnv, RobotVectorEnv, vector
from redyn.gym.tasks import TASKS, Pendulum, Reacher, Standing, Task

__all__ = ["TASKS", "Pendulum", "Reacher", "RobotEnv", "RobotVectorEnv", "Standing", "Task", "vector"]

for _name, _task in TASKS.items():
    gymnasium.register(  # pyright: ignore
        f"redyn/{_name.capitalize()}-v0",
        entry_point="redyn.gym.environments:RobotEnv",
        vector_entry_point="redyn.gym.environments:RobotVectorEnv",
        kwargs={"task": _name},
        max_episode_steps=None,  # the environments end their episodes themselves
    )
