"""URDF from any robot, read by Pinocchio, by MuJoCo and by redyn itself."""

import tempfile
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import redyn
from pinocchio_urdf import exported
from random_robots import KINDS, close, on_floats, random_joints, random_motion, random_state, random_tree, trees
from redyn.bench.compare import URDF
from redyn.description import read
from redyn.description.loops import loop_frames
from redyn.description.packages import robots_folder
from redyn.description.schema import SEVERAL

SINGLE = [
    name
    for name in redyn.library()
    if not read(name).loops
    and read(name).group != "flexible"  # of which the rigid robots are written
    and not any(k.joint.type in SEVERAL for k in read(name).links)
]
POSSIBLE = [name for name in SINGLE if read(name).unphysical is None]


@pytest.fixture(autouse=True)
def _quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", redyn.RedynWarning)
        yield


def bare(data):
    """Without what URDF or Pinocchio does not know: rotor inertia and friction."""
    for link in data["links"]:
        link["joint"] = {k: v for k, v in link["joint"].items() if k in ("type", "offset")}
    return data


def check_pinocchio(robot, seed=0, tolerance=1e-11):
    """Others read the tree alone of a robot with loops."""
    oracle, robot = exported(robot), on_floats(robot.tree)
    q, qd, x = random_state(robot, seed)
    close(robot.inverse_dynamics(q, qd, x), oracle.inverse_dynamics(q, qd, x), tolerance=tolerance)
    close(robot.mass_matrix(q), oracle.mass_matrix(q), tolerance=tolerance)
    for frame in robot.frame_names:
        close(robot.forward_kinematics(q, frame), oracle.forward_kinematics(q, frame), tolerance=tolerance)


def check_mujoco(robot, seed=0, tolerance=1e-9):
    import mujoco

    model = mujoco.MjModel.from_xml_string(robot.to_urdf())
    robot = on_floats(robot.tree)
    model.opt.gravity[:] = robot.gravity
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
    assert model.nv == robot.dof
    address = [model.joint(name).dofadr[0] for name in robot.joint_names]
    damping = {link.joint.name: link.joint.damping for link in robot.description.links}
    coulomb = {link.joint.name: link.joint.coulomb for link in robot.description.links}
    np.testing.assert_allclose(model.dof_damping[address], [damping[name] for name in robot.joint_names])
    np.testing.assert_allclose(model.dof_frictionloss[address], [coulomb[name] for name in robot.joint_names])
    model.dof_damping[:] = 0.0
    data = mujoco.MjData(model)

    def inverse(q, qd, qdd):
        data.qpos[address], data.qvel[address], data.qacc[address] = q, qd, qdd
        mujoco.mj_inverse(model, data)
        return data.qfrc_inverse[address].copy()

    q, qd, x = random_state(robot, seed)
    close(inverse(q, qd, x), robot.inverse_dynamics(q, qd, x), tolerance=tolerance)
    model.opt.gravity[:] = 0.0
    columns = [inverse(q, np.zeros(robot.dof), unit) for unit in np.eye(robot.dof)]
    close(np.array(columns).T, robot.mass_matrix(q), tolerance=tolerance)


def check_again(robot, tmp_path, **options):
    """redyn reads its own export as the same robot, but for what URDF cannot say."""
    path = tmp_path / "robot.urdf"
    text = robot.to_urdf(path)
    assert path.read_text("utf-8") == text
    again = on_floats(redyn.load(path, **options))
    assert again.joint_names == robot.joint_names
    assert set(robot.frame_names) <= set(again.frame_names)
    np.testing.assert_allclose(again.limits, robot.limits)
    assert again.total_mass == pytest.approx(robot.total_mass)
    check_loops(again, robot)
    robot, again = on_floats(robot.tree), on_floats(again.tree)
    q, qd, x = random_state(robot, 3)
    parts, expected = again.torque_parts(q, qd, x, robot.gravity), robot.torque_parts(q, qd, x)
    for key in ("inertia", "coriolis", "gravity", "friction"):
        close(getattr(parts, key), getattr(expected, key))
    for frame in robot.frame_names:
        close(again.forward_kinematics(q, frame), robot.forward_kinematics(q, frame))


def check_loops(again, robot):
    """The same loops, closed in the same pose, where the robot accelerates in the same way."""
    kinds = [(loop.name, loop.joint, loop.between, loop.length) for loop in robot.loops]
    assert [(loop.name, loop.joint, loop.between, loop.length) for loop in again.loops] == kinds
    assert again.velocity_names == robot.velocity_names
    if not robot.loops:
        return
    close(again.initial, robot.initial)
    assert again.mobility == robot.mobility
    for ours, theirs in zip(loop_frames(robot.description), loop_frames(again.description), strict=True):
        close(theirs[0], ours[0])
        close(theirs[1], ours[1])
    q = robot.initial
    qd = robot.transmission(q) @ np.linspace(-0.4, 0.5, robot.mobility)
    tau = np.linspace(0.1, 0.3, robot.dof)
    expected = robot.forward_dynamics(q, qd, tau)
    close(again.forward_dynamics(q, qd, tau, gravity=robot.gravity), expected, tolerance=1e-8)


@settings(max_examples=40)
@given(trees)
def test_random_trees_in_pinocchio_and_mujoco(data):
    robot = on_floats(redyn.load(bare(data), exact=True))
    check_pinocchio(robot)
    check_mujoco(robot)


@pytest.mark.parametrize("convention", ["frames", "dh", "modified-dh"])
def test_random_trees_come_back(convention, tmp_path):
    for seed in range(8):
        data = random_tree(seed, 6, convention=convention)
        data["links"][0]["joint"] |= {"limits": [-0.5, 1.5], "speed_limit": 2, "effort_limit": 30}
        data["links"][-1]["joint"]["name"] = 'the <last> & "best" joint\'s'
        check_again(on_floats(redyn.load(data, exact=True)), tmp_path, exact=True)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**9))
def test_joints_of_any_kind_come_back(seed):
    kinds = [kind for kind in KINDS if kind != "helical"]
    robot = on_floats(redyn.load(random_joints(seed, 4, kinds=kinds), exact=True))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "robot.urdf"
        robot.to_urdf(path)
        again = on_floats(redyn.load(path, exact=True))
    assert again.nq == robot.nq
    assert again.velocity_names == robot.velocity_names
    q, qd, qdd = random_motion(robot, seed)
    close(again.inverse_dynamics(q, qd, qdd, gravity=robot.gravity), robot.inverse_dynamics(q, qd, qdd))


def test_a_floating_base_is_pinocchios_in_urdf():
    import pinocchio as pin

    robot = on_floats(redyn.load("dual-arm-satellite", exact=True))
    model = pin.buildModelFromXML(robot.to_urdf())
    model.gravity.linear = robot.gravity
    order = [3, 4, 5, 0, 1, 2, *(robot.velocity_names.index(name) for name in list(model.names)[2:])]
    q, qd, qdd = random_motion(robot, 2)
    angles = q[[robot.coordinate_names.index(name) for name in list(model.names)[2:]]]
    values = np.concatenate([q[:7], np.column_stack([np.cos(angles), np.sin(angles)]).ravel()])
    tau = pin.rnea(model, model.createData(), values, qd[order], qdd[order])
    close(robot.inverse_dynamics(q, qd, qdd)[order], tau)


def test_helical_joints_cannot_be_written():
    robot = redyn.load(random_joints(1, 2, kinds=["helical"]))
    with pytest.raises(redyn.DescriptionError, match="URDF has no helical joint"):
        robot.to_urdf()


@pytest.mark.parametrize("name", SINGLE)
def test_library_in_pinocchio_and_back(name, tmp_path):
    robot = on_floats(redyn.load(name, exact=True, friction=False))
    if not any(link.joint.armature for link in robot.description.links):
        check_pinocchio(robot)
    check_again(robot, tmp_path, exact=True, friction=False)


@pytest.mark.parametrize("name", POSSIBLE)
def test_library_in_mujoco(name):
    robot = on_floats(redyn.load(name, exact=True, friction=False))
    check_mujoco(robot)


@pytest.mark.parametrize("name", URDF)
def test_urdf_to_urdf(name, tmp_path):
    robot = on_floats(redyn.load(robots_folder() / URDF[name], exact=True))
    check_again(robot, tmp_path, exact=True)


CLOSED = [name for name in redyn.library() if read(name).loops]


@pytest.mark.parametrize("name", CLOSED)
def test_closed_library_comes_back(name, tmp_path):
    robot = on_floats(redyn.load(name, exact=True))
    with pytest.warns(
        redyn.RedynWarning, match=rf"{name}: URDF has no loops; \d+ loops? written as elements of URDF\+"
    ):
        robot.to_urdf(tmp_path / "robot.urdf")
    again = on_floats(redyn.load(tmp_path / "robot.urdf", exact=True))
    check_loops(again, robot)
    split = {part: part.rpartition(".")[0] or part for part in again.actuated}  # of joints with two coordinates
    assert list(dict.fromkeys(split.values())) == robot.actuated


def geared(first, second, *coefficients):
    loop = {"name": "teeth", "between": [first, second], "joint": "gear", "coefficients": coefficients}
    return {"loops": [loop], "actuated": [first]}


@pytest.mark.parametrize(
    ("gear", "tag"),
    [
        (geared("crank", "output", 0, -2.5), "coupling"),
        (geared("crank", "output", 0.1, -2.5), "gear"),
        (geared("output", "crank", 0, 1, 0.2), "gear"),
        (geared("output", "coupler", 0, 2), "gear"),  # one carries the other: URDF+ would take sums of angles
    ],
)
def test_gears_come_back(gear, tag, tmp_path):
    robot = redyn.load("four-bar", **gear)
    text = robot.to_urdf(tmp_path / "robot.urdf")
    assert f'<{tag} name="teeth"' in text
    again = redyn.load(tmp_path / "robot.urdf")
    assert again.loops == robot.loops
    assert again.actuated == robot.actuated


def test_distances_and_the_world_come_back(tmp_path):
    loops = [
        {"name": "rod", "between": ["crank", "coupler"], "joint": "distance", "length": 0.12, "at": [0, 0.1, 0]},
        {"name": "pin", "between": ["world", "coupler"], "joint": "planar", "at": [1, 2, 3], "axis": [0, 1, 1]},
    ]
    robot = redyn.load("four-bar", loops=loops, actuated=[])
    robot.to_urdf(tmp_path / "robot.urdf")
    again = redyn.load(tmp_path / "robot.urdf")
    assert again.actuated == []
    assert [(loop.joint, loop.between, loop.length) for loop in again.loops] == [
        ("distance", ("crank", "coupler"), 0.12),
        ("planar", ("world", "coupler"), None),
    ]
    for ours, theirs in zip(loop_frames(robot.description), loop_frames(again.description), strict=True):
        close(theirs, ours)


def test_transformed_robots(tmp_path):
    arm = redyn.load("puma", exact=True)
    made = [arm.with_payload(2.0, [0, 0, 0.1], [0.1, 0.1, 0.1]), arm.lock({"joint3": 0.4}), arm.subtree("link3")]
    made.append(made[0].attach(redyn.load("stanford"), pose=([0, 0, 0.1], [0.1, 0.2, 0.3])))
    for robot in map(on_floats, made):
        check_pinocchio(robot)
        check_mujoco(robot)
        check_again(robot, tmp_path, exact=True)


def test_what_urdf_cannot_say_is_told(tmp_path):
    joint = {"type": "revolute", "armature": 0.25, "coulomb": 1.0, "smoothing": 0.1, "initial": 0.5, "name": "a--b"}
    link = {"joint": joint, "mass": 1, "com": [0, 0, 0], "inertia": [1, 1, 1]}
    data = {"name": "odd -- name", "convention": "frames", "gravity": [0, 1, 0], "source": "x--->y", "links": [link]}
    robot = redyn.load(data)
    with pytest.warns(redyn.RedynWarning, match=r"a--b: armature 0.25 .*rotor inertia.* \(and 1 more\)"):
        text = robot.to_urdf()
    for note in ("gravity is 0.0 1.0 0.0", "<rotorInertia>0.25<", "smoothing 0.1", "initial value 0.5"):
        assert note in text
    path = tmp_path / "odd.urdf"
    path.write_text(text, "utf-8")
    again = redyn.load(path)
    assert again.joint_names == ["a--b"]
    assert again.description.links[0].joint.armature == 0.25


def test_limits_and_kinds():
    link = {"mass": 1, "com": [0, 0, 0], "inertia": [1, 1, 1]}
    joints = [{"type": "revolute"}, {"type": "revolute", "limits": [-1, 1]}, {"type": "prismatic"}]
    data = {"name": "arm", "convention": "frames", "links": [link | {"joint": joint} for joint in joints]}
    text = redyn.load(data).to_urdf()
    assert 'name="joint1" type="continuous"' in text
    assert '<limit lower="-1.0" upper="1.0" effort="0.0" velocity="0.0"/>' in text
    assert 'name="joint3" type="prismatic"' in text


def test_shapes_but_meshes_are_kept(tmp_path):
    box = {"type": "box", "size": [1, 2, 3], "xyz": [0, 0, 1], "colour": [1, 0, 0, 0.5]}
    shapes = [box, {"type": "cylinder", "radius": 0.1, "length": 2}, {"type": "sphere", "radius": 1}]
    link = {"joint": "revolute", "mass": 1, "r": [0, 0, 0], "inertia": [1, 1, 1], "a": 1, "b": 0, "alpha": 0}
    link |= {"visual": [*shapes, {"type": "mesh", "file": "a--b.stl"}], "collision": shapes[1:]}
    robot = redyn.load({"name": "arm", "convention": "dh", "links": [link]})
    path = tmp_path / "arm.urdf"
    robot.to_urdf(path)
    read = {item.name: item for item in redyn.load(path).description.links}["link1"]
    original = robot.description.links[0]
    assert read.visual == original.visual[:3]
    assert read.collision == original.collision


def test_names_that_xml_cannot_hold():
    link = {"joint": "revolute", "mass": 1, "com": [0, 0, 0], "inertia": [1, 1, 1], "name": "odd\uffff"}
    robot = redyn.load({"name": "arm", "convention": "frames", "source": "\x01", "links": [link]})
    with pytest.raises(redyn.RedynError, match="XML cannot represent"):
        robot.to_urdf()


def test_a_folder_that_is_not_there():
    with pytest.raises(redyn.RedynError, match="there is no folder"):
        redyn.load("one-link").to_urdf("/nowhere/at/all.urdf")
