"""robot.casadi in optimal control: inside Opti, differentiated, and the examples of the documentation."""

import re
from pathlib import Path

import casadi as ca
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import redyn
from random_robots import close, on_floats, random_state, random_tree

PAGE = Path(__file__).parents[1] / "docs" / "optimal_control.md"


@pytest.fixture(scope="module")
def page():
    """The names that the examples leave behind, all blocks run in order."""
    names = {}
    for block in re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL):
        exec(compile(block, str(PAGE), "exec"), names)
    return names


@pytest.mark.slow
def test_least_time(page):
    solution, strongest = page["solution"], page["strongest"]
    duration = solution.value(page["T"])
    assert 0.6 < duration < 1.5
    assert page["busy"] > 0.7  # bang-bang: a motor at its limit most of the time
    assert (np.abs(page["torques"]) < 1.1 * strongest).all()
    np.testing.assert_allclose(page["positions"][-1], page["goal"], atol=1e-6)


@pytest.mark.slow
def test_least_effort_arrives_in_the_simulator(page):
    np.testing.assert_allclose(page["run"].q[-1], page["goal"], atol=5e-3)
    assert np.abs(page["run"].qd[-1]).max() < 5e-2


def test_least_effort_needs_less_than_a_cycloid(page):
    robot, goal, start = page["robot"], page["goal"], page["start"]
    q, qd, qdd = redyn.trajectory.cycloidal(start, goal, 1.5)(np.linspace(0.0, 1.5, 41))
    plain = 1.5 / 40 * (robot.inverse_dynamics(q, qd, qdd) ** 2).sum()
    assert page["effort"] < 0.8 * plain


@settings(max_examples=6)
@given(seed=st.integers(0, 10**6), n=st.integers(1, 5))
def test_functions_take_MX_and_differentiate(seed, n):
    """The Jacobian of the function, called with MX inside another graph, is what redyn's own derivatives say."""
    robot = on_floats(redyn.load(random_tree(seed, n, fixed=0)))
    q, qd, qdd = random_state(robot, seed)
    function = robot.casadi("inverse_dynamics")
    x = ca.MX.sym("x", robot.dof)
    slope = ca.Function("slope", [x], [ca.jacobian(function(2 * x, qd, qdd), x)])
    by_q, _ = robot.inverse_dynamics_derivatives(q, qd, qdd)
    close(np.array(slope(q / 2)), 2 * by_q)


@settings(max_examples=5)
@given(seed=st.integers(0, 10**6))
def test_statics_in_Opti(seed):
    """Opti finds the configuration of least gravity torque; there, that torque is smaller than where it began."""
    robot = on_floats(redyn.load(random_tree(seed, 3, fixed=0, prismatic=0)))
    gravity = robot.casadi("gravity_torque")
    opti = ca.Opti()
    q = opti.variable(robot.dof)
    opti.minimize(ca.sumsqr(gravity(q)))
    opti.subject_to(opti.bounded(-3, q, 3))
    begin = robot.random(seed)
    opti.set_initial(q, np.clip(begin, -2.9, 2.9))
    opti.solver("ipopt", {"print_time": False}, {"print_level": 0, "sb": "yes", "max_iter": 300})
    found = np.atleast_1d(opti.solve().value(q))
    start = np.clip(begin, -2.9, 2.9)
    assert np.sum(robot.gravity_torque(found) ** 2) <= np.sum(robot.gravity_torque(start) ** 2) + 1e-9
