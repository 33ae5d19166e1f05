"""Closed forms of poses, Jacobians and velocities are the robot's numbers."""

import json

import numpy as np
import pytest
import sympy
from typer.testing import CliRunner

import redyn
from known_robots import first_joints
from redyn.cli.main import app
from redyn.symbolic.equations import numeric
from several_rates import random_motion, several

ROBOTS = {
    "two-link": lambda: redyn.load("two-link"),
    "three-link": lambda: redyn.load("three-link"),
    "point-mass": lambda: redyn.load("point-mass"),
    "lagrange-pointing": lambda: redyn.load("lagrange-pointing"),
    "newton-euler-rp": lambda: redyn.load("newton-euler-rp"),
    "stanford-3": lambda: first_joints("stanford", 3),
    "mobile-arm": lambda: several("mobile-arm"),
    "spherical-pendulum": lambda: several("spherical-pendulum"),
    "arm-on-a-free-body": lambda: several("arm-on-a-free-body"),
}


def product(eqs, link, q):
    values = dict(eqs.values) | dict(zip(eqs.q, q, strict=True))
    found = np.eye(4)
    for step in eqs.transforms(link):
        found = found @ numeric(step, list(values))(*values.values())
    return found


@pytest.mark.parametrize("name", ROBOTS)
def test_poses_and_jacobians_are_the_robots(name):
    robot = ROBOTS[name]()
    eqs = redyn.derive(robot)
    rng = np.random.default_rng(3)
    for link in [*robot.frame_names, None]:
        q, qd, _ = random_motion(robot, rng)
        pose, J = robot.forward_kinematics(q, link), robot.jacobian(q, link)
        assert np.allclose(eqs.evaluate("forward_kinematics", q, link=link), pose, rtol=0, atol=1e-12)
        assert np.allclose(product(eqs, link, q), pose, rtol=0, atol=1e-12)
        assert np.allclose(eqs.evaluate("jacobian", q, link=link), J, rtol=0, atol=1e-12)
        assert np.allclose(eqs.evaluate("velocity", q, qd, link=link), J @ qd, rtol=0, atol=1e-12)
        assert abs(eqs.evaluate("speed_squared", q, qd, link=link) - np.sum((J @ qd)[3:] ** 2)) < 1e-12


@pytest.mark.parametrize("name", ["puma", "differential-drive", "four-bar", "flexible-beam"])
def test_poses_of_long_rolling_closed_and_bending_robots(name):
    robot = redyn.load(name)
    eqs = redyn.derive(robot)
    link = robot.frame_names[-1]
    q = np.random.default_rng(1).uniform(-0.3, 0.3, robot.nq)
    found = eqs.evaluate("forward_kinematics", q, link=link)
    assert np.allclose(found, robot.forward_kinematics(q, link), rtol=0, atol=1e-12)
    assert np.allclose(product(eqs, link, q), found, rtol=0, atol=1e-12)


def test_formulas_are_those_of_a_textbook():
    eqs = redyn.derive("two-link")
    t1, t2, a1, a2 = sympy.symbols("theta_1 theta_2 a_1 a_2")
    assert eqs.forward_kinematics()[0, 3] == a1 * sympy.cos(t1) + a2 * sympy.cos(t1 + t2)
    assert eqs.text("jacobian", 4) == eqs.text("jacobian", 4, 1) == "-a_1*s1 - a_2*s12"
    assert eqs.text("forward_kinematics", 1, 1, link="link1") == "c1"
    first, second = eqs.transforms()
    assert (first * second - eqs.forward_kinematics()).applyfunc(sympy.simplify) == sympy.zeros(4, 4)
    slides = redyn.derive("lagrange-pointing")  # V^2 = l_2^2 (c_2^2 theta_dot_1^2 + theta_dot_2^2)
    assert slides.text("speed_squared") == "a_2**2*(theta_dot_2**2 + c2**2*theta_dot_1**2)"


def test_frames_that_are_not_there():
    eqs = redyn.derive("two-link")
    with pytest.raises(redyn.RedynError, match="has no frame 'link3'; did you mean"):
        eqs.jacobian("link3")
    with pytest.raises(redyn.RedynError, match="link: mass_matrix is not of one frame"):
        eqs.latex("mass_matrix", link="link1")


def test_expanded_forms_are_those_that_the_book_prints():
    eqs = redyn.derive("two-link", expand=True)
    assert eqs.text("mass_matrix", 2, 1) == "1/3*m_2*a_2**2 + 1/2*m_2*a_1*a_2*c2"  # (9.27d)
    assert eqs.text("coriolis_matrix", 1, 2) == "-1/2*m_2*a_1*a_2*s2*theta_dot_12"  # (9.30c)
    assert eqs.text("speed_squared").count("(") == 0
    short = redyn.derive("two-link")
    for name in ("mass_matrix", "coriolis_matrix", "gravity_torque", "lagrange"):
        one, other = (getattr(e, name).torque if name == "lagrange" else getattr(e, name) for e in (eqs, short))
        assert (one - other).applyfunc(sympy.expand) == sympy.zeros(*one.shape)
    assert eqs.options == {"expand": True}


def test_the_command_prints_them():
    result = CliRunner().invoke(app, ["equations", "two-link", "--expand", "--kinematics"])
    assert "mass_matrix[1,1] = 1/3*m_1*a_1**2 + m_2*a_1**2 + 1/3*m_2*a_2**2 + m_2*a_1*a_2*c2\n" in result.output
    assert "pose[1,4] = a_1*c1 + a_2*c12\n" in result.output
    assert "jacobian[3,2] = 1\n" in result.output
    found = json.loads(CliRunner().invoke(app, ["equations", "two-link", "--kinematics", "--json"]).output)
    assert found["jacobian"][3][1]["text"] == "-a_2*s12"
