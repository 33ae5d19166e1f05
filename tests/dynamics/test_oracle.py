"""Random trees against Pinocchio, which nobody here wrote."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import redyn
from pinocchio_oracle import Oracle
from random_robots import (
    ARMS,
    EXAMPLES,
    FLEXIBLE,
    LOOPS,
    close,
    on_floats,
    random_motion,
    random_state,
    random_tree,
    trees,
)

seeds = st.integers(0, 10**9)


@given(trees, seeds, st.booleans())
def test_dynamics_agree_with_pinocchio(data, seed, exact):
    robot = on_floats(redyn.load(data, friction=False, exact=exact))
    oracle = Oracle(robot)
    q, qd, qdd = random_state(robot, seed)
    GIM = oracle.mass_matrix(q)
    close(robot.mass_matrix(q), GIM)
    close(robot.inverse_dynamics(q, qd, qdd), oracle.inverse_dynamics(q, qd, qdd))
    close(robot.gravity_torque(q), oracle.gravity_torque(q))
    close(robot.coriolis_vector(q, qd), oracle.inverse_dynamics(q, qd, 0 * q) - oracle.gravity_torque(q))
    close(robot.forward_dynamics(q, qd, qdd), oracle.forward_dynamics(q, qd, qdd), np.linalg.cond(GIM))
    close(robot.solve(q, qdd), np.linalg.solve(GIM, qdd), np.linalg.cond(GIM))
    close(robot.inverse_mass_matrix(q), np.linalg.inv(GIM), np.linalg.cond(GIM))
    close(robot.kinetic_energy(q, qd), oracle.kinetic_energy(q, qd))
    close(robot.potential_energy(q), oracle.potential_energy(q))
    close(robot.com(q), oracle.com(q)) if not _grounded_mass(robot) else None
    for frame in robot.frame_names:
        close(robot.forward_kinematics(q, frame), oracle.pose(q, frame))
        close(robot.jacobian(q, frame), oracle.jacobian(q, frame))


def _grounded_mass(robot):
    return any(robot.model.frames[name].link == 0 for name in robot.frame_names)


@given(trees, seeds)
def test_christoffel_form_is_made_of_christoffel_symbols(data, seed):
    robot = on_floats(redyn.load(data, friction=False))
    q, qd, _ = random_state(robot, seed)
    step = 1e-5
    dM = [(robot.mass_matrix(q + step * e) - robot.mass_matrix(q - step * e)) / (2 * step) for e in np.eye(robot.dof)]
    dM = np.array(dM)  # [k, i, j]
    symbols = 0.5 * (np.einsum("kij->ijk", dM) + np.einsum("jik->ijk", dM) - np.einsum("ijk->ijk", dM))
    close(robot.coriolis_matrix(q, qd, form="christoffel"), symbols @ qd, tolerance=1e-8)


@given(trees, seeds)
def test_external_wrenches_agree_with_pinocchio(data, seed):
    robot = on_floats(redyn.load(data, friction=False))
    oracle = Oracle(robot)
    q, qd, qdd = random_state(robot, seed)
    rng = np.random.default_rng(seed)
    moving = [name for name in robot.frame_names if robot.model.frames[name].link]
    external = {name: rng.uniform(-5, 5, 6) for name in rng.choice(moving, min(2, len(moving)), replace=False)}
    tau = robot.inverse_dynamics(q, qd, qdd, external=external)
    close(tau, oracle.inverse_dynamics(q, qd, qdd, list(external.items())))
    close(robot.forward_dynamics(q, qd, tau, external=external), qdd, np.linalg.cond(robot.mass_matrix(q)))


@pytest.mark.parametrize(
    "name",
    sorted(set(redyn.library()) - {"puma-2003-printed", "kuka-kr5-printed", *EXAMPLES, *LOOPS, *ARMS, *FLEXIBLE}),
)
def test_library_agrees_with_pinocchio(name):
    robot = redyn.load(name, friction=False, exact=True).tree  # wheels have an oracle of their own
    oracle = Oracle(robot)
    for seed in range(5):
        q, qd, qdd = random_motion(robot, seed)
        close(robot.inverse_dynamics(q, qd, qdd), oracle.inverse_dynamics(q, qd, qdd))
        close(
            robot.forward_dynamics(q, qd, qdd),
            oracle.forward_dynamics(q, qd, qdd),
            np.linalg.cond(oracle.mass_matrix(q)),
        )


@given(seeds, st.sampled_from([1e-3, 1e-6, 1e-9, 1e-12]), st.sampled_from([1.0, 10.0]))
def test_nearly_parallel_and_nearly_meeting_axes(seed, tiny, far):
    """Where common normals run away or shrink to nothing, the choice of axes must not cost digits."""
    rng = np.random.default_rng(seed)
    data = random_tree(seed, 4, fixed=0.0, prismatic=0.2, serial=True)
    axis = rng.normal(size=3)
    for link in data["links"]:
        link["axis"] = list(axis + tiny * rng.normal(size=3))
        link["rpy"] = list(tiny * rng.normal(size=3))
        link["xyz"] = list(far * rng.choice([0.0, 1.0]) * axis + tiny * rng.normal(size=3))
    robot = on_floats(redyn.load(data, friction=False, exact=True))
    oracle = Oracle(robot)
    q, qd, qdd = random_state(robot, seed)
    close(robot.inverse_dynamics(q, qd, qdd), oracle.inverse_dynamics(q, qd, qdd))
    close(robot.mass_matrix(q), oracle.mass_matrix(q))
    for frame in robot.frame_names:
        close(robot.forward_kinematics(q, frame), oracle.pose(q, frame))


@pytest.mark.slow
@pytest.mark.parametrize("n", [1, 2, 6, 7, 30])
def test_chains_agree_with_pinocchio(n):
    robot = redyn.chain(n, seed=n)
    oracle = Oracle(robot)
    q, qd, qdd = random_state(robot, n)
    close(robot.inverse_dynamics(q, qd, qdd), oracle.inverse_dynamics(q, qd, qdd))
    condition = np.linalg.cond(robot.mass_matrix(q))
    close(robot.forward_dynamics(q, qd, qdd), oracle.forward_dynamics(q, qd, qdd), condition)


@given(seeds, seeds)
def test_joint_wrenches_agree_with_pinocchio(robot_seed, seed):
    """With `frames`, the user's link frame is Pinocchio's joint frame, so all six components compare."""
    robot = on_floats(redyn.load(random_tree(robot_seed, 6, fixed=0.0), friction=False))
    q, qd, qdd = random_state(robot, seed)
    close(robot.joint_wrenches(q, qd, qdd), Oracle(robot).joint_wrenches(q, qd, qdd))
