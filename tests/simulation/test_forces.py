"""Force elements: every one has its field in the energy, and the works of all close the balance."""

import math

import numpy as np
import pytest
import yaml
from numba import njit

import redyn
from redyn.dynamics.laws.friction import friction
from redyn.dynamics.laws.stop import stop
from redyn.simulation import forces
from redyn.simulation.result import Energy


def test_every_element_has_its_work_in_the_energy():
    assert Energy._fields == ("kinetic", "potential", *(element.name for element in forces.ELEMENTS))


def test_numba_compiles_the_law_that_recursions_trace():
    compiled = njit(friction)

    @njit
    def law(qd):
        return compiled(qd, 0.3, 2.0, 1e-2, math.sqrt)

    for qd in (-1.0, -1e-3, 0.0, 0.5):
        assert law(qd) == pytest.approx(friction(qd, 0.3, 2.0, 1e-2, math.sqrt), rel=1e-15)
        assert friction(np.array([qd]), 0.3, 2.0, 1e-2, np.sqrt) == pytest.approx([law(qd)], rel=1e-15)


def test_stops_push_and_never_pull():
    assert stop(0.5, 1.0, -1.0, 1.0, 100.0, 10.0) == 0.0
    assert stop(1.1, 0.0, -1.0, 1.0, 100.0, 10.0) == pytest.approx(-10.0)
    assert stop(1.1, -5.0, -1.0, 1.0, 100.0, 10.0) == 0.0  # leaves faster than the spring follows
    assert stop(-1.2, 1.0, -1.0, 1.0, 100.0, 10.0) == pytest.approx(10.0)


GROUND = {"height": -0.2, "stiffness": 500, "slip": 0.1, "contacts": [{"link": "link2", "radius": 0.1}]}


@pytest.mark.parametrize("method", ["rkf45", "dopri5", "rk4", "radau"])
def test_all_elements_together_close_the_balance(method):
    """Actuators, friction, two wrenches (one of them a function), stops, springs and the ground in one run."""
    data = yaml.safe_load(redyn.load("two-link").to_yaml())
    joint = {"type": "revolute", "stiffness": 3, "rest": 0.2, "damping": 0.3, "coulomb": 0.2, "limits": [-0.6, 0.6]}
    for link in data["links"][:2]:
        link["joint"] = dict(joint)
    robot = redyn.load(data)
    external = {"link1": [0, 0, 0.4, 1, 0, 0], "link2": lambda t: [0, 0, 0, 0, 6 * math.sin(3 * t), 0]}
    run = redyn.simulate(
        robot,
        [0.3, 0.1],
        [0.0, 1.0],
        1.5,
        torque=([0, 1.5], [[1.0, 0.0], [0.0, 2.0]]),
        external=external,
        stops=True,
        ground=GROUND,
        method=method,
        rtol=1e-9,
        step=1e-4 if method == "rk4" else None,
    )
    fixed = method == "rk4"  # its steps do not meet the moments when a stop is hit
    assert np.abs(run.energy.balance).max() < (1e-4 if fixed else 1e-5)
    for element in forces.ELEMENTS:
        assert np.abs(getattr(run.energy, element.name)).max() > 1e-2, element.name
    q, k = run.q[40], 40
    stops = [stop(q[i], run.qd[k, i], *robot.limits[i], 0.0, 0.0) for i in range(2)]
    if not any(stops) and (np.abs(q) < 0.6).all():
        wrenches = {name: rows[k] for name, rows in run.wrenches.items()}
        assert np.allclose(
            robot.forward_dynamics(q, run.qd[k], run.tau[k], wrenches, ground=GROUND), run.qdd[k], rtol=0, atol=1e-9
        )
    assert run.wrenches["link2"][:, 4] == pytest.approx(6 * np.sin(3 * run.t), abs=1e-12)
    assert run.tau[:, 1] == pytest.approx(2.0 * run.t / 1.5, abs=1e-12)


def test_friction_of_a_follower_with_a_smoothing_of_its_own():
    """Each joint's friction does its own work, also where joints mimic others."""
    data = yaml.safe_load(redyn.load("two-link").to_yaml())
    data["links"][0]["joint"] = {"type": "revolute", "coulomb": 0.5, "smoothing": 0.05}
    data["links"][1]["joint"] = {
        "type": "revolute",
        "coulomb": 0.3,
        "smoothing": 0.2,
        "damping": 0.1,
        "mimic": {"joint": "joint1", "multiplier": -1.5},
    }
    run = redyn.simulate(redyn.load(data, mimic="couple"), [0.4], [0.0], 2.0, rtol=1e-10)
    assert run.energy.friction[-1] < -0.5
    assert np.abs(run.energy.balance).max() < 1e-6
