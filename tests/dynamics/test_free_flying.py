"""Robots that nobody holds: momentum, quaternions through time, and joints that move the base."""

import warnings

import numpy as np
import pytest
import yaml

import redyn
from random_robots import EXAMPLES, close, on_floats, random_joints, random_motion
from redyn.description.packages import robots_folder

FOLDER = robots_folder()
LEGGED = [
    "a1_description/urdf/a1.urdf",
    "anymal_b_simple_description/robots/anymal.urdf",
    "bolt_description/robots/bolt.urdf",
    "cassie_description/robots/cassie_v2.urdf",
    "g1_description/urdf/g1_29dof_rev_1_0.urdf",
    "go2_description/urdf/go2.urdf",
    "hyq_description/robots/hyq_no_sensors.urdf",
    "iris_description/robots/iris_simple.urdf",
    "solo_description/robots/solo12.urdf",
    "talos_data/robots/talos_full_v2.urdf",
]


@pytest.mark.parametrize("name", LEGGED)
def test_floating_bases_agree_with_pinocchio(name):
    """On floats; Pinocchio has the linear velocity first, both in the base's axes."""
    import pinocchio as pin

    path = FOLDER / name
    if not path.is_file():
        pytest.skip(f"this example-robot-data has no {name}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", redyn.RedynWarning)
        robot = on_floats(redyn.load(path, floating_base=True, friction=False, exact=True))
    model = pin.buildModelFromUrdf(str(path), pin.JointModelFreeFlyer())
    data = model.createData()
    assert (robot.nq - 7, robot.dof) == (len(robot.joint_names) - 1, model.nv)
    order = [robot.velocity_names.index(joint) for joint in list(model.names)[2:]]
    order = [3, 4, 5, 0, 1, 2, *order]
    places = [robot.coordinate_names.index(joint) for joint in list(model.names)[2:]]
    turns = [joint.nq == 2 for joint in list(model.joints)[2:]]
    for seed in range(3):
        q, qd, x = random_motion(robot, seed)
        values = zip(q[places], turns, strict=True)
        parts = [[np.cos(a), np.sin(a)] if turn else [a] for a, turn in values]
        theirs = np.concatenate([q[:7], *parts])
        state = qd[order], x[order]
        close(robot.inverse_dynamics(q, qd, x)[order], pin.rnea(model, data, theirs, *state))
        M = pin.crba(model, data, theirs)
        M = np.triu(M) + np.triu(M, 1).T
        close(robot.mass_matrix(q)[np.ix_(order, order)], M)
        close(robot.forward_dynamics(q, qd, x)[order], pin.aba(model, data, theirs, *state), np.linalg.cond(M))
        h = pin.computeCentroidalMomentum(model, data, theirs, state[0])
        angular = h.angular + np.cross(data.com[0], h.linear)
        close(robot.momentum(q, qd), np.concatenate([angular, h.linear]))
        close(robot.com(q), data.com[0])


@pytest.mark.slow
def test_arms_of_a_space_robot_keep_its_momentum():
    robot = redyn.load("dual-arm-satellite")
    times = np.linspace(0, 20, 41)
    waves = [
        a * np.cos(w * times)
        for a, w in zip([0.6, 0.3, 0.001, -0.4, 0.5, 0.001], [1.1, 0.9, 1.3, 0.8, 1.2, 1], strict=True)
    ]
    torque = times, np.column_stack([np.zeros((41, 6)), *waves])
    start = robot.initial, np.zeros(robot.dof)
    run = redyn.simulate(robot, *start, 20.0, torque=torque, method="dopri5", rtol=1e-12, atol=1e-13, sample=0.1)
    assert np.abs(robot.momentum(run.q, run.qd)).max() < 1e-10
    assert np.ptp(run.q[:, 7:], axis=0).max() > 0.5  # the arms did move
    assert np.ptp(run.q[:, :7], axis=0).max() > 1e-3  # and the satellite with them
    assert np.abs(np.linalg.norm(run.q[:, 3:7], axis=1) - 1).max() < 1e-12
    close(robot.base_velocity(run.q, run.qd[:, 6:]), run.qd[:, :6], 100)
    twist = np.einsum("kij,kj->ki", robot.jacobian(run.q), run.qd)
    close(np.einsum("kij,kj->ki", robot.generalized_jacobian(run.q), run.qd[:, 6:]), twist, 100)


def test_a_tumbling_robot_keeps_momentum_and_energy():
    robot = redyn.load("dual-arm-satellite")
    rates = np.concatenate([[0.2, -0.1, 0.3, 0.05, 0.1, -0.1], np.random.default_rng(0).normal(size=6) * 0.3])
    run = redyn.simulate(robot, robot.initial, rates, 20.0, method="dopri5", rtol=1e-12, atol=1e-13, sample=0.5)
    momentum = robot.momentum(run.q, run.qd)
    close(momentum, np.broadcast_to(momentum[0], momentum.shape), 10)
    close(run.energy.kinetic, np.full(len(run.t), run.energy.kinetic[0]), 10)
    given = robot.base_velocity(run.q, run.qd[:, 6:], momentum[0])
    close(given, run.qd[:, :6], 100)


def floating_tree():
    tree = random_joints(3, 4, kinds=["free", "spherical", "revolute", "universal"])
    tree["links"][0]["joint"] = {"type": "free"}
    tree["links"][0].pop("axis", None)
    tree["links"][0].pop("axis2", None)
    return redyn.load(tree)


@pytest.mark.slow
@pytest.mark.parametrize(("method", "order"), [("rk4", 4), ("euler", 1), ("taylor", 1)])
def test_order_of_convergence_on_a_free_floating_tree(method, order):
    robot = floating_tree()
    assert robot.nq > robot.dof + 1
    q, qd, _ = random_motion(robot, 5)
    exact = redyn.simulate(robot, q, qd, 0.4, method="dopri5", rtol=1e-13, atol=1e-14, sample=0.4).q[-1]
    steps = np.array([0.02, 0.01, 0.005]) if order > 1 else np.array([0.004, 0.002, 0.001])
    errors = []
    for step in steps:
        run = redyn.simulate(robot, q, qd, 0.4, method=method, step=step, sample=0.4)
        errors.append(np.abs(run.q[-1] - exact).max())
        for start in robot.model.quaternions:
            assert np.abs(np.linalg.norm(run.q[:, start : start + 4], axis=1) - 1).max() < 1e-12
    measured = np.log2(np.array(errors[:-1]) / errors[1:])
    assert np.abs(measured - order).max() < 0.35, measured


@pytest.mark.slow
@pytest.mark.parametrize("method", ["rkf45", "dopri5", "abm", "radau", "lsoda"])
def test_adaptive_methods_agree_on_a_free_floating_tree(method):
    robot = floating_tree()
    q, qd, _ = random_motion(robot, 5)
    exact = redyn.simulate(robot, q, qd, 0.5, method="dopri5", rtol=1e-13, atol=1e-14)
    run = redyn.simulate(robot, q, qd, 0.5, method=method, rtol=1e-9, atol=1e-11)
    assert np.abs(run.q - exact.q).max() < 1e-5  # between steps as well
    assert np.abs(run.qd - exact.qd).max() < 1e-4
    assert np.abs(run.energy.balance).max() < 1e-4


def test_batches_step_as_single_runs_do():
    robot = floating_tree()
    q, qd, _ = random_motion(robot, 5, (5,))
    batch = redyn.simulate_batch(robot, q, qd, duration=0.2, step=0.01)
    for k in range(5):
        run = redyn.simulate(robot, q[k], qd[k], 0.2, method="rk4", step=0.01)
        close(batch.q[-1, k], run.q[-1])
        close(batch.qd[-1, k], run.qd[-1])


def test_quaternions_are_checked():
    robot = redyn.load("spatial-biped")
    still, q = np.zeros(robot.dof), robot.initial
    q[3:7] = [0, 0, 0, 2]
    with pytest.raises(redyn.InputError, match=r"q\[3:7\] is a quaternion .* of length 2; expected 1"):
        robot.inverse_dynamics(q, still, still)
    with pytest.raises(redyn.InputError, match=r"q\[1, 7:11\]"):
        robot.mass_matrix([robot.initial, [*robot.initial[:7], 1, 1, 0, 0, *robot.initial[11:]]])
    with pytest.raises(redyn.InputError, match="expected 21 numbers for the joints"):
        robot.mass_matrix(np.zeros(18))
    with pytest.raises(redyn.InputError, match="no floating base"):
        redyn.load("puma").generalized_jacobian(np.zeros(6))
    with pytest.raises(redyn.InputError, match="lock"):
        robot.inverse_kinematics(np.eye(4))


@pytest.mark.slow
def test_quaternions_that_are_off_by_a_little_are_made_unit():
    """Written with seven digits, say: results are those of the attitude that was meant."""
    robot = redyn.load("spatial-biped")
    q, qd, qdd = random_motion(robot, 8, (5,))
    rounded = q.copy()
    for start in robot.model.quaternions:
        rounded[:, start : start + 4] *= 1 + 4e-7
    for name, count in (("inverse_dynamics", 3), ("forward_dynamics", 3), ("kinetic_energy", 2), ("mass_matrix", 1)):
        call = getattr(robot, name)
        for _ in range(6):  # by the short way too, once it is open
            close(call(*(rounded, qd, qdd)[:count]), call(*(q, qd, qdd)[:count]), 10)
            close(call(*(rounded[0], qd[0], qdd[0])[:count]), call(*(q[0], qd[0], qdd[0])[:count]), 10)
    assert not np.array_equal(rounded, q)  # the caller's array is left as it is
    R = robot.forward_kinematics(rounded, 3)[:, :3, :3]
    close(R @ R.transpose(0, 2, 1), np.broadcast_to(np.eye(3), R.shape))
    close(robot.integrate(rounded, qd), robot.integrate(q, qd))
    close(robot.difference(rounded, q), np.zeros((5, robot.dof)))
    run = redyn.simulate(robot, rounded[0], qd[0], 0.01)
    for start in robot.model.quaternions:
        close(np.linalg.norm(run.q[0, start : start + 4]), 1.0)
    batch = redyn.simulate_batch(robot, rounded, qd, 0.01)
    close(batch.q[0], q)
    tree = yaml.safe_load(robot.to_yaml())
    tree["links"][0]["joint"]["initial"] = [0, 0, 1, 0, 0, 0.6000001, 0.8000001]
    begun = redyn.load(tree).initial
    close(np.linalg.norm(begun[3:7]), 1.0)


def test_locked_bases_are_fixed_robots():
    free = redyn.load("puma", floating_base=True)
    pose = redyn.load("puma", floating_base=True).random(3)[:7]
    held = free.lock({"floating_base": pose})
    q, qd, qdd = (np.random.default_rng(1).uniform(-1, 1, 6) for _ in range(3))
    still = np.zeros(6)
    close(
        held.inverse_dynamics(q, qd, qdd),
        free.inverse_dynamics(np.concatenate([pose, q]), np.concatenate([still, qd]), np.concatenate([still, qdd]))[6:],
    )


@pytest.mark.parametrize("name", EXAMPLES)
def test_library_trees_keep_their_energy(name):
    robot = redyn.load(name)
    start = robot.integrate(robot.initial, np.full(robot.dof, 0.3))
    run = redyn.simulate(robot, start, np.full(robot.dof, 0.1), 3.0, rtol=1e-11, atol=1e-12)
    most = max(np.ptp(run.energy.kinetic), np.ptp(run.energy.potential), run.energy.kinetic.max())
    assert np.abs(run.energy.balance).max() < 1e-8 * most


@pytest.mark.slow
@pytest.mark.parametrize("name", EXAMPLES)
def test_library_trees_are_drawn_and_saved(name, tmp_path):
    robot = redyn.load(name)
    again = redyn.load(yaml.safe_load(robot.to_yaml()))
    assert again.description.links == robot.description.links
    run = redyn.simulate(robot, robot.initial, np.zeros(robot.dof), 0.1)
    page = run.html(tmp_path / "run.html").read_text()
    assert name in page
    run.plot(tmp_path / "run.png")
    run.to_csv(tmp_path / "run.csv")
    head = (tmp_path / "run.csv").read_text().splitlines()[0].split(",")
    assert [f"q_{c}" for c in robot.coordinate_names] == head[1 : robot.nq + 1]
