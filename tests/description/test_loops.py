"""Loops in robot files: what is taken from the initial pose is said, they survive saving, and mistakes are named."""

import copy
import json
import tracemalloc
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import redyn
from random_robots import close
from redyn.description import from_mapping, library, read, to_yaml
from redyn.description.loops import initial_poses, loop_frames, with_frames

BODY = {"mass": 1, "com": [0, 0, 0], "inertia": [1, 1, 1]}
ROBOT = {
    "name": "r",
    "convention": "frames",
    "links": [
        {"name": "a", "joint": "revolute", **BODY},
        {"name": "b", "parent": "a", "joint": "revolute", "xyz": [1, 0, 0], **BODY},
        {"name": "tip", "parent": "b", "joint": "fixed", "xyz": [1, 0, 0]},
        {"name": "c", "parent": "world", "joint": {"type": "spherical"}, **BODY},
        {"name": "d", "parent": "c", "joint": {"type": "revolute", "mimic": {"joint": "joint1"}}, **BODY},
    ],
}
LOOP = {"name": "cut", "between": ["tip", "c"], "joint": "revolute"}
GEAR = {"name": "cut", "between": ["joint1", "joint2"], "joint": "gear", "coefficients": [0, 1]}


def described(*loops, actuated=("joint1",)):
    return copy.deepcopy(ROBOT) | {"loops": list(loops), "actuated": list(actuated)}


def edited(base=LOOP, **fields):
    return described(base | fields)


MISTAKES = {
    "unknown link": (edited(between=["tipp", "c"]), "loops[0].between: loop 'cut': no link is called 'tipp'; did you"),
    "unknown key": (edited(att=[0, 0, 0]), "loops[0].att: unknown key of a loop; did you mean 'at'?"),
    "itself": (edited(between=["c", "c"]), "loop 'cut': it connects link 'c' with itself; name two different links"),
    "rigid": (edited(between=["tip", "b"]), "loop 'cut': links 'tip' and 'b' are fixed to each other"),
    "world and world": (edited(between=["world", "world"]), "it connects link 'world' with itself"),
    "three links": (edited(between=["tip", "b", "c"]), "loops[0].between: expected two entries, got ['tip', 'b', 'c']"),
    "no ends": (described({"joint": "revolute"}), "loops[0].between: missing; the two links that the joint connects"),
    "no joint": (described({"between": ["a", "c"]}), "loops[0].joint: missing; write revolute, spherical or another"),
    "no such joint": (edited(joint="revolut"), "loops[0].joint: expected 'revolute', 'prismatic', "),
    "two numbers": (edited(at=[0, 0]), "loops[0].at: expected 3 numbers, x y z, got 2"),
    "not finite": (edited(at=[0, 0, float("inf")]), "loops[0].at: expected a finite number"),
    "huge": (edited(at=[0, 0, 1e300]), "loops[0].at: expected a number of reasonable size"),
    "zero axis": (
        edited(axis=[0, 0, 0]),
        "loops[0]: axis: expected a direction such as [0, 0, 1], got [0.0",
    ),
    "one frame": (edited(frames=[{}]), "loops[0].frames: expected two entries, got [{}]"),
    "half a frame": (edited(frames=[{}, {"xyz": [1]}]), "loops[0].frames[1].xyz: expected 3 numbers"),
    "frames and a point": (edited(frames=[{}, {}], at=[0, 0, 0]), "frames: give either frames, or at, meets and axis"),
    "meets alone": (edited(meets=[0, 0, 0]), "at is missing; meets is the same point in the second link"),
    "no coefficients": (edited(joint="gear"), "loops[0]: coefficients is missing; a gear needs [offset, ratio]"),
    "coefficients of a pin": (edited(coefficients=[1]), "coefficients does not apply to a revolute joint"),
    "no length": (edited(joint="distance"), "loops[0]: length is missing; a distance needs it, in metres"),
    "no distance": (edited(joint="distance", length=0), "loops[0].length: Input should be greater than 0"),
    "gear of a ball": (edited(GEAR, between=["joint1", "joint4"]), "loop 'cut': joint 'joint4' is spherical; a gear"),
    "gear of a fixed joint": (edited(GEAR, between=["joint3", "joint1"]), "joint 'joint3' is fixed; a gear needs two"),
    "gear of links": (edited(GEAR, between=["a", "b"]), "loop 'cut': a gear is between two joints, and no joint is"),
    "gear of one joint": (edited(GEAR, between=["joint1"] * 2), "it connects joint 'joint1' with itself"),
    "gear without numbers": (edited(GEAR, coefficients=[]), "coefficients: expected a list of 1 to 20 numbers"),
    "long gear": (edited(GEAR, coefficients=[1] * 21), "coefficients: expected a list of 1 to 20 numbers"),
    "twice": (described(LOOP, LOOP), "loops[1].name: 'cut' is already used by loops[0]; names must differ"),
    "long name": (edited(name="x" * 300), "loops[0].name: expected a name (text of 1 to 200 characters)"),
    "no list": (ROBOT | {"loops": LOOP, "actuated": []}, "loops: expected a list of loops such as {between: [link2,"),
    "text": (ROBOT | {"loops": "cut", "actuated": []}, "loops: expected a list of loops"),
    "numbers": (described(3), "loops[0]: expected a mapping, got int"),
    "too many": (
        described(*({**LOOP, "name": f"cut{i}"} for i in range(1001))),
        "loops: expected at most 1,000",
    ),
    "fixed joint": (described(LOOP, actuated=["joint3"]), "actuated[0]: joint 'joint3' is fixed and cannot be driven"),
    "unknown joint": (described(LOOP, actuated=["jont1"]), "actuated[0]: no moving joint is called 'jont1'; did you"),
    "follower": (
        described(LOOP, actuated=["joint1", "joint5"]),
        "actuated[1]: joint 'joint5' mimics another",
    ),
    "named twice": (described(LOOP, actuated=["joint1"] * 2), "actuated[1]: joint 'joint1' is named twice"),
    "no loops": (described(), "actuated: only robots with loops or wheels have passive joints; leave actuated out"),
    "one name": (described(LOOP) | {"actuated": "joint1"}, "actuated: expected a list of joints such as [joint1]"),
    "not actuated": (
        ROBOT | {"loops": [LOOP]},
        "actuated: missing; a robot with loops has to say which joints are driven: actuated: [joint1] in a robot file, "
        "or load(..., actuated=['joint1']), [] if none is; the others are passive. load(..., loops=False) leaves",
    ),
}


@pytest.mark.parametrize("case", MISTAKES)
def test_mistakes(case):
    data, message = MISTAKES[case]
    with pytest.raises(redyn.DescriptionError) as caught:
        read(data)
    assert message in str(caught.value)
    assert len(str(caught.value)) < 400
    with pytest.raises(redyn.DescriptionError) as of_file:
        redyn.description.yaml_file.parse_yaml(json.dumps(data), "bad.yaml")
    assert str(of_file.value).startswith("bad.yaml: ")


@pytest.mark.parametrize(
    ("loops", "actuated", "message"),
    [
        (LOOP, ["joint1"], "loops: expected a list such as"),
        (3, ["joint1"], "loops: expected a list such as"),
        ([3], ["joint1"], r"loops\[0\]: expected a mapping"),
        ([LOOP], "joint1", r"actuated: expected a list of joints, as in \['joint1'\]"),
        (False, ["joint1"], "actuated: a robot loaded with loops=False has no passive joints"),
        ([LOOP | {"joint": "x"}], ["joint1"], r"loops\[0\]\.joint: expected 'revolute'"),
        ("loops.yaml", ["joint1"], "loops: a file of loops goes with a robot file"),
    ],
)
def test_mistakes_in_the_call(loops, actuated, message):
    with pytest.raises(redyn.RedynError, match=message):
        redyn.load(ROBOT, loops=loops, actuated=actuated)


def test_no_loops_at_all():
    """An empty list is a bare tree, whatever the file says of actuators."""
    for loops in ([], False):
        robot = redyn.load("four-bar", loops=loops)
        assert (robot.loops, robot.mobility, robot.actuated) == ([], 3, robot.joint_names)


def test_many_loops_in_bounded_time_and_memory():
    """All between the ends of a long chain, each from the initial pose."""
    links = [{"name": f"l{i}", "joint": "revolute", "xyz": [0.1, 0, 0], **BODY} for i in range(300)]
    loops = [{"between": [f"l{i}", "world"], "joint": "spherical", "at": [0, 0, 0]} for i in range(300)]
    tracemalloc.start()
    robot = read({"name": "r", "convention": "frames", "links": links, "loops": loops, "actuated": []})
    frames = loop_frames(robot)
    assert tracemalloc.get_traced_memory()[1] < 50e6
    tracemalloc.stop()
    close(frames[99][1][:3, 3], [10.0, 0, 0])


def test_points_from_the_initial_pose_are_said():
    data = described({"between": ["tip", "c"], "joint": "spherical", "at": [0, 0, 0]}, LOOP, GEAR | {"name": "g"})
    with pytest.warns(redyn.RedynWarning) as caught:
        robot = redyn.load(data)
    said = "loop 'loop1' gives `at` and not `meets`; its second frame is taken from the initial pose"
    assert said in robot.notes
    assert [f"r: {said}"] == [str(item.message) for item in caught if "initial pose" in str(item.message)][:1]
    assert not redyn.load("four-bar").notes


def test_frames_from_the_initial_pose():
    """Where the first frame is then, whatever the joints; with_frames keeps that when the pose changes."""
    data = described({"between": ["tip", "c"], "joint": "revolute", "at": [0.1, 0.2, 0.3], "axis": [1, 2, 3]})
    data["links"][0]["joint"] = {"type": "revolute", "initial": 0.7}
    data["links"][3]["joint"] = {"type": "spherical", "initial": [0.6, 0, 0, 0.8]}
    robot = read(data)
    poses, ((first, second),) = initial_poses(robot), loop_frames(robot)
    close(poses["tip"] @ first, poses["c"] @ second)
    close(first[:3, 2], np.array([1, 2, 3]) / 14**0.5)
    moved = [link.model_copy(update={"joint": redyn.description.JointDescription(type="revolute", name="joint1")})
             if link.name == "a" else link for link in robot.links]  # fmt: skip
    ((again, there),) = loop_frames(robot.model_copy(update={"links": moved, "loops": with_frames(robot)}))
    close(again, first)
    close(there, second)


@pytest.mark.parametrize("name", [name for name in library() if read(name).loops])
def test_library_survives_saving(name):
    robot = read(name)
    assert redyn.description.yaml_file.parse_yaml(to_yaml(robot), name) == robot


NUMBERS = st.floats(-3, 3, allow_nan=False)
VECTORS = st.tuples(NUMBERS, NUMBERS, NUMBERS)
FRAMES = st.fixed_dictionaries({}, optional={"xyz": VECTORS, "rpy": VECTORS})
PLACED = st.one_of(
    st.fixed_dictionaries({"frames": st.tuples(FRAMES, FRAMES)}),
    st.fixed_dictionaries({"at": VECTORS}, optional={"meets": VECTORS}),
    st.fixed_dictionaries({}),
)
AXIS = st.fixed_dictionaries({}, optional={"axis": VECTORS.filter(lambda axis: np.linalg.norm(axis) > 1e-3)})


@st.composite
def any_loops(draw):
    pin = draw(PLACED)
    if "frames" not in pin:
        pin |= draw(AXIS)
    kind = draw(st.sampled_from(["revolute", "prismatic", "planar", "spherical", "cylindrical", "universal", "fixed"]))
    coefficients = draw(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=20))
    length = draw(st.floats(1e-3, 10))
    return [
        {"name": "pin", "between": ["tip", draw(st.sampled_from(["c", "world"]))], "joint": kind, **pin},
        {"between": ["b", "d"], "joint": "distance", "length": length, **draw(PLACED)},
        {"name": "gear", "between": ["joint2", "joint1"], "joint": "gear", "coefficients": coefficients},
    ]


@given(any_loops(), st.sets(st.sampled_from(["joint1", "joint2", "joint4"])))
def test_every_loop_survives_saving(loops, actuated):
    robot = from_mapping(described(*loops, actuated=sorted(actuated)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        again = redyn.description.yaml_file.parse_yaml(to_yaml(robot), "again")
    assert again == robot
    assert to_yaml(again) == to_yaml(robot)


def test_angles_of_frames_that_look_like_degrees_are_noted():
    data = edited(frames=[{"rpy": [0, 90, 0]}, {}])
    with pytest.warns(redyn.RedynWarning, match=r"loops\[0\]\.frames\[0\]\.rpy\[1\]: 90 is taken as radians"):
        robot = read(data)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert redyn.description.yaml_file.parse_yaml(to_yaml(robot), "again") == robot
        assert read(edited(frames=[{"rpy": [0, "90 deg", 0]}, {}])).loops[0].frames[0].rpy[1] == np.pi / 2
