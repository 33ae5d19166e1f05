"""Equations of robots with planar, spherical, free, universal and cylindrical joints."""

import numpy as np
import pytest
import sympy

import redyn
from random_robots import on_floats
from several_rates import DESCRIPTIONS, random_motion, several

STATE = ("mass_matrix", "gravity_torque", "potential_energy")
MOTION = ("coriolis_matrix", "coriolis_vector", "kinetic_energy")


@pytest.mark.parametrize("name", [name for name in DESCRIPTIONS if name != "one-of-each"])
def test_equal_to_the_robots_numbers(name):
    robot = several(name)
    eqs = redyn.derive(robot)
    rng = np.random.default_rng(7)
    for _ in range(3):
        q, qd, qdd = random_motion(robot, rng)
        for quantity in STATE:
            assert np.allclose(eqs.evaluate(quantity, q), getattr(robot, quantity)(q), rtol=0, atol=1e-11)
        for quantity in MOTION if robot.dof < 7 else MOTION[1:2]:
            assert np.allclose(eqs.evaluate(quantity, q, qd), getattr(robot, quantity)(q, qd), rtol=0, atol=1e-11)
        if robot.dof == 7:
            continue  # its other matrices are long
        other = robot.coriolis_matrix(q, qd, form="christoffel")
        assert np.allclose(eqs.evaluate("christoffel_matrix", q, qd), other, rtol=0, atol=1e-11)
        assert np.allclose(eqs.evaluate("torque", q, qd, qdd), robot.inverse_dynamics(q, qd, qdd), rtol=0, atol=1e-10)


@pytest.mark.parametrize("name", DESCRIPTIONS)
def test_three_derivations_agree(name):
    agreement = redyn.derive(on_floats(several(name))).check()
    assert agreement.ok, str(agreement)
    assert len(agreement.comparisons) == 5
    assert ("symbolically" in str(agreement)) == (name == "spherical-pendulum")


def test_symbols_are_those_of_the_slides():
    eqs = redyn.derive(several("mobile-arm"))
    assert [str(x) for x in eqs.q] == ["x", "y", "phi", "theta_2"]
    assert [str(x) for x in eqs.qd] == ["x_dot", "y_dot", "phi_dot", "theta_dot_2"]
    phi, theta, m, d = sympy.symbols("phi theta_2 m_2 d_2x")
    assert eqs.mass_matrix[0, 3] == -m * d * sympy.sin(phi + theta)
    assert "4 degrees of freedom" in repr(eqs)


def test_a_ball_joint_has_eulers_equations():
    eqs = redyn.derive(several("spherical-pendulum"))
    x, y, z, m, d, xx, yy, zz = sympy.symbols("omega_x omega_y omega_z m_1 d_1z I_1xx I_1yy I_1zz")
    J = sympy.diag(xx + m * d**2, yy + m * d**2, zz)
    assert (eqs.mass_matrix - J).applyfunc(sympy.expand) == sympy.zeros(3, 3)
    omega = sympy.Matrix([x, y, z])
    assert (eqs.coriolis_vector - omega.cross(J * omega)).applyfunc(sympy.expand) == sympy.zeros(3, 1)
    assert not eqs.mass_matrix.free_symbols & set(eqs.q)
    rates = eqs.coordinate_rates
    assert sympy.expand((rates.T * sympy.Matrix(eqs.q))[0]) == 0  # the norm stays


def test_rates_of_coordinates_are_the_robots():
    robot = several("arm-on-a-free-body")
    eqs = redyn.derive(robot)
    q, qd, _ = random_motion(robot, np.random.default_rng(2))
    step = 1e-6
    slope = (robot.integrate(q, qd, step) - robot.integrate(q, qd, -step)) / (2 * step)
    assert np.allclose(eqs.evaluate("coordinate_rates", q, qd), slope, rtol=0, atol=1e-8)


def test_two_of_a_kind_are_numbered():
    two = {**DESCRIPTIONS["spherical-pendulum"]}
    bob = two["links"][0]
    two["links"] = [bob, bob | {"name": "bob2", "joint": {"type": "spherical", "name": "second"}, "xyz": [0, 0, -1]}]
    eqs = redyn.derive(two)
    assert [str(x) for x in eqs.q] == [f"q_{i}{axis}" for i in (1, 2) for axis in "xyzw"]
    assert [str(x) for x in eqs.qd] == [f"omega_{i}{axis}" for i in (1, 2) for axis in "xyz"]
    assert eqs.check(points=2).ok


def test_named_steps():
    robot = several("one-of-each")
    eqs = redyn.derive(robot)
    steps = eqs.steps("inverse_dynamics")
    state = random_motion(robot, np.random.default_rng(5))
    values = dict(eqs.values) | dict(zip(steps.inputs, np.concatenate(state), strict=True))
    assert np.allclose(steps.evaluate(values)[0][:, 0], robot.inverse_dynamics(*state), rtol=0, atol=1e-10)


def test_what_is_refused():
    screw = {**DESCRIPTIONS["spherical-pendulum"]}
    screw["links"] = [screw["links"][0] | {"joint": {"type": "helical", "name": "screw", "pitch": 0.1}}]
    with pytest.raises(redyn.RedynError, match="joint 'screw' is helical: symbolic equations support no helical"):
        redyn.derive(screw)
    eqs = redyn.derive(several("spherical-pendulum"))
    with pytest.raises(redyn.RedynError, match="state_space: the rates of joints that turn about a point"):
        _ = eqs.state_space
    with pytest.raises(redyn.RedynError, match="expected 4 numbers, the values of q_x, q_y, q_z, q_w"):
        eqs.evaluate("mass_matrix", [0, 0, 0])
