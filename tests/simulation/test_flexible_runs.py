"""Runs of robots that bend or whose gears give: published motions, energy, stiff methods, controllers."""

import json
from pathlib import Path

import numpy as np
import pytest
import yaml

import redyn
from redyn.simulation import tracked

GOLDEN = json.loads((Path(__file__).parents[1] / "data" / "golden_flex.json").read_text())


def tips(robot, q):
    return robot.forward_kinematics(q)[..., :3, 3]


@pytest.mark.parametrize("method", ["dopri5", "rosenbrock"])
def test_free_motion_of_two_links(method):
    """Against the same modes by another program (1e-8), and a chain of rods that bends as far as it likes (0.1 mm)."""
    golden = GOLDEN["two_link_free_motion"]
    robot = redyn.load("flexible-two-link")
    rates = [golden["theta_rate"][0], 0, 0, golden["theta_rate"][1], 0, 0]
    run = redyn.simulate(robot, robot.initial, rates, 2.0, method=method, rtol=1e-11, sample=golden["t"])
    np.testing.assert_allclose(run.q, golden["q_modes"], atol=1e-8)
    np.testing.assert_allclose(tips(robot, run.q)[:, :2], golden["tip_chain"], atol=1e-4)
    assert np.abs(run.energy.balance).max() < 1e-10 * golden["energy"]
    assert run.energy.total[0] == pytest.approx(golden["energy"], rel=1e-12)


def spin(t):
    """The rotation that Simo and Vu-Quoc prescribe."""
    golden = GOLDEN["spin_up_simo_vu_quoc"]
    Omega, T = golden["Omega"], golden["Ts"]
    if t >= T:
        return np.array([Omega * (t - T / 2)]), np.array([float(Omega)]), np.zeros(1)
    angle = 2 * np.pi * t / T
    psi = Omega / T * (t * t / 2 + (T / (2 * np.pi)) ** 2 * (np.cos(angle) - 1))
    rate, second = Omega / T * (t - T / (2 * np.pi) * np.sin(angle)), Omega / T * (1 - np.cos(angle))
    return np.array([psi]), np.array([rate]), np.array([second])


@pytest.mark.slow
def test_spin_up():
    """Simo and Vu-Quoc's beam within 1 mm of a chain of rods, and of other modes within 1e-6; 0.57 m behind at most."""
    golden = GOLDEN["spin_up_simo_vu_quoc"]
    robot = redyn.load("spin-up")
    law = redyn.control.computed_torque(robot, spin, 0.0, 0.0)
    times = np.array(golden["t"])
    run = redyn.simulate(robot, np.zeros(4), np.zeros(4), 20.0, law, "rosenbrock", rtol=1e-7, sample=times)
    psi = np.array([spin(t)[0][0] for t in times])
    place = tips(robot, run.q)
    behind = -np.sin(psi) * place[:, 0] + np.cos(psi) * place[:, 1]
    np.testing.assert_allclose(behind, golden["tip_chain"], atol=1e-3)
    np.testing.assert_allclose(behind, golden["tip_modes3"], atol=1e-6)
    np.testing.assert_allclose(run.q[:, 0], psi, atol=1e-6)  # driven exactly


def test_without_foreshortening_a_spinning_beam_diverges():
    data = yaml.safe_load(redyn.load("spin-up").to_yaml())
    data["links"][0]["flexible"]["stiffening"] = False
    for robot, sign in ((redyn.load("spin-up"), 1), (redyn.load(data), -1)):
        lateral = robot.inverse_dynamics_derivatives([0.0, 0, 0, 0], [6.0, 0, 0, 0], [0.0] * 4)[0][1, 1]
        assert np.sign(lateral) == sign  # stiffness of the first mode at 6 rad/s


@pytest.mark.parametrize("name", ["flexible-space-arm", "elastic-joint-arm"])
def test_energy_and_momentum(name):
    robot = redyn.load(name, friction=False)
    rates = np.full(robot.dof, 0.02) if name == "flexible-space-arm" else np.zeros(robot.dof)
    start = robot.initial + (0.1 if name == "elastic-joint-arm" else 0.0)
    for method in ("dopri5", "rosenbrock"):
        run = redyn.simulate(robot, start, rates, 1.0, method=method, rtol=1e-11)
        assert np.abs(run.energy.balance).max() < 1e-10 * np.ptp(run.energy.kinetic) + 1e-10
    if name == "flexible-space-arm":
        momentum = robot.momentum(run.q, run.qd)
        np.testing.assert_allclose(momentum, np.broadcast_to(momentum[0], momentum.shape), atol=1e-9)


def test_damping_is_in_the_balance():
    robot = redyn.load("flexible-beam")
    run = redyn.simulate(robot, [0.0, 0.02, 0.0], [0, 0, 0], 2.0, torque=[0.2, 0, 0], rtol=1e-10)
    assert run.energy.friction[-1] < -1e-5
    assert np.abs(run.energy.balance).max() < 1e-9
    geared = redyn.load("elastic-joint-arm")
    run = redyn.simulate(geared, geared.initial + 0.1, np.zeros(4), 2.0, rtol=1e-10)
    assert run.energy.friction[-1] < -0.2
    assert np.abs(run.energy.balance).max() < 1e-7


def test_stiff_modes_that_do_not_swing():
    """Large steps over vibrations that have died out: far fewer than an explicit method needs."""
    data = yaml.safe_load(redyn.load("flexible-beam").to_yaml())
    data["links"][0]["flexible"] |= {"EI": 4000.0, "damping_ratio": 0.05, "modes": [3, 0, 0]}
    robot = redyn.load(data)
    start, still = robot.sag(robot.initial), np.zeros(4)
    explicit, implicit = (
        redyn.simulate(robot, start, still, 1.0, method=m, rtol=1e-5, sample=0.1) for m in ("rkf45", "rosenbrock")
    )
    assert implicit.steps < explicit.steps / 10
    np.testing.assert_allclose(implicit.q, explicit.q, atol=1e-6)


def test_steps_that_are_too_long():
    robot = redyn.load("flexible-beam")
    state = robot.initial, np.zeros(3)
    with pytest.warns(redyn.RedynWarning, match=r"too long for rk4: flexible-beam vibrates at up to .* Hz"):
        redyn.simulate(robot, *state, 0.1, method="rk4", step=0.05)
    with pytest.warns(redyn.RedynWarning, match="method='rosenbrock'"):
        redyn.simulate_batch(robot, [state[0]], [state[1]], 0.1, step=0.05)


def test_steps_that_let_vibrations_grow():
    """Taylor's step adds to what is not damped, however short: the longer the run, the shorter it must be."""
    robot = redyn.load("flexible-beam", friction=False)
    q, still = robot.sag(robot.initial) + np.array([0.0, 0.0, 1e-4]), np.zeros(3)
    hold = robot.inverse_dynamics(robot.sag(robot.initial), still, still)

    def swing(step, duration):
        run = redyn.simulate(robot, q, still, duration, torque=hold, method="taylor", step=step, sample=duration / 200)
        return np.abs(run.q[-20:, 2] - run.q[:, 2].mean()).max() / np.abs(run.q[:20, 2] - run.q[:, 2].mean()).max()

    highest = robot.frequencies(robot.initial)[-1]
    short = 0.1 / highest  # a tenth of a radian, within bounds at first
    assert swing(short, 200 * short) < np.e
    with pytest.warns(redyn.RedynWarning, match="too long for taylor"):
        assert swing(short, 2000 * short) > np.e


def test_lanes():
    """Batches equal single runs, with a payload and gravity of their own."""
    robot = redyn.load("flexible-two-link")
    rng = np.random.default_rng(0)
    q, qd = np.array([robot.random(rng) for _ in range(9)]), rng.uniform(-0.5, 0.5, (9, 6)) * [1, 0.1, 0.1, 1, 0.1, 0.1]
    batch = redyn.simulate_batch(robot, q, qd, 0.2, step=1e-3)
    for k in (0, 8):
        run = redyn.simulate(robot, q[k], qd[k], 0.2, method="rk4", step=1e-3, sample=0.2)
        np.testing.assert_allclose(batch.q[-1, k], run.q[-1], atol=1e-12)
    law = redyn.control.pd(robot, [0.3, 0.2], 1.0, 0.05)
    driven = redyn.simulate_batch(robot, q, qd, 0.2, torque=law, step=1e-3)
    run = redyn.simulate(robot, q[3], qd[3], 0.2, law, "rk4", 1e-3, sample=0.2)
    np.testing.assert_allclose(driven.q[-1, 3], run.q[-1], atol=1e-10)


def test_computed_torque_of_joints():
    """The joints follow exactly while links swing; torques act at the joints alone."""
    robot = redyn.load("flexible-two-link")
    motion = redyn.trajectory.cycloidal([0.0, np.pi / 2], [1.0, 0.5], 1.0)
    law = redyn.control.computed_torque(robot, motion, 100.0, 20.0)
    run = redyn.simulate(robot, robot.initial, np.zeros(6), 1.2, law, rtol=1e-8)
    joints, modes = [0, 3], [1, 2, 4, 5]
    wanted = np.array([motion(min(t, 1.0))[0] for t in run.t])
    np.testing.assert_allclose(run.q[:, joints], wanted, atol=1e-6)
    assert not run.tau[:, modes].any()
    assert np.abs(run.q[:, modes]).max() > 1e-3
    whole = redyn.trajectory.cycloidal(robot.initial, [1.0, 0, 0, 0.5, 0, 0], 1.0)
    np.testing.assert_allclose(
        redyn.control.computed_torque(robot, whole, 100.0, 20.0)(0.3, run.q[5], run.qd[5]),
        law(0.3, run.q[5], run.qd[5]),
        atol=1e-12,
    )


def test_the_same_law_on_a_rigid_and_a_flexible_arm():
    """A law that knows the rigid arm: that arm arrives, the tip of the flexible one swings."""
    flexible = redyn.load("flexible-two-link")
    rigid = flexible.rigid()
    start, stop = np.array([0.0, np.pi / 2]), np.array([1.0, 0.5])
    law = redyn.control.computed_torque(rigid, redyn.trajectory.cycloidal(start, stop, 4.0), 25.0, 10.0)
    on_rigid = redyn.simulate(rigid, start, [0, 0], 6.0, law)
    on_flexible = redyn.simulate(flexible, flexible.initial, np.zeros(6), 6.0, redyn.control.on_joints(flexible, law))
    goal = tips(rigid, stop)
    late = on_rigid.t > 4.5
    assert np.abs(tips(rigid, on_rigid.q[late]) - goal).max() < 1e-4
    assert 0.005 < np.abs(tips(flexible, on_flexible.q[late]) - goal).max() < 0.3


@pytest.mark.parametrize("name", ["flexible-beam", "elastic-joint-arm"])
def test_pd_with_gravity_comes_to_rest(name):
    robot = redyn.load(name)
    goal, kp, kd = ([0.4], 4.0, 1.0) if name == "flexible-beam" else ([-1.2, 0.3], 900.0, 90.0)
    law = redyn.control.pd_gravity(robot, goal, kp, kd)
    run = redyn.simulate(robot, robot.initial, np.zeros(robot.dof), 6.0, law, "rosenbrock", rtol=1e-6, sample=0.5)
    driven = robot.driven_rates
    np.testing.assert_allclose(run.q[-1][driven], goal, atol=1e-3)
    np.testing.assert_allclose(run.q[-1], robot.sag(run.q[-1]), atol=1e-3)


def test_controllers_say_what_they_need():
    robot = redyn.load("flexible-two-link")
    with pytest.raises(redyn.InputError, match="expected 2 each, one per joint of flexible-two-link, or 6, 6 and 6"):
        redyn.control.computed_torque(robot, redyn.trajectory.cycloidal([0] * 3, [1] * 3, 1.0), 1.0, 1.0)
    with pytest.raises(redyn.InputError, match="target: expected 2 numbers, one per joint, or a whole q"):
        redyn.control.pd_gravity(robot, [0.0, 0.0, 0.0], 1.0, 1.0)


@pytest.mark.parametrize("name", ["flexible-two-link", "elastic-joint-arm"])
def test_joints_are_driven_along_a_motion(name):
    """The torques are those of `driven` at the states that follow, and joints keep to the motion."""
    robot = redyn.load(name)
    at = robot.driven_rates
    motion = redyn.trajectory.cycloidal([0.1, 0.4], [0.6, 0.2], 0.5)
    t = np.linspace(0.0, 0.5, 6)
    run = tracked(robot, motion, t)
    q, _, qdd = motion(t)
    np.testing.assert_allclose(run.q[:, at], q, atol=1e-6)
    np.testing.assert_allclose(run.tau, robot.driven(run.q, run.qd, qdd).tau, atol=1e-5)
    np.testing.assert_allclose(run.q[0], robot.sag(run.q[0]), atol=1e-9)
    with pytest.raises(redyn.RedynError, match="the first of them zero"):
        tracked(robot, motion, t + 1)
