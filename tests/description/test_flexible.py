"""Flexible links and elastic gears in files: what they say, where things are, what becomes of them in transforms."""

import numpy as np
import pytest
import yaml

import redyn
from flexible_oracle import random_flexible
from random_robots import FLEXIBLE
from redyn.description import read, transforms

BEAM = {"rho_A": 0.2, "EI": 1.0, "modes": [2, 0, 0]}


def arm(**beam):
    link = {"joint": "revolute", "a": 0.5, "b": 0, "alpha": 0, "mass": 0}
    return {"name": "arm", "convention": "dh", "links": [link | {"flexible": BEAM | beam}]}


def frames(*links):
    return {"name": "arm", "convention": "frames", "links": list(links)}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"EI": None}, "EI is missing; a flexible link needs rho_A and EI, or a table"),
        ({"EI": -1}, "greater than 0"),
        ({"EI": [1, 2, 3]}, "expected one number, or two, EIy and EIz"),
        ({"modes": [2, 0]}, "expected how many modes bend along y, along z and twist"),
        ({"modes": [2, 0, 13]}, "three whole numbers from 0 to 12"),
        ({"modes": [0, 0, 1]}, "GJ is missing; modes in torsion need it"),
        ({"modes": [0, 0, 1], "GJ": 1.0}, "no inertia about its axis; nor has what it carries"),
        ({"modes": [0, 0, 2], "GJ": 1.0, "tip": {"mass": 1, "inertia": [1, 1, 1]}}, "no second mode can twist it"),
        ({"length": 0.4}, "length ends at 0.4, and the link at a = 0.5"),
        ({"load": "heavy"}, "carried"),
        ({"load": {"mass": 1, "weight": 2}}, "weight"),
        ({"load": {"mass": 1, "inertia": 0.1, "moment": 0.5}}, "no body of 1 kg has the first moment 0.5"),
        ({"damping_ratio": 1.5}, "less than 1"),
        ({"rhoA": 0.2}, "rhoA"),
        ({"hub": {"inertia": [0, 0, 1]}}, "flexible.hub.inertia: the largest principal moment"),
        ({"table": [{"x": 0, "rho_A": 1, "EI": 1}, {"x": 0.5, "rho_A": 1, "EI": 1}]}, "the table has it already"),
    ],
)
def test_mistakes(change, message):
    with pytest.raises(redyn.DescriptionError) as error:
        redyn.load(arm(**change))
    assert message in str(error.value)


def test_mistakes_of_tables_and_lengths():
    rows = [{"x": 0, "rho_A": 1, "EI": 1}, {"x": 0.5, "rho_A": 1, "EI": 2}]
    data = arm()
    data["links"][0]["flexible"] = {"table": rows, "modes": [1, 0, 0]}
    assert redyn.load(data).dof == 2
    for wrong, message in (([rows[1], rows[0]], "begins at the root"), ([rows[0], rows[0]], "further along the beam")):
        data["links"][0]["flexible"]["table"] = wrong
        with pytest.raises(redyn.DescriptionError, match=message):
            redyn.load(data)
    with pytest.raises(redyn.DescriptionError, match=r"links\[0\].flexible.length: missing"):
        redyn.load(frames({"joint": "revolute", "flexible": BEAM}))
    backwards = arm()
    backwards["links"][0]["a"] = -0.5
    with pytest.raises(redyn.DescriptionError, match="bends over its length a > 0"):
        redyn.load(backwards)
    twice = frames(
        {"name": "a", "joint": "revolute", "flexible": BEAM | {"length": 1}},
        {"name": "a.tip", "joint": "fixed"},
    )
    with pytest.raises(redyn.DescriptionError, match=r"'a\.tip' is the name of an end of the flexible link 'a'"):
        redyn.load(twice)


def test_elastic_gears_in_files():
    link = {"a": 1, "b": 0, "alpha": 0, "mass": 1, "com": [0, 0, 0], "inertia": [0.1, 0.1, 0.1]}

    def load(joint):
        return redyn.load({"name": "arm", "convention": "dh", "links": [link | {"joint": joint}]})

    geared = {"type": "revolute", "armature": 0.1, "elastic": {"stiffness": 100}}
    robot = load(geared | {"initial": 0.4, "effort_limit": 5, "limits": [-1, 1]})
    assert robot.velocity_names == ["joint1.motor", "joint1.link"]
    assert robot.joint_names == ["joint1"]
    assert robot.initial.tolist() == [0.4, 0.4]
    assert robot.limits.tolist() == [[-np.inf, np.inf], [-1, 1]]
    assert robot.effort_limits.tolist() == [5, np.inf]
    assert robot.driven_rates == [0]
    for joint, message in (
        ({"type": "revolute", "elastic": {"stiffness": 100}}, "armature is missing"),
        (geared | {"elastic": {"stiffness": 0}}, "greater than 0"),
        ({"type": "fixed", "elastic": {"stiffness": 1}}, "elastic does not apply to a fixed joint"),
    ):
        with pytest.raises(redyn.DescriptionError, match=message):
            load(joint)


def test_deleting_the_flexibility_leaves_the_rigid_robot():
    """Places and masses are those of the straight link, in every convention, and `rigid` lumps them."""
    for seed in range(6):
        data = random_flexible(seed)
        robot = redyn.load(data, exact=True)
        rigid = robot.rigid()
        q = robot.neutral()
        joints = [i for i, link in enumerate(robot.model.links) if link.joint.kind != "mode"]
        q[joints] = np.linspace(-1, 1, len(joints))
        bent = robot.mass_matrix(q)[np.ix_(joints, joints)]
        np.testing.assert_allclose(rigid.mass_matrix(q[joints]), bent, atol=1e-12)
        assert rigid.total_mass == pytest.approx(robot.total_mass, rel=1e-12)
        for name in rigid.frame_names:
            where = robot.forward_kinematics(q, name)
            np.testing.assert_allclose(rigid.forward_kinematics(q[joints], name), where, atol=1e-12)
        still = np.zeros(robot.dof)
        weight = robot.inverse_dynamics(q, still, still)[joints]
        np.testing.assert_allclose(rigid.inverse_dynamics(q[joints], still[joints], still[joints]), weight, atol=1e-10)


def same_dynamics(one, other, places=None):
    rng = np.random.default_rng(0)
    q = one.random(rng)
    qd, qdd = rng.normal(size=one.dof) * 0.1, rng.normal(size=one.dof)
    np.testing.assert_allclose(other.inverse_dynamics(q, qd, qdd), one.inverse_dynamics(q, qd, qdd), atol=1e-10)


@pytest.mark.parametrize("name", FLEXIBLE)
def test_saved_and_converted(name):
    robot = redyn.load(name)
    same_dynamics(robot, redyn.load(yaml.safe_load(robot.to_yaml())))
    converted = redyn.Robot(transforms.as_frames(robot.description))
    same_dynamics(robot, converted)
    q = robot.random(0)
    for link in robot.description.links:
        there = robot.forward_kinematics(q, link.name)
        np.testing.assert_allclose(converted.forward_kinematics(q, link.name), there, atol=1e-12)


def test_modified_dh_and_frames_agree():
    """The beam lies along x of the link's own frame in both."""
    tip = {"mass": 0.3, "inertia": [0.001, 0.001, 0.001]}
    beam = BEAM | {"length": 0.5, "tip": tip, "modes": [1, 1, 0]}
    craig = {
        "name": "arm",
        "convention": "modified-dh",
        "links": [
            {"joint": "revolute", "a": 0, "alpha": 0, "d": 0.1, "flexible": beam},
            {"joint": "revolute", "a": 0.5, "alpha": "pi/2", "d": 0, "flexible": beam},
        ],
    }
    plain = frames(
        {"joint": "revolute", "xyz": [0, 0, 0.1], "flexible": beam},
        {"joint": "revolute", "xyz": [0.5, 0, 0], "rpy": ["pi/2", 0, 0], "flexible": beam},
    )
    same_dynamics(redyn.load(craig), redyn.load(plain))


def test_locked_joints_keep_bending():
    robot = redyn.load("flexible-two-link")
    held = robot.lock({"joint1": 0.3, "joint2": -0.4})
    assert held.velocity_names == ["link1.y1", "link1.y2", "link2.y1", "link2.y2"]
    modes = [1, 2, 4, 5]
    # Modes are computed anew, with what the tips carry in that position: the same frequencies, to what modes can do.
    q = np.zeros(6)
    q[[0, 3]] = 0.3, -0.4
    np.testing.assert_allclose(
        held.frequencies([0.0] * 4)[:3], robot.frequencies(q, locked=robot.joint_names)[:3], rtol=2e-4
    )
    assert len(modes) == held.dof
    gears = redyn.load("elastic-joint-arm").lock({"joint2": 0.5})
    assert gears.velocity_names == ["joint1.motor", "joint1.link"]


def test_frames_at_the_ends():
    robot = redyn.load("flexible-space-arm")
    q = robot.random(1)
    assert {"upper-boom.root", "upper-boom.tip"} <= set(robot.frame_names)
    loaded = robot.with_payload(3.0, [0, 0, 0.1], [0.01, 0.01, 0.01])
    assert loaded.description.links[-1].parent == "lower-boom.tip"
    assert loaded.total_mass == pytest.approx(robot.total_mass + 3.0)
    pointed, (name,) = robot.with_points([("upper-boom", [0.1, 0.2, 0.0])])
    at = robot.forward_kinematics(q, "upper-boom.root") @ [0.1, 0.2, 0.0, 1.0]
    np.testing.assert_allclose(pointed.forward_kinematics(q, name)[:3, 3], at[:3], atol=1e-12)
    both = redyn.load("flexible-beam").attach(redyn.load("one-link"), "link1")
    assert both.velocity_names == ["joint1", "link1.y1", "link1.y2", "one-link_joint1"]
    part = robot.subtree("upper-boom")
    assert "elbow" in part.joint_names
    assert part.model.end_effector == "lower-boom.tip"


def test_children_of_the_root():
    """A parent that is an end of the link, and the load of modes that does not count what the root carries."""
    heavy = {"name": "motor", "joint": "fixed", "mass": 5, "com": [0, 0, 0], "inertia": [0.1, 0.1, 0.1]}
    base = {"name": "boom", "joint": "revolute", "flexible": BEAM | {"length": 1.0}}
    at_root = redyn.load(frames(base, heavy | {"parent": "boom.root"}))
    at_tip = redyn.load(frames(base, heavy | {"parent": "boom.tip"}))
    plain = redyn.load(frames(base, heavy | {"parent": "boom", "xyz": [1.0, 0, 0]}))
    q = [0.0, 0.0, 0.0]
    locked = [robot.frequencies(q, locked=["joint1"])[0] for robot in (at_root, at_tip, plain)]
    assert locked[0] > 5 * locked[1]
    assert locked[1] == pytest.approx(locked[2], rel=1e-12)


def test_urdf_is_that_of_the_rigid_robot():
    robot = redyn.load("flexible-two-link")
    with pytest.warns(redyn.RedynWarning, match="neither flexible links nor elastic gears"):
        text = robot.to_urdf()
    assert text == robot.rigid().to_urdf()


def test_a_rod_without_modes_is_rigid():
    rod = frames({"joint": "revolute", "flexible": BEAM | {"length": 0.5, "modes": [0, 0, 0]}})
    robot = redyn.load(rod)
    assert robot.dof == 1
    assert robot.mass_matrix([0.0])[0, 0] == pytest.approx(0.2 * 0.5**3 / 3)
    assert robot.forward_kinematics([0.0])[:3, 3].tolist() == [0.5, 0, 0]


def test_loads_of_modes():
    """Carried: all that the tip carries in the initial configuration, straight."""
    robot = redyn.load("flexible-two-link")
    given = yaml.safe_load(robot.to_yaml())
    given["links"][0]["flexible"]["load"] = {"mass": 1.2, "inertia": 0.1 + 0.2 * 0.5**3 / 3 + 0.1 * 0.25 + 0.0005}
    same_dynamics(robot, redyn.load(given))
    bare = yaml.safe_load(robot.to_yaml())
    bare["links"][0]["flexible"]["load"] = "none"
    first = redyn.load(bare).model.beams[0][1]
    assert first.curves.y.frequencies[0] == pytest.approx(1.8751040687**2 / 0.25 * np.sqrt(1 / 0.2), rel=1e-9)


def test_friction_switch():
    """Damping of modes and of gears is friction."""
    for name in ("flexible-beam", "elastic-joint-arm"):
        robot = redyn.load(name, friction=False)
        assert not robot.friction_torque(np.ones(robot.dof)).any()
        assert redyn.load(name).friction_torque(np.arange(robot.dof) + 1.0).any()


def test_library_says_what_bends():
    names = [entry.name for entry in redyn.gallery("flexible")]
    assert set(names) == {"flexible-beam", "spin-up", "flexible-two-link", "flexible-space-arm", "elastic-joint-arm"}
    assert read("spin-up").links[0].flexible.modes == (3, 0, 0)


def test_wheels_must_be_rigid():
    data = yaml.safe_load(redyn.load("differential-drive").to_yaml())
    wheel = next(link for link in data["links"] if link["name"] == data["rolling"][0]["wheel"])
    wheel["flexible"] = BEAM | {"length": 0.1}
    with pytest.raises(redyn.DescriptionError, match="what rolls must be rigid"):
        redyn.load(data)
