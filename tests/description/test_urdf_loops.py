"""Loops in URDF: each of the ways to write one gives the same robot as the robot file; mistakes name their line."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import redyn
from four_bars import JOINTS, SECOND, four_bar, load, same_as_library
from random_robots import close
from redyn.description.loops import loop_frames, rigid_parts
from redyn.description.tree import Ends, spanning_tree

LOOP = """  <loop name="cut" type="revolute">
    <predecessor link="crank"><origin xyz="0.05 0 0"/></predecessor>
    <successor link="coupler"><origin xyz="0.1 0 0"/></successor>
    <axis xyz="0 0 1"/>
  </loop>"""
CONSTRAINT = """  <constraint name="cut" type="revolute">
    <parent link="crank"/><parent_origin xyz="0.05 0 0"/><parent_axis xyz="0 0 1"/>
    <child link="coupler"/><child_origin xyz="0.1 0 0" rpy="0 1.5707963267948966 0"/><child_axis xyz="-1 0 0"/>
  </constraint>"""
RING = """  <joint name="cut" type="continuous"><parent link="coupler-pin"/><child link="base"/>
    <axis xyz="0 0 1"/></joint>"""


WAYS = {
    "URDF+": LOOP,
    "URDF+ as ACDC4Robot writes it": LOOP.replace("successor", "sucessor").replace(' link="', ' name="'),
    "constraint": CONSTRAINT,
    "second joint": SECOND,
}


@pytest.mark.parametrize("way", WAYS)
def test_every_way_is_the_same_robot(tmp_path, way):
    robot, said = load(tmp_path, four_bar(WAYS[way]), actuated=["crank"])
    same_as_library(robot)
    assert [loop.name for loop in robot.loops] == ["cut"]
    assert robot.actuated == ["crank"]
    assert any("joint 'cut': link 'coupler-pin' is carried by joint 'coupler-pin-end'" in text for text in said) == (
        way == "second joint"
    )


def test_without_loops_it_is_the_bare_tree(tmp_path):
    for text in (LOOP, CONSTRAINT, SECOND, '<loop name="x" type="no such"/>'):
        robot, said = load(tmp_path, four_bar(text), loops=False)
        assert robot.dof == robot.mobility == 3
        assert not robot.loops
        assert any("joint 'cut'" in text and text.endswith("left out") for text in said) == (text is SECOND)


def test_loops_in_the_call_take_the_place_of_those_in_the_file(tmp_path):
    loops = [{"between": ["coupler-pin", "crank"], "joint": "spherical", "meets": [0.05, 0, 0], "at": [0, 0, 0]}]
    robot, _ = load(tmp_path, four_bar(LOOP), loops=loops, actuated=["output"])
    assert [(loop.name, loop.joint) for loop in robot.loops] == [("loop1", "spherical")]
    assert robot.actuated == ["output"]
    assert robot.mobility == 1


def test_a_joint_back_to_the_root_closes_a_loop(tmp_path):
    """A triangle of joints, the last of which has the root as its child; its order decides which one is cut."""
    robot, said = load(tmp_path, four_bar(RING), actuated=["output"])
    assert robot.loops[0].between == ("coupler-pin", "base")
    assert robot.mobility == 1
    assert any("joint 'cut': link 'base' carries its parent 'coupler-pin'; it closes a loop" in text for text in said)


GEAR = """  <coupling name="teeth">
    <predecessor link="crank"/><successor link="output"/><ratio value="{}"/></coupling>"""


@pytest.mark.parametrize(
    "text", [GEAR.format(-2.5), '<gear name="teeth" first="crank" second="output" coefficients="0 -2.5"/>']
)
def test_couplings_are_gears(tmp_path, text):
    robot, _ = load(tmp_path, four_bar(text), actuated=["crank", "coupler"])
    (gear,) = robot.loops
    assert (gear.name, gear.joint, gear.between) == ("teeth", "gear", ("crank", "output"))
    assert gear.coefficients == (0.0, -2.5)
    assert robot.mobility == 2
    close(robot.loop_error([0.4, -1.0, 0.3]), [0.0])


def test_a_coupling_of_links_fixed_to_moving_ones(tmp_path):
    more = '<link name="disc"/><joint name="j" type="fixed"><parent link="crank"/><child link="disc"/></joint>'
    robot, _ = load(
        tmp_path, four_bar(more, GEAR.format(3).replace('"crank"', '"disc"')), actuated=["crank", "coupler"]
    )
    assert robot.loops[0].between == ("crank", "output")


def test_polynomial_gear(tmp_path):
    text = '<gear name="cam" first="crank" second="output" coefficients="0.1 2 -3"/>'
    robot, _ = load(tmp_path, four_bar(text), actuated=[])
    close(robot.loop_error([0.5, 0.1 + 1.0 - 0.75, 0.0]), [0.0])
    assert robot.actuated == []


SAYS = {
    "independent": (LOOP, ("", ' independent="false"', ' independent="False"'), ["crank"]),
    "none independent": (LOOP, (' independent="false"',) * 3, []),
    "transmission": (
        LOOP + '<transmission name="t"><joint name="output"/><actuator name="a"/></transmission>',
        ("", "", ""),
        ["output"],
    ),
    "ros2_control": (
        LOOP + '<ros2_control name="c" type="system"><joint name="coupler"/><joint name="crank">'
        '<command_interface name="effort"/></joint></ros2_control>',
        ("", "", ""),
        ["crank"],
    ),
}


@pytest.mark.parametrize("case", SAYS)
def test_what_the_file_says_of_actuation(tmp_path, case):
    parts, independent, expected = SAYS[case]
    robot, said = load(tmp_path, four_bar(parts, independent=independent))
    assert robot.actuated == expected
    assert any("independent; taken as the joints that are driven" in text for text in said) == ("indep" in case)
    assert load(tmp_path, four_bar(parts, independent=independent), actuated=["coupler"])[0].actuated == ["coupler"]


@pytest.mark.parametrize(
    "parts",
    [
        LOOP,
        LOOP + '<transmission name="t"><joint name="coupler-pin-end"/><actuator name="a"/></transmission>',  # fixed
        LOOP + '<transmission name="t"><joint name="nobody"/><actuator name="a"/></transmission>',
        LOOP + '<transmission name="t"><joint name="crank"/></transmission>',  # without an actuator
    ],
)
def test_unclear_actuation_is_an_error_with_both_cures(tmp_path, parts):
    with pytest.raises(
        redyn.DescriptionError, match=r"bar\.urdf: actuated: missing.*actuated=\['crank'\].*loops=False"
    ):
        load(tmp_path, four_bar(parts))


def test_what_a_cut_joint_loses_is_said(tmp_path):
    dynamics = SECOND.replace("<limit", '<dynamics damping="0.2"/><limit')
    rotor = '<transmission name="t"><joint name="cut"/><rotorInertia>0.1</rotorInertia></transmission>'
    follower = JOINTS[0].format("").replace("<axis", '<mimic joint="cut"/><axis')
    text = four_bar(dynamics, rotor).replace(JOINTS[0].format(""), follower)
    robot, said = load(tmp_path, text, actuated=["crank"])
    assert any("friction of joint 'cut'; left out, since it closes a loop" in text for text in said)
    assert any("a transmission of a joint that closes a loop; its rotor inertia is left out" in text for text in said)
    assert any("'crank' mimics 'cut', which closes a loop; taken as independent" in text for text in said)
    same_as_library(robot)


def test_a_floating_joint_closes_nothing(tmp_path):
    text = four_bar(SECOND.replace("revolute", "floating"))
    robot, said = load(tmp_path, text)
    assert not robot.loops
    assert any("carried by joint 'coupler-pin-end' (line 10); left out" in text for text in said)


MISTAKES = {
    "unknown type": (LOOP.replace("revolute", "revolut"), "bar.urdf:17: <loop> 'cut': type 'revolut' is unknown; did"),
    "unknown link": (LOOP.replace("crank", "crnk"), "bar.urdf:17: loop 'cut': no link is called 'crnk'; did you mean"),
    "no predecessor": (LOOP.replace("predecessor", "before"), "bar.urdf:17: <loop> 'cut' needs a <predecessor link="),
    "no link": (LOOP.replace(' link="crank"', ""), "bar.urdf:18: <predecessor> needs the attribute 'link'"),
    "zero axis": (LOOP.replace("0 0 1", "0 0 0"), "bar.urdf:20: <loop> 'cut': the axis is zero"),
    "itself": (LOOP.replace("crank", "coupler"), "bar.urdf:17: loop 'cut': it connects link 'coupler' with itself"),
    "rigid": (LOOP.replace("crank", "coupler-pin"), "bar.urdf:17: loop 'cut': links 'coupler-pin' and 'coupler' are"),
    "twice": (LOOP + LOOP, "bar.urdf:21: 'cut' is already used by loops[0]"),
    "no length": (LOOP.replace("revolute", "distance"), "bar.urdf:17: <loop> 'cut': length is missing"),
    "numbers": (LOOP.replace("0.05 0 0", "0.05 0"), "bar.urdf:18: <origin xyz=...>: expected 3 finite numbers"),
    "long name": (LOOP.replace('"cut"', f'"{"x" * 300}"'), "name: expected a name (text of 1 to 200"),
    "coupling of a chain": (
        GEAR.format(1).replace("crank", "coupler"),
        "bar.urdf:17: <coupling> 'teeth': a coupling is supported between links that one moving joint each",
    ),
    "coupling to the base": (GEAR.format(1).replace("crank", "base"), "bar.urdf:17: <coupling> 'teeth': a coupling is"),
    "coupling of nothing": (GEAR.format(1).replace("crank", "crnk"), "bar.urdf:18: <coupling> 'teeth': no link is"),
    "bad ratio": (GEAR.format("x"), "<ratio value=...>: expected a finite number"),
    "constraint type": (CONSTRAINT.replace("revolute", "planar"), "bar.urdf:17: <constraint> 'cut': type 'planar' is"),
    "one axis": (
        CONSTRAINT.replace("revolute", "universal").replace("child_axis", "axis"),
        "bar.urdf:17: <constraint> 'cut': a universal joint needs <parent_axis> and <child_axis>",
    ),
    "two slides": (
        CONSTRAINT.replace("revolute", "prismatic"),
        "bar.urdf:17: <constraint> 'cut': the axes of a prismatic joint differ",
    ),
    "gear": (
        '<gear name="g" first="crank" second="x" coefficients="0 1"/>',
        "bar.urdf:17: loop 'g': a gear is between",
    ),
    "gear of a fixed joint": (
        '<gear name="g" first="crank" second="coupler-pin-end" coefficients="0 1"/>',
        "bar.urdf:17: loop 'g': joint 'coupler-pin-end' is fixed",
    ),
    "many numbers": (
        f'<gear name="g" first="crank" second="output" coefficients="{"1 " * 30}"/>',
        "bar.urdf:17: <gear> 'g': coefficients: expected a list of 1 to 20 numbers",
    ),
    "many loops": (
        "\n".join(LOOP.replace("cut", f"cut{i}") for i in range(1001)),
        "bar.urdf:1: expected at most 1,000 loops, got 1,001",
    ),
    "cut of an unknown type": (SECOND.replace("revolute", "hinge"), "bar.urdf:17: joint type 'hinge' is not supported"),
}


@pytest.mark.parametrize("case", MISTAKES)
def test_mistakes_name_line_and_loop(tmp_path, case):
    parts, message = MISTAKES[case]
    with pytest.raises(redyn.DescriptionError) as caught:
        load(tmp_path, four_bar(parts), actuated=["crank"])
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_misspelt_words_and_degrees_are_noted(tmp_path):
    odd = LOOP.replace("<origin xyz", "<origin xzy").replace('"0.1 0 0"/>', '"0.1 0 0" rpy="0 0 90"/>')
    _, said = load(tmp_path, four_bar(odd), actuated=["crank"])
    assert any("<origin xzy=...> (did you mean 'xyz'?)" in text for text in said)
    assert any("<origin rpy=...> has 90, more than a turn" in text for text in said)


NUMBERS = st.floats(-3, 3, allow_nan=False)
VECTORS = st.tuples(NUMBERS, NUMBERS, NUMBERS)
AXES = VECTORS.filter(lambda axis: np.linalg.norm(axis) > 1e-2)


def shown(vector):
    return " ".join(map(repr, vector))


@given(VECTORS, VECTORS, AXES, VECTORS, VECTORS, AXES, st.sampled_from(["revolute", "universal"]))
def test_axes_of_constraints(tmp_path_factory, xyz1, rpy1, axis1, xyz2, rpy2, axis2, kind):
    """z of both frames is the axis of a pin; x of the first and y of the second are those of a universal joint."""
    text = f"""<constraint name="c" type="{kind}">
      <parent link="crank"/><parent_origin xyz="{shown(xyz1)}" rpy="{shown(rpy1)}"/><parent_axis xyz="{shown(axis1)}"/>
      <child link="coupler"/><child_origin xyz="{shown(xyz2)}" rpy="{shown(rpy2)}"/><child_axis xyz="{shown(axis2)}"/>
    </constraint>"""
    from redyn.description import read
    from redyn.description.placement import rpy_rotation

    path = tmp_path_factory.getbasetemp() / "axes.urdf"
    path.write_text(four_bar(text))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ((first, second),) = loop_frames(read(path, actuated=["crank"]))
    for frame, xyz, rpy, axis, column in (
        (first, xyz1, rpy1, axis1, 2 if kind == "revolute" else 0),
        (second, xyz2, rpy2, axis2, 2 if kind == "revolute" else 1),
    ):
        close(frame[:3, 3], xyz)
        close(frame[:3, column], rpy_rotation(*rpy)[:3, :3] @ axis / np.linalg.norm(axis))
        close(frame[:3, :3] @ frame[:3, :3].T, np.eye(3))


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)).filter(lambda pair: pair[0] != pair[1]), max_size=12))
def test_spanning_tree(pairs):
    """Every joint carries its child or is cut; nothing carries itself; a cut closes a loop or ends at the ground."""
    joints = [Ends(f"j{i}", str(parent), str(child)) for i, (parent, child) in enumerate(pairs)]
    tree = spanning_tree(joints, "0")
    assert sorted([*tree.carried.values(), *tree.cuts]) == sorted(joints)
    for link in tree.carried:
        seen, at = {link}, link
        while at in tree.carried:
            at = tree.carried[at].parent
            assert at not in seen
            seen.add(at)
    for cut in tree.cuts:
        earlier = [ends for ends in joints[: joints.index(cut)] if ends not in tree.cuts]
        above, at = {cut.parent}, cut.parent
        carriers = {ends.child: ends.parent for ends in earlier}
        while at in carriers:
            at = carriers[at]
            above.add(at)
        assert cut.child in carriers or cut.child in above or cut.child == "0"


def test_rigid_parts():
    robot = redyn.load("four-bar").description
    parts = rigid_parts(robot.links)
    assert parts["coupler-pin"] == "coupler"
    assert parts["crank"] == "crank"
    assert parts["world"] == "world"
