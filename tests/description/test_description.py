"""Robot files: what they may say, and that they read back as they were."""

import math
import pickle

import numpy as np
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

import redyn
from random_robots import close, random_state, random_tree, trees
from redyn.description import gallery, library
from redyn.description.entries import GROUPS
from redyn.description.numbers import format_angle, parse_angle, parse_number
from redyn.description.packages import PACKAGES
from redyn.model.build import ordered

NUMBERS = {
    "0.3": 0.3,
    "1e-3": 1e-3,
    ".5": 0.5,
    "pi/2": math.pi / 2,
    "-pi": -math.pi,
    "90 deg": math.pi / 2,
    "-90deg": -math.pi / 2,
    "45°": math.pi / 4,
    "3*pi/4": 3 * math.pi / 4,
    "2*(1 + 3)/4 - 1": 1.0,
    "π/6": math.pi / 6,
    "1.5 rad": 1.5,
    "+2": 2.0,
    "1/2 deg": math.pi / 360,
    "90 deg + 2*45 deg": math.pi,
    "--2": 2.0,
    7: 7.0,
}


@pytest.mark.parametrize(("text", "value"), NUMBERS.items())
def test_numbers(text, value):
    assert parse_angle(text) == pytest.approx(value, rel=1e-15)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "abc",
        "1 2",
        "pi pi",
        "(1",
        "1)",
        "1/0",
        "nan",
        "inf",
        "1e999",
        "__import__('os')",
        "2**3",
        "1_000",
        "0x10",
        "deg",
        "1,5",
        None,
        True,
        [1],
        "9" * 200,
    ],
)
def test_what_is_not_a_number(text):
    with pytest.raises(ValueError, match="number"):
        parse_angle(text)


def test_numpy_numbers_are_numbers():
    assert parse_number(np.float32(0.5)) == 0.5
    assert parse_number(np.int64(3)) == 3.0


@given(st.floats(-10, 10))
def test_angles_are_written_without_loss(angle):
    assert parse_angle(format_angle(angle)) == angle


@pytest.mark.parametrize("name", library())
def test_library_robots_say_where_they_come_from(name):
    robot = redyn.load(name)
    assert robot.name == name
    assert robot.description.source
    assert all(robot.description.defects)
    again = redyn.load(yaml.safe_load(robot.to_yaml()))
    assert again.description == robot.description


def test_library_is_the_published_list():
    published = """one-link two-link three-link puma stanford kuka-kr5 kuka-kr5-printed puma-2003 puma-2003-printed
        stanford-2003 newton-euler-rr newton-euler-rp newton-euler-rrr lagrange-two-link lagrange-pointing point-mass
        dual-arm-satellite gripper planar-biped spatial-biped four-bar slider-crank five-bar 3-rrr stewart delta
        parallelogram-arm excavator hoeken andrews bricard differential-drive agv car mecanum omni rolling-disk
        chaplygin-sleigh mobile-manipulator quadruped biped hexapod flexible-beam spin-up flexible-two-link
        flexible-space-arm elastic-joint-arm"""
    arms = {entry.name for entry in gallery("industrial")}
    assert set(library()) - arms == set(published.split())
    assert len(arms) >= 25


def test_every_entry_has_a_title_and_a_group():
    for entry in gallery():
        assert entry.title
        assert entry.group in (PACKAGES if ":" in entry.name else GROUPS)


@pytest.mark.parametrize(
    "entry",
    [*gallery("mechanisms"), *gallery("humanoids"), *gallery("legged"), *gallery("trees")],
    ids=lambda e: e.name,
)
def test_entries_count_velocities(entry):
    robot = redyn.load(entry.name)
    assert (entry.dof, entry.mobility, entry.loops) == (robot.dof, robot.model.mobility, len(robot.loops))


@pytest.mark.parametrize("entry", gallery("wheels"), ids=lambda e: e.name)
def test_entries_on_wheels_count_independent_rates(entry):
    robot = redyn.load(entry.name)
    assert (entry.dof, entry.mobility) == (robot.tree.dof, robot.dof)
    assert all(link.visual for link in robot.description.links if link.joint.type != "fixed")


def test_search_of_the_gallery():
    assert {entry.name for entry in gallery("book", "puma printed")} == {"puma-2003-printed"}
    assert {entry.group for entry in gallery(search="KUKA")} == {"book", "industrial"}
    assert gallery(search="no such robot") == []
    assert [entry.estimated for entry in gallery(search="ur5e")] == [False]
    with pytest.raises(redyn.InputError, match="'boook' is not one; did you mean 'book'"):
        gallery("boook")


@given(trees)
def test_yaml_round_trip(data):
    robot = redyn.load(data)
    again = redyn.load(yaml.safe_load(robot.to_yaml()))
    assert again.description == robot.description
    assert again.to_yaml() == robot.to_yaml()


def test_files_and_pickles(tmp_path):
    robot = redyn.load(random_tree(5, 6))
    path = tmp_path / "arm.yaml"
    robot.to_yaml(path)
    q, qd, qdd = random_state(robot, 0)
    tau = robot.inverse_dynamics(q, qd, qdd)
    for other in (redyn.load(path), redyn.load(str(path)), pickle.loads(pickle.dumps(robot))):
        assert (other.inverse_dynamics(q, qd, qdd) == tau).all()


@pytest.mark.slow
@settings(max_examples=40)
@given(st.integers(0, 10**6), st.integers(2, 8), st.integers(0, 10**6))
def test_order_of_links_in_the_file_does_not_matter(seed, n, shuffle):
    """Children may stand before their parents: the order becomes depth first, the physics stays."""
    data = random_tree(seed, n, fixed=0.2)
    for i, link in enumerate(data["links"]):
        link.setdefault("parent", "world" if i == 0 else f"part{i - 1}")
        link["joint"]["name"] = f"turn{i}"
    robot = redyn.load(data)
    mixed = dict(data, links=list(np.random.default_rng(shuffle).permutation(np.array(data["links"], dtype=object))))
    other = redyn.load(mixed)
    names = [str(link.name) for link in ordered(other.description.links)]
    assert all(str(link.parent) in ("world", *names[:k]) for k, link in enumerate(ordered(other.description.links)))
    q, qd, qdd = random_state(robot, seed)
    to = [robot.joint_names.index(name) for name in other.joint_names]
    close(other.inverse_dynamics(q[to], qd[to], qdd[to]), robot.inverse_dynamics(q, qd, qdd)[to])


def test_three_conventions_of_one_arm():
    """The same two-link arm from standard DH, modified DH and plain frames."""
    rod = {"joint": "revolute", "mass": 2.0, "inertia": [0.01, 0.2, 0.2]}
    standard = [{**rod, "a": 0.8, "b": 0.1, "alpha": "90 deg", "com": [-0.3, 0, 0]}] * 2
    turned = {**rod, "inertia": [0.01, 0.2, 0.2]}
    modified = [
        {**turned, "a": 0, "alpha": 0, "d": 0.1, "com": [0.5, 0, 0]},
        {**turned, "a": 0.8, "alpha": "pi/2", "d": 0.1, "com": [0.5, 0, 0]},
    ]
    frames = [
        {**turned, "xyz": [0, 0, 0.1], "axis": [0, 0, 2], "com": [0.5, 0, 0]},
        {**turned, "xyz": [0.8, -0.1, 0], "rpy": ["pi/2", 0, 0], "axis": [0, 0, 1], "com": [0.5, 0, 0]},
    ]
    robots = [
        redyn.load({"name": c, "convention": c, "links": links})
        for c, links in (("dh", standard), ("modified-dh", modified), ("frames", frames))
    ]
    q, qd, qdd = random_state(robots[0], 3)
    for robot in robots[1:]:
        close(robot.inverse_dynamics(q, qd, qdd), robots[0].inverse_dynamics(q, qd, qdd))
        close(robot.mass_matrix(q), robots[0].mass_matrix(q))


def test_r_is_the_book_vector_from_the_mass_centre_to_the_frame():
    data = {
        "name": "arm",
        "convention": "dh",
        "links": [
            {"joint": "revolute", "a": 1, "b": 0, "alpha": 0, "mass": 1, "r": [0.4, 0, 0.1], "inertia": [1, 1, 1]}
        ],
    }
    by_r = redyn.load(data)
    link = dict(data["links"][0], com=[-0.4, 0, -0.1])
    link.pop("r")
    by_com = redyn.load(dict(data, links=[link]))
    close(by_r.com([0.3]), by_com.com([0.3]))
    close(by_r.com([0.0]), [0.6, 0, -0.1])


def test_inertia_may_be_written_in_four_ways():
    base = {"joint": "revolute", "a": 1, "b": 0, "alpha": 0, "mass": 1, "com": [0, 0, 0]}
    forms = [
        {"xx": 1, "yy": 2, "zz": 2.5, "xy": 0.1, "xz": 0.2, "yz": 0.3},
        [1, 0.1, 0.2, 2, 0.3, 2.5],
        [[1, 0.1, 0.2], [0.1, 2, 0.3], [0.2, 0.3, 2.5]],
    ]
    robots = [redyn.load({"name": "a", "convention": "dh", "links": [{**base, "inertia": form}]}) for form in forms]
    assert len({robot.description.links[0].inertia for robot in robots}) == 1
    assert redyn.load({"name": "a", "convention": "dh", "links": [{**base, "inertia": [1, 1, 1]}]}).description.links[
        0
    ].inertia == (1, 0, 0, 1, 0, 1)


def test_fixed_links_are_lumped_and_keep_their_frames():
    data = random_tree(11, 4, fixed=0.0, serial=True)
    data["links"].append(
        {
            "name": "tool",
            "joint": "fixed",
            "xyz": [0.1, 0.2, 0.3],
            "rpy": [0.1, 0, 0],
            "mass": 1.0,
            "com": [0, 0, 0.1],
            "inertia": [0.1, 0.1, 0.1],
        }
    )
    robot = redyn.load(data)
    assert robot.dof == 4
    assert robot.link_names == ["part0", "part1", "part2", "part3"]
    assert robot.frame_names[-1] == "tool"
    q = random_state(robot, 0)[0]
    pose = robot.forward_kinematics(q)  # None: the end effector, the last frame of a serial robot
    close(pose, robot.forward_kinematics(q, "tool"))
    close(pose[:3, 3], (robot.forward_kinematics(q, 4) @ [0.1, 0.2, 0.3, 1])[:3])


def test_joint_variable_column_is_the_initial_value():
    assert redyn.load("stanford").initial == pytest.approx([0, -math.pi / 2, 0.635, 0, math.pi, math.pi])
    assert redyn.load("stanford").random(3).shape == (6,)


def test_limits_bound_random_states_but_not_dynamics():
    data = random_tree(2, 3, fixed=0)
    data["links"][0]["joint"]["limits"] = ["10 deg", "20 deg"]
    robot = redyn.load(data)
    drawn = np.array([robot.random(k)[0] for k in range(50)])
    assert (drawn >= math.radians(10)).all()
    assert (drawn <= math.radians(20)).all()
    robot.inverse_dynamics([9, 9, 9], [0, 0, 0], [0, 0, 0])


def test_chain():
    robot = redyn.chain(6, seed=4)
    assert robot.dof == 6
    assert robot.to_yaml() == redyn.chain(6, seed=4).to_yaml()
    assert robot.to_yaml() != redyn.chain(6, seed=5).to_yaml()
    for link in robot.description.links:
        assert 0 not in (link.a, link.b, link.alpha, *link.com, *link.inertia)
    assert redyn.chain(300).inverse_dynamics(np.zeros(300), np.zeros(300), np.zeros(300)).shape == (300,)


def test_snapping_right_angles():
    """A file that writes pi/2 with nine digits means a right angle; exact=True takes it at its word."""
    data = {
        "name": "a",
        "convention": "dh",
        "links": [
            {
                "joint": "revolute",
                "a": 0.4,
                "b": 0.3,
                "alpha": 1.570796325,
                "mass": 1,
                "com": [0.1, 0.2, 0.3],
                "inertia": [1, 1, 1],
            }
        ]
        * 3,
    }
    q, qd, qdd = np.random.default_rng(0).uniform(-1, 1, (3, 3))
    snapped, exact = redyn.load(data), redyn.load(data, exact=True)
    gap = np.abs(snapped.inverse_dynamics(q, qd, qdd) - exact.inverse_dynamics(q, qd, qdd)).max()
    assert 0 < gap < 1e-7


def test_friction_can_be_left_out():
    robot = redyn.load("point-mass")
    close(robot.friction_torque([2.0]), [0.3])
    close(redyn.load("point-mass", friction=False).friction_torque([2.0]), [0.0])
