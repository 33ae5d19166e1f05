"""redyn.gym: Gymnasium's own checker, steps that are those of simulate_batch, episodes that end and begin anew."""

import re
from pathlib import Path

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium")

import redyn  # noqa: E402 - after Gymnasium, which may be missing
from redyn.gym import TASKS, Pendulum, RobotEnv, RobotVectorEnv, Standing, vector  # noqa: E402

PAGE = Path(__file__).parents[2] / "docs" / "gym.md"


@pytest.mark.filterwarnings("ignore:.*Box observation space.*:UserWarning")
@pytest.mark.parametrize("name", TASKS)
def test_gymnasiums_checker(name):
    from gymnasium.utils.env_checker import check_env

    check_env(gymnasium.make(f"redyn/{name.capitalize()}-v0").unwrapped, skip_render_check=True)


@pytest.mark.parametrize("name", TASKS)
def test_spaces_and_seeds(name):
    envs = [
        gymnasium.make_vec(f"redyn/{name.capitalize()}-v0", num_envs=3, vectorization_mode="vector_entry_point")
        for _ in range(2)
    ]
    assert envs[0].single_action_space.shape == (envs[0].unwrapped.task.actions,)
    for env in envs:
        env.action_space.seed(0)
    (a, _), (b, _) = (env.reset(seed=5) for env in envs)
    assert np.array_equal(a, b)
    assert a in envs[0].observation_space
    for _ in range(3):
        first, second = (env.step(env.action_space.sample()) for env in envs)
        assert all(np.array_equal(x, y) for x, y in zip(first[:4], second[:4], strict=True))
        assert first[0].dtype == np.float32
    assert not np.array_equal(envs[0].reset(seed=6)[0], a)


@pytest.mark.parametrize("name", TASKS)
def test_a_step_is_one_of_simulate_batch(name):
    env = vector(name, 4)
    env.reset(seed=1)
    q, qd, task = env.q.copy(), env.qd.copy(), env.task
    action = np.random.default_rng(0).uniform(-1, 1, (4, task.actions))
    seen, reward, *_ = env.step(action)
    batch = redyn.simulate_batch(
        task.robot,
        q,
        qd,
        task.period,
        torque=task.torque(action),
        step=task.step,
        method=task.method,
        ground=task.ground,
    )
    np.testing.assert_array_equal(env.q, batch.q[-1])
    np.testing.assert_array_equal(env.qd, batch.qd[-1])
    np.testing.assert_array_equal(reward, task.reward(env.q, env.qd, env.goal, action))
    np.testing.assert_array_equal(seen, task.observe(env.q, env.qd, env.goal).astype(np.float32))


def test_one_is_a_vector_of_one():
    one, many = RobotEnv("reacher"), RobotVectorEnv("reacher", 1)
    np.testing.assert_array_equal(one.reset(seed=3)[0], many.reset(seed=3)[0][0])
    for _ in range(2):
        action = np.array([0.3, -0.8])
        np.testing.assert_array_equal(one.step(action)[0], many.step(action[None])[0][0])


def test_episodes_begin_anew_in_the_next_step():
    env = vector("pendulum", 3)
    env.reset(seed=0)
    env.task.horizon = 4
    env.age[1] = 2  # ends two steps before the others
    ends = []
    for _ in range(8):
        before = env.q.copy()
        _, reward, terminated, truncated, _ = env.step(np.zeros((3, 1)))
        ends.append(truncated.tolist())
        assert not terminated.any()
        for k in range(3):
            if len(ends) > 1 and ends[-2][k]:
                assert reward[k] == 0.0
                assert not np.array_equal(before[k], env.q[k])
                assert env.age[k] == 0
    assert [row[0] for row in ends] == [False, False, False, True, False, False, False, False]
    assert [row[1] for row in ends] == [False, True, False, False, False, False, True, False]


def test_some_can_be_reset():
    env = vector("reacher", 3)
    env.reset(seed=0)
    env.step(np.ones((3, 2)))
    q = env.q.copy()
    env.reset(options={"reset_mask": np.array([False, True, False])})
    assert np.array_equal(env.q[[0, 2]], q[[0, 2]])
    assert not np.array_equal(env.q[1], q[1])


def test_a_fall_ends_the_episode():
    env = vector("standing", 2)
    env.reset(seed=0)
    task = env.task
    env.q[1, 3:7] = [0.0, 0.0, np.sin(0.6), np.cos(0.6)]  # lying over
    *_, terminated, _, _ = env.step(np.zeros((2, task.actions)))
    assert terminated.tolist() == [False, True]


def test_the_quadruped_stands_by_itself():
    """Without any action the targets are its stance."""
    env = vector("standing", 4)
    env.reset(seed=0)
    for _ in range(20):
        _, reward, terminated, _, _ = env.step(np.zeros((4, env.task.actions)))
        assert not terminated.any()
    assert reward.min() > 0.9


def test_leaning_is_the_direction_up_in_the_trunk():
    task = Standing()
    q = task.robot.random(0)[None]
    R = task.robot.forward_kinematics(q, task.robot.link_names[0])[0, :3, :3]
    np.testing.assert_allclose(task.leaning(q)[0], R.T @ task.up, atol=1e-12)


def test_a_motion_that_diverges_ends():
    class Strong(Pendulum):
        def torque(self, action):
            return np.where(action > 0.5, 1e200, 0.0)

    env = RobotVectorEnv(Strong(), 2)
    env.reset(seed=0)
    seen, reward, terminated, _, _ = env.step(np.array([[1.0], [0.0]]))
    assert terminated.tolist() == [True, False]
    assert np.isfinite(seen).all()
    assert np.isfinite(reward).all()


def test_bad_arguments():
    with pytest.raises(
        redyn.InputError, match="task: expected one of pendulum, reacher, standing, got 'pendelum'; did"
    ):
        vector("pendelum", 2)
    with pytest.raises(redyn.InputError, match="num_envs: expected a whole number from 1"):
        vector("pendulum", 0)
    with pytest.raises(redyn.InputError, match=r"actions: expected shape \(2, 1\), got \(1,\)"):
        vector("pendulum", 2).step([0.0])


@pytest.mark.slow
def test_the_example_learns():
    names: dict[str, object] = {}
    for block in re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL):
        exec(compile(block, str(PAGE), "exec"), names)
    assert names["before"] < 0.35
    assert names["after"] > names["before"] + 0.25
