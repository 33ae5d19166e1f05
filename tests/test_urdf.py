"""URDF: chains and trees as Pinocchio reads them, and mistakes with their lines."""

import warnings

import numpy as np
import pytest

import redyn
from random_robots import close
from redyn.bench.compare import URDF
from redyn.bench.peers import robots_folder


@pytest.mark.parametrize("name", URDF)
@pytest.mark.parametrize("exact", [True, False])
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
    "two parents": ('<child link="tool"/>', '<child link="upper"/>', r"arm\.urdf:21: link 'upper' hangs on two joints"),
    "two roots": (
        '<joint name="mount" type="fixed"><parent link="upper"/><child link="tool"/><origin xyz="0.5 0 0"/></joint>',
        "",
        "expected one root link, got base, tool",
    ),
    "joint type": ('type="revolute"', 'type="planar"', r"arm\.urdf:12: joint type 'planar' is not supported"),
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
