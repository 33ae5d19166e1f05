"""Transforms of robots, against run-time payloads, rows of full matrices, Pinocchio and trees built by hand."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import redyn
from pinocchio_urdf import exported
from random_robots import close, on_floats, random_inertia, random_state, random_tree, trees
from redyn.description.placement import rpy_rotation, translation
from redyn.description.transforms import as_frames
from redyn.description.yaml_file import parse_yaml
from redyn.verify.pinocchio_peer import Pinocchio

CONVENTIONS = ["frames", "dh", "modified-dh"]
KEYS = ("xx", "xy", "xz", "yy", "yz", "zz")
conventions = st.sampled_from(CONVENTIONS)
seeds = st.integers(0, 10**9)


def loaded(data, **options):
    return on_floats(redyn.load(data, exact=True, **options))


def check_saved(robot):
    """Transforms give descriptions that can be saved and read back."""
    same_robot(robot, on_floats(redyn.Robot(parse_yaml(robot.to_yaml(), "saved"), exact=True)))


def tip_named(data, which):
    """The same data with an end effector that moves."""
    names = [link["name"] for link in data["links"]]
    return data | {"end_effector": names[which % len(names)]}


def same_robot(one, two, seed=0, tolerance=1e-11, frames=()):
    """Equal dynamics and equal frames of the same names."""
    assert one.joint_names == two.joint_names
    q, qd, x = random_state(one, seed)
    M = one.mass_matrix(q)
    close(two.mass_matrix(q), M, tolerance=tolerance)
    close(two.inverse_dynamics(q, qd, x), one.inverse_dynamics(q, qd, x), tolerance=tolerance)
    for frame in frames or one.frame_names:
        close(two.forward_kinematics(q, frame), one.forward_kinematics(q, frame), tolerance=tolerance)
    np.testing.assert_array_equal(one.limits, two.limits)


@settings(max_examples=16)
@given(trees)
def test_as_frames_is_the_same_robot(data):
    robot = loaded(data)
    frames = as_frames(robot.description)
    assert frames.convention == "frames"
    same_robot(robot, on_floats(redyn.Robot(frames, exact=True)))
    assert robot.initial.tolist() == redyn.Robot(frames).initial.tolist()


@settings(max_examples=16)
@given(trees, st.integers(0, 8), seeds)
def test_payload_is_the_payload_of_a_call(data, which, seed):
    robot = loaded(tip_named(data, which))
    rng = np.random.default_rng(seed)
    mass, com = rng.uniform(0.1, 3), rng.uniform(-0.3, 0.3, 3)
    six = random_inertia(rng, mass, 0.2)
    about_com = np.array([[six["".join(sorted((a, b)))] for b in "xyz"] for a in "xyz"])
    carrying = on_floats(robot.with_payload(mass, com, about_com))
    six_numbers = on_floats(robot.with_payload(mass, com.tolist(), [six[key] for key in KEYS]))
    I = about_com + mass * (com @ com * np.eye(3) - np.outer(com, com))
    payload = [mass, *(mass * com), I[0, 0], I[0, 1], I[1, 1], I[0, 2], I[1, 2], I[2, 2]]
    q, qd, x = random_state(robot, seed)
    tau = robot.inverse_dynamics(q, qd, x, payload=payload)
    close(carrying.inverse_dynamics(q, qd, x), tau)
    close(six_numbers.inverse_dynamics(q, qd, x), tau)
    qdd = robot.forward_dynamics(q, qd, x, payload=payload)
    close(carrying.forward_dynamics(q, qd, x), qdd, np.linalg.cond(carrying.mass_matrix(q)))
    assert carrying.model.end_effector == robot.model.end_effector
    assert carrying.description.convention == robot.description.convention
    check_saved(carrying)
    assert carrying.total_mass == pytest.approx(robot.total_mass + mass)


@settings(max_examples=16)
@given(trees, st.integers(0, 2**9), seeds)
def test_locked_joints_leave_rows_of_the_full_robot(data, chosen, seed):
    robot = loaded(data)
    held = [i for i in range(robot.dof) if chosen >> i & 1]
    free = [i for i in range(robot.dof) if i not in held]
    assume(held and free)
    q, qd, x = random_state(robot, seed)
    q[held[0]] = robot.initial[held[0]]
    values = {robot.joint_names[i]: q[i] for i in held} | {robot.joint_names[held[0]]: None}
    reduced = on_floats(robot.lock(values))
    assert reduced.joint_names == [robot.joint_names[i] for i in free]
    assert reduced.frame_names == robot.frame_names
    qd[held] = x[held] = 0.0
    close(reduced.mass_matrix(q[free]), robot.mass_matrix(q)[np.ix_(free, free)])
    close(reduced.inverse_dynamics(q[free], qd[free], x[free]), robot.inverse_dynamics(q, qd, x)[free])
    for frame in robot.frame_names:
        close(reduced.forward_kinematics(q[free], frame), robot.forward_kinematics(q, frame))
    check_saved(reduced)
    assert reduced.description.convention == robot.description.convention


@settings(max_examples=12)
@given(seeds, conventions)
def test_lock_agrees_with_pinocchio(seed, convention):
    import pinocchio as pin

    data = random_tree(seed, 7, convention=convention, friction=False)
    for link in data["links"]:
        link["joint"].pop("armature", None)
    robot = loaded(data)
    assume(robot.dof > 2)
    q, qd, x = random_state(robot, seed)
    held = [0, robot.dof // 2]
    free = [i for i in range(robot.dof) if i not in held]
    reduced = on_floats(robot.lock({robot.joint_names[i]: q[i] for i in held}))
    full = exported(robot)
    held_ids = [full.model.getJointId(robot.joint_names[i]) for i in held]
    model = pin.buildReducedModel(full.model, held_ids, full.q(q))
    tau = reduced.inverse_dynamics(q[free], qd[free], x[free])
    close(tau, Pinocchio(model, reduced.joint_names).inverse_dynamics(q[free], qd[free], x[free]))


@settings(max_examples=16)
@given(seeds, conventions, conventions, st.booleans())
def test_attach_is_the_tree_built_by_hand(seed, first, second, right):
    rng = np.random.default_rng(seed)
    arm, tool = random_tree(seed, 4, convention=first), random_tree(seed + 1, 3, convention=second)
    xyz = rng.uniform(-0.5, 0.5, 3)
    rpy = rng.integers(-2, 3, 3) * np.pi / 2 if right else rng.uniform(-3, 3, 3)
    where = arm["links"][int(rng.integers(4))]["name"]
    robot, other = loaded(arm), loaded(tool)
    pose = translation(*xyz) @ rpy_rotation(*rpy)
    both = on_floats(robot.attach(other, where, (xyz, rpy)))
    same_robot(both, on_floats(robot.attach(other, where, pose)))
    if first == second:
        assert both.description.convention == first
    np.testing.assert_array_equal(both.gravity, robot.gravity)
    # by hand: both in frames, the links of the second renamed and hung on a link at the pose
    by_hand = {"name": "by hand", "convention": "frames", "gravity": arm["gravity"], "links": []}
    for description, prefix in ((robot.description, ""), (other.description, f"{tool['name']}_")):
        if prefix:
            mount = {"name": f"{prefix}base", "parent": where, "joint": "fixed"}
            by_hand["links"].append(mount | {"xyz": xyz, "rpy": rpy})
        for link in as_frames(description).links:
            item = link.model_dump(exclude_unset=True, exclude_none=True)
            item["name"] = prefix + item["name"]
            item["parent"] = f"{prefix}base" if prefix and link.parent == "world" else prefix + link.parent
            if not prefix and link.parent == "world":
                item["parent"] = "world"
            item["joint"] = link.joint.model_dump(exclude_defaults=True) | {"name": prefix + link.joint.name}
            by_hand["links"].append(item)
    frames = [*robot.frame_names, *(f"{tool['name']}_{name}" for name in ("base", *other.frame_names))]
    same_robot(both, loaded(by_hand), frames=frames)
    check_saved(both)


def test_attach_twice_and_to_itself():
    arm, hand = redyn.load("puma", exact=True), redyn.load("two-link")
    one = arm.attach(hand)
    assert one.model.end_effector == "two-link_link2"
    assert one.joint_names[6:] == ["two-link_joint1", "two-link_joint2"]
    two = one.attach(hand, "link6", ([0, 0, 0.2], [0, 0, 0]))
    assert two.joint_names[8:] == ["two-link2_joint1", "two-link2_joint2"]
    assert two.model.end_effector == "two-link_link2"  # not where the second hand sits
    check_saved(on_floats(two))
    assert arm.dof == 6
    assert hand.attach(hand).dof == 4
    assert "one-link_base" in arm.attach(redyn.load("one-link"), 0).frame_names


def test_attach_without_a_collision_keeps_names():
    data = random_tree(1, 3, convention="dh")
    for link in data["links"]:
        link["joint"]["name"] = f"drive of {link['name']}"
    both = redyn.load(data).attach(redyn.load("two-link"), "part1")
    assert both.joint_names[-2:] == ["joint1", "joint2"]
    assert both.frame_names[-3:] == ["two-link_base", "link1", "link2"]


@settings(max_examples=16)
@given(trees, st.integers(0, 8), seeds)
def test_subtree(data, which, seed):
    robot = loaded(data)
    root = robot.frame_names[which % len(robot.frame_names)]
    links = {link.name: link for link in robot.description.links}

    def below(name):
        while name != "world":
            if name == root:
                return True
            name = links[name].parent
        return False

    moving = [i for i, name in enumerate(robot.link_names) if below(name)]
    if not moving:
        with pytest.raises(redyn.InputError, match="moves"):
            robot.subtree(root)
        return
    part = on_floats(robot.subtree(root))
    assert part.joint_names == [robot.joint_names[i] for i in moving]
    check_saved(part)
    q, qd, x = random_state(robot, seed)
    # with its carrier at rest the part moves as in the whole, with gravity seen from the carrier
    carrier = robot.forward_kinematics(q, links[root].parent)
    still = np.ones(robot.dof)
    still[moving] = 0.0
    qd[still == 1.0] = x[still == 1.0] = 0.0
    g = carrier[:3, :3].T @ robot.gravity
    close(part.inverse_dynamics(q[moving], qd[moving], x[moving], gravity=g), robot.inverse_dynamics(q, qd, x)[moving])
    for frame in part.frame_names:
        close(carrier @ part.forward_kinematics(q[moving], frame), robot.forward_kinematics(q, frame))


def test_drives_survive():
    drive = {"type": "revolute", "damping": 0.1, "coulomb": 0.2, "smoothing": 0.01, "armature": 0.3, "offset": 0.4}
    drive |= {"limits": [-1, 2], "speed_limit": 3, "effort_limit": 4, "initial": 0.5}
    body = {"mass": 1.0, "r": [-0.1, 0.2, 0], "inertia": [0.1, 0.2, 0.25], "a": 0.3, "b": 0.1, "alpha": 0.7}
    data = {"name": "arm", "convention": "dh", "links": [body | {"joint": drive}, body | {"joint": drive}]}
    robot = redyn.load(data, exact=True)
    in_frames = redyn.load(random_tree(3, 2), exact=True)
    for changed in (
        robot.with_payload(1.0),
        robot.lock({"joint1": 0.0}),
        robot.attach(in_frames),
        in_frames.attach(robot, "part1"),
        robot.subtree("link2"),
    ):
        joints = {link.joint.name: link.joint for link in changed.description.links}
        kept = joints.get("arm_joint2") or joints["joint2"]
        fields = {key: getattr(kept, key) for key in drive}
        assert fields == drive | {"limits": (-1.0, 2.0), "initial": (0.5,)}
        check_saved(on_floats(changed))


def test_followers_keep_a_leader_that_still_moves():
    link = {"mass": 1, "com": [0, 0, 0], "inertia": [1, 1, 1], "joint": "revolute"}
    follower = link | {"joint": {"type": "revolute", "mimic": {"joint": "joint1", "multiplier": 2}}}
    robot = redyn.load({"name": "hand", "convention": "frames", "links": [link, follower, link]})

    def leaders(robot):
        return [link.joint.mimic.joint for link in robot.description.links if link.joint.mimic]

    assert leaders(robot.lock({"joint1": 0.1})) == leaders(robot.subtree("link2")) == []
    assert leaders(robot.lock({"joint3": 0.1})) == ["joint1"]
    assert leaders(robot.attach(robot)) == ["joint1", "hand_joint1"]


def test_meshes_of_two_folders(tmp_path):
    link = {"mass": 1, "com": [0, 0, 0], "inertia": [1, 1, 1], "joint": "revolute"}
    ball = {"type": "sphere", "radius": 1}
    drawn = link | {"visual": [ball, {"type": "mesh", "file": "a.stl"}]}
    plain = redyn.load({"name": "plain", "convention": "frames", "links": [link]})
    made = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        robot = redyn.load({"name": name, "convention": "frames", "links": [drawn]})
        robot.to_yaml(tmp_path / name / "robot.yaml")
        made.append(redyn.load(tmp_path / name / "robot.yaml"))
    one, two = made
    assert plain.attach(one).description.folder == tmp_path / "one"
    assert one.attach(plain).description.folder == tmp_path / "one"
    with pytest.warns(redyn.RedynWarning, match="meshes of 'two' are left out"):
        both = one.attach(two)
    assert [len(link.visual) for link in both.description.links] == [2, 0, 1]
    assert both.description.folder == tmp_path / "one"


def test_options_go_with_the_robot():
    robot = redyn.load(random_tree(5, 4), friction=False, exact=True)
    assert not robot.lock({robot.joint_names[0]: 0.1}).friction_torque(np.ones(robot.dof - 1)).any()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda r: r.with_payload(-1.0), "mass is negative"),
        (lambda r: r.with_payload(1.0, [0, 0]), "com: expected 3 numbers"),
        (lambda r: r.with_payload(float("nan")), "mass: expected a finite"),
        (lambda r: r.with_payload(1.0, inertia=[1, 1, 3]), "largest principal moment"),
        (lambda r: r.with_payload(1.0, inertia=[[1, 2, 0], [0, 1, 0], [0, 0, 1]]), "not symmetric"),
        (lambda r: r.with_payload(None), "mass"),
        (lambda r: r.with_payload(1.0, link=0), "fixed to the world"),
        (lambda r: r.with_payload(1.0, link="link9"), "no frame 'link9'"),
        (lambda r: r.lock({"joint9": 1}), "did you mean"),
        (lambda r: r.lock({"joint1": "x"}), "joint1: expected a finite number"),
        (lambda r: r.lock({"joint1": float("inf")}), "finite"),
        (lambda r: r.lock(["joint1"]), "expected {joint"),
        (lambda r: r.lock(dict.fromkeys(r.joint_names)), "no joint would be left to move"),
        (lambda r: r.attach("puma"), "expected a robot"),
        (lambda r: r.attach(r, pose=np.eye(3)), "got shape"),
        (lambda r: r.attach(r, pose=np.diag([1.0, 1, -1, 1])), "right-handed"),
        (lambda r: r.attach(r, pose=([0, 0, 0], [0, 0, np.nan])), "finite"),
        (lambda r: r.attach(r, pose="here"), "expected a 4x4"),
        (lambda r: r.attach(r, "link9"), "no frame"),
        (lambda r: r.subtree(0), "world"),
        (lambda r: r.subtree("link9"), "no frame"),
        (lambda r: r.linearize([0.0] * 3, [0.0] * 3, [0.0] * 3, step=0), "above 0"),
        (lambda r: r.linearize([0.0] * 3, [0.0] * 3, [0.0] * 3, step="1"), "above 0"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(redyn.InputError, match=message):
        call(redyn.load("three-link"))


@settings(max_examples=16)
@given(trees, seeds)
def test_torque_parts(data, seed):
    robot = loaded(data)
    q, qd, x = random_state(robot, seed)
    parts = robot.torque_parts(q, qd, x)
    close(sum(parts), robot.inverse_dynamics(q, qd, x))
    close(parts.inertia, robot.mass_matrix(q) @ x)
    close(parts.coriolis, robot.coriolis_vector(q, qd))
    close(parts.friction, robot.friction_torque(qd))
    _, qd, x = random_state(robot, seed, (5,))
    batch = robot.torque_parts(q, qd, x, gravity=[1, 2, 3])
    assert {part.shape for part in batch} == {(5, robot.dof)}
    close(sum(batch), robot.inverse_dynamics(q, qd, x, gravity=[1, 2, 3]))


def test_linearize():
    robot = redyn.load("puma").with_payload(1.0, [0, 0, 0.1])
    q, qd, tau = random_state(robot, 2)
    A, B = robot.linearize(q, qd, tau)
    n, h = robot.dof, 1e-6

    def rate(state, torque):
        return np.concatenate([state[n:], robot.forward_dynamics(state[:n], state[n:], torque)])

    state = np.concatenate([q, qd])
    for j, e in enumerate(np.eye(2 * n)):
        slope = (rate(state + h * e, tau) - rate(state - h * e, tau)) / (2 * h)
        close(A[:, j], slope, tolerance=1e-6)
    for j, e in enumerate(np.eye(n)):
        close(B[:, j], (rate(state, tau + e) - rate(state, tau - e)) / 2, tolerance=1e-9)


def test_linearize_discrete_is_the_flow_of_the_continuous():
    robot = redyn.load("three-link")
    q, qd, tau = random_state(robot, 4)
    A, B = robot.linearize(q, qd, tau)
    step = 0.01
    Ad, Bd = robot.linearize(q, qd, tau, step=step)
    terms, power, integral = np.eye(6), np.eye(6), np.eye(6) * step
    for k in range(1, 25):
        power = power @ A * step / k
        terms = terms + power
        integral = integral + power * step / (k + 1)
    close(Ad, terms)
    close(Bd, integral @ B)


@pytest.mark.parametrize("step", [None, 0.02])
def test_linearize_batches(step):
    robot = redyn.load("three-link")
    q, qd, tau = random_state(robot, 1, (4,))
    A, B = robot.linearize(q, qd, tau, step=step)
    assert (A.shape, B.shape) == ((4, 6, 6), (4, 6, 3))
    for i in range(4):
        one = robot.linearize(q[i], qd[i], tau[i], step=step)
        close(A[i], one[0])
        close(B[i], one[1])
    A, B = robot.linearize(q[:0], qd[:0], tau[:0], step=step)
    assert (A.shape, B.shape) == ((0, 6, 6), (0, 6, 3))


BALL = {
    "name": "ball",
    "convention": "frames",
    "links": [
        {
            "name": "arm",
            "joint": {"type": "revolute", "name": "turn"},
            "mass": 1,
            "com": [0, 0, 0],
            "inertia": [1, 1, 1],
        },
        {
            "name": "ball",
            "joint": {"type": "spherical", "name": "ball"},
            "mass": 1,
            "com": [0.1, 0, 0],
            "inertia": [1, 1, 1],
        },
    ],
}


@pytest.mark.parametrize("turn", [[0, 0, 0, 2], [0, 0, 0, 0], [0, 0, 0, 1.00001]])
def test_lock_takes_quaternions_of_length_one_only(turn):
    with pytest.raises(redyn.InputError, match=r"lock: ball: the quaternion .* expected 1"):
        redyn.load(BALL).lock({"ball": turn})


def test_lock_reads_numbers_as_other_calls_do():
    robot = redyn.load(BALL)
    with pytest.raises(redyn.InputError, match="lock: ball: masked arrays are not supported"):
        robot.lock({"ball": np.ma.array([0.0, 0.0, 0.0, 1.0], mask=[True, False, False, False])})
    assert robot.lock({"turn": np.array(0.5)}).joint_names == ["ball"]


def test_files_allow_quaternions_the_rounding_that_calls_allow():
    few_digits = [0.0, 0.0, 0.70710735, 0.70710735]  # squared length 1 + 1.6e-6
    data = BALL | {"links": [link | {"joint": dict(link["joint"])} for link in BALL["links"]]}
    data["links"][1]["joint"]["initial"] = few_digits
    robot = redyn.load(data)
    assert abs(np.linalg.norm(robot.initial[1:]) - 1.0) < 1e-15
    robot.mass_matrix([0.0, *few_digits])
