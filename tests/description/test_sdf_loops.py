"""Loops and gears in SDF, and the Cassie of example-robot-data, compared with a second reading of its files."""

import math
import warnings

import numpy as np
import pytest

import redyn
from random_robots import close, on_floats
from redyn.description import read
from redyn.description.loops import loop_frames
from sdf_elements import CASSIE, CLOSING, FOUR_BAR, File, joint, link, load, pinocchio_tree, pose, sdf


@pytest.mark.parametrize("version", ["1.6", "1.7"])
def test_a_second_joint_closes_a_loop(tmp_path, version):
    robot, said = load(tmp_path, sdf(*FOUR_BAR, CLOSING, version=version), actuated=["crank"])
    (cut,) = robot.loops
    assert (cut.name, cut.joint, cut.between) == ("cut", "revolute", ("rod", "coupler"))
    assert robot.mobility == 1
    assert any("link 'coupler' is carried by joint 'coupler' (line 9); it closes a loop" in text for text in said)
    close(robot.loop_error(robot.neutral()), np.zeros(5))  # the links are where all joints are at zero
    first, second = loop_frames(robot.description)[0]
    close(pose("0.8 0 0 0 0 0.5") @ first, pose("0.3 0 0 0 0 0") @ second)
    close((pose("0.3 0 0 0 0 0") @ second)[:3, 3], [1.0, 0.2, 0])
    bare, said = load(tmp_path, sdf(*FOUR_BAR, CLOSING, version=version), loops=False)
    assert bare.mobility == 3
    assert any("(line 9); left out" in text for text in said)


def test_the_cut_that_a_file_asks_for(tmp_path):
    asked = FOUR_BAR[4].replace(
        "</joint>", "<physics><simbody><must_be_loop_joint>1</must_be_loop_joint></simbody></physics></joint>"
    )
    robot, _ = load(tmp_path, sdf(*FOUR_BAR[:4], asked, FOUR_BAR[5], CLOSING), actuated=["crank"])
    assert [loop.name for loop in robot.loops] == ["coupler"]
    assert robot.mobility == 1


@pytest.mark.parametrize("kind", ["prismatic", "ball", "universal", "fixed", "continuous", "revolute2"])
def test_cuts_of_every_type(tmp_path, kind):
    """Each is closed where the file has the links, with its axes along those of the file."""
    place = "0.1 0.2 0.3 0.4 0.5 0.6"
    axes = f"<pose>{place}</pose><axis><xyz>1 2 3</xyz></axis><axis2><xyz>2 -1 0</xyz></axis2>"
    robot, _ = load(tmp_path, sdf(*FOUR_BAR, joint("cut", "rod", "coupler", kind, axes)), read=read, actuated=[])
    first, second = loop_frames(robot)[0]
    there = pose("0.8 0 0 0 0 0.5") @ first
    close(there, pose("0.3 0 0 0 0 0") @ second)
    frame = pose("0.3 0 0 0 0 0") @ pose(place)
    close(there[:3, 3], frame[:3, 3])
    along = frame[:3, :3] @ np.array([[1, 2, 3], [2, -1, 0]]).T / [14**0.5, 5**0.5]
    if kind in ("universal", "revolute2"):
        close(there[:3, :2], along)
    elif kind in ("prismatic", "continuous"):
        close(there[:3, 2], along[:, 0])


def test_what_a_cut_joint_loses_is_said(tmp_path):
    dynamics = "<dynamics><damping>1</damping><spring_stiffness>3</spring_stiffness></dynamics></axis>"
    _, said = load(tmp_path, sdf(*FOUR_BAR, CLOSING.replace("</axis>", dynamics)), actuated=["crank"])
    assert any("friction and the spring of joint 'cut'; left out, since it closes a loop" in text for text in said)


def test_missing_actuators_are_an_error_with_both_cures(tmp_path):
    cures = r"robot\.sdf: actuated: missing.*actuated=\['crank'\].*loops=False.*\(joint 'cut', line 11, closes a loop\)"
    with pytest.raises(redyn.DescriptionError, match=cures):
        load(tmp_path, sdf(*FOUR_BAR, CLOSING))


AXLES = [link("base"), link("in", "1 0 0 0 0.5 0"), link("out", "2 0 0 0.3 0 0")]
Y = "0 1 0"


def along_y(sense):
    return f'<axis><xyz expressed_in="__model__">0 {sense} 0</xyz></axis>'


def gearbox(axis, axis2, ratio=0.25):
    return joint(
        *("box", "in", "out", "gearbox"),
        f"""<gearbox_ratio>{ratio}</gearbox_ratio><gearbox_reference_body>base</gearbox_reference_body>
        <axis><xyz expressed_in="__model__">{axis}</xyz></axis>
        <axis2><xyz expressed_in="__model__">{axis2}</xyz></axis2>""",
    )


@pytest.mark.parametrize("sense1", [1, -1])
@pytest.mark.parametrize("sense2", [1, -1])
@pytest.mark.parametrize("turned", [False, True])
def test_gearboxes(tmp_path, sense1, sense2, turned):
    """theta2 = -ratio theta1, both from the reference body about the gearbox's axes, whatever those of the joints."""
    first = joint("first", *(("in", "base") if turned else ("base", "in")), inside=along_y(sense1))
    second = joint("second", "base", "out", inside=along_y(1))
    robot = load(tmp_path, sdf(*AXLES, first, second, gearbox("0 1 0", f"0 {sense2} 0")), actuated=["first"])[0]
    assert on_floats(robot).mobility == 1
    states = np.zeros(2), robot.assemble([0.8, 0.0], fixed=["first"])

    def angle(name):
        """How far a link turns about y of the model, seen from the base."""
        before, after = (
            robot.forward_kinematics(q, "base")[:3, :3].T @ robot.forward_kinematics(q, name)[:3, :3] for q in states
        )
        turn = after @ before.T  # the axes of the base are those of the model at zero
        return math.atan2(turn[0, 2], turn[0, 0])

    close(abs(angle("in")), 0.8)
    close(sense2 * angle("out"), -0.25 * angle("in"))


SKEW = "<axis><xyz>1 0 0</xyz></axis><axis2><xyz>1 1 0</xyz></axis2>"
MISTAKES = {
    "screw": (
        [*FOUR_BAR, joint("cut", "rod", "coupler", "screw")],
        "robot.sdf:11: <joint> 'cut': a screw cannot close a loop; put another joint of the loop last",
    ),
    "skew": (
        [*FOUR_BAR, joint("cut", "rod", "coupler", "universal", SKEW)],
        "robot.sdf:11: <joint> 'cut': the axes of a universal joint that closes a loop must be",
    ),
    "rigid": (
        [*AXLES, joint("j", "base", "in", "fixed"), joint("k", "base", "out"), joint("l", "in", "base")],
        "robot.sdf:10: loop 'l': links 'in' and 'base' are fixed to each other",
    ),
    "many": (
        [*FOUR_BAR, *(joint(f"cut{i}", "rod", "coupler") for i in range(1001))],
        "robot.sdf:1: expected at most 1,000 loops, got 1,001",
    ),
    "no reference": (
        [*AXLES, joint("j", "base", "in"), joint("k", "base", "out"), joint("box", "in", "out", "gearbox")],
        "robot.sdf:10: <joint> 'box': a gearbox needs <gearbox_reference_body>",
    ),
    "no axle": (
        [*AXLES, joint("j", "base", "in", inside=along_y(1)), joint("k", "in", "out"), gearbox(Y, Y)],
        "robot.sdf:10: <joint> 'box': no revolute joint of the tree connects link 'out' with the reference body",
    ),
    "no hinge": (
        [
            *AXLES,
            joint("in", "base", "in", inside=along_y(1)),
            joint("k", "base", "out", "ball"),
            gearbox(Y, Y),
        ],
        "robot.sdf:10: <joint> 'box': no revolute joint of the tree connects link 'out'",
    ),
    "another axis": (
        [*AXLES, *(joint(name, "base", name, inside=along_y(1)) for name in ("in", "out")), gearbox("0 0 1", "0 1 0")],
        "robot.sdf:10: <joint> 'box': <axis> is not that of joint 'in'",
    ),
}


@pytest.mark.parametrize("case", MISTAKES)
def test_mistakes(tmp_path, case):
    parts, message = MISTAKES[case]
    with pytest.raises(redyn.DescriptionError) as caught:
        load(tmp_path, sdf(*parts), actuated=[])
    assert message in str(caught.value)


# Per leg of cassie_v2: three joints of the hip; the five of the knee loop, which a ball closes, move in two ways; the
# ankle, whose loop is planar, in one. The others hang on a slide to the world. In two of them the ankle is locked: the
# axis of its rod is given in the rod's own frame, which leans by 0.1 rad, so that the loop is not planar.
MOBILITY = {
    "cassie_v2.sdf": 2 * (3 + 2 + 1),
    "cassie_wo_gearbox_spring.sdf": 1 + 2 * (3 + 2 + 1),
    "cassie_reduced.sdf": 1 + 2 * (3 + 2 + 0),
    "cassie_simple.sdf": 1 + 2 * (3 + 2 + 0),
}
FILES = [*MOBILITY, "cassie.sdf"]


def cassie(name, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return redyn.load(CASSIE / name, friction=False, exact=True, **options)


@pytest.mark.parametrize("name", FILES)
def test_cassie_loads_and_assembles(name):
    robot = cassie(name, actuated=[])
    assert len(robot.loops) == (16 if name == "cassie.sdf" else 4)
    assert np.abs(robot.loop_error(robot.initial)).max() < 1e-12
    assert (
        np.abs(robot.difference(robot.neutral(), robot.initial)).max() < 1e-2
    )  # the file's own pose, but for rounding
    if name in MOBILITY:
        assert robot.mobility == MOBILITY[name]
    else:
        # Six per leg as above if the springs of the shins move: two parallel hinges and a slide across the line between
        # them, at a dead centre in the pose of the file, where rounding in the file decides.
        assert 2 * 5 <= robot.mobility <= 2 * 6


@pytest.mark.parametrize("name", FILES)
def test_poses_and_masses_of_cassie(name):
    robot, file = on_floats(cassie(name, loops=False)), File(CASSIE / name)
    total, moment = 0.0, np.zeros(3)
    for part in file.links:
        close(robot.forward_kinematics(robot.neutral(), part), file.places[part], tolerance=1e-12)
        mass, at, _ = file.inertia(part)
        total, moment = total + mass, moment + mass * at[:3, 3]
    close(robot.total_mass, total)
    free = on_floats(cassie(name, loops=False, floating_base=True))  # then everything moves
    close(free.com(free.neutral()), moment / total)


@pytest.mark.parametrize("name", FILES)
def test_axes_of_cassie(name):
    """Columns of the Jacobian of each link are about or along the axis of the joint that carries it."""
    robot, file = on_floats(cassie(name, loops=False)), File(CASSIE / name)
    single = [label for label in robot.velocity_names if label in file.joints]
    assert len(single) >= 20
    for label in single:
        child, axis = file.ends(label)[1], file.axis(label)
        J = robot.jacobian(robot.neutral(), child)[:, robot.velocity_names.index(label)]
        sliding = file.joints[label].get("type") == "prismatic"
        arm = file.places[child][:3, 3] - file.joint_place(label)[:3, 3]
        close(J[:3], 0 * axis if sliding else axis)
        close(J[3:], axis if sliding else np.cross(axis, arm))


@pytest.mark.parametrize("name", ["cassie_v2.sdf", "cassie.sdf"])
def test_mass_matrix_of_cassie_in_pinocchio(name):
    pin = pytest.importorskip("pinocchio")
    robot = on_floats(cassie(name, loops=False))
    model = pinocchio_tree(File(CASSIE / name), "pelvis", robot.joint_names)
    theirs, ours = pin.neutral(model), robot.neutral()
    rng = np.random.default_rng(1)
    for number, label in enumerate(robot.coordinate_names):
        if "." not in label:  # balls stay at zero: their axes are those of the joint there, of the link here
            ours[number] = theirs[model.joints[model.getJointId(label)].idx_q] = rng.uniform(-1, 1)
    own = [model.joints[model.getJointId(label)] for label in robot.joint_names]
    columns = [motion.idx_v + i for motion in own for i in range(motion.nv)]
    upper = np.triu(pin.crba(model, model.createData(), theirs))
    close(robot.mass_matrix(ours), (upper + np.triu(upper, 1).T)[np.ix_(columns, columns)])


def test_gears_of_cassie():
    """Motors turn 25 times as fast as the joints of the hip, the other way round, as the specification has it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        robot = read(CASSIE / "cassie.sdf", actuated=[])
    gears = {loop.name: loop for loop in robot.loops if loop.joint == "gear"}
    assert gears["left-roll-joint"].between == ("left-roll-ip", "left-roll-op")
    assert gears["left-roll-joint"].coefficients == (0.0, -0.04)
    assert len(gears) == 10


def test_cassie_without_actuators_is_an_error():
    with pytest.raises(redyn.DescriptionError, match=r"cassie\.sdf: actuated: missing"):
        cassie("cassie.sdf")
