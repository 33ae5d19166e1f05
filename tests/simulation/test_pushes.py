"""Pushes: a force on a point of a link for a while, against SciPy and the virtual work of the force."""

import json

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import redyn
from redyn.simulation.integrators import METHODS
from report_page import unpacked

START, LENGTH = 0.13, 0.11
FORCE, POINT = np.array([3.0, 20.0, -4.0]), np.array([-0.3, 0.2, 0.1])


def oracle(robot, link, t, payload=None):
    """By SciPy, from one jump to the next; the force acts through the Jacobian of the point."""
    n = robot.dof

    def rate(at, y, on):
        q, qd = y[:n], y[n : 2 * n]
        pose, J = robot.forward_kinematics(q, link), robot.jacobian(q, link)
        arm = pose[:3, :3] @ POINT
        point = J[3:] - np.cross(arm, J[:3], axisa=0, axisb=0, axisc=0)  # v + omega x r
        force = FORCE if on else np.zeros(3)
        qdd = robot.forward_dynamics(q, qd, point.T @ force, payload=payload)
        return np.concatenate([qd, qdd, [force @ point @ qd]])

    y, states = np.concatenate([robot.initial, np.zeros(n + 1)]), []
    for begin, end, on in ((0.0, START, False), (START, START + LENGTH, True), (START + LENGTH, t[-1], False)):
        last = end == t[-1]
        inside = t[(t >= begin) & ((t < end) | last)]
        found = solve_ivp(rate, (begin, end), y, args=(on,), dense_output=True, rtol=1e-11, atol=1e-12)
        states.append(found.sol(inside).T)
        y = found.y[:, -1]
    return np.concatenate(states)


@pytest.mark.parametrize("method", METHODS)
def test_every_method(method):
    robot = redyn.load("two-link")
    step = {"rk4": 1e-4, "euler": 1e-5, "taylor": 1e-5}.get(method)
    push = redyn.Push("link2", FORCE, POINT, START, LENGTH)
    run = redyn.simulate(robot, robot.initial, [0, 0], 0.4, method=method, step=step, pushes=[push])
    near = {"euler": 2e-2, "taylor": 2e-2, "rk4": 1e-2, "abm": 1e-4}.get(method, 1e-5)
    wanted = oracle(robot, "link2", run.t)
    np.testing.assert_allclose(np.hstack([run.q, run.qd]), wanted[:, :4], atol=near)
    np.testing.assert_allclose(run.energy.external, wanted[:, 4], atol=10 * near)
    assert abs(run.energy.external[-1]) > 1.0
    if method not in ("euler", "taylor"):
        assert np.abs(run.energy.balance).max() < 1e-4
    acting = (run.t >= START) & (run.t < START + LENGTH)
    np.testing.assert_array_equal(run.wrenches["push1"][acting, 3:], np.tile(FORCE, (acting.sum(), 1)))
    assert not run.wrenches["push1"][~acting].any()
    assert run.robot is robot
    assert run.conditions.pushes == (push,)


@pytest.mark.parametrize("name", ["puma", "lagrange-pointing", "spatial-biped", "franka-panda"])
def test_other_conventions(name):
    """Modified DH, frames, quaternions: the first acceleration is that of the Jacobian of the point."""
    robot = redyn.load(name)
    link = robot.link_names[-1]
    run = redyn.simulate(
        robot, robot.initial, np.zeros(robot.dof), 1e-3, sample=1e-3, pushes=redyn.Push(link, FORCE, POINT)
    )
    arm = robot.forward_kinematics(robot.initial, link)[:3, :3] @ POINT
    wrench = np.concatenate([np.cross(arm, FORCE), FORCE])
    still = np.zeros(robot.dof)
    wanted = robot.forward_dynamics(robot.initial, still, still, external={link: wrench})
    np.testing.assert_allclose(run.qdd[0], wanted, atol=1e-7 * np.abs(wanted).max())


def test_several_with_a_payload_and_loops():
    robot = redyn.load("four-bar")
    link = robot.link_names[-1]
    twice = [redyn.Push(link, FORCE / 2, POINT, 0.05, 0.1), redyn.Push(link, FORCE / 2, POINT, 0.05, 0.1)]
    both = redyn.simulate(robot, robot.initial, np.zeros(3), 0.3, pushes=twice)
    one = redyn.simulate(robot, robot.initial, np.zeros(3), 0.3, pushes=redyn.Push(link, FORCE, POINT, 0.05, 0.1))
    np.testing.assert_allclose(both.q, one.q, atol=1e-7)
    assert np.abs(both.loop_error).max() < 1e-9
    arm, ten = redyn.load("two-link"), [2.0, 0, 0, 0, 0.1, 0, 0.1, 0, 0, 0.1]
    push = redyn.Push("link2", FORCE, POINT, START, LENGTH)
    run = redyn.simulate(arm, arm.initial, [0, 0], 0.4, payload=ten, pushes=push)
    np.testing.assert_allclose(run.q, oracle(arm, "link2", run.t, ten)[:, :2], atol=1e-6)


def test_a_short_push_is_not_passed_over():
    """Two bodies at rest without gravity: nothing else would make a step short."""
    robot = redyn.load("two-link")
    push = redyn.Push("link2", [0, 100, 0], [0, 0, 0], 2.05, 0.004)
    for method in ("rkf45", "dopri5", "abm", "radau", "lsoda"):
        run = redyn.simulate(robot, [0, 0], [0, 0], 2.5, gravity=[0, 0, 0], method=method, pushes=push)
        impulse = robot.mass_matrix([0, 0]) @ run.qd[int(run.t.searchsorted(2.06))]
        np.testing.assert_allclose(impulse, robot.jacobian([0, 0])[4] * 0.4, rtol=1e-2)


def test_the_page_draws_them(tmp_path):
    robot = redyn.load("two-link")
    push = redyn.Push("link2", FORCE, POINT, 0.02, 0.05)
    ten = [2.0, 0.2, 0, 0, 0.1, 0, 0.1, 0, 0, 0.1]
    run = redyn.simulate(robot, robot.initial, [0, 0], 0.1, pushes=push, payload=ten)
    page = run.html(tmp_path / "push.html").read_text("utf-8")
    scene = json.loads(unpacked(page, "data"))["scenes"][0]
    assert scene["payload"] == {"link": 2, "from": [0, 0, 0], "position": [0.1, 0, 0], "mass": 2}
    (drawn,) = scene["pushes"]
    assert drawn == {"link": 2, "position": POINT.tolist(), "force": FORCE.tolist(), "start": 0.02, "stop": 0.07}


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: redyn.Push("link2", [1, 2]), "Push: force: expected three finite numbers"),
        (lambda: redyn.Push("link2", [1, 2, np.nan]), "Push: force"),
        (lambda: redyn.Push("link2", [1, 2, 3], "here"), "Push: point"),
        (lambda: redyn.Push("link2", [1, 2, 3], start=-1), "Push: start"),
        (lambda: redyn.Push("link2", [1, 2, 3], duration=0), "Push: duration: expected a positive number"),
        (lambda: redyn.Push("link7", [1, 2, 3]), "link7"),
        (lambda: redyn.Push(0, [1, 2, 3]), "fixed to the world"),
        (lambda: [1, 2, 3], r"pushes\[0\]: expected a redyn.Push, got 1"),
    ],
)
def test_wrong_ones_are_named(make, message):
    robot = redyn.load("two-link")
    with pytest.raises(redyn.InputError, match=message):
        redyn.simulate(robot, robot.initial, [0, 0], 0.1, pushes=make())
