"""Joints that mimic others, tied to them: everything is G^T (...) G of the robot with free joints."""

import pickle
import warnings

import numpy as np
import pytest
import yaml
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import redyn
from random_robots import close, on_floats, random_joints, random_motion, random_tree
from redyn.bench.compare import URDF
from redyn.description.packages import robots_folder


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


@settings(max_examples=10, deadline=None)
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


RINGS = [
    ({1: "joint3", 2: "joint2"}, r"links\[1\]\.joint\.mimic\.joint: mimicking 'joint3' closes a cycle"),
    ({1: "joint2"}, r"links\[1\]\.joint\.mimic\.joint: .*cycle"),
    (
        {1: "nobody"},
        r"links\[1\]\.joint\.mimic\.joint: no joint is called 'nobody'; the names",
    ),
    ({1: "mount"}, "'mount' cannot be mimicked"),
]


@pytest.mark.parametrize(("rules", "message"), RINGS)
@pytest.mark.parametrize("mimic", ["independent", "couple"])
def test_leaders_are_single_joints_and_no_rings(rules, message, mimic):
    tree = random_tree(4, 3, fixed=0.0)
    tree["links"].append({"name": "tool", "joint": {"type": "fixed", "name": "mount"}})
    for i, leader in rules.items():
        tree["links"][i]["joint"]["mimic"] = {"joint": leader}
    with pytest.raises(redyn.DescriptionError, match=message):
        redyn.load(tree, mimic=mimic)


def test_what_to_do_with_followers():
    with pytest.raises(redyn.InputError, match="mimic"):
        redyn.load(random_tree(4, 3), mimic="both")


def quietly(call, *arguments, **options):
    """Whatever is warned of is not looked at here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", redyn.RedynWarning)
        return call(*arguments, **options)


def again(robot):
    """The same robot, saved and read back."""
    data = yaml.safe_load(robot.to_yaml())
    return on_floats(redyn.load(data, mimic="couple", exact=True))


@settings(max_examples=10)
@given(st.integers(0, 10**6), st.integers(1, 2**6))
def test_a_locked_leader_fixes_its_followers(seed, chosen):
    """Whatever is locked, the robot moves as the whole one does with the joints of G at their values."""
    tree = tied(seed)
    robot = on_floats(redyn.load(tree, mimic="couple", exact=True))
    whole = on_floats(quietly(redyn.load, tree, exact=True))
    G, spread = ties(whole, robot)
    held = [i for i, name in enumerate(robot.joint_names) if chosen >> i & 1]
    assume(held and len(held) < len(robot.joint_names))
    q, qd, qdd = random_motion(robot, seed)
    starts = {name.partition(".")[0]: k for k, name in reversed(list(enumerate(robot.coordinate_names)))}
    width = {name: sum(c.partition(".")[0] == name for c in robot.coordinate_names) for name in robot.joint_names}
    names = [robot.joint_names[i] for i in held]
    values = {name: q[starts[name] : starts[name] + width[name]] for name in names}
    locked = on_floats(robot.lock(values))
    assert locked.joint_names == [name for name in robot.joint_names if name not in names]
    keep = [i for i, name in enumerate(robot.velocity_names) if name.partition(".")[0] not in names]
    stay = [i for i, name in enumerate(robot.coordinate_names) if name.partition(".")[0] not in names]
    qd[[i for i in range(robot.dof) if i not in keep]] = 0.0
    qdd[qd == 0.0] = 0.0
    tau = G.T @ whole.inverse_dynamics(spread(q), G @ qd, G @ qdd)
    for one in (locked, again(locked)):
        close(one.inverse_dynamics(q[stay], qd[keep], qdd[keep]), tau[keep])
        close(one.mass_matrix(q[stay]), (G.T @ whole.mass_matrix(spread(q)) @ G)[np.ix_(keep, keep)])
    for frame in robot.frame_names:
        close(locked.forward_kinematics(q[stay], frame), whole.forward_kinematics(spread(q), frame))
    # joints that moved on their own are fixed as well, and this is said
    loose = quietly(whole.lock, values)
    assert loose.description == locked.description


LINK = {"mass": 1, "com": [0.1, 0, 0], "inertia": [1, 1, 1]}


def hand(convention="frames", **mimics):
    """Four joints in a row; the second follows the first and the third the second, unless said otherwise."""
    rules = {"j2": ("j1", 2.0, 0.1), "j3": ("j2", -1.0, 0.3)} | mimics
    geometry = {"frames": {"xyz": [0.2, 0, 0]}, "dh": {"a": 0.2, "b": 0, "alpha": 0.3}}[convention]
    links = []
    for name in ("j1", "j2", "j3", "j4"):
        joint = {"type": "revolute", "name": name}
        if rules.get(name):
            joint["mimic"] = dict(zip(("joint", "multiplier", "offset"), rules[name], strict=True))
        links.append(LINK | geometry | {"name": f"l{name[1]}", "joint": joint})
    return {"name": "hand", "convention": convention, "links": links}


def fixed_at(robot):
    """The angles of the joints that are fixed."""
    links = {link.joint.name: link for link in robot.description.links if link.joint.type == "fixed"}
    return {name: link.theta if link.theta is not None else link.rpy[2] for name, link in links.items()}


@pytest.mark.parametrize("convention", ["frames", "dh"])
def test_chains_of_followers_are_fixed_with_their_leader(convention):
    coupled = redyn.load(hand(convention), mimic="couple")
    locked = coupled.lock({"j1": 0.4})
    assert locked.joint_names == ["j4"]
    assert fixed_at(locked) == pytest.approx({"j1": 0.4, "j2": 0.9, "j3": -0.6})
    free = quietly(redyn.load, hand(convention))
    with pytest.warns(redyn.RedynWarning, match="lock: fixed too, since they follow a locked joint: 'j2', 'j3'"):
        assert free.lock({"j1": 0.4}).description == locked.description
    assert fixed_at(coupled.lock({"j1": None})) == pytest.approx({"j1": 0.0, "j2": 0.1, "j3": 0.2})
    for more in ({"j2": 0.9}, {"j3": -0.6, "j2": None}):
        assert fixed_at(quietly(free.lock, {"j1": 0.4} | more)) == pytest.approx(fixed_at(locked))
    assert coupled.lock({"j4": 0.1}).joint_names == ["j1"]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"j2": 0.9}, "'j2' mimics 'j1', which would be free; lock 'j1' at 0.4 instead"),
        ({"j3": -0.6, "j4": 0}, "'j3' mimics 'j1', which would be free; lock 'j1' at 0.4 instead"),
        ({"j1": 0.4, "j3": -0.5}, "'j3' mimics 'j1', which puts it at -0.6, not at -0.5"),
        ({"j1": 0.4, "j4": 0.0}, "no joint would be left to move"),
    ],
)
@pytest.mark.parametrize("mimic", ["independent", "couple"])
def test_a_follower_is_not_locked_against_its_leader(values, message, mimic):
    robot = quietly(redyn.load, hand(), mimic=mimic)
    with pytest.raises(redyn.InputError, match=message):
        robot.lock(values)


def leaders(robot):
    found = [link.joint for link in robot.description.links if link.joint.mimic]
    return {joint.name: (joint.mimic.joint, joint.mimic.multiplier, joint.mimic.offset) for joint in found}


@pytest.mark.parametrize("mimic", ["independent", "couple"])
def test_a_part_without_the_leader(mimic):
    robot = quietly(redyn.load, hand(j4=("j1", 0.5, 1.0)), mimic=mimic)
    with pytest.warns(redyn.RedynWarning, match="joint 'j2' mimics 'j1', which is not part.*'j2' moves on") as caught:
        part = robot.subtree("l2")
    assert len(caught) == 1
    # j3 still follows j2; j4 followed the same leader, so it follows j2 now: 0.5 (q2 - 0.1) / 2 + 1
    assert leaders(part) == {"j3": ("j2", -1.0, 0.3), "j4": ("j2", 0.25, pytest.approx(0.975))}
    assert part.joint_names == (["j2"] if mimic == "couple" else ["j2", "j3", "j4"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert leaders(robot.subtree("l1")) == leaders(robot)


def test_a_part_whose_leader_follows_through_a_joint_outside():
    """j3 follows j1, outside, which follows j2, inside: the tie is kept, in one step."""
    robot = redyn.load(hand(j1=("j2", 3.0, 0.5), j2=None, j3=("j1", 2.0, 0.1)), mimic="couple")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        part = robot.subtree("l2")
    assert leaders(part) == {"j3": ("j2", 6.0, 1.1)}
    assert part.joint_names == ["j2", "j4"]


def test_a_part_with_a_joint_that_stands_still():
    """A multiplier of zero leaves nothing to lead by."""
    robot = redyn.load(hand(j2=("j1", 0.0, 0.4), j3=("j1", 2.0, 0.0)), mimic="couple")
    part = quietly(robot.subtree, "l2")
    assert leaders(part) == {"j2": ("j3", 0.0, 0.4)}
    assert part.joint_names == ["j3", "j4"]
    with pytest.warns(redyn.RedynWarning, match="'j2' mimics 'j1'"):
        assert leaders(redyn.load(hand(j2=("j1", 0.0, 0.4), j3=None), mimic="couple").subtree("l2")) == {}


@settings(max_examples=8)
@given(st.integers(0, 10**6))
def test_ties_survive_other_transforms(seed):
    tree = tied(2 * seed)  # revolute and prismatic joints, which URDF has
    tree["links"][0]["joint"]["type"] = "revolute"
    robot = on_floats(redyn.load(tree, mimic="couple", exact=True))
    assume(robot.dof < len(robot.link_names))
    path = robot.description.links[-1].name
    state = random_motion(robot, seed)
    tau = robot.inverse_dynamics(*state)
    close(again(robot).inverse_dynamics(*state), tau)
    close(robot.with_payload(0.0, link=path).inverse_dynamics(*state), tau)
    arm = redyn.load("two-link", exact=True)
    for both in (robot.attach(arm, path), arm.attach(robot, 0), arm.attach(robot)):
        assert both.dof == robot.dof + 2
        assert len(leaders(both)) == len(leaders(robot))
    free = redyn.load(tree, mimic="couple", floating_base=True)
    assert free.dof == robot.dof + 6
    assert leaders(free) == leaders(robot)


def test_ties_in_urdf(tmp_path):
    robot = redyn.load(hand(), mimic="couple", exact=True)
    robot.to_urdf(tmp_path / "hand.urdf")
    saved = redyn.load(tmp_path / "hand.urdf", mimic="couple", exact=True)
    assert leaders(saved) == leaders(robot)
    assert saved.joint_names == robot.joint_names
    state = random_motion(robot, 0)
    close(saved.inverse_dynamics(*state), robot.inverse_dynamics(*state, gravity=saved.gravity))


def test_tied_and_free_followers_do_not_go_together():
    tied_hand, loose = redyn.load(hand(), mimic="couple"), quietly(redyn.load, hand())
    for one, other in ((tied_hand, loose), (loose, tied_hand)):
        with pytest.raises(redyn.InputError, match="load both with one mimic"):
            one.attach(other)
    assert loose.attach(loose).dof == 8
    assert tied_hand.attach(tied_hand).dof == 4


MIMICS = {
    "a ring": (
        '<mimic joint="j2"/>',
        '<mimic joint="j1"/>',
        "joint 'j1' mimics 'j2', which mimics it in turn.*1 more",
    ),
    "itself": ("", '<mimic joint="j2"/>', "joint 'j2' mimics 'j2', which mimics it in turn"),
    "fixed": ("", '<mimic joint="mount"/>', "joint 'j2' mimics 'mount', which is fixed"),
    "ball": ("", '<mimic joint="ball"/>', "joint 'j2' mimics 'ball', which is spherical"),
    "nobody": ("", '<mimic joint="j9"/>', "joint 'j2' mimics 'j9', which does not exist"),
}


@pytest.mark.parametrize("case", MIMICS)
def test_urdf_files_whose_leaders_are_wrong(tmp_path, case):
    one, two, message = MIMICS[case]
    names = ["base", "a", "b", "c", "d"]
    kinds = [("j1", "revolute", one), ("j2", "revolute", two), ("mount", "fixed", ""), ("ball", "spherical", "")]
    body = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    parts = [f'<link name="{name}">{body}</link>' for name in names]
    for (joint, kind, mimic), parent, child in zip(kinds, names, names[1:], strict=False):
        ends = f'<parent link="{parent}"/><child link="{child}"/>'
        parts.append(f'<joint name="{joint}" type="{kind}">{ends}{mimic}</joint>')
    path = tmp_path / "arm.urdf"
    path.write_text(f'<robot name="r">{"".join(parts)}</robot>')
    for mimic in ("independent", "couple"):
        with pytest.warns(redyn.RedynWarning, match=rf"arm\.urdf:1: {message}.*taken as independent"):
            robot = redyn.load(path, mimic=mimic)
        assert leaders(robot) == {}
        assert robot.dof == 5
