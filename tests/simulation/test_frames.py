"""Controllers of a frame: what their equations promise comes out of simulations."""

import numpy as np
import pytest

import redyn
from redyn.kinematics.poses import twists

START = np.array([0.2, -0.7, 0.5, 0.1, 0.6, 0.0])


@pytest.fixture(scope="module")
def arm():
    return redyn.load("puma")


def test_errors_decay_as_the_gains_say(arm):
    """e-ddot + 20 e-dot + 100 e = 0 from rest: e = e0 (1 + 10 t) exp(-10 t), in every direction that is linear."""
    target = arm.forward_kinematics(START + 0.1)
    law = redyn.control.operational_space(arm, target, 100, 20)
    run = redyn.simulate(arm, START, np.zeros(6), 0.6, torque=law, rtol=1e-9)
    error = target[:3, 3] - run.path
    decay = (1 + 10 * run.t) * np.exp(-10 * run.t)
    np.testing.assert_allclose(error, decay[:, None] * error[0], atol=1e-7)


def test_a_moving_frame_is_followed(arm):
    motion = redyn.trajectory.cycloidal(START, START + 0.4, 1.0)
    target = redyn.control.frame_motion(arm, motion)
    law = redyn.control.operational_space(arm, target, 100, 20)
    run = redyn.simulate(arm, START, np.zeros(6), 1.0, torque=law)
    wanted, moving, _ = target(run.t)
    assert np.abs(twists(arm.forward_kinematics(run.q), wanted)).max() < 1e-6
    now = np.einsum("kij,kj->ki", arm.jacobian(run.q), run.qd)
    np.testing.assert_allclose(now, moving, atol=1e-5)


def test_frame_motion_is_that_of_the_joints(arm):
    motion = redyn.trajectory.quintic(START, START + 0.4, 1.0)
    target = redyn.control.frame_motion(arm, motion, "link4")
    step = 1e-5
    for t in (0.2, 0.7):
        (before, v0, _), (_, v, a), (after, v1, _) = target(t - step), target(t), target(t + step)
        np.testing.assert_allclose(twists(before[None], after)[0] / (2 * step), v, atol=1e-8)
        np.testing.assert_allclose((v1 - v0) / (2 * step), a, atol=1e-8)


def test_posture_moves_in_the_null_space(arm):
    """The position of the tip stays where it is while the joints go towards the posture."""
    position = [0, 0, 0, 1, 1, 1]
    target = arm.forward_kinematics(START)
    posture = START + np.array([0, 0, 0, 0.3, -0.3, 0.2])
    law = redyn.control.operational_space(arm, target, 100, 20, mask=position, posture=posture, posture_kp=25)
    run = redyn.simulate(arm, START, np.zeros(6), 1.0, torque=law)
    assert np.abs(run.path - run.path[0]).max() < 1e-6
    assert np.linalg.norm(run.q[-1] - posture) < 0.5 * np.linalg.norm(START - posture)


@pytest.mark.parametrize("mask", [None, [0, 0, 0, 1, 1, 1]])
def test_impedance_keeps_its_equation(arm, mask):
    """Lambda (x-ddot - wanted) = K e + D e-dot + F at any state, with a wrench F on the frame."""
    rng = np.random.default_rng(0)
    motion = redyn.trajectory.cycloidal(START, START + 0.4, 1.0)
    target = redyn.control.frame_motion(arm, motion)
    rows = np.flatnonzero(mask or [1] * 6)
    K, D = rng.uniform(100, 1000, len(rows)), rng.uniform(10, 100, len(rows))
    law = redyn.control.impedance(arm, target, K, D, mask=mask)
    q, qd, wrench = START + rng.uniform(-0.1, 0.1, 6), rng.normal(size=6), np.zeros(6)
    wrench[rows] = rng.normal(size=len(rows)) * 10
    qdd = arm.forward_dynamics(q, qd, law(0.4, q, qd), external={arm.frame_name(): wrench})
    J = arm.jacobian(q)
    pose, twist, rate = target(0.4)
    acceleration = J @ qdd + arm.jacobian_rate(q, qd) @ qd - rate
    error, slower = twists(arm.forward_kinematics(q)[None], pose)[0], twist - J @ qd
    wanted = K * error[rows] + D * slower[rows] + wrench[rows]
    np.testing.assert_allclose(arm.operational_inertia(q, mask=mask) @ acceleration[rows], wanted, rtol=1e-8)


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("four-bar", {}, "every joint must have one coordinate and its own actuator"),
        ("quadruped", {}, "every joint must have one coordinate and its own actuator"),
        ("puma", {"target": np.zeros((4, 4))}, "target: the last row must be 0, 0, 0, 1"),
        ("puma", {"target": lambda t: (np.eye(4), np.zeros(3), np.zeros(3))}, "target: expected a 4x4 pose, or a func"),
        ("puma", {"kp": [1, 2]}, "kp: expected a number, or 6, one for each direction that counts"),
        ("puma", {"kd": -1}, "kd: expected finite numbers, none negative"),
        ("puma", {"posture": [[0] * 6] * 2}, "posture: expected 6 numbers"),
        ("puma", {"link": 0}, "link: 'world' is fixed to the world"),
        ("puma", {"mask": [1]}, "mask: expected six booleans"),
    ],
)
def test_bad_arguments(name, arguments, message):
    given = {"target": np.eye(4), "kp": 1.0, "kd": 1.0, **arguments}
    with pytest.raises(redyn.InputError, match=message):
        redyn.control.operational_space(redyn.load(name), **given)
