"""The ground inside the dynamics: against Pinocchio with the same law, differences, and closed geometry."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

import redyn
from bodies import ball, block
from pinocchio_oracle import Oracle
from random_robots import close, on_floats, random_state, random_tree
from redyn.arithmetic import Floats
from redyn.description.packages import robots_folder
from redyn.dynamics.laws.ground import drag, normal_force
from redyn.dynamics.surface import height_and_slopes, rise
from redyn.model.ground import GroundForm

FEET = ("lf_foot", "rf_foot", "lh_foot", "rh_foot")
HYQ_LAW = {"stiffness": 4e4, "dissipation": 0.5, "friction": 0.7, "slip": 0.05}


def plain_law(ground, n, gap, v):
    """The law as the documents have it, with branches."""
    rate = n @ v
    pressed = ground.stiffness * max(-gap, 0.0) * max(1 - ground.dissipation * rate, 0.0)
    slide = v - rate * n
    return n * pressed - ground.friction * pressed * slide / math.sqrt(slide @ slide + ground.slip**2)


def wrenches_by(oracle, robot, contacts, ground, n, offset, q, qd):
    """What the ground does to frames, from Pinocchio's kinematics alone."""
    found = []
    for contact in contacts:
        pose, J = oracle.pose(q, contact["link"]), oracle.jacobian(q, contact["link"])
        reach = pose[:3, :3] @ np.array(contact.get("at", (0.0, 0.0, 0.0)))
        radius = contact.get("radius", 0.0)
        arm = reach - radius * n
        twist = J @ qd
        v = twist[3:] + np.cross(twist[:3], arm)
        gap = n @ (pose[:3, 3] + reach) - offset - radius
        f = plain_law(ground, n, gap, v)
        found.append((contact["link"], np.concatenate([np.cross(arm, f), f])))
    return found


@settings(max_examples=25)
@given(seed=st.integers(0, 10**6), tilted=st.booleans())
def test_trees_agree_with_pinocchio_and_the_same_law(seed, tilted):
    rng = np.random.default_rng(seed)
    data = random_tree(seed, int(rng.integers(2, 7)), friction=False)
    links = [f"part{i}" for i in rng.integers(0, len(data["links"]), 3)]
    contacts = [
        {"link": name, "radius": float(rng.uniform(0, 0.1)), "at": rng.uniform(-0.2, 0.2, 3).tolist()} for name in links
    ]
    robot = on_floats(redyn.load(data, exact=True).with_contacts(contacts))
    q, qd, tau = random_state(robot, seed)
    up = -robot.gravity / np.linalg.norm(robot.gravity)
    n = up + 0.3 * rng.normal(size=3) if tilted else up
    n = n / np.linalg.norm(n)
    given_ground = {"stiffness": 900.0, "dissipation": 0.4, "friction": 0.6, "slip": 0.1}
    if tilted:
        given_ground["normal"] = n.tolist()
    if n @ up < 0.1:
        return
    heights = [n @ robot.forward_kinematics(q, name)[:3, 3] for name in links]
    base = float(np.mean(heights))  # so that some touch and some do not
    given_ground["height"] = base / float(n @ up)
    ground = robot.ground(given_ground)
    oracle = Oracle(robot)
    forces = wrenches_by(oracle, robot, contacts, ground, n, base, q, qd)
    qdd = robot.forward_dynamics(q, qd, tau, ground=given_ground)
    scale = max(1.0, np.abs(tau).max(), max(np.abs(w).max() for _, w in forces))
    found = oracle.inverse_dynamics(q, qd, qdd, forces)
    assert np.abs(found - tau).max() < 1e-11 * scale * np.linalg.cond(robot.mass_matrix(q))
    close(robot.inverse_dynamics(q, qd, qdd, ground=given_ground), found, np.linalg.cond(robot.mass_matrix(q)) * scale)


@pytest.fixture(scope="module")
def hyq():
    if robots_folder() is None:
        pytest.skip("example-robot-data is not installed")
    with pytest.warns(redyn.RedynWarning, match="principal moment"):
        return redyn.load("example-robot-data:hyq", floating_base=True, friction=False, exact=True)


def test_hyq_agrees_with_pinocchio_and_the_same_law(hyq):
    contacts = [{"link": foot, "radius": 0.02} for foot in FEET]
    given_ground = {"contacts": contacts, **HYQ_LAW}
    ground, oracle, rng = hyq.ground(given_ground), Oracle(hyq), np.random.default_rng(3)
    q = np.array([hyq.random(rng) for _ in range(40)])
    q[:, 2], q[:, 7:] = 0.6 + 0.05 * rng.normal(size=40), 0.3 * q[:, 7:]
    qd, tau = 0.3 * rng.normal(size=(2, 40, hyq.dof))
    qdd = hyq.forward_dynamics(q, qd, tau, ground=given_ground)
    pressed = hyq.contact_forces(q, qd, given_ground)
    assert (np.abs(pressed).sum(axis=2) > 1.0).sum() > 20
    for k in range(40):
        forces = wrenches_by(oracle, hyq, contacts, ground, np.array([0.0, 0.0, 1.0]), 0.0, q[k], qd[k])
        np.testing.assert_allclose(
            pressed[k], [w[3:] for _, w in forces], rtol=0, atol=1e-11 * np.abs(pressed[k]).max() + 1e-12
        )
        back = oracle.inverse_dynamics(q[k], qd[k], qdd[k], forces)
        assert np.abs(back - tau[k]).max() < 1e-11 * max(1.0, np.abs(qdd[k]).max() * 90)


def test_feet_cost_little(hyq):
    """Operations of four feet: at most a quarter of those of the forward dynamics."""
    from redyn.dynamics.task import Task
    from redyn.kernels.trace import trace

    robot = hyq.touching({"contacts": [{"link": foot, "radius": 0.02} for foot in FEET]})
    plain = trace(robot.model, Task("forward_dynamics")).count()
    standing = trace(robot.model, Task("forward_dynamics", ground=robot.ground().form)).count()
    assert sum(standing) < 1.25 * sum(plain)


GROUNDS = {
    "level": {"height": 0.02},
    "slope": {"slope": 0.2, "direction": 0.7},
    "expression": {"height": "0.03*sin(4*x)*cos(3*y) + 0.1*x^2"},
    "steps": {"steps": [{"at": 0.05, "rise": 0.05, "width": 0.3, "direction": 0.3}], "slope": 0.1},
}


def shaken(robot, count, seed=0):
    """States near the ground."""
    rng = np.random.default_rng(seed)
    q = np.array([robot.random(rng) for _ in range(count)])
    q[:, :3] = rng.normal(size=(count, 3)) * [0.2, 0.2, 0.03] + [0.0, 0.0, 0.06]
    return q, 0.4 * rng.normal(size=(count, robot.dof)), rng.normal(size=(count, robot.dof))


@pytest.mark.parametrize("shape", GROUNDS)
def test_kernels_and_recursions_on_floats_agree(shape):
    ground = GROUNDS[shape] | {"stiffness": 2e3, "slip": 0.1}
    robot = block()
    q, qd, tau = shaken(robot, 9)
    plain = on_floats(block())
    for state in (q, qd, tau), (q[0], qd[0], tau[0]):
        fast, slow = (x.forward_dynamics(*state, ground=ground) for x in (robot, plain))
        close(slow, fast)
    for fast, slow in zip(robot.contact_states(q, qd, ground), plain.contact_states(q, qd, ground), strict=True):
        close(slow, fast)


@pytest.mark.parametrize("shape", GROUNDS)
def test_derivatives_equal_differences(shape):
    """Of a free body and of a chain with friction and a base that floats; 1e-6 of the largest."""
    ground = GROUNDS[shape] | {"stiffness": 2e3, "slip": 0.1, "dissipation": 1.5}
    contacts = [{"link": "part2", "radius": 0.05}, {"link": "part1", "at": [0.1, 0, 0]}]
    data = random_tree(4, 3, fixed=0.0) | {"gravity": [0, 0, -9.81], "contacts": contacts}
    body = block() if shape == "slope" else on_floats(block())
    for robot in (body, on_floats(redyn.load(data, floating_base=True, exact=True))):
        q, qd, tau = shaken(robot, 5, seed=1)
        found = robot.forward_dynamics_derivatives(q, qd, tau, ground=ground)
        inverse = robot.inverse_dynamics_derivatives(q, qd, tau, ground=ground)
        for function, slopes in ((robot.forward_dynamics, found), (robot.inverse_dynamics, inverse)):
            check_slopes(function, (q, qd, tau), ground, robot, slopes)
        A, _ = robot.linearize(q[0], qd[0], tau[0], ground=ground)
        n = robot.dof
        close(A[n:, :n], found[0][0], tolerance=1e-9)


def check_slopes(dynamics, state, ground, robot, found, step=1e-6):
    q, qd, last = state

    def function(a, b):
        return dynamics(a, b, last, ground=ground)

    for k in range(robot.dof):
        e = np.zeros(robot.dof)
        e[k] = step
        by_q = (function(robot.integrate(q, e), qd) - function(robot.integrate(q, -e), qd)) / (2 * step)
        by_qd = (function(q, qd + e) - function(q, qd - e)) / (2 * step)
        for slopes, differences in ((found[0], by_q), (found[1], by_qd)):
            assert np.abs(slopes[:, :, k] - differences).max() < 1e-6 * np.abs(slopes).max()


def test_derivatives_where_joints_mimic_others():
    robot = redyn.load("gripper", mimic="couple")
    name = robot.link_names[-1]
    q, qd, tau = random_state(robot, 2)
    height = robot.forward_kinematics(q, name)[:3, 3] @ (-robot.gravity / np.linalg.norm(robot.gravity))
    ground = {"contacts": [{"link": name, "radius": 0.01}], "height": float(height), "stiffness": 50.0, "slip": 0.5}
    found = robot.forward_dynamics_derivatives(q[None], qd[None], tau[None], ground=ground)
    check_slopes(robot.forward_dynamics, (q[None], qd[None], tau), ground, robot, found)
    assert np.abs(robot.contact_forces(q, qd, ground)).max() > 0.1


def test_new_numbers_need_no_new_kernel():
    robot = block()
    forms = {robot.ground(g).form for g in ({}, {"height": 0.3, "friction": 0.1}, {"stiffness": 1e5, "slip": 0.01})}
    assert len(forms) == 1
    slopes = {robot.ground({"slope": a, "direction": a}).form for a in (0.1, 0.2)}
    steps = {robot.ground({"steps": [{"at": a, "rise": a}]}).form for a in (0.1, 0.2)}
    assert len(slopes) == len(steps) == 1


def test_the_law_is_the_one_of_the_documents():
    assert normal_force(-0.01, 0.5, 1e3, 0.4, math.sqrt) == pytest.approx(10 * (1 - 0.2), rel=1e-12)
    assert normal_force(-0.01, 3.0, 1e3, 0.4, math.sqrt) == pytest.approx(0.0, abs=1e-10)  # it does not pull
    assert normal_force(0.01, -3.0, 1e3, 0.4, math.sqrt) == pytest.approx(0.0, abs=1e-10)
    assert drag(10.0, 0.09, 0.5, 0.4, math.sqrt) == pytest.approx(10.0)


def test_a_plane_written_as_a_surface_is_the_same_plane():
    robot = block()
    q, qd, _ = shaken(robot, 20)
    slope, direction = 0.3, 0.8
    x, y = math.tan(slope) * math.cos(direction), math.tan(slope) * math.sin(direction)
    law = {"stiffness": 2e3, "slip": 0.1}
    plane = robot.contact_states(q, qd, law | {"slope": slope, "direction": direction, "height": 0.01})
    surface = robot.contact_states(q, qd, law | {"height": f"0.01 + {x}*x + {y}*y"})
    for a, b in zip(plane, surface, strict=True):
        close(b, a, tolerance=1e-10)


def test_the_gap_over_a_curved_surface_is_nearly_the_distance():
    """(z - h) / sqrt(1 + |grad h|^2): off by less than the curvature times the square of the distance."""
    robot, ground = ball(radius=0.02), {"height": "0.05*sin(3*x) + 0.04*cos(2*y)"}
    rng = np.random.default_rng(0)
    for _ in range(10):
        x, y = rng.uniform(-1, 1, 2)
        h = 0.05 * math.sin(3 * x) + 0.04 * math.cos(2 * y)
        c = np.array([x, y, h + rng.uniform(0.005, 0.03)])

        def distance(p, c=c):
            return float(np.linalg.norm([p[0], p[1], 0.05 * math.sin(3 * p[0]) + 0.04 * math.cos(2 * p[1])] - c))

        nearest = minimize(distance, c[:2], tol=1e-12).fun
        gap = robot.contact_states([*c, 0, 0, 0, 1], np.zeros(6), ground).gaps[0]
        assert abs(gap + 0.02 - nearest) < 0.45 * nearest**2  # its largest curvature is 0.45 per metre


def test_steps_rise_smoothly_and_stay_level_beside():
    heights = [rise(u, Floats()) for u in (-2.0, -0.5, 0.0, 0.5, 2.0)]
    assert heights == pytest.approx([0, 0, 0.5, 1, 1], abs=1e-11)
    form = GroundForm("surface", steps=1)
    numbers = [0.0, 0.0, 0.0, 0.3, 0.1, 0.2, 1.0, 0.0]  # at 0.3, by 0.1, over 0.2 along x
    for x in (0.1, 0.25, 0.31, 0.45):
        h, along, across = height_and_slopes(form, numbers, x, 0.5, Floats())
        e = 1e-6
        ends = [height_and_slopes(form, numbers, x + d, 0.5, Floats())[0] for d in (-e, e)]
        assert along == pytest.approx((ends[1] - ends[0]) / (2 * e), abs=1e-7)
        assert across == 0.0
        assert 0.0 <= h <= 0.1


def test_casadi_has_the_contacts():
    robot = block()
    q, qd, _ = shaken(robot, 1)
    points, forces, *_ = robot.casadi("contact_states")(q[0], qd[0], robot.ground().numbers)
    found = robot.contact_states(q[0], qd[0])
    close(np.array(points).reshape(-1, 3), found.points)
    close(np.array(forces).reshape(-1, 3), found.forces)
