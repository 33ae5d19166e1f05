"""Many motions at once: each as if it were alone."""

import numpy as np
import pytest

import redyn
from random_robots import on_floats, random_tree


def states(robot, count, seed=0):
    return np.random.default_rng(seed).uniform(-1, 1, (2, count, robot.dof))


@pytest.mark.parametrize("count", [1, 3, 4, 5, 13, 64])
def test_each_motion_is_its_own(count):
    robot = redyn.load("puma")
    q, qd = states(robot, count)
    tau = np.random.default_rng(1).uniform(-1, 1, (count, 6))
    batch = redyn.simulate_batch(robot, q, qd, 0.1, torque=tau, sample=0.05)
    assert batch.q.shape == (3, count, 6)
    np.testing.assert_array_equal(batch.t, [0, 0.05, 0.1])
    for k in {0, count // 2, count - 1}:
        alone = redyn.simulate(robot, q[k], qd[k], 0.1, torque=tau[k], method="rk4", step=1e-3, sample=0.05)
        np.testing.assert_allclose(batch.q[:, k], alone.q, rtol=0, atol=1e-13)
        np.testing.assert_allclose(batch.qd[:, k], alone.qd, rtol=0, atol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_random_trees_with_friction(seed):
    robot = redyn.load(random_tree(seed, 5))
    q, qd = states(robot, 9, seed)
    batch = redyn.simulate_batch(robot, q, qd, 0.05, gravity=[1.0, 2.0, 3.0])
    slow = redyn.simulate_batch(on_floats(redyn.load(random_tree(seed, 5))), q, qd, 0.05, gravity=[1.0, 2.0, 3.0])
    np.testing.assert_allclose(batch.q, slow.q, rtol=0, atol=1e-11)
    np.testing.assert_allclose(batch.qd, slow.qd, rtol=0, atol=1e-9)


def test_payload_per_motion_and_threads():
    robot = redyn.load("puma")
    q, qd = states(robot, 50)
    payload = np.zeros((50, 10))
    payload[:, 0], payload[:, 4], payload[:, 6], payload[:, 9] = np.linspace(0.1, 3, 50), 0.02, 0.02, 0.02
    runs = [redyn.simulate_batch(robot, q, qd, 0.05, payload=payload, threads=threads) for threads in (1, 2)]
    np.testing.assert_array_equal(runs[0].q, runs[1].q)
    alone = redyn.simulate(robot, q[49], qd[49], 0.05, payload=payload[49], method="rk4", step=1e-3)
    np.testing.assert_allclose(runs[0].q[-1, 49], alone.q[-1], atol=1e-13)


def test_torque_held_over_each_step():
    robot = redyn.load("two-link")
    q, qd = states(robot, 7)
    table = np.random.default_rng(2).uniform(-1, 1, (20, 7, 2))
    calls = []

    def law(t, Q, QD):
        calls.append(t)
        return table[round(t / 1e-3)]

    by_table = redyn.simulate_batch(robot, q, qd, 0.02, torque=table)
    by_law = redyn.simulate_batch(robot, q, qd, 0.02, torque=law)
    np.testing.assert_array_equal(by_table.q, by_law.q)
    np.testing.assert_allclose(calls, np.arange(20) * 1e-3, atol=1e-15)  # once a step
    step = redyn.simulate(robot, q[3], qd[3], 1e-3, torque=table[0, 3], method="rk4", step=1e-3)
    first = redyn.simulate_batch(robot, q, qd, 1e-3, torque=table[:1])
    np.testing.assert_allclose(first.q[-1, 3], step.q[-1], atol=1e-15)


def test_no_motions_and_states_that_stay_as_they_are():
    robot = redyn.load("two-link")
    assert redyn.simulate_batch(robot, np.zeros((0, 2)), np.zeros(2), 0.01).q.shape == (2, 0, 2)

    def writes(t, Q, QD):
        Q[:] = 5.0
        return Q

    with pytest.raises(redyn.InputError, match="read-only"):
        redyn.simulate_batch(robot, *states(robot, 4), 0.01, torque=writes)


def test_a_motion_that_diverges_is_named_and_spoils_no_other():
    robot = redyn.load("two-link")
    q, qd = states(robot, 8)
    qd[5] = 1e60
    with pytest.raises(redyn.RedynError, match="motion 5"):
        redyn.simulate_batch(robot, q, qd, 0.05)
    batch = redyn.simulate_batch(robot, q, qd, 0.05, check=False)
    good = np.delete(np.arange(8), 5)
    alone = redyn.simulate_batch(robot, q[good], qd[good], 0.05)
    np.testing.assert_array_equal(batch.q[:, good], alone.q)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"duration": 0.0105}, "whole number of steps"),
        ({"sample": 0.003}, "sample"),
        ({"sample": 0.0025}, "sample"),
        ({"q": np.zeros((4, 3))}, "q: expected 2 numbers"),
        ({"q": np.zeros((4, 2)), "qd": np.zeros((5, 2))}, "4 and 5 motions"),
        ({"torque": np.zeros((3, 4, 2))}, "torque: expected shape"),
        ({"torque": [np.nan, 0]}, "not finite"),
        ({"torque": lambda t, Q, QD: np.zeros(3)}, "expected shape"),
        ({"torque": lambda t, Q, QD: np.full((4, 2), np.nan)}, "row 0 is not finite"),
        ({"q": [[0, np.nan]]}, "finite"),
        ({"step": -1}, "step"),
    ],
)
def test_bad_input_is_named(change, message):
    arguments = {"q": np.zeros((4, 2)), "qd": np.zeros(2), "duration": 0.01} | change
    with pytest.raises(redyn.InputError, match=message):
        redyn.simulate_batch(redyn.load("two-link"), **arguments)
