"""Transforms of robots with loops: what is locked, cut out, joined or set free moves as the whole robot does."""

import warnings

import numpy as np
import pytest

import redyn
from random_robots import close, on_floats
from redyn.description import library, read
from redyn.description.loops import loop_frames
from redyn.description.transforms import as_frames
from redyn.description.yaml_file import parse_yaml

CLOSED = [name for name in library() if read(name).loops]
POINT = [{"name": "cut", "between": ["crank", "coupler"], "joint": "revolute", "at": [0.05, 0, 0]}]


def loaded(name, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return on_floats(redyn.load(name, exact=True, **options))


def motion(robot, seed=0):
    """A closed state in motion, with torques."""
    rng = np.random.default_rng(seed)
    q = robot.initial
    qd = robot.transmission(q) @ rng.uniform(-1, 1, robot.mobility)
    return q, qd, rng.uniform(-1, 1, robot.dof)


def saved(robot):
    """The description survives saving, so that its names and numbers are consistent."""
    assert parse_yaml(robot.to_yaml(), "saved") == robot.description
    return on_floats(robot)


def by_name(robot, values, other):
    """Values of the joints of one robot in the order of another."""
    named = dict(zip(robot.velocity_names, values, strict=True))
    return np.array([named[name] for name in other.velocity_names])


@pytest.mark.parametrize("name", CLOSED)
def test_as_frames(name):
    robot = loaded(name)
    again = saved(redyn.Robot(as_frames(robot.description), exact=True))
    q, qd, tau = motion(robot)
    assert (again.mobility, again.actuated, again.joint_names) == (robot.mobility, robot.actuated, robot.joint_names)
    close(again.forward_dynamics(q, qd, tau), robot.forward_dynamics(q, qd, tau), tolerance=1e-8)


def dh_four_bar():
    """A four-bar of two chains in a DH table, closed by a pin between two link ends."""
    body = {"mass": 1, "inertia": [0.01, 0.01, 0.01], "b": 0, "alpha": 0}
    lengths = {"link1": 0.3, "link2": 0.8, "link3": 0.5}
    links = [{"name": name, "a": a, "com": [-a / 2, 0, 0], "joint": "revolute", **body} for name, a in lengths.items()]
    base = {"name": "base", "parent": "world", "joint": "fixed", "a": 0.8, "b": 0, "alpha": 0, "theta": 0}
    links[2]["parent"] = "base"
    links[2]["joint"] = {"type": "revolute", "initial": 2.0}
    loops = [{"between": ["link2", "link3"], "joint": "revolute"}]
    robot = {"name": "bars", "convention": "dh", "links": [*links[:2], base, links[2]]}
    return robot | {"loops": loops, "actuated": ["joint1"], "gravity": [0, -9.81, 0]}


def test_as_frames_from_a_dh_table():
    robot = loaded(dh_four_bar())
    again = saved(redyn.Robot(as_frames(robot.description), exact=True))
    assert (again.description.convention, again.mobility) == ("frames", 1)
    q, qd, tau = motion(robot)
    close(again.loop_error(q), np.zeros(5))
    close(again.forward_dynamics(q, qd, tau), robot.forward_dynamics(q, qd, tau), tolerance=1e-9)


@pytest.mark.parametrize("name", CLOSED)
def test_payload(name):
    """As the same body given in the call."""
    robot = loaded(name)
    if robot.model.end_effector is None or robot.named_frame()[1].link == 0:
        pytest.skip("no end effector")
    carries = saved(robot.with_payload(0.3, [0.01, 0.02, 0.03], [0.01, 0.02, 0.02]))
    assert (carries.loops, carries.actuated) == (robot.loops, robot.actuated)
    q, qd, tau = motion(robot)
    m, c = 0.3, np.array([0.01, 0.02, 0.03])
    tensor = np.diag([0.01, 0.02, 0.02]) + m * (c @ c * np.eye(3) - np.outer(c, c))
    payload = [m, *(m * c), *(tensor[i, j] for i, j in ((0, 0), (0, 1), (1, 1), (0, 2), (1, 2), (2, 2)))]
    close(carries.forward_dynamics(q, qd, tau), robot.forward_dynamics(q, qd, tau, payload=payload), tolerance=1e-8)


def test_lock_inside_a_loop():
    """The others accelerate as in the whole robot with a torque that holds that joint."""
    robot = loaded("five-bar")
    held = robot.actuated[0]
    at = dict(zip(robot.joint_names, robot.initial, strict=True))[held]
    still = saved(robot.lock({held: at}))
    assert still.mobility == robot.mobility - 1
    assert still.actuated == robot.actuated[1:]
    assert [loop.name for loop in still.loops] == [loop.name for loop in robot.loops]
    q = by_name(robot, robot.initial, still)
    close(still.loop_error(q), 0 * still.loop_error(q))
    tau = np.zeros(robot.dof)
    index = robot.joint_names.index(held)
    free = robot.forward_dynamics(robot.initial, 0 * tau, tau)[index]
    unit = robot.forward_dynamics(robot.initial, 0 * tau, np.eye(robot.dof)[index])[index] - free
    tau[index] = -free / unit  # what holds that joint
    expected = robot.forward_dynamics(robot.initial, 0 * tau, tau)
    close(expected[index], 0.0, tolerance=1e-9)
    still_tau = np.zeros(still.dof)
    close(still.forward_dynamics(q, 0 * q, still_tau), by_name(robot, expected, still), tolerance=1e-8)


def test_lock_everything_in_a_loop():
    """A closed loop that cannot move is left out; an open one is an error that says so."""
    arm = loaded("three-link").attach(loaded("four-bar"))
    at = dict(zip(arm.joint_names, arm.initial, strict=True))
    loop = {name: at[name] for name in ("crank", "output", "coupler")}
    still = saved(arm.lock(loop))
    assert not still.loops
    assert still.description.actuated is None
    assert still.joint_names == ["joint1", "joint2", "joint3"]
    with pytest.raises(redyn.InputError, match=r"lock: loop 'cut' would stay open by .*links 'crank' and 'coupler'"):
        arm.lock(loop | {"crank": 0.5})


def test_lock_keeps_frames_from_the_initial_pose():
    """A point of which one side is given stays where it was, though the initial pose changes."""
    robot = loaded("four-bar", loops=POINT, actuated=["crank"])
    first, second = loop_frames(robot.description)[0]
    moved = robot.complete([0.4]).q
    still = saved(robot.lock({"output": float(moved[1])}))
    close(loop_frames(still.description)[0], (first, second))
    close(still.loop_error([moved[0], moved[2]]), np.zeros(5))


def geared(*loops):
    """Three joints side by side."""
    body = {"parent": "world", "mass": 1, "com": [0.1, 0, 0], "inertia": [0.1, 0.1, 0.1]}
    links = [{"name": name, "joint": {"type": "revolute", "name": name}, **body} for name in ("a", "b", "c", "d")]
    links[3]["joint"]["mimic"] = {"joint": "b", "multiplier": 2.0}
    return {"name": "gears", "convention": "frames", "links": links, "loops": list(loops), "actuated": ["a", "c"]}


TEETH = {"name": "teeth", "between": ["a", "b"], "joint": "gear", "coefficients": [0.1, 2, 1]}


def test_lock_a_ring_of_gears():
    """Ratios that are each other's inverse but for rounding do not go round for ever."""
    there = TEETH | {"coefficients": [0, 2]}
    back = {"name": "back", "between": ["b", "a"], "joint": "gear", "coefficients": [0, 0.5]}
    assert not redyn.load(geared(there, back)).lock({"a": 0.5, "b": 1.0}).loops
    robot = redyn.load(geared(there, back | {"coefficients": [0, 0.5000000001]}))
    with pytest.raises(redyn.InputError, match="gears form a ring"):
        robot.lock({"a": 0.5, "b": 1.0})


def test_lock_joints_of_a_gear():
    robot = loaded(geared(TEETH))
    with pytest.warns(redyn.RedynWarning, match="lock: fixed too, since they follow a locked joint: 'b', 'd'"):
        still = saved(robot.lock({"a": 0.5}))
    assert (still.joint_names, still.loops) == (["c"], [])
    assert still.description.actuated is None
    angle = 0.1 + 2 * 0.5 + 0.5**2
    close(still.forward_kinematics([0.0], "b")[:2, 0], [np.cos(angle), np.sin(angle)])
    close(still.forward_kinematics([0.0], "d")[:2, 0], [np.cos(2 * angle), np.sin(2 * angle)])
    assert saved(robot.lock({"c": 0.5})).actuated == ["a"]
    assert not robot.lock({"a": 0.5, "b": angle}).loops
    with pytest.raises(
        redyn.InputError, match=r"'b' follows 'a' through the gear 'teeth', which puts it at 1\.35, not"
    ):
        robot.lock({"a": 0.5, "b": 1.0})
    with pytest.raises(
        redyn.InputError, match="'b' follows 'a' through the gear 'teeth', which would be free; lock 'a'"
    ):
        robot.lock({"b": 1.0})


def test_subtree_keeps_loops_inside():
    arm = loaded("three-link").attach(loaded("four-bar"), pose=([0.1, 0, 0], [0, 0.3, 0]))
    part = saved(arm.subtree("link3_body"))
    assert [loop.between for loop in part.loops] == [("crank", "coupler")]
    assert part.actuated == ["joint3", "crank"]
    assert part.mobility == 2
    alone = saved(arm.subtree("four-bar_base"))
    assert alone.actuated == ["crank"]
    q, qd, tau = motion(loaded("four-bar"))
    down = alone.forward_kinematics(q, "four-bar_base")[:3, :3] @ [0, -9.81, 0]
    expected = loaded("four-bar").forward_dynamics(q, qd, tau)
    close(alone.forward_dynamics(q, qd, tau, gravity=down), expected, tolerance=1e-9)


def test_subtree_leaves_out_loops_that_leave_it():
    robot = loaded("four-bar")
    with pytest.warns(redyn.RedynWarning, match="subtree: loop 'cut' is left out: 'crank' is not part of it"):
        part = saved(robot.subtree("output"))
    assert not part.loops
    assert part.description.actuated is None
    gears = loaded(geared(TEETH))
    with pytest.warns(redyn.RedynWarning, match="subtree: loop 'teeth' is left out: 'b' is not part of it"):
        assert not gears.subtree("a").loops


def test_subtree_keeps_loops_to_what_becomes_the_world():
    """A loop to the link that carries the part."""
    chain = {"name": "chain", "convention": "frames", "actuated": ["joint1"], "links": []}
    body = {"mass": 1, "com": [0.1, 0, 0], "inertia": [0.1, 0.1, 0.1], "joint": "revolute"}
    chain["links"] = [{"name": f"l{i}", "xyz": [0.3, 0, 0], **body} for i in range(4)]
    chain["loops"] = [{"between": ["l3", "l0"], "joint": "spherical", "at": [0.1, 0.2, 0]}]
    whole = loaded(chain)
    part = saved(whole.subtree("l1"))
    assert part.loops[0].between == ("l3", "world")
    close(loop_frames(part.description)[0], loop_frames(whole.description)[0])


def test_attach_both_with_loops():
    first, second = loaded("four-bar"), loaded("four-bar")
    both = saved(first.attach(second, "coupler-pin", ([0.1, 0.2, 0.3], [0.3, 0.2, 0.1])))
    assert [loop.name for loop in both.loops] == ["cut", "four-bar_cut"]
    assert both.loops[1].between == ("four-bar_crank", "four-bar_coupler")
    assert both.actuated == ["crank", "four-bar_crank"]
    assert both.mobility == 2
    close(both.loop_error(both.initial), np.zeros(10))


def test_attach_counts_joints_without_loops_as_driven():
    arm, bars = loaded("three-link"), loaded("four-bar")
    assert saved(arm.attach(bars)).actuated == ["joint1", "joint2", "joint3", "crank"]
    assert saved(bars.attach(arm)).actuated == ["crank", "joint1", "joint2", "joint3"]
    assert arm.attach(loaded("two-link")).description.actuated is None
    free = loaded("three-link", floating_base=True)
    assert free.attach(bars).actuated == ["joint1", "joint2", "joint3", "crank"]
    gears = geared(TEETH) | {"loops": [], "actuated": None}
    assert bars.attach(loaded(gears)).actuated == ["crank", "a", "b", "c"]  # d mimics b


def test_attach_turns_the_world_into_the_base():
    """Loops of the attached robot to its world; names of loops that are taken get a number."""
    loops = [{"between": ["coupler", "world"], "joint": "distance", "length": 0.2}]
    bars = loaded("four-bar", loops=loops, actuated=["crank"])
    gears = loaded(geared({"between": ["a", "b"], "joint": "gear", "coefficients": [0, 1]}))
    both = saved(bars.attach(bars, "crank").attach(gears, "output"))
    assert [loop.name for loop in both.loops] == ["loop1", "four-bar_loop1", "loop12"]
    assert [loop.between for loop in both.loops] == [
        ("coupler", "world"),
        ("four-bar_coupler", "four-bar_base"),
        ("a", "b"),
    ]


@pytest.mark.parametrize("name", CLOSED)
def test_floating(name):
    """Held still by what the world exerted, the base stays, and the robot moves as on the ground."""
    robot, free = loaded(name), loaded(name, floating_base=True)
    assert free.mobility == robot.mobility + 6
    assert free.actuated == robot.actuated
    assert not any("world" in loop.between for loop in free.loops)
    q, qd, tau = motion(robot)
    start = np.concatenate([[0, 0, 0, 0, 0, 0, 1], q])
    close(free.loop_error(start), robot.loop_error(q))
    qdd = robot.forward_dynamics(q, qd, tau)
    still = np.zeros(6)
    close(free.loop_jacobian(start) @ np.concatenate([still, qd]), robot.loop_jacobian(q) @ qd)
    close(free.tree.mass_matrix(start)[6:, 6:], robot.tree.mass_matrix(q))
    assert np.isfinite(qdd).all()
