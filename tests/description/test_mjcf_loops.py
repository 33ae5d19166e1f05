"""Equality constraints of MJCF: loops and couplings where MuJoCo itself has them; actuators say what is driven."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import redyn
from random_robots import close, on_floats
from redyn.description import read
from redyn.description.loops import loop_frames

mujoco = pytest.importorskip("mujoco")

BODIES = """
<body name="a" pos="0.1 0 0"><joint name="j1" axis="0 1 0" ref="0.3"/><geom size="0.1" mass="1"/>
  <site name="sa" pos="0.1 0.2 0.3" euler="10 20 30"/>
  <body name="b" pos="0.3 0 0" euler="10 20 30"><joint name="j2" type="ball"/><geom size="0.1" mass="1"/></body></body>
<body name="c" pos="0 0.4 0" euler="30 0 0"><joint name="j3" type="slide" ref="0.2"/><geom size="0.1" mass="1"/>
  <joint name="j4" pos="0.3 0.1 0" axis="1 1 0"/><site name="sc" pos="0.3 0.2 0.1" euler="40 20 30"/>
  <body name="d"><geom size="0.1" mass="1"/></body></body>
"""
MODEL = f"""<mujoco><worldbody>{BODIES}</worldbody>
<tendon><fixed name="t"><joint joint="j1" coef="2"/><joint joint="j4" coef="-1"/></fixed>
  <spatial name="s"><site site="sa"/><site site="sc"/></spatial></tendon>
<equality>{{}}</equality><actuator>{{}}</actuator></mujoco>"""


def load(tmp_path, equality, actuator="", read=redyn.load, **options):
    """A robot, MuJoCo's own model, and what is said about it."""
    path = tmp_path / "robot.xml"
    path.write_text(equality if "<mujoco" in equality else MODEL.format(equality, actuator))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        robot = read(path, **options)
    return robot, mujoco.MjModel.from_xml_path(str(path)), [str(item.message) for item in caught]


def described(tmp_path, equality, actuator="", **options):
    return load(tmp_path, equality, actuator, read, **options)


def quaternion_part(R):
    """The vector part of a rotation's quaternion with a scalar part that is not negative."""
    from scipy.spatial.transform import Rotation

    x, y, z, w = Rotation.from_matrix(R).as_quat()
    return np.array([x, y, z]) * np.sign(w)


LOOPS = {
    "connect": '<connect name="e" body1="b" body2="c" anchor="0.1 0.2 0.3"/>',
    "connect with the world": '<connect name="e" body1="b" anchor="0.1 0.2 0.3"/>',
    "connect of a fixed body": '<connect name="e" body1="d" body2="b" anchor="0.1 0.2 0.3"/>',
    "connect of sites": '<connect name="e" site1="sa" site2="sc"/>',
    "weld": '<weld name="e" body1="b" body2="c"/>',
    "weld with the world": '<weld name="e" body1="c"/>',
    "weld at a pose": '<weld name="e" body1="b" body2="c" anchor="0.1 0.2 0.3" relpose="0.1 0.2 0 0.5 -0.5 0.5 0.5"/>',
    "weld of sites": '<weld name="e" site1="sa" site2="sc"/>',
    "weld without torque": '<weld name="e" body1="b" body2="c" torquescale="0"/>',
}


@pytest.mark.parametrize("case", LOOPS)
def test_frames_are_where_mujoco_has_them(tmp_path, case):
    """At any configuration, the gap of a loop is MuJoCo's own residual."""
    robot, model, said = load(tmp_path, LOOPS[case])
    (loop,) = robot.loops
    kind = "fixed" if "weld" in case and "torque" not in case else "spherical"
    assert (loop.name, loop.joint) == ("e", kind)
    assert any("robot.xml: 1 equality constraint taken as exact; solref and solimp" in text for text in said)
    ((first, second),) = loop_frames(robot.description)
    data, tree = mujoco.MjData(model), on_floats(robot.tree)
    rng = np.random.default_rng(3)
    for _ in range(5):
        q = tree.random(rng)
        by_name = dict(zip(tree.coordinate_names, q, strict=True))
        ball = [by_name[f"j2.q{part}"] for part in "wxyz"]
        data.qpos[:] = [by_name["j1"], *ball, by_name["j3"], by_name["j4"]]
        mujoco.mj_forward(model, data)
        A, B = (
            (np.eye(4) if end == "world" else tree.forward_kinematics(q, end)) @ frame
            for end, frame in zip(loop.between, (first, second), strict=True)
        )
        close(A[:3, 3] - B[:3, 3], data.efc_pos[:3])
        if kind == "fixed":
            turned = quaternion_part(B[:3, :3].T @ A[:3, :3])
            assert min(np.abs(turned - sign * data.efc_pos[3:6]).max() for sign in (1, -1)) < 1e-11


def test_closed_accelerations_are_those_of_mujoco(tmp_path):
    """A four-bar at rest, its constraint as stiff as MuJoCo allows."""
    text = """<mujoco><option gravity="0 -9.81 0" timestep="1e-4"/><worldbody>
      <body name="crank"><joint name="crank" axis="0 0 1"/>
        <geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.02"/></body>
      <body name="rod" pos="0.8 0 0"><joint name="rod" axis="0 0 1" ref="1.2"/>
        <geom type="capsule" fromto="0 0 0 0 0.5 0" size="0.02"/>
        <body name="coupler" pos="0 0.5 0"><joint name="coupler" axis="0 0 1"/>
          <geom type="capsule" fromto="0 0 0 -0.7 0 0" size="0.02"/></body></body></worldbody>
      <contact><exclude body1="crank" body2="coupler"/><exclude body1="crank" body2="rod"/></contact>
      <equality><connect body1="crank" body2="coupler" anchor="0.3 0 0" solref="0.0002 1" solimp="0.9999 0.9999 0.1"/>
      </equality><actuator><motor joint="crank"/></actuator></mujoco>"""
    robot, model, _ = load(tmp_path, text)
    robot = on_floats(robot)
    assert (robot.mobility, robot.actuated) == (1, ["crank"])
    data = mujoco.MjData(model)
    data.qpos[:] = robot.initial
    data.qfrc_applied[0] = 0.7
    mujoco.mj_forward(model, data)
    assert np.abs(data.efc_pos[:3]).max() < 1e-12
    close(robot.forward_dynamics(robot.initial, np.zeros(3), [0.7, 0, 0]), data.qacc, tolerance=1e-3)


POLYNOMIALS = st.lists(st.floats(-2, 2).map(lambda x: round(x, 3)), min_size=2, max_size=5).filter(lambda c: any(c[1:]))


@settings(max_examples=15)
@given(POLYNOMIALS, st.floats(-1, 1), st.floats(-1, 1))
def test_polynomials_are_as_in_mujoco(tmp_path_factory, numbers, q1, q2):
    """q1 - ref1 = polynomial(q2 - ref2): a mimic joint where it is linear, else a gear."""
    text = f'<joint name="e" joint1="j1" joint2="j3" polycoef="{" ".join(map(repr, numbers))}"/>'
    robot, model, _ = described(tmp_path_factory.getbasetemp(), text)
    data = mujoco.MjData(model)
    data.qpos[[0, 5]] = q1, q2
    mujoco.mj_forward(model, data)
    (follower,) = [link.joint for link in robot.links if link.joint.name == "j1"]
    if follower.mimic is not None:
        assert not any(numbers[2:])
        assert not robot.loops
        gap = q1 - follower.mimic.multiplier * q2 - follower.mimic.offset
    else:
        (gear,) = robot.loops
        assert (gear.name, gear.joint, gear.between) == ("e", "gear", ("j3", "j1"))
        gap = q1 - sum(c * q2**k for k, c in enumerate(gear.coefficients))
    assert abs(gap - data.efc_pos[0]) < 1e-12


def test_a_joint_alone_is_held(tmp_path):
    robot, model, _ = load(tmp_path, '<joint name="e" joint1="j4" polycoef="0.4 0 0 0 0"/>')
    assert [(loop.name, loop.joint) for loop in robot.loops] == [("e", "fixed")]
    assert robot.mobility == robot.dof - 1
    q = robot.initial
    (at,) = [value for name, value in zip(robot.coordinate_names, q, strict=True) if name == "j4"]
    close(at, 0.4)
    data = mujoco.MjData(model)
    data.qpos[6] = 0.4
    mujoco.mj_forward(model, data)
    close(data.efc_pos[0], 0.0)


def test_followers_of_two_joints_and_rings(tmp_path):
    """What a mimic joint cannot say is a gear."""
    more = BODIES.replace("j1", "k1").replace("j2", "k2").replace("j3", "k3").replace("j4", "k4")
    for name in ("a", "b", "c", "d", "sa", "sc"):
        more = more.replace(f'"{name}"', f'"{name}2"')
    text = MODEL.format(
        '<joint joint1="j1" joint2="j3"/><joint joint1="j1" joint2="k3"/><joint joint1="j3" joint2="j1"/>', ""
    ).replace("</worldbody>", more + "</worldbody>")
    robot, _, said = described(tmp_path, text)
    assert [loop.between for loop in robot.loops] == [("k3", "j1"), ("j1", "j3")]
    assert [link.joint.name for link in robot.links if link.joint.mimic is not None] == ["j1"]
    assert any("3 equality constraints taken as exact" in text for text in said)


OUT = {
    "inactive": ('<connect body1="b" body2="c" anchor="0 0 0" active="false"/>', ""),
    "tendon": ('<tendon tendon1="t"/>', "tendon equalities (1)"),
    "rigid": ('<weld body1="c" body2="d"/>', "equalities of bodies that are fixed to each other (1)"),
}


@pytest.mark.parametrize("case", OUT)
def test_what_is_left_out_is_said(tmp_path, case):
    text, message = OUT[case]
    robot, _, said = described(tmp_path, text)
    assert not robot.loops
    assert robot.actuated is None
    (left_out,) = [text for text in said if "leaves out" in text]
    assert ("equalities" in left_out) == bool(message)
    assert message in left_out
    assert not any("exact" in text for text in said)


def test_welds_to_mocap_bodies_are_no_loops(tmp_path):
    text = MODEL.format('<weld body1="m" body2="c"/>', "").replace(
        "</worldbody>", '<body name="m" mocap="true"/></worldbody>'
    )
    robot, _, said = described(tmp_path, text)
    assert not robot.loops
    assert any("equalities with mocap bodies (1)" in text for text in said)


ACTUATORS = {
    "none": ("", []),
    "joint": ('<motor joint="j4"/><position joint="j1"/>', ["j1", "j4"]),
    "in parent": ('<motor jointinparent="j2" gear="1 0 0"/>', ["j2"]),
    "fixed tendon": ('<motor tendon="t"/>', ["j1", "j4"]),
    "spatial tendon": ('<motor tendon="s"/>', []),
    "site": ('<motor site="sa" gear="1 0 0 0 0 0"/>', []),
}


@pytest.mark.parametrize("case", ACTUATORS)
def test_actuators_say_what_is_driven(tmp_path, case):
    text, expected = ACTUATORS[case]
    robot, _, said = described(tmp_path, LOOPS["connect"], text)
    assert robot.actuated == expected
    assert any("actuators that drive no joint (1)" in text for text in said) == (case in ("site", "spatial tendon"))
    assert described(tmp_path, LOOPS["connect"], text, actuated=["j3"])[0].actuated == ["j3"]
    bare, _, said = described(tmp_path, LOOPS["connect"], text, loops=False)
    assert not bare.loops
    assert bare.actuated is None
    assert not any("exact" in text for text in said)


def test_the_actuator_of_a_follower_drives_its_leader(tmp_path):
    ties = '<joint joint1="j1" joint2="j3" polycoef="0 2 0 0 0"/>' + LOOPS["connect"]
    robot, _, _ = described(tmp_path, ties, '<motor joint="j1"/>')
    assert robot.actuated == ["j3"]


def test_switched_off_equalities_are_no_loops(tmp_path):
    for flag in ("equality", "constraint"):
        text = MODEL.format(LOOPS["weld"] + '<joint joint1="j1" joint2="j3"/>', "")
        text = text.replace("<worldbody>", f'<option><flag {flag}="disable"/></option><worldbody>')
        robot, _, _ = described(tmp_path, text)
        assert not robot.loops
        assert not any(link.joint.mimic for link in robot.links)


def test_many_equalities(tmp_path):
    text = "".join(f'<connect body1="b" body2="c" anchor="0 0 {i}"/>' for i in range(1001))
    with pytest.raises(redyn.DescriptionError, match=r"robot\.xml: loops: expected at most 1,000 entries, got 1,001"):
        described(tmp_path, text)


def test_unnamed_loops_avoid_names_that_are_given(tmp_path):
    text = '<connect body1="b" body2="c" anchor="0 0 0"/><connect name="loop1" body1="b" body2="c" anchor="0 0 1"/>'
    assert [loop.name for loop in described(tmp_path, text)[0].loops] == ["loop1_", "loop1"]
