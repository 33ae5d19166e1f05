"""SDF: poses, axes and masses as the specification has them; mistakes name their line."""

import math
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import redyn
from known_robots import outcome
from random_robots import close, on_floats
from redyn.description import read
from redyn.description.meshes import mesh_path
from redyn.description.placement import rpy_rotation, translation
from sdf_elements import CLOSING, FOUR_BAR, INERTIAL, joint, link, load, pose, sdf

A, B, J = "0.1 0.2 0.3 0.4 -0.5 0.6", "0.4 -0.1 0.2 1.1 0.2 -0.3", "0.3 0.1 -0.2 -0.4 0.9 0.5"
AXIS = "<pose{}>{}</pose><axis><xyz{}>1 2 -1</xyz>{}</axis>"
DIRECTION = np.array([1, 2, -1]) / 6**0.5


def about(T, axis, angle):
    """A rotation about a line through the origin of a pose."""
    from scipy.spatial.transform import Rotation

    turn = np.eye(4)
    turn[:3, :3] = Rotation.from_rotvec(np.asarray(axis) * angle).as_matrix()
    at = translation(*T[:3, 3])
    return at @ turn @ np.linalg.inv(at)


PLACES = {  # the version, the joint, and where its frame is and in which frame its axis is given
    "1.4: the axis in the model": ("1.4", AXIS.format("", J, "", ""), pose(B) @ pose(J), np.eye(4)),
    "1.6: in the joint": ("1.6", AXIS.format(' frame=""', J, "", ""), pose(B) @ pose(J), pose(B) @ pose(J)),
    "1.6: in the model": (
        "1.6",
        AXIS.format("", J, "", "<use_parent_model_frame>True</use_parent_model_frame>"),
        pose(B) @ pose(J),
        np.eye(4),
    ),
    "1.7: in the joint": ("1.7", AXIS.format("", J, "", ""), pose(B) @ pose(J), pose(B) @ pose(J)),
    "1.7: in a link": ("1.7", AXIS.format("", J, ' expressed_in="a"', ""), pose(B) @ pose(J), pose(A)),
    "1.7: in the model": ("1.8", AXIS.format("", J, ' expressed_in="__model__"', ""), pose(B) @ pose(J), np.eye(4)),
    "1.7: relative to the parent": (
        "1.7",
        AXIS.format(' relative_to="a"', J, "", ""),
        pose(A) @ pose(J),
        pose(A) @ pose(J),
    ),
    "1.7: relative to the model": ("1.7", AXIS.format(' relative_to="__model__"', J, "", ""), pose(J), pose(J)),
    "1.6: relative by frame": ("1.6", AXIS.format(' frame="a"', J, "", ""), pose(A) @ pose(J), pose(A) @ pose(J)),
}


@pytest.mark.parametrize("case", PLACES)
def test_joints_and_axes_in_their_frames(tmp_path, case):
    version, inside, place, frame = PLACES[case]
    text = sdf(link("a", A), link("b", B), joint("j", "a", "b", inside=inside), version=version)
    robot = on_floats(load(tmp_path, text)[0])
    turned = about(place, frame[:3, :3] @ DIRECTION, 0.7) @ pose(B)
    close(robot.forward_kinematics([0.7], "b"), turned)
    close(robot.forward_kinematics([0.0], "b"), pose(B))
    close(robot.forward_kinematics([0.7], "a"), pose(A))
    assert robot.link_names == ["j_link"]  # the link's origin is not on the joint


def test_links_and_frames_relative_to_others(tmp_path):
    text = sdf(
        link("a", A),
        link("b", B, attributes='relative_to="f"'),
        f'<frame name="f" attached_to="a"><pose>{J}</pose></frame>',
        f'<frame name="g" attached_to="b"><pose>{A}</pose></frame>',
        '<frame name="h"/>',
        joint("j", "f", "g"),
        f"<pose>{B}</pose>",
    )
    robot = on_floats(load(tmp_path, text)[0])
    base = pose(B)
    b = base @ pose(A) @ pose(J) @ pose(B)
    close(robot.forward_kinematics([0.0], "b"), b)
    place = b @ pose(A)  # the joint is at its child, which is the frame g here
    turn = about(place, place[:3, 2], 0.4)
    close(robot.forward_kinematics([0.4], "b"), turn @ b)
    close(robot.forward_kinematics([0.4], "g"), turn @ b @ pose(A))
    close(robot.forward_kinematics([0.4], "f"), base @ pose(A) @ pose(J))
    close(robot.forward_kinematics([0.4], "h"), base)


def test_placement_frame_and_canonical_link(tmp_path):
    model = 'name="m" placement_frame="b" canonical_link="b"'
    text = sdf(link("a", A), link("b", B), joint("j", "a", "b"), f"<pose>{J}</pose>", '<frame name="h"/>', model=model)
    robot = on_floats(load(tmp_path, text)[0])
    close(robot.forward_kinematics([0.0], "b"), pose(J))
    moved = about(pose(J), pose(J)[:3, 2], 0.3)
    close(robot.forward_kinematics([0.3], "h"), moved @ pose(J) @ np.linalg.inv(pose(B)))


def test_poses_in_degrees_and_quaternions(tmp_path):
    first = link("a", "0 0 1 90 0 0", attributes='degrees="true"')
    second = link("b", "1 0 0 0.6 0 0 0.8", attributes='rotation_format="quat_xyzw"')
    robot = load(tmp_path, sdf(first, second, joint("j", "a", "b"), version="1.9"))[0]
    close(robot.forward_kinematics([0.0], "a")[:3, :3], rpy_rotation(math.pi / 2, 0, 0)[:3, :3])
    close(robot.forward_kinematics([0.0], "b")[:3, :3], rpy_rotation(2 * math.atan2(0.6, 0.8), 0, 0)[:3, :3])


def test_masses(tmp_path):
    """The tensor is in the axes of the inertial frame, about the mass centre."""
    robot, _ = load(tmp_path, sdf(link("a", A), link("b", B), joint("j", "a", "b")), read=read)
    b = robot.links[1]
    tensor = np.array([[0.1, 0.01, -0.02], [0.01, 0.2, 0.03], [-0.02, 0.03, 0.25]])
    R = rpy_rotation(0.1, 0.2, 0.3)[:3, :3]
    xx, xy, xz, yy, yz, zz = b.inertia
    close(np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]), R @ tensor @ R.T)
    assert (b.mass, b.com) == (2.0, (0.1, 0.2, 0.3))


def test_masses_of_the_format(tmp_path):
    robot, said = load(
        tmp_path, sdf(link("a"), link("b", inside=""), link("c", inside="<inertial><mass>3</mass></inertial>"),
                      joint("j", "a", "b"), joint("k", "b", "c")), read=read)  # fmt: skip
    assert [(part.mass, part.inertia) for part in robot.links[1:]] == [(m, (1, 0, 0, 1, 0, 1)) for m in (1.0, 3.0)]
    assert any("link 'b' has no <inertial>; taken as 1 kg and 1 kg m^2" in text for text in said)
    assert any("<inertial> of link 'c' has no <inertia>; taken from 1 kg" in text for text in said)


def limits(text):
    return f"<axis><xyz>0 0 1</xyz>{text}</axis>"


def test_what_acts_at_a_joint(tmp_path):
    inside = limits(
        "<limit><lower>-1</lower><upper>2</upper><effort>40</effort><velocity>3</velocity></limit><dynamics><damping>0.3"
        "</damping><friction>0.1</friction><spring_reference>0.5</spring_reference><spring_stiffness>7</spring_stiffness>"
        "</dynamics>"
    )
    robot, _ = load(tmp_path, sdf(link("a"), link("b"), joint("j", "a", "b", inside=inside)), read=read)
    j = robot.links[1].joint
    assert (j.limits, j.effort_limit, j.speed_limit) == ((-1, 2), 40, 3)
    assert (j.damping, j.coulomb, j.stiffness, j.rest) == (0.3, 0.1, 7, 0.5)


@pytest.mark.parametrize(
    ("kind", "text", "message"),
    [
        ("revolute", "<limit><lower>-1e16</lower><upper>1e16</upper><effort>-1</effort></limit>", ""),
        ("revolute", "<limit><lower>-inf</lower><upper>inf</upper><velocity>inf</velocity></limit>", ""),
        ("revolute", "<limit><lower>-1</lower></limit>", ""),
        ("continuous", "<limit><lower>-1</lower><upper>1</upper></limit>", ""),
        ("revolute", "<limit><lower>1</lower><upper>-1</upper></limit>", "limits of joint 'j' are swapped; left out"),
        ("revolute", "<dynamics><damping>-1</damping></dynamics>", "<damping> of joint 'j' is negative; left out"),
        ("revolute", "<dynamics><dampng>1</dampng></dynamics>", "<dampng> in <dynamics> (did you mean 'damping'?)"),
        ("revolute", "<initial_position>1</initial_position>", "<initial_position>; left out: redyn does not model it"),
    ],
)
def test_limits_that_are_none(tmp_path, kind, text, message):
    inside = limits(text)
    robot, said = load(tmp_path, sdf(link("a"), link("b"), joint("j", "a", "b", kind, inside)), read=read)
    j = robot.links[1].joint
    assert (j.limits, j.effort_limit, j.speed_limit, j.damping) == (None, None, None, 0.0)
    assert any(message in text for text in said) or not (message or said)


def test_mimic(tmp_path):
    inside = limits('<mimic joint="j"><multiplier>2</multiplier><offset>0.5</offset><reference>0.1</reference></mimic>')
    text = sdf(
        link("a"), link("b"), link("c"), joint("j", "a", "b"), joint("k", "a", "c", inside=inside), version="1.11"
    )
    robot, _ = load(tmp_path, text, read=read)
    tie = robot.links[2].joint.mimic
    assert (tie.joint, tie.multiplier, tie.offset) == ("j", 2.0, 0.5 - 2 * 0.1)


def test_every_type_of_joint(tmp_path):
    two = "<axis><xyz>1 0 0</xyz></axis><axis2><xyz>0 1 0</xyz></axis2>"
    kinds = {
        "revolute": ("", "revolute"),
        "continuous": ("", "revolute"),
        "prismatic": ("", "prismatic"),
        "ball": ("", "spherical"),
        "universal": (two, "universal"),
        "revolute2": (two, "universal"),
        "fixed": ("", "fixed"),
        "screw": ("<axis><xyz>0 0 1</xyz></axis><screw_thread_pitch>0.3</screw_thread_pitch>", "helical"),
    }
    for kind, (inside, ours) in kinds.items():
        inside = f"<pose>0.1 0 0 0 0 0</pose>{inside or limits('')}"
        text = sdf(link("a", A), link("b", B), link("c", J), joint("j", "a", "b", kind, inside), joint("k", "a", "c"))
        robot = on_floats(load(tmp_path, text)[0])
        assert {part.joint.name: part.joint.type for part in robot.description.links}["j"] == ours
        close(robot.forward_kinematics(robot.neutral(), "b"), pose(B))


def test_universal_joints_turn_about_axis_then_axis2(tmp_path):
    two = "<axis><xyz>1 0 0</xyz></axis><axis2><xyz>0 0.6 0.8</xyz></axis2>"
    robot = on_floats(load(tmp_path, sdf(link("a", A), link("b", B), joint("j", "a", "b", "universal", two)))[0])
    from scipy.spatial.transform import Rotation

    turn = Rotation.from_rotvec([0.3, 0, 0]) * Rotation.from_rotvec(0.5 * np.array([0, 0.6, 0.8]))
    close(robot.forward_kinematics([0.3, 0.5], "b")[:3, :3], pose(B)[:3, :3] @ turn.as_matrix())
    damped = two.replace("</xyz></axis>", "</xyz><dynamics><damping>1</damping></dynamics></axis>")
    _, said = load(tmp_path, sdf(link("a"), link("b"), joint("j", "a", "b", "universal", damped)))
    assert any("friction of joint 'j', whose axes differ in it; left out" in text for text in said)


def test_threads(tmp_path):
    """screw_thread_pitch: metres per turn, right-handed; thread_pitch, before: radians per metre, left-handed."""
    for inside, along in (
        ("<screw_thread_pitch>0.3</screw_thread_pitch>", 0.3 / math.tau),
        ("<thread_pitch>5</thread_pitch>", -1 / 5),
        ("<thread_pitch>5</thread_pitch><screw_thread_pitch>-0.3</screw_thread_pitch>", -0.3 / math.tau),
    ):
        text = sdf(link("a"), link("b"), joint("j", "a", "b", "screw", limits("") + inside))
        robot = on_floats(load(tmp_path, text)[0])
        close(robot.forward_kinematics([2.0], "b")[:3, 3], [0, 0, 2 * along])


def test_root_and_world(tmp_path):
    arm = sdf(link("a", A), link("b", B), joint("j", "a", "b"))
    robot, _ = load(tmp_path, arm)
    assert robot.joint_names == ["j"]
    free = load(tmp_path, arm, floating_base=True)[0]
    assert free.joint_names == ["floating_base", "j"]
    close(free.forward_kinematics(free.initial, "b"), pose(B))
    held = load(tmp_path, sdf(link("a", A), joint("j", "world", "a"), f"<pose>{J}</pose>"))[0]
    close(held.forward_kinematics([0.0], "a"), pose(J) @ pose(A))
    (part,) = held.description.links
    assert part.parent == "world"


def test_in_a_world(tmp_path):
    inner = sdf(link("a"), link("b"), joint("j", "a", "b")).replace('<sdf version="1.7">', "").replace("</sdf>", "")
    include = "<include><uri>model://sun</uri></include>"
    text = f'<sdf version="1.7"><world name="w"><gravity>0 0 -1.6</gravity>{include}{inner}</world></sdf>'
    robot, said = load(tmp_path, text)
    assert robot.gravity.tolist() == [0, 0, -1.6]
    assert any("<include>; left out" in text for text in said)
    old = text.replace("<gravity>", "<physics><gravity>").replace("</gravity>", "</gravity></physics>")
    assert load(tmp_path, old)[0].gravity.tolist() == [0, 0, -1.6]


def test_shapes(tmp_path):
    solids = {
        "<box><size>1 2 3</size></box>": {"type": "box", "size": (1, 2, 3)},
        "<cylinder><radius>0.1</radius><length>2</length></cylinder>": {"type": "cylinder", "radius": 0.1, "length": 2},
        "<capsule><radius>0.1</radius><length>2</length></capsule>": {"type": "capsule", "radius": 0.1, "length": 2},
        "<sphere><radius>0.1</radius></sphere>": {"type": "sphere", "radius": 0.1},
        "<ellipsoid><radii>1 2 3</radii></ellipsoid>": {"type": "ellipsoid", "size": (2, 4, 6)},
        "<mesh><uri>model://m/b.stl</uri><scale>1 1 2</scale></mesh>": {
            "type": "mesh",
            "file": "model://m/b.stl",
            "scale": (1, 1, 2),
        },
    }
    paint = "<material><diffuse>1 0.5 0 1</diffuse></material>"
    visuals = [f'<visual name="v"><pose>{J}</pose><geometry>{solid}</geometry>{paint}</visual>' for solid in solids]
    visuals.append('<visual name="v"><geometry><plane/></geometry></visual>')
    robot, said = load(tmp_path, sdf(link("a", inside=INERTIAL + "".join(visuals)), link("b"), joint("j", "a", "b")))
    for shape, fields in zip(robot.description.links[0].visual, solids.values(), strict=True):
        assert {key: getattr(shape, key) for key in fields} == fields
        assert shape.colour == (1, 0.5, 0, 1)
        close(translation(*shape.xyz) @ rpy_rotation(*shape.rpy), pose(J))
    assert not said
    bad = '<collision name="c"><geometry><box/></geometry></collision>'
    robot, said = load(tmp_path, sdf(link("a", inside=INERTIAL + bad), link("b"), joint("j", "a", "b")))
    assert not robot.description.links[0].collision
    assert any("<collision> of link 'a': <box> needs <size>; that shape is left out" in text for text in said)


RING = (("a", A, "b"), ("b", B, "a"))
MISTAKES = {
    "no version": (sdf(link("a")).replace(' version="1.7"', ""), "robot.sdf:1: <sdf> needs the attribute 'version'"),
    "old": (sdf(link("a"), version="1.2"), "robot.sdf:1: SDF 1.4 or later (1.x) is supported, got '1.2'"),
    "strange version": (sdf(link("a"), version="x"), "SDF 1.4 or later (1.x) is supported, got 'x'"),
    "two models": (sdf("</model><model name='n'>"), "robot.sdf:1: expected one <model>, got 'm', 'n'"),
    "no model": ('<sdf version="1.7"><include><uri>x</uri></include></sdf>', "got none; <include>: 'x' is not found"),
    "nested": (sdf('<model name="n"/>'), "robot.sdf:1: no links"),
    "included": (sdf("<include/>"), "robot.sdf:2: <include> needs a <uri>"),
    "no links": (sdf(), "robot.sdf:1: no links; expected <link name=...> elements"),
    "two roots": (sdf(link("a"), link("b")), "robot.sdf:1: expected one root link, got a, b; join them"),
    "beside the world": (sdf(link("a"), link("b"), joint("j", "world", "a")), "expected one root link, got world, b"),
    "turned round": (
        sdf(link("a"), link("b"), link("c"), joint("j", "a", "b"), joint("k", "c", "b")),
        "expected one root link, got a, c; join them with fixed joints, or exchange parent and child of joint 'k'",
    ),
    "a link called world": (sdf(link("world")), "robot.sdf:2: link 'world' is the fixed world; choose another name"),
    "no child": (sdf(link("a"), joint("j", "world", "")), "robot.sdf:4: <joint> 'j' needs a <child>"),
    "unknown link": (sdf(link("a"), joint("j", "a", "bb")), "robot.sdf:4: no link, joint or frame is called 'bb'"),
    "in a nested model": (sdf(link("a"), joint("j", "a", "n::b")), "no link, joint or frame is called 'n::b'"),
    "itself": (sdf(link("a"), joint("j", "a", "a")), "robot.sdf:4: joint 'j' connects link 'a' with itself"),
    "joint type": (sdf(link("a"), link("b"), joint("j", "a", "b", "hinge")), "joint type 'hinge' is not supported"),
    "same name": (sdf(link("a"), link("a")), "robot.sdf:4: two links have the same name, 'a' (the"),
    "zero axis": (
        sdf(link("a"), link("b"), joint("j", "a", "b", inside="<axis><xyz>0 0 0</xyz></axis>")),
        "robot.sdf:6: <joint> 'j': the axis is zero",
    ),
    "bad number": (sdf(link("a", "0 0 0 0 0 x")), "robot.sdf:2: <pose>: expected 6 finite numbers, got '0 0 0 0 0 x'"),
    "infinite": (sdf(link("a", "0 0 0 0 0 inf")), "robot.sdf:2: <pose>: expected 6 finite numbers"),
    "no unit": (sdf(link("a", "0 0 0 1 1 1 1", attributes='rotation_format="quat_xyzw"')), "does not have norm 1"),
    "unknown frame": (sdf(link("a", A, attributes='relative_to="f"')), "no link, joint or frame is called 'f'"),
    "a ring of poses": (
        sdf(*(link(*ends, attributes=f'relative_to="{to}"') for *ends, to in RING), joint("j", "a", "b")),
        "robot.sdf:2: the pose of <link> 'a' is relative to itself",
    ),
    "a ring of frames": (
        sdf(link("a"), '<frame name="f" attached_to="g"/><frame name="g" attached_to="f"/>', joint("j", "a", "f")),
        "is attached to itself",
    ),
    "inertia from shapes": (
        sdf(link("a", inside='<inertial auto="true"/>'), link("b"), joint("j", "a", "b")),
        "robot.sdf:2: link 'a': <inertial auto=...>, inertia from shapes, is not supported",
    ),
    "no pitch": (sdf(link("a"), link("b"), joint("j", "a", "b", "screw")), "a screw needs <screw_thread_pitch>"),
    "bad limits": (
        sdf(link("a"), link("b"), joint("j", "a", "b", inside=limits("<limit><lower>x</lower></limit>"))),
        "<lower>: expected a finite number, got 'x'",
    ),
    "bad mass": (
        sdf(link("a"), link("b", inside="<inertial><mass>1e300</mass></inertial>"), joint("j", "a", "b")),
        "<mass>: expected a finite number",
    ),
    "entity": ('<!DOCTYPE sdf [<!ENTITY a "b">]>' + sdf(link("a")), "robot.sdf:1: entities are not allowed"),
    "unknown leader": (
        sdf(link("a"), link("b"), joint("j", "a", "b", inside=limits('<mimic joint="x"/>'))),
        "robot.sdf:4: link 'b', joint.mimic.joint: no joint is called 'x'",
    ),
    "many loops": (
        sdf(*FOUR_BAR, *(joint(f"cut{i}", "rod", "coupler") for i in range(1001))),
        "robot.sdf:1: expected at most 1,000 loops, got 1,001",
    ),
}


@pytest.mark.parametrize("case", MISTAKES)
def test_mistakes(tmp_path, case):
    text, message = MISTAKES[case]
    with pytest.raises(redyn.DescriptionError) as caught:
        load(tmp_path, text)
    assert message in str(caught.value)


@given(st.binary(max_size=40), st.integers(0, 3000))
def test_damaged_files(tmp_path_factory, noise, at):
    """Whatever stands in a file, a robot or a clear error comes out."""
    text = sdf(*FOUR_BAR, CLOSING).encode()
    path = tmp_path_factory.getbasetemp() / "damaged.sdf"
    path.write_bytes(text[: at % len(text)] + noise + text[at % len(text) + len(noise) :])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        outcome(path)


@pytest.mark.parametrize("before", ["\n", "<!-- a comment -->\n", "\ufeff<!-- - --> <!---->\n\n"])
def test_an_xml_declaration_behind_comments(tmp_path, before):
    """Not allowed, but in example-robot-data."""
    text = before + '<?xml version="1.0" ?>\n' + sdf(link("a"), link("b"), joint("j", "a", "b"))
    assert load(tmp_path, text)[0].dof == 1
    with pytest.raises(redyn.DescriptionError, match=rf"robot\.sdf:{before.count(chr(10)) + 3}: two links"):
        load(tmp_path, text.replace('"b"', '"a"').replace("\n<link", "<link"))


def test_long_rows_of_frames(tmp_path):
    """Each relative to the one before: no recursion, and in bounded time."""
    row = [f'<frame name="f{i + 1}" attached_to="f{i}"><pose>1 0 0 0 0 0</pose></frame>' for i in range(3000)]
    text = sdf(link("a"), link("b"), '<frame name="f0" attached_to="b"/>', *reversed(row), joint("j", "a", "b"))
    robot, _ = load(tmp_path, text, read=read)
    (last,) = [part for part in robot.links if part.name == "f3000"]
    assert (last.parent, last.xyz) == ("b", (3000.0, 0, 0))


@pytest.mark.parametrize("uri", ["file:///etc/passwd", "../other/x.stl", "/etc/passwd", "https://host/x.stl"])
def test_meshes_stay_in_the_folder(tmp_path, uri):
    (tmp_path / "model").mkdir()
    mesh = f'<visual name="v"><geometry><mesh><uri>{uri}</uri></mesh></geometry></visual>'
    text = sdf(link("a", inside=INERTIAL + mesh), link("b"), joint("j", "a", "b"))
    robot, _ = load(tmp_path / "model", text, read=read)
    with pytest.raises(redyn.DescriptionError, match="leads outside the folder of the model"):
        mesh_path(robot, robot.links[0].visual[0])
