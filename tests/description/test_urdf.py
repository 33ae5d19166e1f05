"""URDF: chains and trees as Pinocchio reads them, and mistakes with their lines."""

import pickle
import warnings

import numpy as np
import pytest

import redyn
from random_robots import close, on_floats
from redyn.bench.compare import URDF
from redyn.description.meshes import mesh_path
from redyn.description.packages import robots_folder


@pytest.mark.parametrize(
    ("name", "exact"),
    [
        *((name, exact) for name in URDF for exact in (True, False) if name != "talos"),
        pytest.param("talos", True, marks=pytest.mark.slow),  # 44 joints take long to compile
    ],
)
def test_public_robots_agree_with_pinocchio(name, exact):
    import pinocchio as pin

    path = robots_folder() / URDF[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", redyn.RedynWarning)
        robot = redyn.load(path, friction=False, exact=exact)
    model = pin.buildModelFromUrdf(str(path))
    data = model.createData()
    order = [robot.joint_names.index(joint) for joint in list(model.names)[1:]]
    q, qd, x = np.random.default_rng(0).uniform(-2, 2, (3, 6, robot.dof))
    tau, qdd, GIM = robot.inverse_dynamics(q, qd, x), robot.forward_dynamics(q, qd, x), robot.mass_matrix(q)
    digits = 1e-11 if exact else 1e-7  # right angles written with nine digits are taken for right angles
    for i in range(6):
        state = q[i][order], qd[i][order], x[i][order]
        close(tau[i][order], pin.rnea(model, data, *state), tolerance=digits)
        M = pin.crba(model, data, state[0])
        M = np.triu(M) + np.triu(M, 1).T
        close(GIM[i][np.ix_(order, order)], M, tolerance=digits)
        close(qdd[i][order], pin.aba(model, data, *state), np.linalg.cond(M), tolerance=digits)


FOLDER = robots_folder()
ALL = sorted(str(path.relative_to(FOLDER)) for path in FOLDER.rglob("*.urdf")) if FOLDER else []
NO_ROBOTS = {  # what has no joint that moves, or is a list of includes
    "hector_description/robots/quadrotor_base.urdf": "no joint moves",
    "iris_description/robots/iris_simple.urdf": "no joint moves",
    "ur_description/urdf/ur3.urdf": "no links",
}


@pytest.mark.parametrize("name", ALL)
def test_every_public_robot_agrees_with_pinocchio(name):
    """On floats, so that nothing is compiled."""
    import pinocchio as pin

    path = FOLDER / name
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", redyn.RedynWarning)
        if name in NO_ROBOTS:
            with pytest.raises(redyn.DescriptionError, match=NO_ROBOTS[name]):
                redyn.load(path)
            return
        robot = on_floats(redyn.load(path, friction=False, exact=True))
    model = pin.buildModelFromUrdf(str(path))
    data = model.createData()
    order = [robot.joint_names.index(joint) for joint in list(model.names)[1:]]
    q, qd, x = np.random.default_rng(0).uniform(-2, 2, (3, 2, robot.dof))
    tau, GIM = robot.inverse_dynamics(q, qd, x), robot.mass_matrix(q)
    for i in range(2):
        turns = [joint.nq == 2 for joint in list(model.joints)[1:]]  # continuous: a cosine and a sine
        values = zip(q[i][order], turns, strict=True)
        theirs = np.concatenate([[np.cos(a), np.sin(a)] if turn else [a] for a, turn in values])
        state = qd[i][order], x[i][order]
        close(tau[i][order], pin.rnea(model, data, theirs, *state))
        M = pin.crba(model, data, theirs)
        M = np.triu(M) + np.triu(M, 1).T
        close(GIM[i][np.ix_(order, order)], M)
        if np.linalg.eigvalsh(M)[0] > 1e-12:  # some public robots have joints that move no inertia
            qdd = robot.forward_dynamics(q[i], qd[i], x[i])
            close(qdd[order], pin.aba(model, data, theirs, *state), np.linalg.cond(M))


ARM = """<?xml version="1.0"?>
<robot name="arm">
  <link name="base"/>
  <link name="upper">
    <inertial>
      <origin xyz="0.1 0 0" rpy="0 0 1.5707963267948966"/>
      <mass value="2"/>
      <inertia ixx="0.1" iyy="0.2" izz="0.25" ixy="0" ixz="0" iyz="0"/>
    </inertial>
    <visual><geometry><box size="1 1 1"/></geometry></visual>
  </link>
  <joint name="shoulder" type="revolute">
    <parent link="base"/>
    <child link="upper"/>
    <origin xyz="0 0 0.5"/>
    <axis xyz="0 1 0"/>
    <limit lower="-1" upper="2" velocity="3" effort="40"/>
    <dynamics damping="0.3" friction="0.1"/>
  </joint>
  <link name="tool"/>
  <joint name="mount" type="fixed"><parent link="upper"/><child link="tool"/><origin xyz="0.5 0 0"/></joint>
</robot>
"""


def load(tmp_path, text):
    path = tmp_path / "arm.urdf"
    path.write_text(text)
    return redyn.load(path)


def test_what_a_urdf_says(tmp_path):
    robot = load(tmp_path, ARM)
    assert robot.joint_names == ["shoulder"]
    assert robot.frame_names == ["base", "upper", "tool"]
    (joint,) = [link.joint for link in robot.description.links if link.name == "upper"]
    assert joint.limits == (-1, 2)
    assert (joint.damping, joint.coulomb, joint.speed_limit, joint.effort_limit) == (0.3, 0.1, 3, 40)
    close(robot.forward_kinematics([0.0])[:3, 3], [0.5, 0, 0.5])
    close(robot.mass_matrix([0.3]), [[0.1 + 2 * 0.01]])  # ixx, turned by a right angle about z, lies along y
    again = redyn.load(__import__("yaml").safe_load(robot.to_yaml()))
    close(again.inverse_dynamics([0.1], [0.2], [0.3]), robot.inverse_dynamics([0.1], [0.2], [0.3]))


MISTAKES = {
    "not XML": ("<robot>", "</robo>", r"arm\.urdf:\d+: not valid XML"),
    "no robot": (ARM, "<a/>", "expected a <robot> element"),
    "unknown parent": ('<parent link="base"/>', '<parent link="bass"/>', r"arm\.urdf:13: no link is called 'bass'"),
    "two parents": (
        '<child link="tool"/>',
        '<child link="upper"/>',
        r"arm\.urdf:21: joint 'mount' connects link 'upper' with itself",
    ),
    "two roots": (
        '<joint name="mount" type="fixed"><parent link="upper"/><child link="tool"/><origin xyz="0.5 0 0"/></joint>',
        "",
        "expected one root link, got base, tool",
    ),
    "joint type": ('type="revolute"', 'type="hinge"', r"arm\.urdf:12: joint type 'hinge' is not supported"),
    "no type": ('type="revolute"', "", r"arm\.urdf:12: <joint> needs the attribute 'type'"),
    "bad number": ('value="2"', 'value="two"', r"arm\.urdf:7: <mass value=...>: expected a finite number, got 'two'"),
    "NaN": ('value="2"', 'value="nan"', r"arm\.urdf:7: .*finite"),
    "short vector": ('xyz="0 0 0.5"', 'xyz="0 0"', r"arm\.urdf:15: <origin xyz=...>: expected 3 finite numbers"),
    "zero axis": ('<axis xyz="0 1 0"/>', '<axis xyz="0 0 0"/>', r"arm\.urdf:16: the axis is zero"),
    "same name": ('<link name="tool"/>', '<link name="upper"/>', "two links have the same name"),
    "no child": ('<child link="upper"/>', "", r"arm\.urdf:12: <joint> needs a <child link=...>"),
    "entity": ("<robot", '<!DOCTYPE robot [<!ENTITY a "b">]><robot', r"arm\.urdf:\d+: entities are not allowed"),
    "deep": ('<link name="base"/>', "<a>" * 300 + "</a>" * 300, "nested too deeply"),
}


@pytest.mark.parametrize("case", MISTAKES)
def test_mistakes(tmp_path, case):
    old, new, message = MISTAKES[case]
    text = new if case in ("no robot",) else "<robot></robo>" if case == "not XML" else ARM.replace(old, new, 1)
    assert text != ARM
    with pytest.raises(redyn.DescriptionError, match=message):
        load(tmp_path, text)


def test_impossible_inertia_is_a_warning(tmp_path):
    with pytest.warns(redyn.RedynWarning, match="principal moment"):
        robot = load(tmp_path, ARM.replace('ixx="0.1"', 'ixx="-0.1"'))
    assert robot.description.unphysical


def edited(tmp_path, old, new):
    assert old in ARM
    return load(tmp_path, ARM.replace(old, new, 1))


def joint_of(robot, name):
    return next(link.joint for link in robot.description.links if link.joint.name == name)


def test_names_of_the_file_are_kept(tmp_path):
    robot = edited(tmp_path, 'name="shoulder"', 'name="joint1"')  # the name that the root's joint would get
    assert robot.joint_names == ["joint1"]
    robot = edited(tmp_path, 'name="mount"', 'name="root"')
    assert robot.frame_names == ["base", "upper", "tool"]


def test_a_root_called_world_is_the_world(tmp_path):
    robot = load(tmp_path, ARM.replace("base", "world"))
    assert robot.frame_names == ["upper", "tool"]
    close(robot.forward_kinematics([0.0])[:3, 3], [0.5, 0, 0.5])


def test_inertial_without_origin_and_links_without_mass(tmp_path):
    robot = edited(tmp_path, '<origin xyz="0.1 0 0" rpy="0 0 1.5707963267948966"/>', "")
    close(robot.mass_matrix([0.3]), [[0.2]])
    inertial = ARM[ARM.index("<inertial>") : ARM.index("</inertial>") + len("</inertial>")]
    robot = edited(tmp_path, inertial, "")
    assert robot.total_mass == 0
    with pytest.raises(redyn.SingularError, match="shoulder"):
        robot.forward_dynamics([0.0], [0.0], [1.0])


def test_continuous_joints_have_no_limits(tmp_path):
    robot = edited(tmp_path, 'type="revolute"', 'type="continuous"')
    assert joint_of(robot, "shoulder").limits is None
    assert joint_of(robot, "shoulder").effort_limit == 40


ELBOW = """<link name="hand"><inertial><mass value="1"/></inertial></link>
<joint name="elbow" type="revolute"><parent link="tool"/><child link="hand"/><axis xyz="0 1 0"/>{}</joint></robot>"""


def test_mimic_joints_are_independent_and_said_to_be(tmp_path):
    mimic = '<mimic joint="shoulder" multiplier="-2" offset="0.5"/>'
    with pytest.warns(redyn.RedynWarning, match=r"arm\.urdf: joint 'elbow' mimics 'shoulder'; .*independent"):
        robot = edited(tmp_path, "</robot>", ELBOW.format(mimic))
    assert robot.dof == 2
    followed = joint_of(robot, "elbow").mimic
    assert (followed.joint, followed.multiplier, followed.offset) == ("shoulder", -2, 0.5)
    with pytest.warns(redyn.RedynWarning, match=r"mimics 'hip', which does not exist"):
        robot = edited(tmp_path, "</robot>", ELBOW.format('<mimic joint="hip"/>'))
    assert joint_of(robot, "elbow").mimic is None


def test_odd_numbers_are_said(tmp_path):
    with pytest.warns(redyn.RedynWarning, match=r"arm\.urdf:18: damping of joint 'shoulder' is negative.*as zero"):
        robot = edited(tmp_path, 'damping="0.3"', 'damping="-0.3"')
    assert joint_of(robot, "shoulder").damping == 0
    with pytest.warns(redyn.RedynWarning, match=r"arm\.urdf:17: limits of joint 'shoulder' are swapped"):
        robot = edited(tmp_path, 'upper="2"', 'upper="-2"')
    assert joint_of(robot, "shoulder").limits is None


TRANSMISSIONS = {
    "in the actuator": (
        "<actuator name='m'><mechanicalReduction>50</mechanicalReduction><rotorInertia>2e-5</rotorInertia></actuator>",
        0.05,
    ),
    "beside the actuator": (
        "<actuator name='m'><rotorInertia>2e-5</rotorInertia></actuator><mechanicalReduction>-50</mechanicalReduction>",
        0.05,
    ),
    "Drake's": (
        "<actuator name='m'><drake:rotor_inertia value='2e-5'/><drake:gear_ratio value='50'/></actuator>",
        0.05,
    ),
    "Drake's beside that of ROS": (
        "<actuator name='m'><mechanicalReduction>1</mechanicalReduction><drake:gear_ratio value='50'/>"
        "<drake:rotor_inertia value='2e-5'/></actuator>",
        0.05,
    ),
    "direct": ("<actuator name='m'><rotorInertia>2e-5</rotorInertia></actuator>", 2e-5),
    "not said": ("<actuator name='m'><mechanicalReduction>50</mechanicalReduction></actuator>", 0.0),
}


@pytest.mark.parametrize("case", TRANSMISSIONS)
def test_rotors_of_transmissions(tmp_path, case):
    inside, armature = TRANSMISSIONS[case]
    plain = load(tmp_path, ARM)
    text = f"<transmission name='t'><type>simple</type><joint name='shoulder'/>{inside}</transmission></robot>"
    robot = edited(tmp_path, "</robot>", text)
    assert joint_of(robot, "shoulder").armature == pytest.approx(armature)
    close(robot.mass_matrix([0.3]), plain.mass_matrix([0.3]) + armature)


def test_rotors_of_several_joints_are_left_out(tmp_path):
    both = "<joint name='shoulder'/><joint name='mount'/><actuator name='m'><rotorInertia>1</rotorInertia></actuator>"
    with pytest.warns(redyn.RedynWarning, match="several joints.*rotor inertia is left out"):
        robot = edited(tmp_path, "</robot>", f"<transmission>{both}</transmission></robot>")
    assert joint_of(robot, "shoulder").armature == 0


SHAPES = """<visual><origin xyz="1 2 3" rpy="0 0 1"/><geometry><{}/></geometry><material name="blue"/></visual>
<collision><geometry><sphere radius="0.4"/></geometry></collision><visual/></link>"""
BLUE = '<material name="blue"><color rgba="0 0 1 0.5"/></material>'


@pytest.mark.parametrize(
    ("solid", "fields"),
    [
        ('box size="1 2 3"', {"type": "box", "size": (1, 2, 3)}),
        ('cylinder radius="0.1" length="2"', {"type": "cylinder", "radius": 0.1, "length": 2}),
        ('sphere radius="0.1"', {"type": "sphere", "radius": 0.1}),
        ('mesh filename="a/b.stl"', {"type": "mesh", "file": "a/b.stl"}),
        ('mesh filename="b.stl" scale="1 -1 1"', {"type": "mesh", "file": "b.stl", "scale": (1, -1, 1)}),
    ],
)
def test_shapes_are_kept_for_a_viewer(tmp_path, solid, fields):
    robot = load(
        tmp_path,
        ARM.replace('<link name="tool"/>', f'<link name="tool">{SHAPES.format(solid)}{BLUE}'),
    )
    tool = next(link for link in robot.description.links if link.name == "tool")
    (shape,) = tool.visual
    assert {key: getattr(shape, key) for key in fields} == fields
    assert (shape.xyz, shape.rpy, shape.colour) == ((1, 2, 3), (0, 0, 1), (0, 0, 1, 0.5))
    (touching,) = tool.collision
    assert (touching.radius, touching.colour, touching.xyz) == (0.4, None, (0, 0, 0))
    again = redyn.load(__import__("yaml").safe_load(robot.to_yaml())).description
    assert next(link for link in again.links if link.name == "tool") == tool


def mesh(path, name):
    """Where a robot at `path` that names this mesh finds it."""
    solid = f'<link name="tool"><visual><geometry><mesh filename="{name}"/></geometry></visual></link>'
    path.write_text(ARM.replace('<link name="tool"/>', solid))
    robot = pickle.loads(pickle.dumps(redyn.load(path)))
    (shape,) = next(link for link in robot.description.links if link.name == "tool").visual
    return mesh_path(robot.description, shape)


@pytest.fixture
def package(tmp_path):
    """A ROS package `bot`, one beside it called `parts`, and what nobody may reach."""
    for name in ("work/bot/urdf", "work/bot/meshes", "work/parts", "work/loose"):
        (tmp_path / name).mkdir(parents=True)
    for name in ("work/bot/package.xml", "work/parts/package.xml", "work/bot/meshes/m.stl", "work/bot/urdf/own.stl"):
        (tmp_path / name).write_text("x")
    for name in ("work/parts/p.stl", "work/loose/l.stl", "secret.stl"):
        (tmp_path / name).write_text("x")
    return tmp_path / "work/bot"


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("own.stl", "urdf/own.stl"),
        ("../meshes/m.stl", "meshes/m.stl"),
        ("package://bot/meshes/m.stl", "meshes/m.stl"),
        ("package://parts/p.stl", "../parts/p.stl"),
    ],
)
def test_meshes_are_found(package, name, found):
    assert mesh(package / "urdf/arm.urdf", name) == (package / found).resolve()


@pytest.mark.parametrize(
    "name",
    [
        *(
            "../../../secret.stl",
            "../../loose/l.stl",
            "package://bot/../../secret.stl",
            "package://parts/../loose/l.stl",
        ),
        *("/etc/passwd", "file:///etc/passwd", "http://example.org/m.stl", "C:/m.stl", "~/m.stl", "link.stl"),
    ],
)
def test_meshes_outside_are_refused_when_asked_for(package, name):
    try:
        (package / "urdf/link.stl").symlink_to(package.parent.parent / "secret.stl")
    except OSError:
        pytest.skip("no symbolic links here")
    with pytest.raises(redyn.DescriptionError, match="leads outside the folder of the model"):
        mesh(package / "urdf/arm.urdf", name)


@pytest.mark.parametrize(
    "name",
    [
        "none.stl",
        "package://loose/l.stl",
        f"package://{'x' * 999}/m.stl",
        "package://../secret.stl",
        "a&#0032;b",
        "x" * 999,
    ],
)
def test_meshes_that_are_nowhere(package, name):
    with pytest.raises(redyn.DescriptionError, match="no such mesh"):
        mesh(package / "urdf/arm.urdf", name)


@pytest.mark.parametrize(
    ("file", "named", "found"),
    [
        # a zip of a folder that has lost its package.xml
        ("bot/urdf/arm.urdf", "package://bot/meshes/m.stl", "bot/meshes/m.stl"),
        ("bot/urdf/arm.urdf", "../meshes/m.stl", "bot/meshes/m.stl"),
        ("bot-main/urdf/arm.urdf", "package://bot/meshes/m.stl", "bot-main/meshes/m.stl"),
        # workspaces of ROS
        ("ws/src/bot/urdf/arm.urdf", "package://parts/meshes/m.stl", "ws/src/parts/meshes/m.stl"),
        ("ws/src/all/bot/urdf/arm.urdf", "package://parts/meshes/m.stl", "ws/src/parts/meshes/m.stl"),
        ("ws/arm.urdf", "package://parts/meshes/m.stl", "ws/src/parts/meshes/m.stl"),
        ("ws/arm.urdf", "package://parts/meshes/m.stl", "ws/install/share/parts/meshes/m.stl"),
        ("ws/arm.urdf", "package://parts/meshes/m.stl", "ws/install/parts/share/parts/meshes/m.stl"),
        ("opt/share/bot/urdf/arm.urdf", "package://parts/meshes/m.stl", "opt/share/parts/meshes/m.stl"),
    ],
)
def test_meshes_as_people_have_them(tmp_path, file, named, found):
    for name in (file, found):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / found).write_text("x")
    assert mesh(tmp_path / file, named) == (tmp_path / found).resolve()


def test_packages_of_a_sourced_ros(tmp_path, monkeypatch):
    (tmp_path / "ros/share/parts/meshes").mkdir(parents=True)
    (tmp_path / "ros/share/parts/package.xml").write_text("<package/>")
    (tmp_path / "ros/share/parts/meshes/m.stl").write_text("x")
    (tmp_path / "here").mkdir()
    with pytest.raises(redyn.DescriptionError, match="no such mesh"):
        mesh(tmp_path / "here/arm.urdf", "package://parts/meshes/m.stl")
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(tmp_path / "ros"))
    assert mesh(tmp_path / "here/arm.urdf", "package://parts/meshes/m.stl").is_file()


def test_a_package_in_a_folder_of_another_name(tmp_path):
    (tmp_path / "Bot-ROS2/deep/er/still/urdf").mkdir(parents=True)
    (tmp_path / "Bot-ROS2/package.xml").write_text("<package><name>bot</name></package>")
    (tmp_path / "Bot-ROS2/m.stl").write_text("x")
    assert mesh(tmp_path / "Bot-ROS2/deep/er/still/urdf/arm.urdf", "package://bot/m.stl").is_file()


def test_usd_is_refused_with_a_hint(tmp_path):
    (tmp_path / "arm.usd").write_bytes(b"PXR-USDC")
    with pytest.raises(redyn.DescriptionError, match="USD is not read; export the robot as URDF or MJCF"):
        redyn.load(tmp_path / "arm.usd")


def test_the_place_of_a_file_is_no_part_of_the_robot(tmp_path):
    robot = load(tmp_path, ARM)
    (tmp_path / "other").mkdir()
    assert load(tmp_path / "other", ARM).description == robot.description
    assert robot.description.folder == tmp_path.resolve()
    assert "folder" not in robot.to_yaml()
    with pytest.raises(redyn.DescriptionError, match="folder: unknown key"):
        redyn.load({**__import__("yaml").safe_load(robot.to_yaml()), "folder": "/"})


def test_a_robot_from_data_has_no_meshes():
    link = {"joint": "revolute", "mass": 0, "visual": [{"type": "mesh", "file": "m.stl"}]}
    robot = redyn.load({"name": "r", "convention": "frames", "links": [link]})
    with pytest.raises(redyn.DescriptionError, match="not read from a file"):
        mesh_path(robot.description, robot.description.links[0].visual[0])


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        ({"type": "box"}, r"links\[0\]\.visual\[0\]: a box needs size"),
        ({"type": "sphere", "radius": 1, "length": 2}, "length does not apply to a sphere"),
        ({"type": "cone"}, "visual"),
    ],
)
def test_shapes_that_make_no_sense(shape, message):
    link = {"joint": "revolute", "mass": 0, "visual": [shape]}
    with pytest.raises(redyn.DescriptionError, match=message):
        redyn.load({"name": "r", "convention": "frames", "links": [link]})
