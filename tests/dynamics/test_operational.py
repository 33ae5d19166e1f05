"""Operational space and centroidal quantities: against Pinocchio, and by identities of mechanics."""

import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given
from hypothesis import strategies as st

import redyn
from pinocchio_oracle import Oracle
from random_robots import close, on_floats, random_state, trees
from redyn.dynamics.task import Task

seeds = st.integers(0, 10**9)
ANGULAR_FIRST = [3, 4, 5, 0, 1, 2]


@given(trees, seeds)
def test_operational_space_agrees_with_pinocchio(data, seed):
    robot = on_floats(redyn.load(data, friction=False, exact=True))
    oracle = Oracle(robot)
    q, _, _ = random_state(robot, seed)
    upper = pin.computeMinverse(oracle.model, oracle.data, oracle._q(q))
    inverse = (np.triu(upper) + np.triu(upper, 1).T)[np.ix_(oracle.back, oracle.back)]
    for frame in robot.frame_names:
        J = oracle.jacobian(q, frame)
        A, response = robot.evaluator(Task("operational_space", frame=frame), [q])
        size = np.linalg.cond(robot.mass_matrix(q))
        close(response, inverse @ J.T, size)
        close(A, J @ inverse @ J.T, size)


@given(trees, seeds)
def test_centroidal_quantities_agree_with_pinocchio(data, seed):
    robot = on_floats(redyn.load(data, friction=False, exact=True))
    if any(robot.model.frames[name].link == 0 for name in robot.frame_names) or not robot.total_mass:
        return  # Pinocchio counts what is fixed to the world among the masses
    oracle = Oracle(robot)
    q, qd, qdd = random_state(robot, seed)
    state = oracle._q(q), qd[oracle.to_pin], qdd[oracle.to_pin]
    A = pin.computeCentroidalMap(oracle.model, oracle.data, state[0])
    close(robot.centroidal_momentum_matrix(q), A.reshape(6, -1)[ANGULAR_FIRST][:, oracle.back])
    pin.ccrba(oracle.model, oracle.data, *state[:2])
    close(robot.centroidal_inertia(q), oracle.data.Ig.inertia)
    close(robot.centroidal_momentum(q, qd), oracle.data.hg.vector[ANGULAR_FIRST])
    pin.dccrba(oracle.model, oracle.data, *state[:2])
    bias = (oracle.data.dAg.reshape(6, -1) @ state[1])[ANGULAR_FIRST]
    close(robot.centroidal_momentum_rate(q, qd, 0 * qdd), bias)
    rate = pin.computeCentroidalMomentumTimeVariation(oracle.model, oracle.data, *state)
    close(robot.centroidal_momentum_rate(q, qd, qdd), rate.vector[ANGULAR_FIRST])


ROBOTS = ["puma", "quadruped", "dual-arm-satellite", "flexible-two-link", "four-bar", "differential-drive"]


def state_of(robot, seed=0):
    rng = np.random.default_rng(seed)
    q, qd, qdd = robot.random(rng), rng.normal(size=robot.dof), rng.normal(size=robot.dof)
    if robot.model.loops:
        q, qd = robot.project(q, qd)
        G = robot.transmission(q)
        q, qd, qdd = robot.complete(q[robot.driven_rates], G[robot.driven_rates] @ [1.3], [0.4], near=q)
    return q, qd, qdd


@pytest.mark.parametrize("name", ROBOTS)
def test_compiled_algorithms_keep_the_identities(name):
    """By the matrices themselves, with loops, wheels and bending."""
    robot = redyn.load(name, friction=False)
    q, qd, qdd = state_of(robot)
    link = robot.link_names[-1]
    M, J = robot.mass_matrix(q), robot.jacobian(q, link)
    G = robot.transmission(q) if robot.model.loops else np.eye(robot.dof)
    inverse = G @ np.linalg.inv(G.T @ M @ G) @ G.T
    A, response = robot.evaluator(Task("operational_space", frame=link), [q])
    close(A, J @ inverse @ J.T, np.linalg.cond(M))
    close(response, inverse @ J.T, np.linalg.cond(M))
    h, com = robot.momentum(q, qd), robot.com(q)
    wanted = np.concatenate([h[:3] - np.cross(com, h[3:]), h[3:]])
    close(robot.centroidal_momentum(q, qd), wanted)
    close(robot.centroidal_momentum_matrix(q) @ qd, wanted)
    step = 1e-5
    rates = robot.rates(q, qd) if robot.model.contacts else qd
    ahead, behind = (robot.centroidal_momentum(robot.integrate(q, x * rates), qd + x * qdd) for x in (step, -step))
    close(robot.centroidal_momentum_rate(q, qd, qdd), (ahead - behind) / (2 * step), tolerance=1e-7)


def test_momentum_changes_by_what_acts_from_outside():
    robot = redyn.load("quadruped")
    q, qd, tau = robot.random(1), np.random.default_rng(1).normal(size=robot.dof), np.zeros(robot.dof)
    wrench = np.array([0.1, 0.2, 0.3, 4.0, 5.0, 6.0])
    link = robot.link_names[-1]
    qdd = robot.forward_dynamics(q, qd, tau, external={link: wrench})
    rate = robot.centroidal_momentum_rate(q, qd, qdd)
    close(rate[3:], robot.total_mass * robot.gravity + wrench[3:])
    lever = robot.forward_kinematics(q, link)[:3, 3] - robot.com(q)
    close(rate[:3], wrench[:3] + np.cross(lever, wrench[3:]), 100)


def test_locked_robot_has_the_centroidal_inertia():
    robot = redyn.load("quadruped")
    q = robot.random(2)
    omega = np.array([0.3, -0.2, 0.5])
    pose = robot.forward_kinematics(q, robot.link_names[0])
    R, lever = pose[:3, :3], pose[:3, 3] - robot.com(q)
    turning = np.concatenate([R.T @ omega, R.T @ np.cross(omega, lever), np.zeros(robot.dof - 6)])
    h = robot.centroidal_momentum(q, turning)
    close(h, [*robot.centroidal_inertia(q) @ omega, 0, 0, 0])


def test_operational_space_of_an_arm():
    robot = redyn.load("kuka-kr5", friction=False)
    q = robot.random(3)
    tip = robot.operational_space(q)
    close(tip.inertia, np.linalg.inv(tip.jacobian @ np.linalg.inv(robot.mass_matrix(q)) @ tip.jacobian.T), 1e4)
    close(tip.jacobian @ tip.inverse, np.eye(6), 100)
    close(tip.null_space, 0 * tip.null_space, 100)
    few = robot.operational_space(q, mask=[0, 0, 0, 1, 1, 1])
    close(few.jacobian @ few.inverse, np.eye(3), 100)
    close(few.jacobian @ robot.solve(q, few.null_space.T @ np.arange(6.0)), np.zeros(3), 1e4)
    assert not np.allclose(few.inertia, tip.inertia[3:, 3:])  # a free wrist takes part
    many = robot.operational_inertia([q, q + 0.1], mask=[0, 0, 0, 1, 1, 1])
    close(many[0], few.inertia)
    consistent = robot.dynamically_consistent_inverse(q, mask=[0, 0, 0, 1, 1, 1])
    close(consistent, few.inverse)


def test_bad_questions():
    robot = redyn.load("two-link")
    with pytest.raises(redyn.SingularError, match="every direction: turns about x, turns about y, z; choose by mask="):
        robot.operational_inertia([0.1, 0.2])
    with pytest.raises(redyn.SingularError, match="singular in state 1: the frame cannot be accelerated in 2"):
        robot.operational_inertia([[0.1, 0.2], [0.1, 0.0]], mask=[0, 0, 0, 1, 1, 0])
    with pytest.raises(redyn.InputError, match="mask: expected six booleans"):
        robot.operational_inertia([0.1, 0.2], mask=[1, 2])
    with pytest.raises(redyn.SingularError, match="cannot be accelerated"):
        robot.operational_inertia([0.1, 0.2], 0)
    with pytest.raises(redyn.InputError, match="out: not of operational-space"):
        robot.operational_inertia([0.1, 0.2], mask=[0, 0, 1, 0, 0, 0], out=np.zeros((1, 1)))


def test_free_parameters_count():
    robot = redyn.load("two-link").free("link2.mass")
    q, plane = [0.3, 0.9], [0, 0, 0, 1, 1, 0]
    heavy = robot.operational_inertia(q, mask=plane, parameters=[2.5])
    close(heavy, robot.rebuilt([2.5]).operational_inertia(q, mask=plane))
    close(robot.centroidal_momentum_matrix(q, parameters=[2.5]), robot.rebuilt([2.5]).centroidal_momentum_matrix(q))
