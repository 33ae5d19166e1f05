"""Driven dynamics: joints accelerate as told, and the base as the forces make it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import redyn
from random_robots import close, on_floats, random_motion, trees


@settings(max_examples=30, deadline=None)
@given(tree=trees, seed=st.integers(0, 10_000))
def test_against_the_mass_matrix_by_blocks(tree, seed):
    """M_bb a_b + M_bj a_j + bias_b = 0 solved as it stands, with friction, armature and a wrench from outside."""
    robot = on_floats(redyn.load(tree, floating_base=True))
    q, qd, qdd = random_motion(robot, seed)
    wrench = {robot.frame_names[-1]: np.random.default_rng(seed).normal(size=6)}
    tau, found = robot.driven(q, qd, qdd[6:], external=wrench)
    M, bias = robot.mass_matrix(q), robot.inverse_dynamics(q, qd, np.zeros(robot.dof), external=wrench)
    base = np.linalg.solve(M[:6, :6], -bias[:6] - M[:6, 6:] @ qdd[6:])
    factor = np.linalg.cond(M)
    close(found, np.concatenate([base, qdd[6:]]), factor)
    close(tau, np.concatenate([np.zeros(6), M[6:] @ found + bias[6:]]), factor)


def test_planar_bases_and_batches():
    robot = redyn.load("planar-biped")
    q, qd, qdd = random_motion(robot, 3, (4,))
    tau, found = robot.driven(q, qd, qdd[:, 3:])
    assert tau.shape == found.shape == (4, robot.dof)
    assert not tau[:, :3].any()
    close(robot.forward_dynamics(q, qd, tau), found, 1e3)
    single = robot.driven(q[1], qd[1], qdd[1, 3:])
    close(single.qdd, found[1])


@pytest.mark.parametrize(
    "ground", [True, {"law": "redysim", "stiffness": 3e4, "damping": 100, "tangential_damping": 200}]
)
def test_on_the_ground(ground):
    """The forces on the feet are those of the state, under any law."""
    robot = redyn.load("hexapod")
    q, qd, qdd = robot.initial, np.linspace(-0.02, 0.03, robot.dof), np.linspace(1.0, -1.0, robot.dof)
    q[2] -= 0.001
    assert (robot.contact_forces(q, qd, ground)[:, 2] > 1.0).all()
    tau, found = robot.driven(q, qd, qdd[6:], ground=ground)
    close(robot.forward_dynamics(q, qd, tau, ground=ground), found, 1e3)
    close(found[6:], qdd[6:])


def test_robots_without_a_floating_base():
    with pytest.raises(redyn.InputError, match="puma: every rate has an actuator; use inverse_dynamics"):
        redyn.load("puma").driven([0] * 6, [0] * 6, [])
    with pytest.raises(redyn.InputError, match="every rate has an actuator"):
        redyn.load("puma").casadi("driven")
    with pytest.raises(redyn.InputError, match="joint_qdd: expected 6 numbers, one per joint"):
        redyn.load("dual-arm-satellite").driven(np.zeros(13), np.zeros(12), np.zeros(12))
    with pytest.raises(redyn.InputError, match="legged: puma has no floating base; use computed_torque"):
        redyn.control.legged(redyn.load("puma"), lambda t: ([0] * 6,) * 3, 1.0, 1.0)


def test_casadi():
    robot = redyn.load("hexapod")
    q, qd, qdd = random_motion(robot, 5)
    tau, found = robot.casadi("driven")(q, qd, qdd)
    close(np.array(tau).ravel(), robot.driven(q, qd, qdd[6:]).tau, 10)
    close(np.array(found).ravel(), robot.driven(q, qd, qdd[6:]).qdd, 10)
