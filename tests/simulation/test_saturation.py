"""Saturation: actuators give no more than their limits, in every method, and their work is of what they give."""

import numpy as np
import pytest
from numba import njit
from scipy.integrate import solve_ivp

import redyn
from redyn.simulation.integrators import METHODS

KP, KD = 60.0, 6.0
LIMIT = 4.0


def limited(*efforts):
    """A planar arm whose joints have these effort limits; None: no limit."""
    link = {"a": 1.0, "b": 0, "alpha": 0, "mass": 1.0, "com": [-0.5, 0, 0], "inertia": [0, 0.1, 0.1]}
    joints = [{"type": "revolute"} | ({} if effort is None else {"effort_limit": effort}) for effort in efforts]
    links = [{**link, "name": f"link{k + 1}", "joint": joint} for k, joint in enumerate(joints)]
    return redyn.load({"name": "arm", "convention": "dh", "gravity": [0, -9.81, 0], "links": links})


def wanted(t, q, qd):
    return KP * (np.array([0.5 * np.sin(t), 0.5]) - q) - KD * qd


@njit
def compiled(t, q, qd):
    return 60.0 * (np.array([0.5 * np.sin(t), 0.5]) - q) - 6.0 * qd


@pytest.fixture(scope="module")
def robot():
    return limited(LIMIT, None)


@pytest.fixture(scope="module")
def oracle(robot):
    """The clipped law, integrated by SciPy."""

    def rate(t, y):
        tau = wanted(t, y[:2], y[2:])
        tau[0] = np.clip(tau[0], -LIMIT, LIMIT)
        return np.concatenate([y[2:], robot.forward_dynamics(y[:2], y[2:], tau)])

    t = np.linspace(0.0, 1.0, 101)
    return solve_ivp(rate, (0.0, 1.0), np.zeros(4), t_eval=t, rtol=1e-10, atol=1e-12, max_step=0.005).y.T


@pytest.mark.parametrize("law", [wanted, compiled], ids=["python", "numba"])
@pytest.mark.parametrize("method", METHODS)
def test_every_method_clips(robot, oracle, method, law):
    if law is compiled and method not in ("rkf45", "rk4", "radau"):
        pytest.skip("the law is called in the same way")
    fixed = method in ("rk4", "euler", "taylor")
    step = {"rk4": 1e-3, "euler": 1e-5, "taylor": 1e-5}.get(method)
    run = redyn.simulate(robot, [0, 0], [0, 0], 1.0, torque=law, method=method, step=step, saturate=True)
    near = {"euler": 2e-3, "taylor": 2e-3}.get(method, 2e-5 if fixed else 1e-6)
    np.testing.assert_allclose(np.hstack([run.q, run.qd]), oracle, atol=near)
    asked = np.array([wanted(t, q, qd) for t, q, qd in zip(run.t, run.q, run.qd, strict=True)])
    assert np.abs(asked[:, 0]).max() > 2 * LIMIT
    assert np.abs(asked[:, 1]).max() > LIMIT
    np.testing.assert_allclose(run.tau[:, 0], np.clip(asked[:, 0], -LIMIT, LIMIT), atol=1e-12)
    np.testing.assert_array_equal(run.tau[:, 1], asked[:, 1])
    given = robot.forward_dynamics(run.q, run.qd, run.tau)
    np.testing.assert_allclose(run.qdd, given, atol=1e-9)
    assert np.abs(run.energy.balance).max() < (0.1 if method in ("euler", "taylor") else 1e-5)


def test_numbers_are_clipped_too(robot):
    constant = redyn.simulate(robot, [0, 0], [0, 0], 0.2, torque=[9, -9], saturate=True)
    np.testing.assert_array_equal(constant.tau, np.tile([LIMIT, -9.0], (len(constant.t), 1)))
    same = redyn.simulate(robot, [0, 0], [0, 0], 0.2, torque=[LIMIT, -9])
    np.testing.assert_allclose(constant.q, same.q, atol=1e-12)
    np.testing.assert_allclose(constant.energy.actuators, same.energy.actuators, atol=1e-10)
    ramp = redyn.simulate(robot, [0, 0], [0, 0], 0.2, torque=([0, 0.2], [[-8, 0], [8, 0]]), saturate=True)
    np.testing.assert_allclose(ramp.tau[:, 0], np.clip(80 * ramp.t - 8, -LIMIT, LIMIT), atol=1e-12)


def test_limits_may_be_given(robot):
    run = redyn.simulate(robot, [0, 0], [0, 0], 0.1, torque=[9, -9], saturate=[2.0, 3.0])
    np.testing.assert_array_equal(run.tau[0], [2.0, -3.0])
    run = redyn.simulate(robot, [0, 0], [0, 0], 0.1, torque=[9, -9], saturate=1.0)
    np.testing.assert_array_equal(run.tau[-1], [1.0, -1.0])
    with pytest.raises(redyn.InputError, match="saturate"):
        redyn.simulate(robot, [0, 0], [0, 0], 0.1, saturate=[1.0, 2.0, 3.0])
    with pytest.raises(redyn.InputError, match="saturate"):
        redyn.simulate(robot, [0, 0], [0, 0], 0.1, saturate=-1.0)


def test_a_robot_without_limits_says_so():
    bare = limited(None, None)
    assert np.isinf(bare.effort_limits).all()
    with pytest.raises(redyn.InputError, match="arm has no effort limits"):
        redyn.simulate(bare, [0, 0], [0, 0], 0.1, saturate=True)
    with pytest.raises(redyn.InputError, match="arm has no effort limits"):
        redyn.simulate_batch(bare, [0, 0], [0, 0], 0.1, saturate=True)


def test_a_torque_that_is_not_finite_is_still_an_error(robot):
    with pytest.raises(redyn.InputError, match="finite"):
        redyn.simulate(
            robot, [0, 0], [0, 0], 0.1, torque=lambda t, q, qd: [np.nan if t > 0.05 else 0, 0], saturate=True
        )


def test_batches_clip(robot):
    torque = [[9.0, 1.0], [-9.0, 1.0]]
    clipped = redyn.simulate_batch(robot, np.zeros((2, 2)), [0, 0], 0.2, torque=torque, saturate=True)
    same = redyn.simulate_batch(robot, np.zeros((2, 2)), [0, 0], 0.2, torque=[[LIMIT, 1.0], [-LIMIT, 1.0]])
    np.testing.assert_array_equal(clipped.q, same.q)
    asked = redyn.simulate_batch(
        robot, np.zeros((2, 2)), [0, 0], 0.2, torque=lambda t, Q, QD: np.array(torque), saturate=True
    )
    np.testing.assert_allclose(asked.q, same.q, atol=1e-12)
