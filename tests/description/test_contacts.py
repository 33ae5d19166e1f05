"""`ground` and `contacts` of robot files: what they mean, that they last, and what is refused."""

import math

import numpy as np
import pytest
import yaml

import redyn
from bodies import block
from redyn.arithmetic import Floats
from redyn.description.heights import parse_height
from redyn.dynamics.surface import evaluate


def positions(robot, q=None):
    """Where the contacts are, by name."""
    q = robot.neutral() if q is None else q
    found = robot.contact_states(q, np.zeros(robot.dof))
    centres = found.points + robot.ground().radii[:, None] * found.normals
    return dict(zip(robot.contact_names, centres, strict=True))


def with_contacts(*contacts, **fields):
    robot = block()
    return redyn.load(yaml.safe_load(robot.to_yaml()) | {"contacts": list(contacts)} | fields)


def test_a_sphere_a_point_a_box_a_capsule_and_listed_points():
    robot = with_contacts(
        {"link": "body", "radius": 0.05, "at": [0.1, 0, 0], "name": "nose"},
        {"link": "body"},
        {"link": "body", "box": [0.2, 0.4, 0.6], "at": [1, 0, 0], "rpy": [0, 0, "90 deg"]},
        {"link": "body", "capsule": 0.3, "radius": 0.02, "rpy": [0, "90 deg", 0]},
        {"link": "body", "points": [[0, 0, 1], [0, 0, 2]], "at": [0, 1, 0], "radius": 0.01},
    )
    found = positions(robot)
    assert list(found)[:3] == ["nose", "body", "body.1"]
    assert len(found) == 2 + 8 + 2 + 2
    assert found["nose"] == pytest.approx([0.1, 0, 0])
    corners = np.array([found[f"body.{k}"] for k in range(1, 9)])
    assert np.ptp(corners, axis=0) == pytest.approx([0.4, 0.2, 0.6])  # turned by a right angle
    assert corners.mean(axis=0) == pytest.approx([1, 0, 0])
    assert found["body.1 (2)"] == pytest.approx([-0.15, 0, 0])  # names differ
    assert found["body.2 (3)"] == pytest.approx([0, 1, 2])
    assert robot.ground().radii[-4:] == pytest.approx([0.02, 0.02, 0.01, 0.01])


def test_collision_shapes_become_contacts():
    shapes = [
        {"type": "sphere", "radius": 0.03, "xyz": [0, 0, 0.1]},
        {"type": "box", "size": [0.1, 0.1, 0.1]},
        {"type": "capsule", "radius": 0.02, "length": 0.2},
        {"type": "cylinder", "radius": 0.05, "length": 0.1},
        {"type": "mesh", "file": "foot.stl"},
    ]
    data = yaml.safe_load(block().to_yaml())
    data["links"][0]["collision"] = shapes
    with pytest.warns(redyn.RedynWarning, match="the mesh of link 'body' cannot touch the ground: list points of it"):
        robot = redyn.load(data | {"contacts": "collision"})
    assert len(robot.contact_names) == 1 + 8 + 2 + 16
    rim = np.array(list(positions(robot).values()))[-16:]
    assert np.hypot(rim[:, 0], rim[:, 1]) == pytest.approx(np.full(16, 0.05))
    assert sorted(set(rim[:, 2].round(9))) == pytest.approx([-0.05, 0.05])
    data["links"][0]["collision"] = shapes[-1:]
    with pytest.raises(redyn.RedynError, match="no collision shape that is a sphere"):
        redyn.load(data | {"contacts": [{"link": "body", "collision": True}]})


URDF = """<robot name="walker"><link name="base"><inertial><mass value="5"/><inertia ixx="0.1" iyy="0.1" izz="0.1"
ixy="0" ixz="0" iyz="0"/></inertial></link><link name="foot"><inertial><mass value="1"/><inertia ixx="0.01" iyy="0.01"
izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial><collision><origin xyz="0 0 -0.4"/><geometry><sphere radius="0.03"/>
</geometry></collision></link><joint name="hip" type="revolute"><parent link="base"/><child link="foot"/>
<axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>"""


def test_the_shapes_of_a_urdf_and_contacts_named_in_a_call(tmp_path):
    path = tmp_path / "walker.urdf"
    path.write_text(URDF)
    robot = redyn.load(path, floating_base=True)
    q = robot.neutral()
    q[2] = 0.425  # the sphere of the file is 5 mm deep
    forces = robot.contact_forces(q, np.zeros(7), {"contacts": "collision", "stiffness": 1e4})
    assert forces == pytest.approx(np.array([[0, 0, 50.0]]), abs=1e-9)
    named = {"contacts": [{"link": "foot", "radius": 0.02, "at": [0, 0, -0.41]}], "stiffness": 1e4}
    assert robot.contact_forces(q, np.zeros(7), named) == pytest.approx(np.array([[0, 0, 50.0]]), abs=1e-9)
    assert robot.contact_names == []  # the robot itself stays as it was
    fixed = redyn.load(path).with_contacts([{"link": "base", "radius": 0.1}])
    with pytest.raises(redyn.InputError, match="floating_base=True"):
        fixed.ground()


def test_they_last_through_files_and_transforms():
    ground = {"height": "0.1*x", "friction": 0.5, "steps": [{"at": 1, "rise": 0.1}]}
    robot = with_contacts({"link": "body", "box": [0.1, 0.1, 0.1]}, ground=ground)
    again = redyn.load(yaml.safe_load(robot.to_yaml()))
    assert again.description == robot.description
    assert again.ground().described == robot.ground().described
    assert robot.with_payload(1.0, link="body").contact_names == robot.contact_names
    arm = redyn.load("two-link").with_contacts([{"link": "link2", "radius": 0.1}])
    both = robot.attach(arm, "body")
    assert both.contact_names == [*robot.contact_names, "two-link_link2"]
    assert both.ground().friction == 0.5
    assert both.subtree("two-link_link1").contact_names == ["two-link_link2"]
    assert arm.lock({"joint1": 0.3}).contact_names == ["link2"]
    renamed = arm.attach(arm)
    assert renamed.contact_names == ["link2", "two-link_link2"]
    q = [0.3, -0.2, 0.4, 0.1]
    assert renamed.forward_kinematics(q)[:3, 3] == pytest.approx(positions(renamed, q)["two-link_link2"])
    floating = redyn.load(yaml.safe_load(arm.to_yaml()), floating_base=True)
    assert floating.contact_names == ["link2"]


@pytest.mark.parametrize(
    ("contact", "message"),
    [
        ({"link": "bdy"}, r"contacts\[0\]: no link is called 'bdy'; did you mean 'body'"),
        ({"radius": 0.1}, "link is missing"),
        ({"link": "body", "radius": -1}, r"contacts\[0\].radius"),
        ({"link": "body", "box": [1, 1, 1], "radius": 0.1}, "no radius: its corners are points"),
        ({"link": "body", "capsule": 0.1}, "a capsule needs a radius"),
        ({"link": "body", "box": [1, 1, 1], "points": [[0, 0, 0]]}, "give one of box, points"),
        ({"link": "body", "rpy": [0, 0, 1]}, "a sphere or a point has no direction"),
        ({"link": "body", "points": []}, "expected a list of points"),
        ({"link": "body", "wheel": 3}, "unknown key"),
        ({"link": "body", "collision": True, "radius": 1}, "leave the rest out"),
    ],
)
def test_bad_contacts_are_refused(contact, message):
    with pytest.raises(redyn.DescriptionError, match=message):
        with_contacts(contact)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.02*sin(5*x)", 0.02 * math.sin(1.5)),
        ("-x^2 + 2*y/4 - (x - y)**3", -0.09 - 0.35 - 1.0),
        ("sqrt(1 + x*x) - cos(pi*y)", math.sqrt(1.09) - math.cos(-0.7 * math.pi)),
        ("--x - -y", 0.3 - 0.7),
        ("1e-2", 0.01),
        ("2 - 3 - 4", -5.0),
        ("8/2/2", 2.0),
    ],
)
def test_expressions_of_heights(text, value):
    assert evaluate(parse_height(text), 0.3, -0.7, Floats()) == pytest.approx(value, rel=1e-14)


@pytest.mark.parametrize(
    "text", ["", "x +", "sin x", "(x", "x)", "x y", "tan(x)", "x^-1", "1e999", "(" * 50 + "x", "x;y"]
)
def test_bad_expressions_are_refused(text):
    with pytest.raises(ValueError, match="expected a number or an expression"):
        parse_height(text)


def test_a_long_expression_is_refused_at_once():
    with pytest.raises(ValueError, match="500 characters"):
        parse_height("x+" * 1000 + "x")
