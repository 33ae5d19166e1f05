"""Joints that mimic others, tied to them: everything is G^T (...) G of the robot with free joints."""

import pickle
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import redyn
from random_robots import close, on_floats, random_joints, random_motion, random_tree
from redyn.bench.compare import URDF
from redyn.bench.peers import robots_folder


def tied(seed, n=6):
    """A tree, some of whose single joints follow others; and its G and constant, worked out here."""
    rng = np.random.default_rng(seed)
    kinds = ["revolute", "prismatic", "helical", "spherical"] if seed % 2 else ["revolute", "prismatic"]
    tree = random_joints(seed, n, kinds=kinds, friction=True)
    singles = [i for i, link in enumerate(tree["links"]) if link["joint"]["type"] != "spherical"]
    for link in tree["links"]:
        link["joint"] |= {"name": f"j{link['name']}", "coulomb": 0.0}
    for k in rng.permutation(len(singles))[: len(singles) // 2]:
        leaders = [i for i in singles if i < singles[k]]
        if leaders:
            leader = tree["links"][int(rng.choice(leaders))]["joint"]["name"]
            rule = {"joint": leader, "multiplier": float(rng.uniform(-2, 2)), "offset": float(rng.uniform(-1, 1))}
            tree["links"][singles[k]]["joint"]["mimic"] = rule
    return tree


def ties(whole, tied):
    """G, and the whole q as a function of the free one."""
    rules = {link.joint.name: link.joint.mimic for link in whole.description.links}
    G = np.zeros((whole.dof, tied.dof))
    for i, name in enumerate(whole.velocity_names):
        factor, joint = 1.0, name
        while rules.get(joint):
            factor, joint = factor * rules[joint].multiplier, rules[joint].joint
        G[i, tied.velocity_names.index(joint)] = factor

    def spread(q):
        values = dict(zip(tied.coordinate_names, q, strict=True))

        def value(name):
            rule = rules.get(name)
            return values[name] if not rule else rule.multiplier * value(rule.joint) + rule.offset

        return np.array([value(name) for name in whole.coordinate_names])

    return G, spread


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**9))
def test_everything_is_folded(seed):
    tree = tied(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", redyn.RedynWarning)
        whole = on_floats(redyn.load(tree, exact=True))
    robot = on_floats(redyn.load(tree, exact=True, mimic="couple"))
    G, spread = ties(whole, robot)
    q, qd, qdd = random_motion(robot, seed)
    Q, QD, QDD = spread(q), G @ qd, G @ qdd
    M = G.T @ whole.mass_matrix(Q) @ G
    condition = np.linalg.cond(M)
    tau = G.T @ whole.inverse_dynamics(Q, QD, QDD)
    tip = robot.link_names[-1]
    close(robot.mass_matrix(q), M)
    close(robot.inverse_dynamics(q, qd, qdd), tau)
    close(robot.forward_dynamics(q, qd, tau), qdd, condition)
    close(robot.forward_dynamics(q, qd, tau, method="cholesky"), qdd, condition)
    close(robot.inverse_mass_matrix(q) @ M, np.eye(robot.dof), condition)
    U, D = robot.udu(q)
    close(U @ np.diag(D) @ U.T, M)
    assert np.array_equal(U, np.triu(U))
    close(M @ robot.solve(q, qdd), qdd, condition)
    close(robot.gravity_torque(q), G.T @ whole.gravity_torque(Q))
    close(robot.friction_torque(qd), G.T @ whole.friction_torque(QD))
    close(robot.coriolis_matrix(q, qd), G.T @ whole.coriolis_matrix(Q, QD) @ G)
    close(robot.jacobian(q, tip), whole.jacobian(Q, tip) @ G)
    close(robot.forward_kinematics(q, tip), whole.forward_kinematics(Q, tip))
    close(robot.kinetic_energy(q, qd), whole.kinetic_energy(Q, QD))
    close(robot.regressor(q, qd, qdd), G.T @ whole.regressor(Q, QD, QDD))
    by_q, by_qd = robot.inverse_dynamics_derivatives(q, qd, qdd)
    whole_q, whole_qd = whole.inverse_dynamics_derivatives(Q, QD, QDD)
    close(by_q, G.T @ whole_q @ G)
    close(by_qd, G.T @ whole_qd @ G)


def panda(**options):
    return redyn.load(robots_folder() / URDF["panda"], friction=False, **options)


def test_panda_with_one_finger():
    with pytest.warns(redyn.RedynWarning, match=r"mimics .*independent, mimic='couple' ties them"):
        assert panda().dof == 9
    with warnings.catch_warnings():
        warnings.simplefilter("error", redyn.RedynWarning)
        robot = panda(mimic="couple")
    assert (robot.dof, robot.nq, len(robot.link_names)) == (8, 8, 9)
    q, qd, x = random_motion(robot, 0, (9,))
    tau = robot.inverse_dynamics(q, qd, x)  # on kernels, and a batch
    close(robot.forward_dynamics(q, qd, tau), x, 1e4)
    again = pickle.loads(pickle.dumps(robot))
    close(again.inverse_dynamics(q, qd, x), tau)
    pose = robot.forward_kinematics(robot.random(0), "panda_link8")
    found = robot.inverse_kinematics(pose, "panda_link8")
    close(robot.forward_kinematics(found[0].q, "panda_link8"), pose, 100)


def test_a_tied_robot_keeps_its_energy(tmp_path):
    tree = random_tree(4, 5, fixed=0.0, friction=False)
    for i in (2, 4):
        tree["links"][i]["joint"]["mimic"] = {"joint": "joint1", "multiplier": 0.5 * i, "offset": 0.1}
    tree["links"][4]["joint"]["damping"] = 0.3
    robot = redyn.load(tree, mimic="couple")
    run = redyn.simulate(robot, np.zeros(3), np.ones(3), 1.0, rtol=1e-10, atol=1e-12)
    assert run.energy.friction[-1] < -1e-3
    assert np.abs(run.energy.balance).max() < 1e-6
    run.html(tmp_path / "run.html")


@pytest.mark.parametrize(
    ("rules", "message"),
    [({1: "joint3", 2: "joint2"}, "ring"), ({1: "joint2"}, "ring"), ({1: "nobody"}, "no single joint")],
)
def test_rings_of_followers_are_refused(rules, message):
    tree = random_tree(4, 3, fixed=0.0)
    for i, leader in rules.items():
        tree["links"][i]["joint"]["mimic"] = {"joint": leader}
    with pytest.raises(redyn.DescriptionError, match=message):
        redyn.load(tree, mimic="couple")
    with pytest.raises(redyn.InputError, match="mimic"):
        redyn.load(tree, mimic="both")
