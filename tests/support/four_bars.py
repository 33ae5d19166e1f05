"""The four-bar of the library in other formats."""

import warnings

import numpy as np

import redyn
from random_robots import close, on_floats

LINK = """  <link name="{}"><inertial><origin xyz="{} 0 0"/><mass value="{}"/>
    <inertia ixx="{}" ixy="0" ixz="0" iyy="{}" iyz="0" izz="{}"/></inertial></link>"""
JOINT = """  <joint name="{0}" type="continuous"{3}><parent link="{1}"/><child link="{0}"/><origin xyz="{2} 0 0"/>
    <axis xyz="0 0 1"/></joint>"""
ROD = (4.1666666666666665e-5, 0.007041666666666667, 0.007041666666666667)
LINKS = "\n".join(
    [
        '  <link name="base"/>',
        LINK.format("crank", 0.025, 1.5, 1.25e-5, 0.0003125, 0.0003125),
        LINK.format("output", 0.065, 5, *ROD),
        LINK.format("coupler", 0.05, 3, 2.5e-5, 0.0025, 0.0025),
        '  <link name="coupler-pin"/>',
        '  <joint name="coupler-pin-end" type="fixed"><parent link="coupler"/><child link="coupler-pin"/>'
        '<origin xyz="0.1 0 0"/></joint>',
    ]
)
ROWS = (("crank", "base", 0), ("output", "base", 0.15), ("coupler", "output", 0.13))
JOINTS = [JOINT.format(*row, "{}") for row in ROWS]
SECOND = """  <joint name="cut" type="revolute"><parent link="crank"/><child link="coupler-pin"/>
    <origin xyz="0.05 0 0"/><axis xyz="0 0 1"/><limit effort="1" velocity="1"/></joint>"""


def four_bar(*parts, independent=("", "", "")):
    joints = [joint.format(said) for joint, said in zip(JOINTS, independent, strict=True)]
    return "\n".join(['<robot name="four-bar">', LINKS, *joints, *parts, "</robot>\n"])


def load(tmp_path, text, **options):
    path = tmp_path / "bar.urdf"
    path.write_text(text, encoding="utf-8")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        robot = redyn.load(path, **options)
    return robot, [str(item.message) for item in caught]


def same_as_library(robot):
    """The accelerations of the library's four-bar, at a closed configuration, in motion."""
    ours, theirs = on_floats(robot), on_floats(redyn.load("four-bar"))
    assert robot.joint_names == ["crank", "output", "coupler"]
    assert robot.mobility == 1
    q = theirs.initial
    qd = theirs.transmission(q) @ [2.0]
    tau = np.array([0.3, 0.0, 0.0])
    down = [0.0, -9.81, 0.0]
    close(ours.forward_dynamics(q, qd, tau, gravity=down), theirs.forward_dynamics(q, qd, tau, gravity=down), 1e-9)
