"""Wheels in files: what is kept, what transforms do with them, and what is refused with a clear word."""

import numpy as np
import pytest
import yaml

import redyn
from vehicles import described, disk, sleigh

FREE = {"name": "base", "type": "planar"}


def changed(name, **fields):
    """A vehicle whose links have other fields: {link: {field: value}}."""
    description = described(name)
    description["links"] = [{**link, **fields.get(link["name"], {})} for link in description["links"]]
    return description


@pytest.mark.parametrize(
    ("rolling", "message"),
    [
        ([{"wheel": "lef", "radius": 0.1}], r"rolling\[0\]: no link is called 'lef'.*left"),
        ([{"wheel": "left"}], r"rolling\[0\].*radius is missing; a wheel needs it"),
        ([{"wheel": "left", "radius": -1}], r"rolling\[0\].radius"),
        ([{"radius": 0.1}], "expected one of wheel, disk and blade"),
        ([{"wheel": "left", "disk": "right", "radius": 0.1}], "expected one of wheel, disk and blade"),
        ([{"blade": "platform", "radius": 0.1}], "radius does not apply to a blade"),
        ([{"disk": "platform", "radius": 0.1, "roller": 0.2}], "roller does not apply to a disk"),
        ([{"wheel": "platform", "radius": 0.1}], "has a planar joint; a wheel needs a revolute one"),
        ([{"wheel": "left", "radius": 0.1}] * 2, r"rolling\[1\]: link 'left' rolls already, by rolling\[0\]"),
        ([{"wheel": "left", "radius": 0.1, "size": 2}], r"rolling\[0\].size"),
    ],
)
def test_bad_wheels(rolling, message):
    with pytest.raises(redyn.DescriptionError, match=message):
        redyn.load({**described("agv"), "rolling": rolling})


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"independent": ["left"]}, r"independent\[0\]: no rate is called 'left'.*left_spin"),
        ({"independent": ["left_spin"]}, "agv has 2 independent rates, got 1; use left_spin and right_spin"),
        ({"independent": ["left_spin", "left_spin"]}, "'left_spin' is named twice"),
        ({"independent": ["base.x", "base.vy"]}, "base.x is in the world's axes and base.vy in the base's"),
        ({"actuated": ["lefty"]}, r"actuated\[0\].*lefty"),
    ],
)
def test_bad_rates(fields, message):
    with pytest.raises(redyn.DescriptionError, match=message):
        redyn.load({**described("agv"), **fields})


def test_rates_that_determine_nothing_are_refused_with_better_ones():
    """Without its castor, how the bracket turns is free, and says nothing of the wheels."""
    wheels = described("agv")["rolling"][:2]
    with pytest.raises(redyn.DescriptionError, match=r"do not follow from .*; use left_spin, right_spin, bracket_turn"):
        redyn.load(
            {**described("agv"), "rolling": wheels}
            | {"independent": ["left_spin", "base.angle", "right_spin", "caster_spin"]}
        )


def test_a_wheel_needs_a_base():
    links = [
        {
            "name": "wheel",
            "joint": {"name": "spin", "type": "revolute"},
            "mass": 1,
            "com": [0, 0, 0],
            "inertia": [1, 1, 1],
        }
    ]
    with pytest.raises(redyn.DescriptionError, match="mounted on the world; it needs a base"):
        redyn.load(
            {"name": "fan", "convention": "frames", "links": links, "rolling": [{"wheel": "wheel", "radius": 1}]}
        )


def test_wheels_that_contradict_each_other():
    """Two front wheels, steered on their own, beside a rear axle: their axles do not meet."""
    wheel = {"mass": 1, "com": [0, 0, 0], "inertia": [0.01, 0.02, 0.01], "axis": [0, 1, 0]}
    fork = {"mass": 1, "com": [0, 0, 0], "inertia": [0.01, 0.01, 0.01], "axis": [0, 0, 1]}
    links = [{"name": "body", "joint": FREE, "mass": 10, "com": [0, 0, 0], "inertia": [1, 1, 1], "xyz": [0, 0, 0.1]}]
    rolling = [{"wheel": "rear", "radius": 0.1}]
    links.append({"name": "rear", "parent": "body", "joint": {"name": "rear", "type": "revolute"}, **wheel})
    for side, y in (("left", 0.3), ("right", -0.3)):
        steer, spin = ({"name": f"{side}_{what}", "type": "revolute"} for what in ("steer", "spin"))
        links.append({"name": f"{side}_fork", "parent": "body", "joint": steer, "xyz": [1, y, 0], **fork})
        links.append({"name": side, "parent": f"{side}_fork", "joint": spin, **wheel})
        rolling.append({"wheel": side, "radius": 0.1})
    with pytest.raises(redyn.DescriptionError, match="contradict each other, since their axles do not meet in a point"):
        redyn.load({"name": "cart", "convention": "frames", "links": links, "rolling": rolling})


def test_wheels_at_different_heights_are_noticed():
    with pytest.warns(redyn.RedynWarning, match=r"'caster' touches the ground 10 mm above 'left'"):
        redyn.load(
            {
                **described("agv"),
                "rolling": [
                    {"wheel": "left", "radius": 0.1},
                    {"wheel": "right", "radius": 0.1},
                    {"wheel": "caster", "radius": 0.04},
                ],
            }
        )


def test_wheels_and_loops_are_refused_together():
    loop = {"between": ["left", "right"], "joint": "gear", "coefficients": [0, 1]}
    with pytest.raises(redyn.DescriptionError, match="wheels and closed loops in one robot are not supported"):
        redyn.load({**described("agv"), "loops": [loop]})


@pytest.mark.parametrize("made", [lambda: described("mec"), disk, sleigh], ids=["mecanum", "disk", "sleigh"])
def test_files_keep_wheels(made, tmp_path):
    robot = redyn.load(made())
    again = redyn.load(yaml.safe_load(robot.to_yaml()))
    assert again.description.rolling == robot.description.rolling
    rng = np.random.default_rng(0)
    q, u, tau = robot.random(rng), rng.normal(size=robot.dof), rng.normal(size=len(robot.torque_names))
    np.testing.assert_allclose(again.forward_dynamics(q, u, tau), robot.forward_dynamics(q, u, tau), atol=1e-11)


def test_urdf_says_what_it_loses():
    with pytest.warns(redyn.RedynWarning, match="URDF has no wheels that roll"):
        redyn.load(described("agv")).to_urdf()


def test_lock():
    car = redyn.load(described("car"))
    straight = car.lock({"steer": 0.0})
    assert straight.velocity_names in (["front_spin"], ["rear_spin"])
    with pytest.raises(redyn.InputError, match="'rear_spin' turns the wheel 'rear', which could not roll"):
        car.lock({"rear_spin": 0.0})
    named = redyn.load(described("car", independent=["front_spin", "steer"], actuated=["front_spin", "steer"]))
    assert named.lock({"steer": 0.3}).velocity_names == ["front_spin"]
    # Locked and free with the same motion: the steering stands still.
    q = car.neutral()
    q[4] = 0.3
    rates = named.rates(q, [2.0, 0.0])
    locked = named.lock({"steer": 0.3})
    np.testing.assert_allclose(locked.rates(np.delete(q, 4), [2.0]), np.delete(rates, 4), atol=1e-12)


def test_attach_an_arm():
    cart = redyn.load(described("agv", independent=["left_spin", "right_spin"]))
    both = cart.attach(redyn.load("two-link"), "platform", pose=([0, 0, 0.2], [0, 0, 0]))
    assert both.velocity_names == ["left_spin", "right_spin", "joint1", "joint2"]
    assert len(both.description.rolling) == 3
    driven = redyn.load(described("agv", actuated=["left_spin", "right_spin"]))
    assert driven.attach(redyn.load("two-link"), "platform").torque_names == both.torque_names


def test_subtree_leaves_wheels_out():
    with pytest.warns(redyn.RedynWarning, match="wheels that roll are left out"):
        part = redyn.load(described("agv")).subtree("bracket")
    assert part.velocity_names == ["bracket_turn", "caster_spin"]


def test_trajectories_between_positions_are_refused():
    robot = redyn.load(described("agv"))
    with pytest.raises(redyn.InputError, match="is on wheels, which do not let it move along any line"):
        redyn.trajectory.cycloidal(robot.neutral(), robot.neutral() + 1, 1.0, robot=robot)


def test_order_of_torques_is_that_of_the_file():
    robot = redyn.load(described("agv", actuated=["right_spin", "left_spin"]))
    assert robot.torque_names == ["right_spin", "left_spin"]
    assert robot.velocity_names == ["left_spin", "right_spin"]
    plain = redyn.load(described("agv"))
    q, u = plain.neutral(), [1.0, 2.0]
    np.testing.assert_allclose(
        robot.forward_dynamics(q, u, [0.1, 0.4]), plain.forward_dynamics(q, u, [0.4, 0.1]), atol=1e-12
    )
    np.testing.assert_allclose(
        robot.inverse_dynamics(q, u, [3.0, 1.0])[::-1], plain.inverse_dynamics(q, u, [3.0, 1.0]), atol=1e-12
    )
