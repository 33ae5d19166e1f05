"""Slips in a URDF: what would silently be a zero is a warning with its line; so is what only changes the picture."""

import importlib
import warnings

import pytest

import redyn

ARM = """<?xml version="1.0"?>
<robot name="arm">
  <link name="base"/>
  <link name="upper">
    <inertial>
      <origin xyz="0.1 0 0" rpy="0 0 0"/>
      <mass value="2"/>
      <inertia ixx="0.1" iyy="0.2" izz="0.25" ixy="0" ixz="0" iyz="0"/>
    </inertial>
    <visual><origin xyz="0 0 1"/><geometry><mesh filename="m.stl" scale="1 1 1"/></geometry>
      <material name="red"><color rgba="1 0 0 1"/></material></visual>
    <collision><geometry><sphere radius="1"/></geometry></collision>
  </link>
  <joint name="shoulder" type="revolute">
    <parent link="base"/>
    <child link="upper"/>
    <origin xyz="0 0 0.5"/>
    <axis xyz="0 1 0"/>
    <limit lower="-1" upper="2" velocity="3" effort="40"/>
    <dynamics damping="0.3" friction="0.1"/>
  </joint>
</robot>
"""
INERTIA = '<inertia ixx="0.1" iyy="0.2" izz="0.25" ixy="0" ixz="0" iyz="0"/>'


def load(tmp_path, text=ARM):
    path = tmp_path / "arm.urdf"
    path.write_text(text)
    return redyn.load(path)


def warned(tmp_path, old, new):
    """The robot with a slip, and all warnings."""
    assert old in ARM
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        robot = load(tmp_path, ARM.replace(old, new, 1))
    assert all(issubclass(item.category, redyn.RedynWarning) for item in caught)
    assert all(item.filename == __file__ for item in caught)  # the user's own line
    return robot, [str(item.message) for item in caught]


def test_the_arm_is_quiet(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        load(tmp_path)


INERTIAL = {
    "no ixx": ('ixx="0.1" iyy="0.2"', 'iyy="0.25"', ["arm.urdf:8: <inertia> of link 'upper' lacks ixx; taken as zero"]),
    "capitals": (
        'ixx="0.1" iyy="0.2"',
        'Ixx="0.1" iyy="0.25"',
        [
            "arm.urdf:8: <inertia Ixx=...> (did you mean 'ixx'?); ignored: unknown there",
            "arm.urdf:8: <inertia> of link 'upper' lacks ixx; taken as zero",
        ],
    ),
    "no products": (
        ' ixy="0" ixz="0" iyz="0"',
        "",
        ["arm.urdf:8: <inertia> of link 'upper' lacks ixy, ixz, iyz; taken"],
    ),
    "in elements": (
        INERTIA,
        "<inertia><ixx>0.1</ixx></inertia>",
        ["arm.urdf:8: <ixx> in <inertia>; ignored", "lacks ixx, ixy, ixz, iyy, iyz, izz; taken as zero"],
    ),
    "no inertia": (INERTIA, "", ["arm.urdf:5: link 'upper' has a mass and no <inertia>; taken as a point mass"]),
    "misspelt inertia": (
        INERTIA,
        INERTIA.replace("inertia", "intertia"),
        ["arm.urdf:8: <intertia> in <inertial> (did you mean 'inertia'?)", "taken as a point mass"],
    ),
    "misspelt mass": (
        "<mass value",
        "<mas value",
        [
            "arm.urdf:7: <mas> in <inertial> (did you mean 'mass'?)",
            "link 'upper': <inertial> has no <mass>; taken as zero",
        ],
    ),
    "misspelt value": (
        '<mass value="2"/>',
        '<mass mas="2"/>',
        ["arm.urdf:7: <mass mas=...>; ignored", "arm.urdf:7: link 'upper': <mass> has no value; taken as zero"],
    ),
    "misspelt inertial": (
        ARM[ARM.index("<inertial>") : ARM.index("</inertial>") + 11],
        "<inertal><mass value='1'/></inertal>",
        [
            "arm.urdf:5: <inertal> in link 'upper' (did you mean 'inertial'?)",
            "arm.urdf:2: no link has mass or inertia (<inertial> is missing or zero everywhere); every torque is zero",
        ],
    ),
    "inertia without inertial": (
        "</inertial>",
        f"</inertial>{INERTIA}",
        ["arm.urdf:9: <inertia> in link 'upper'; ignored"],
    ),
    "an origin of its own": (
        '<link name="base"/>',
        '<link name="base"><origin/></link>',
        ["<origin> in link 'base'; ign"],
    ),
    "misspelt place": (
        'xyz="0.1 0 0"',
        'xzy="0.1 0 0"',
        ["arm.urdf:6: <origin xzy=...> (did you mean 'xyz'?); ignored"],
    ),
    "an angle": ('rpy="0 0 0"', 'yaw="1"', ["arm.urdf:6: <origin yaw=...>; ignored"]),
    "two inertials": (
        "</inertial>",
        "</inertial><inertial/>",
        ["arm.urdf:9: a second <inertial> in link 'upper'; left out: the first one is used"],
    ),
    "damping": (
        "damping=",
        "dampning=",
        ["arm.urdf:20: <dynamics dampning=...> (did you mean 'damping'?); ignored"],
    ),
    "limit": ("upper=", "uper=", ["arm.urdf:19: <limit uper=...> (did you mean 'upper'?); ignored"]),
    "limits": ("<limit", "<limits", ["arm.urdf:19: <limits> in joint 'shoulder' (did you mean 'limit'?); ignored"]),
    "not symmetric": (
        'ixy="0"',
        'ixy="0" iyx="0.01"',
        ["link 'upper': ixy is 0 and iyx is 0.01; the tensor is not symmetric; its upper half is used"],
    ),
    "loops": (
        "</robot>",
        '<loop_joint name="l"/></robot>',
        ["arm.urdf:22: <loop_joint>; left out: redyn does not model"],
    ),
}


@pytest.mark.parametrize("case", INERTIAL)
def test_slips_that_would_be_zeros(tmp_path, case):
    old, new, messages = INERTIAL[case]
    _, found = warned(tmp_path, old, new)
    assert len(found) == len(messages), found
    for message in messages:
        assert any(message in text for text in found), found


def test_words_of_other_programs_are_no_slips(tmp_path):
    words = (
        '<dynamics damping="0.3" friction="0.1" D="1" mu_viscous="3" drake:x="1"/><safety_controller k_position="1"/>'
    )
    text = ARM.replace('<dynamics damping="0.3" friction="0.1"/>', words).replace("<limit ", '<limit k_velocity="3" ')
    text = text.replace("</robot>", '<gazebo reference="upper"/><ros2_control name="x"/></robot>')
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        load(tmp_path, text)


def test_the_other_half_of_the_tensor_is_taken(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        robot = load(tmp_path, ARM.replace('ixy="0" ixz="0" iyz="0"', 'iyx="0.01" izx="0" izy="0"'))
    assert robot.description.links[1].inertia[1] == 0.01


TIP = """<link name="{0}"/><joint name="j_{0}" type="{1}"><parent link="upper"/><child link="{0}"/></joint></robot>"""


def test_joints_that_move_nothing(tmp_path):
    _, found = warned(tmp_path, "</robot>", TIP.format("finger", "revolute"))
    (message,) = found
    assert "arm.urdf:22: joint 'j_finger' moves no mass: link 'finger' and its descendants have none" in message
    _, found = warned(tmp_path, "</robot>", TIP.format("camera", "fixed"))
    assert not found
    rotor = "<transmission><joint name='j_finger'/><actuator><rotorInertia>1</rotorInertia></actuator></transmission>"
    _, found = warned(tmp_path, "</robot>", TIP.format("finger", "revolute").replace("</robot>", rotor + "</robot>"))
    assert found == ["arm.urdf:22: link 'finger' moves and has no <inertial>; taken as massless"]


def test_massless_links_between(tmp_path):
    """A link without mass that carries one with it is common, and told once for all of them."""
    shaft = (
        '<link name="shaft"/><joint name="spin" type="continuous"><parent link="base"/><child link="shaft"/></joint>'
    )
    more = shaft.replace("shaft", "pin").replace("spin", "swing").replace('"base"', '"shaft"')
    text = ARM.replace('<parent link="base"/>', '<parent link="pin"/>').replace("</robot>", f"{shaft}{more}</robot>")
    with pytest.warns(redyn.RedynWarning) as caught:
        load(tmp_path, text)
    (message,) = [str(item.message) for item in caught]
    assert message == "arm.urdf:22: link 'shaft' moves and has no <inertial> (and 1 more); taken as massless"


PICTURES = {
    "scale of one number": (
        'scale="1 1 1"',
        'scale="0.001"',
        "arm.urdf:10: <mesh scale=...>: expected 3 numbers, got 0.001",
    ),
    "scale of four": ('scale="1 1 1"', 'scale="1 1 1 1"', "arm.urdf:10: <visual> of link 'upper': <mesh scale=...>"),
    "scale of words": ('scale="1 1 1"', 'scale="big"', "<mesh scale=...>: expected a finite number, got 'big'"),
    "infinite scale": ('scale="1 1 1"', 'scale="1 1 inf"', "<mesh scale=...>: expected 3 finite numbers"),
    "no filename": ('filename="m.stl"', "", "<mesh> needs the attribute 'filename'; it has 'scale'"),
    "misspelt filename": ("filename=", "file=", "<mesh> needs the attribute 'filename'; it has 'file', 'scale'"),
    "long filename": ("m.stl", "m" * 5000, "file: String should have at most 4096"),
    "three colours": ('rgba="1 0 0 1"', 'rgba="1 0 0"', "arm.urdf:11: <color rgba=...>: expected 4 finite numbers"),
    "a named colour": ('rgba="1 0 0 1"', 'rgba="red"', "that colour is left out"),
    "no rgba": ('rgba="1 0 0 1"', "", "<color> needs the attribute 'rgba'; that colour is left out"),
    "place": ('xyz="0 0 1"', 'xyz="0 0"', "<visual> of link 'upper': <origin xyz=...>: expected 3 finite numbers"),
    "misspelt place": ('xyz="0 0 1"', 'xzy="0 0 1"', "arm.urdf:10: <origin xzy=...> (did you mean 'xyz'?)"),
    "negative radius": (
        'radius="1"',
        'radius="-1"',
        "<collision> of link 'upper': radius: Input should be greater than",
    ),
    "no radius": ('radius="1"', "", "<sphere> needs the attribute 'radius'"),
    "unknown solid": ('sphere radius="1"', 'plane normal="0 0 1"', "expected a box, cylinder, capsule, sphere or mesh"),
    "empty geometry": ('<sphere radius="1"/>', "", "in <geometry>, got nothing; that shape is left out"),
    "no geometry": ('<geometry><sphere radius="1"/></geometry>', "", "got nothing; that shape is left out"),
    "a colour for all": (
        "</robot>",
        '<material name="x"><color rgba="1"/></material></robot>',
        "arm.urdf:22: <color rgba",
    ),
}


@pytest.mark.parametrize("case", PICTURES)
def test_slips_in_the_picture_are_no_refusals(tmp_path, case):
    old, new, message = PICTURES[case]
    robot, found = warned(tmp_path, old, new)
    assert len(found) == 1, found
    assert message in found[0]
    assert len(found[0]) < 400
    assert robot.total_mass == 2
    robot.inverse_dynamics([0.1], [0.2], [0.3])


def test_what_is_kept_of_a_picture(tmp_path):
    def shapes(old, new):
        link = warned(tmp_path, old, new)[0].description.links[1]
        return link.visual, link.collision

    (mesh,), (ball,) = shapes('scale="1 1 1"', 'scale="0.001"')
    assert mesh.scale == (0.001, 0.001, 0.001)
    assert (mesh.colour, ball.radius) == ((1, 0, 0, 1), 1)
    visual, collision = shapes('scale="1 1 1"', 'scale="1 1 1 1"')
    assert (visual, len(collision)) == ([], 1)
    (mesh,), _ = shapes('rgba="1 0 0 1"', 'rgba="1 0 0"')
    assert mesh.colour is None


XACRO = 'xmlns:xacro="http://www.ros.org/wiki/xacro"'
SOURCES = {
    "a property": (
        "<robot ",
        f"<robot {XACRO} ",
        "<link",
        '<xacro:property name="l" value="1"/><link',
        "<xacro:property>",
    ),
    "an include": ("<robot ", f"<robot {XACRO} ", "<link", '<xacro:include filename="x"/><link', "<xacro:include>"),
    "undeclared": ("<link", '<xacro:macro name="x"/><link', "", "", "<xacro:macro>"),
    "another prefix": (
        "<robot ",
        '<robot xmlns:x="http://ros.org/xacro" ',
        "<link",
        '<x:arg name="l"/><link',
        "<x:arg>",
    ),
    "an expression": ('xyz="0 0 0.5"', 'xyz="0 0 ${l/2}"', "", "", '<origin xyz="0 0 ${l/2}">'),
    "a name": ('link name="upper"', 'link name="${side}_upper"', "", "", '<link name="${side}_upper">'),
    "an argument": ('value="2"', 'value="$(arg mass)"', "", "", '<mass value="$(arg mass)">'),
    "a path": ('filename="m.stl"', 'filename="file://$(find x)/m.stl"', "", "", "<mesh filename="),
}


@pytest.mark.parametrize("case", SOURCES)
def test_xacro_is_recognised(tmp_path, case):
    *changes, why = SOURCES[case]
    text = ARM.replace(changes[0], changes[1], 1)
    text = text.replace(changes[2], changes[3], 1) if changes[2] else text
    with pytest.raises(redyn.DescriptionError) as caught:
        load(tmp_path, text)
    message = str(caught.value)
    assert message.startswith("arm.urdf:")
    assert why in message
    assert "run `xacro arm.urdf > expanded-arm.urdf` and load expanded-arm.urdf" in message


@pytest.mark.parametrize(
    ("name", "target"), [("arm.urdf.xacro", "arm.urdf"), ("arm.xacro", "arm.urdf"), ("ARM.XACRO", "ARM.urdf")]
)
def test_xacro_that_is_not_installed(tmp_path, monkeypatch, name, target):
    monkeypatch.setattr(importlib.import_module("redyn.description.read"), "has_xacro", lambda: False)
    path = tmp_path / name
    path.write_text(ARM)
    with pytest.raises(
        redyn.DescriptionError, match=rf"this is a xacro file, .*run `xacro {name} > {target}` and load"
    ):
        redyn.load(path)


def test_macros_alone_are_no_robot(tmp_path):
    with pytest.raises(redyn.DescriptionError, match=r"arm\.urdf:1: this is a xacro file, .*<xacro:arm>"):
        load(tmp_path, f'<robot {XACRO}><xacro:arm side="left"/></robot>')
    with pytest.raises(
        redyn.DescriptionError, match=r"no links; .*a xacro file that only defines macros expands to nothing"
    ):
        load(tmp_path, f"<robot {XACRO}></robot>")


def test_what_xacro_leaves_behind(tmp_path):
    """Most expanded files still declare the prefix; a few keep calls of macros that were never defined."""
    text = ARM.replace("<robot ", f"<robot {XACRO} ")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        load(tmp_path, text)
        load(tmp_path, text.replace("</robot>", '<gazebo><plugin name="${x}"/></gazebo></robot>'))
    with pytest.warns(redyn.RedynWarning, match=r"arm\.urdf:22: <xacro:sensors>; left out: xacro has not expanded it"):
        load(tmp_path, text.replace("</robot>", "<xacro:sensors/></robot>"))
