"""MJCF: redyn and MuJoCo agree on the same file; what redyn leaves out it says; what it cannot read it names."""

import re
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import redyn
from random_robots import close, on_floats, random_motion
from redyn.description.meshes import mesh_path
from redyn.description.packages import robots_folder
from redyn.description.placement import rpy_rotation
from redyn.verify.compare import verify

mujoco = pytest.importorskip("mujoco")
DATA = Path(__file__).parents[1] / "data"


def load(path, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", redyn.RedynWarning)
        return redyn.load(path, **options)


def without_what_redyn_lacks(model):
    """Fluid off; friction loss, limits, contacts, tendons and equalities are constraints."""
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    model.opt.density = model.opt.viscosity = 0
    return model


def without_coulomb(robot):
    links = [
        link if link.joint.type == "fixed" else link.model_copy(update={"joint": smooth(link.joint)})
        for link in robot.description.links
    ]
    return on_floats(redyn.robot.Robot(robot.description.model_copy(update={"links": links}), exact=True))


def smooth(joint):
    return joint.model_copy(update={"coulomb": 0.0})


def full_mass_matrix(model, data):
    columns = np.empty((model.nv, model.nv))
    for i, unit in enumerate(np.eye(model.nv)):
        mujoco.mj_mulM(model, data, columns[i], unit)
    return columns.T


def agree(robot, model, tolerance=1e-9):
    robot, model = without_coulomb(robot), without_what_redyn_lacks(model)
    assert robot.dof == model.nv
    data = mujoco.MjData(model)
    for q, qd, x in np.random.default_rng(0).uniform(-1, 1, (5, 3, robot.dof)):
        data.qpos[:], data.qvel[:], data.qacc[:] = q, qd, x
        mujoco.mj_inverse(model, data)
        close(robot.inverse_dynamics(q, qd, x), data.qfrc_inverse, tolerance=tolerance)
        data.qfrc_applied[:] = x
        mujoco.mj_forward(model, data)
        M = full_mass_matrix(model, data)
        close(robot.mass_matrix(q), M, tolerance=tolerance)
        close(robot.forward_dynamics(q, qd, x), data.qacc, max(1.0, np.linalg.cond(M) * 1e-3), tolerance=tolerance)
        for body in range(1, model.nbody):
            pose = robot.forward_kinematics(q, link=model.body(body).name or f"body{body}")
            close(pose[:3, 3], data.xpos[body])
            close(pose[:3, :3], data.xmat[body].reshape(3, 3))


@pytest.mark.parametrize("name", ["arm", "hand"])
def test_models_agree_with_mujoco(name):
    path = DATA / f"{name}.xml"
    agree(load(path, exact=True), mujoco.MjModel.from_xml_path(str(path)))


CONVERTED = {
    "ur5": "ur_description/urdf/ur5_robot.urdf",
    "panda": "panda_description/urdf/panda.urdf",
    "bolt": "bolt_description/robots/bolt.urdf",
    "baxter": "baxter_description/urdf/baxter.urdf",
}


@pytest.mark.parametrize("name", CONVERTED)
def test_urdfs_that_mujoco_converted(tmp_path, name):
    spec = mujoco.MjSpec.from_file(str(robots_folder() / CONVERTED[name]))
    for thing in [*spec.geoms, *spec.meshes]:
        spec.delete(thing)
    spec.compiler.fusestatic = 0
    model = spec.compile()
    path = tmp_path / "converted.xml"
    path.write_text(spec.to_xml())
    robot = load(path, exact=True)
    agree(robot, mujoco.MjModel.from_xml_path(str(path)))
    original = on_floats(load(robots_folder() / CONVERTED[name], exact=True, friction=False))
    assert sorted(robot.joint_names) == sorted(original.joint_names)
    order = [original.joint_names.index(joint) for joint in robot.joint_names]
    q = np.random.default_rng(1).uniform(-1, 1, original.dof)
    close(  # the file holds six digits
        on_floats(robot).mass_matrix(q[order]) - np.diag(model.dof_armature),
        original.mass_matrix(q)[np.ix_(order, order)],
        tolerance=1e-4,
    )


def test_what_an_mjcf_says():
    robot = load(DATA / "arm.xml")
    assert robot.name == "arm"
    assert robot.joint_names == ["turn", "swing", "twist", "slip", "body4_joint1", "body5_joint1", "wheel"]
    assert robot.link_names == [
        "column",
        "swing_link",
        "twist_link",
        "upper",
        "body4",
        "body5_joint1_link",
        "wheel_link",
    ]
    assert {"plate", "body5", "other"} < set(robot.frame_names)
    close(robot.gravity, [0.3, -0.2, -9.7])
    joints = {link.joint.name: link.joint for link in robot.description.links}
    assert joints["turn"].limits == (-2, 2.5)
    assert joints["swing"].coulomb == 0.2
    assert (joints["slip"].damping, joints["slip"].initial, joints["slip"].type) == (3, (-0.1,), "prismatic")
    assert joints["body4_joint1"].armature == 0.002
    shapes = {link.name: link for link in robot.description.links}
    (box,) = shapes["plate"].visual
    assert (box.type, box.size, box.xyz) == ("box", (0.2, 0.1, 0.04), (0.03, 0.01, 0))
    assert shapes["body5"].visual[0].colour == (1, 0, 0, 1)
    assert not shapes["body5"].collision  # it touches nothing
    assert shapes["plate"].collision
    again = redyn.load(__import__("yaml").safe_load(robot.to_yaml()))
    q = np.linspace(-1, 1, 7)
    close(on_floats(again).inverse_dynamics(q, q, q), on_floats(robot).inverse_dynamics(q, q, q))


def test_what_is_left_out_is_said_once():
    with pytest.warns(redyn.RedynWarning) as caught:
        redyn.load(DATA / "hand.xml")
    messages = [str(warning.message) for warning in caught]
    (message,) = [text for text in messages if "leaves out" in text]
    for what in ("contacts", "actuators (1)", "tendons (1)", "fluid"):
        assert what in message
    assert "hand.xml: 1 equality constraint taken as exact; solref and solimp" in "\n".join(messages)


BODY = '<mujoco><worldbody><body name="b">{}<geom size="1"/></body></worldbody></mujoco>'
MISTAKES = {
    "nothing moves": (BODY.format(""), r"robot\.xml: links: no joint moves"),
    "empty": ("<mujoco/>", r"robot\.xml: links: "),
    "schema": ("<mujoco><wordbody/></mujoco>", r"robot\.xml: MuJoCo does not accept it: .*wordbody.*line 1"),
    "no mass": (
        '<mujoco><worldbody><body name="b"><joint/></body></worldbody></mujoco>',
        "MuJoCo does not accept it: .*mass",
    ),
    "NaN": (BODY.format('<joint pos="nan 0 0"/>'), "MuJoCo does not accept it|finite"),
    "not XML": ("<mujoco>", r"robot\.xml:1: not valid XML"),
    "entity": ("<!DOCTYPE a []><mujoco/>", r"robot\.xml:1: entities are not allowed"),
    "include outside": ('<mujoco><include file="../other.xml"/></mujoco>', r"other\.xml: leads outside the folder"),
    "absolute include": ('<mujoco><include file="/etc/passwd"/></mujoco>', "leads outside the folder"),
    "missing include": ('<mujoco><include file="none.xml"/></mujoco>', "MuJoCo does not accept it"),
    "mesh outside": (
        '<mujoco><compiler meshdir=".."/><asset><mesh name="m" file="m.stl"/></asset></mujoco>',
        r"m\.stl: leads outside the folder",
    ),
    "copies": (
        BODY.format('<joint/><replicate count="200"><replicate count="200"><site/></replicate></replicate>'),
        r"robot\.xml:1: <replicate> makes more than 10,000 copies",
    ),
    "large texture": (
        '<mujoco><asset><texture builtin="flat" width="100000" height="9"/></asset></mujoco>',
        "<texture width=...> is more than",
    ),
    "large size": ('<mujoco><size nuserdata="2000000000"/></mujoco>', "<size nuserdata=...> is more than"),
}


@pytest.mark.parametrize("case", MISTAKES)
def test_mistakes(tmp_path, case):
    text, message = MISTAKES[case]
    path = tmp_path / "robot.xml"
    path.write_text(text)
    with pytest.raises(redyn.DescriptionError, match=message):
        redyn.load(path)


def test_an_include_that_includes_itself(tmp_path):
    path = tmp_path / "robot.xml"
    path.write_text('<mujoco><include file="robot.xml"/></mujoco>')
    with pytest.raises(redyn.DescriptionError, match="MuJoCo does not accept it"):
        redyn.load(path)


INCLUDED = {
    "an entity": ('<!DOCTYPE a [<!ENTITY b "c">]><mujoco/>', r"part\.xml:1: entities are not allowed"),
    "a file outside": ('<mujoco>\n<include file="../../x.xml"/></mujoco>', r"part\.xml:2: x\.xml: leads outside"),
    "another format": ("name: arm", r"part\.xml:1: not valid XML"),
    "itself": ('<mujoco><include file="part.xml"/></mujoco>', "MuJoCo does not accept it"),
}


@pytest.mark.parametrize("case", INCLUDED)
def test_included_files_are_checked_too(tmp_path, case):
    text, message = INCLUDED[case]
    path = tmp_path / "robot.xml"
    path.write_text('<mujoco><include file="part.xml"/></mujoco>')
    (tmp_path / "part.xml").write_text(text)
    with pytest.raises(redyn.DescriptionError, match=message):
        redyn.load(path)


def test_too_many_includes(tmp_path):
    for i in range(150):
        (tmp_path / f"part{i}.xml").write_text(f'<mujoco><include file="part{i + 1}.xml"/></mujoco>')
    with pytest.raises(redyn.DescriptionError, match="includes more than 100 files"):
        redyn.load(tmp_path / "part0.xml")


def test_a_link_that_leads_outside(tmp_path):
    (tmp_path / "model").mkdir()
    (tmp_path / "secret.xml").write_text("<mujoco/>")
    try:
        (tmp_path / "model/part.xml").symlink_to(tmp_path / "secret.xml")
    except OSError:
        pytest.skip("no symbolic links here")
    path = tmp_path / "model/robot.xml"
    path.write_text('<mujoco><include file="part.xml"/></mujoco>')
    with pytest.raises(redyn.DescriptionError, match="leads outside the folder"):
        redyn.load(path)


def test_asking_for_memory_is_ignored(tmp_path):
    path = tmp_path / "robot.xml"
    path.write_text(BODY.format("<joint/>").replace("<mujoco>", '<mujoco><size memory="900G"/>'))
    assert load(path).dof == 1


def test_names_are_made_unique(tmp_path):
    path = tmp_path / "robot.xml"
    path.write_text(
        """<mujoco><worldbody>
          <body><joint name="a" pos="0 0 1"/><geom size="1"/></body>
          <body name="a_link"><joint name="b"/><geom size="1"/></body>
          <body name="body1"><joint name="body1_joint1"/><joint name="c" axis="1 0 0"/><geom size="1"/></body>
          <body name="body1_joint1_link"><joint/><geom size="1"/><body name="child"><geom size="1"/></body></body>
        </worldbody></mujoco>"""
    )
    robot = load(path)
    assert len(set(robot.frame_names)) == len(robot.frame_names)
    assert len(set(robot.joint_names)) == 5
    parents = {link.name: link.parent for link in robot.description.links}
    assert parents["child"] == "body1_joint1_link"
    assert parents["a_link"] == "world"


WEDGE = "v 0 0 0\nv 1 0 0\nv 0 2 0\nv 0 0 3\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
MESH = """<mujoco>
  <compiler meshdir="assets"/>
  <option><flag gravity="disable"/></option>
  <asset>
    <mesh name="w" file="wedge.obj" scale="0.1 0.1 0.2"/>
    <material name="green" rgba="0 1 0 1"/>
  </asset>
  <worldbody>
    <body name="b" pos="0 0 1">
      <joint name="j" axis="0 1 0"/>
      <geom type="mesh" mesh="w" pos="0.5 0.1 0" euler="10 20 30" material="green"/>
    </body>
    <body name="guide" mocap="true"/>
  </worldbody>
  <actuator><motor joint="j" gear="3"/></actuator>
</mujoco>"""


def test_meshes_give_inertia_and_are_found_again(tmp_path):
    (tmp_path / "assets").mkdir()
    (tmp_path / "assets/wedge.obj").write_text(WEDGE)
    path = tmp_path / "robot.xml"
    path.write_text(MESH)
    with pytest.warns(redyn.RedynWarning, match="motion of mocap bodies"):
        robot = redyn.load(path, exact=True)
    model = mujoco.MjModel.from_xml_path(str(path))
    agree(robot, model)
    assert not robot.gravity.any()
    (shape,) = robot.description.links[0].visual
    assert mesh_path(robot.description, shape) == (tmp_path / "assets/wedge.obj").resolve()
    assert shape.colour == (0, 1, 0, 1)
    R, p = rpy_rotation(*shape.rpy)[:3, :3], np.array(shape.xyz)
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 2, 0], [0, 0, 3]]) * shape.scale @ R.T + p
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    theirs = model.mesh_vert @ data.geom_xmat[0].reshape(3, 3).T + data.geom_xpos[0] - data.xpos[1]
    close(np.sort(corners, axis=0), np.sort(theirs, axis=0), tolerance=1e-6)  # it keeps vertices in single precision


def test_rotors_behind_gears(tmp_path):
    path = tmp_path / "robot.xml"
    text = BODY.format('<joint name="j" armature="0.1" axis="0 1 0"/>')
    path.write_text(text.replace("</mujoco>", ROTOR))
    try:
        model = mujoco.MjModel.from_xml_path(str(path))
    except ValueError:
        pytest.skip("this mujoco has no armature of actuators")
    robot = load(path, exact=True)
    agree(robot, model)
    assert robot.description.links[0].joint.armature == pytest.approx(1.0)


ROTOR = '<actuator><motor joint="j" gear="-3" armature="0.1" damping="0.2"/></actuator></mujoco>'


def test_mujoco_leaves_no_log_behind(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "robot.xml"
    path.write_text(BODY.format('<joint/><camera pos="nan 0 0"/>'))
    with pytest.raises(redyn.DescriptionError, match=r"a number is NaN|does not accept"):
        redyn.load(path)
    assert [entry.name for entry in tmp_path.iterdir()] == ["robot.xml"]


def test_a_urdf_may_end_in_xml(tmp_path):
    path = tmp_path / "robot.xml"
    path.write_text(
        '<robot name="r"><link name="a"/><link name="b"/>'
        '<joint name="j" type="revolute"><parent link="a"/><child link="b"/></joint></robot>'
    )
    assert redyn.load(path).joint_names == ["j"]


def test_without_mujoco(monkeypatch):
    monkeypatch.setitem(sys.modules, "mujoco", None)
    with pytest.raises(redyn.errors.MissingExtraError, match=r"needs mujoco.*redyn\[mujoco\]"):
        redyn.load(DATA / "arm.xml")


TUMBLER = """<mujoco><option gravity="1 2 -9"/><worldbody><body name="base" pos="0.3 0.2 1" quat="0.8 0.6 0 0">
  <freejoint name="float"/><inertial pos="0.1 0 0.05" mass="3" diaginertia="0.1 0.2 0.25"/>
  <body name="arm" pos="0.2 0.1 0" quat="0.6 0 0.8 0">
    <joint name="ball" type="ball" damping="0.2" armature="0.05"/>
    <inertial pos="0 0 0.2" mass="1" diaginertia="0.02 0.03 0.04"/>
    <body name="hand" pos="0 0 0.4"><joint name="hinge" axis="1 0 0" pos="0 0.1 0"/>
      <inertial pos="0 0.1 0" mass="0.5" diaginertia="0.01 0.01 0.01"/></body>
  </body></body></worldbody></mujoco>"""


def test_free_and_ball_joints_agree_with_mujoco(tmp_path):
    """Quaternions are w x y z there; a free body's velocity is linear in world axes, then angular in its own."""
    path = tmp_path / "robot.xml"
    path.write_text(TUMBLER)
    robot = on_floats(load(path, exact=True))
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    assert robot.velocity_names[5:] == ["float.vz", "ball.wx", "ball.wy", "ball.wz", "hinge"]
    close(robot.initial[:7], [*model.qpos0[:3], *model.qpos0[4:7], model.qpos0[3]])
    for seed in range(5):
        q, qd, qdd = random_motion(robot, seed)
        R = robot.forward_kinematics(q, "base")[:3, :3]
        T = np.eye(robot.dof)  # their velocity is T times ours
        T[:6, :6] = np.block([[np.zeros((3, 3)), R], [np.eye(3), np.zeros((3, 3))]])
        swing = np.zeros(robot.dof)
        swing[:3] = R @ np.cross(qd[:3], qd[3:6])
        data.qpos[:] = [*q[:3], q[6], *q[3:6], q[10], *q[7:10], q[11]]
        data.qvel[:], data.qacc[:] = T @ qd, T @ qdd + swing
        mujoco.mj_inverse(model, data)
        close(robot.inverse_dynamics(q, qd, qdd), T.T @ data.qfrc_inverse, tolerance=1e-9)
        data.qfrc_applied[:] = np.linalg.solve(T.T, qdd)
        mujoco.mj_forward(model, data)
        close(robot.mass_matrix(q), T.T @ full_mass_matrix(model, data) @ T, tolerance=1e-9)
        close(robot.forward_dynamics(q, qd, qdd), np.linalg.solve(T, data.qacc - swing), 100, tolerance=1e-9)
        close(robot.forward_kinematics(q, "hand")[:3, 3], data.xpos[3])


SWITCHED = """<mujoco><option gravity="1 2 -9" density="{density}"><flag {flag}="disable"/></option>
  <worldbody><geom name="floor" type="plane" size="1 1 1"/>
  <body name="b" gravcomp="{gravcomp}" quat="0.6 0.8 0 0">
    <joint name="j" axis="0 1 0" damping="0.3" frictionloss="0.2" stiffness="{stiffness}" armature="0.1" range="-1 1"/>
    <geom type="capsule" size="0.1 0.5" pos="0 0.1 0.5"/></body>
  <body name="c"><joint name="k" axis="1 0 0"/><geom size="0.1" pos="0 0.2 0"/></body></worldbody>
  <equality><joint joint1="j" joint2="k"/></equality>
  <actuator><motor joint="j" gear="3"/></actuator></mujoco>"""
FLAGS = [  # and what is no longer said to be left out
    ("gravity", {"gravity compensation"}),
    ("contact", {"contacts"}),
    ("constraint", {"contacts"}),
    ("equality", set()),
    ("frictionloss", set()),
    ("limit", set()),
    ("actuation", {"actuators (1)"}),
    ("damper", set()),
    ("spring", set()),
    ('spring="disable" damper', {"gravity compensation", "the fluid around"}),
]
ALL = {
    "contacts",
    "actuators (1)",
    "gravity compensation",
    "the fluid around",
}


@pytest.mark.parametrize(("flag", "silent"), FLAGS)
def test_what_a_file_disables_does_not_act(tmp_path, flag, silent):
    path = tmp_path / "robot.xml"
    path.write_text(SWITCHED.format(flag=flag, density=1, gravcomp=0.5, stiffness=2))
    if "spring" in flag or "damper" in flag:
        skip_unless_separate(path)
    with pytest.warns(redyn.RedynWarning) as caught:
        robot = redyn.load(path)
    messages = [str(warning.message) for warning in caught]
    (message,) = [text for text in messages if "leaves out" in text]
    assert set(message.partition("leaves out ")[2].split(", ")) == ALL - silent
    assert any("taken as exact" in text for text in messages) == (flag not in ("equality", "constraint"))
    joint = robot.description.links[0].joint
    assert (joint.mimic is not None) == (flag not in ("equality", "constraint"))
    assert (joint.coulomb == 0.2) == (flag not in ("frictionloss", "constraint"))
    assert (joint.limits is not None) == (flag not in ("limit", "constraint"))
    assert (joint.damping == 0.3) == ("damper" not in flag)
    assert (joint.stiffness == 2) == ("spring" not in flag)
    assert joint.armature == 0.1
    assert robot.gravity.any() == (flag != "gravity")


def skip_unless_separate(path):
    """Older versions have one flag, passive, for springs and dampers."""
    try:
        mujoco.MjModel.from_xml_path(str(path))
    except ValueError:
        pytest.skip("this mujoco has other flags")


@pytest.mark.parametrize("flag", [flag for flag, _ in FLAGS])
def test_what_a_file_disables_is_as_in_mujoco(tmp_path, flag):
    """The torques of a motion, with what redyn does not model left out of the file."""
    path = tmp_path / "robot.xml"
    text = SWITCHED.format(flag=flag, density=0, gravcomp=0, stiffness=2)
    path.write_text(
        re.sub(r'<equality>.*</equality>|range="-1 1"|frictionloss="0.2"|<geom name="floor"[^>]*>', "", text)
    )
    if "spring" in flag or "damper" in flag:
        skip_unless_separate(path)
    robot = on_floats(load(path, exact=True))
    agree(robot, mujoco.MjModel.from_xml_path(str(path)))
    if flag == "damper":  # the comparison of the command line keeps what the file disables
        (beside,) = [item for item in verify(path, states=5)[1] if item.peer == "MuJoCo"]
        assert beside.rows
        assert beside.agrees


def test_flags_of_an_included_file(tmp_path):
    path = tmp_path / "robot.xml"
    path.write_text(BODY.format("<joint/>").replace("<mujoco>", '<mujoco><include file="options.xml"/>'))
    (tmp_path / "options.xml").write_text('<mujoco><option><flag gravity="disable"/></option></mujoco>')
    assert not load(path).gravity.any()


ARMED = TUMBLER.replace('<freejoint name="float"/>', '<joint name="float" type="free" armature="0.4" damping="0.2"/>')


def test_armature_of_a_free_joint(tmp_path):
    """It is in the mass matrix as in MuJoCo; there it also resists the turning of the velocity, and this is said."""
    path = tmp_path / "robot.xml"
    path.write_text(ARMED)
    with pytest.warns(redyn.RedynWarning, match=r"armature of the free joint 'float' .*adds armature \* \(omega x v\)"):
        robot = on_floats(redyn.load(path, exact=True))
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    q, qd, qdd = random_motion(robot, 3)
    R = robot.forward_kinematics(q, "base")[:3, :3]
    T = np.eye(robot.dof)
    T[:6, :6] = np.block([[np.zeros((3, 3)), R], [np.eye(3), np.zeros((3, 3))]])
    turning = np.cross(qd[:3], qd[3:6])
    data.qpos[:] = [*q[:3], q[6], *q[3:6], q[10], *q[7:10], q[11]]
    data.qvel[:] = T @ qd
    data.qacc[:] = T @ qdd
    data.qacc[:3] += R @ turning
    mujoco.mj_inverse(model, data)
    more = np.zeros(robot.dof)
    more[3:6] = 0.4 * turning  # what the warning speaks of
    assert np.abs(more).max() > 0.01
    close(robot.inverse_dynamics(q, qd, qdd) + more, T.T @ data.qfrc_inverse, tolerance=1e-9)
    mujoco.mj_forward(model, data)
    close(robot.mass_matrix(q), T.T @ full_mass_matrix(model, data) @ T, tolerance=1e-9)
    (beside,) = [item for item in verify(path, states=5)[1] if item.peer == "MuJoCo"]
    assert beside.agrees
    assert any("armature of a free joint" in text for text in beside.conventions)


def test_armature_of_ball_joints_needs_no_word(tmp_path):
    path = tmp_path / "robot.xml"
    path.write_text(TUMBLER)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        redyn.load(path)


@pytest.mark.parametrize("kind", ["hinge", "slide", "ball", "free"])
def test_rotors_of_actuators_on_any_joint(tmp_path, kind):
    path = tmp_path / "robot.xml"
    inertial = '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'
    body = f'<body name="b"><joint name="j" type="{kind}" armature="0.1"/>{inertial}</body>'
    motor = (
        '<actuator><motor joint="j" gear="3 2 1 4 5 6" armature="0.1"/><motor joint="j" armature="0.05"/></actuator>'
    )
    path.write_text(f"<mujoco><worldbody>{body}</worldbody>{motor}</mujoco>")
    try:
        model = mujoco.MjModel.from_xml_path(str(path))
    except ValueError:
        pytest.skip("this mujoco has no armature of actuators")
    robot = on_floats(load(path))
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    order = [3, 4, 5, 0, 1, 2] if kind == "free" else range(robot.dof)
    close(robot.mass_matrix(robot.neutral()), full_mass_matrix(model, data)[np.ix_(order, order)], tolerance=1e-9)


def test_degrees_for_radians(tmp_path):
    path = tmp_path / "robot.xml"
    path.write_text(
        '<mujoco><compiler angle="radian"/>' + BODY.format('<joint range="-170 170"/>').partition("<mujoco>")[2]
    )
    with pytest.warns(redyn.RedynWarning, match=r"limits of joint .* are \(-170.0, 170.0\) rad, several turns"):
        redyn.load(path)
