"""Robots on wheels in reports: turning centres, tracks, wheels, tables of torques, and the page in a browser."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import redyn
from redyn.kinematics import clearance
from redyn.report.rolling import track_points, turning_centres, wheels
from redyn.report.scene import scene
from redyn.report.thumbnail import thumbnail
from report_page import Opened, numbers

WHEELED = ["agv", "car", "mecanum", "chaplygin-sleigh"]


@pytest.mark.parametrize("name", WHEELED)
@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_the_base_turns_about_its_turning_centre(name, seed):
    """Where it is, the base has no velocity: v + w x (c - p) = 0, whatever the wheels are."""
    robot, rng = redyn.load(name), np.random.default_rng(seed)
    q, qd = robot.random(rng), rng.normal(size=robot.dof)
    [centre] = turning_centres(robot, q, qd)
    base = robot.link_names[0]
    p, twist = robot.forward_kinematics(q, base)[:3, 3], robot.jacobian(q, base) @ qd
    if np.isnan(centre).any():  # goes nearly straight
        assert abs(twist[2]) * 10 * 0.1 < np.linalg.norm(twist[3:])
        return
    arm = (centre - p) * [1, 1, 0]
    np.testing.assert_allclose(twist[3:] + np.cross(twist[:3], arm), 0, atol=1e-9 * max(1, np.abs(twist).max()))
    assert centre[2] == pytest.approx(min(point[2] for point in robot.rolling_points(q).values()), abs=1e-12)


def test_turning_centre_of_a_differential_drive():
    """Half the track width times (r + l) / (r - l), to the left; none at rest or straight ahead."""
    robot = redyn.load("agv")
    q = robot.neutral()
    half = robot.rolling_points(q)["left"][1]
    rates = np.array([[1.0, 3.0], [2.0, 2.0], [0.0, 0.0], [-1.0, 1.0]])
    centres = turning_centres(robot, np.tile(q, (4, 1)), rates)
    np.testing.assert_allclose(centres[0, :2], [0.0, half * 4 / 2], atol=1e-12)
    assert np.isnan(centres[1:3]).all()
    np.testing.assert_allclose(centres[3], 0, atol=1e-12)


def test_a_scene_has_wheels_tracks_and_a_floor_where_they_touch_it():
    robot = redyn.load("mecanum")
    run = redyn.simulate(robot, robot.initial, np.zeros(3), 1.0, torque=[0.5, 0.2, 0.1, 0.4], sample=0.1)
    data = scene(robot, run.t, run.q, rates=run.qd)
    found = data["rolling"]
    assert [wheel["kind"] for wheel in found["wheels"]] == ["roller"] * 4
    points = robot.rolling_points(run.q)
    for wheel, track in zip(found["wheels"], found["tracks"], strict=True):
        np.testing.assert_allclose(numbers(track, -1, 3), points[wheel["name"]], atol=1e-6)
    assert data["view"]["floor"]["level"] == pytest.approx(0.0, abs=1e-12)
    assert data["view"]["mounts"] == []
    np.testing.assert_allclose(
        numbers(found["centres"], -1, 3), turning_centres(robot, run.q, run.qd), rtol=1e-5, equal_nan=True
    )
    assert scene(robot, run.t, run.q)["rolling"]["centres"] == ""  # without rates


def test_wheels_are_where_their_links_turn():
    """The distance of the hub from the floor is the radius; the axle is level."""
    robot = redyn.load("car")
    q = robot.random(3)
    for wheel, point in zip(wheels(robot), track_points(robot, q[None])[0], strict=True):
        T = robot.forward_kinematics(q, wheel["name"])
        hub = T[:3, :3] @ wheel["centre"] + T[:3, 3]
        np.testing.assert_allclose(hub - point, [0, 0, wheel["radius"]], atol=1e-12)
        assert (T[:3, :3] @ wheel["axis"])[2] == pytest.approx(0, abs=1e-12)


def test_a_singular_pose_can_be_drawn():
    """A disk that lies flat touches the ground everywhere: it is drawn, though its rates are singular there."""
    body = {"name": "disk", "joint": "free", "mass": 2.0, "com": [0, 0, 0], "inertia": [0.045, 0.045, 0.09]}
    rolling = [{"disk": "disk", "radius": 0.3}]
    robot = redyn.load({"name": "flat", "convention": "frames", "links": [body], "rolling": rolling})
    data = scene(robot, 0, robot.initial)
    assert np.isfinite(numbers(data["rolling"]["tracks"][0], -1, 3)).all()
    assert thumbnail(robot).startswith("<svg")


def test_tables_and_charts_name_the_actuators(tmp_path):
    """Four torques on three rates; values of all coordinates of the tree."""
    robot = redyn.load("mecanum")
    run = redyn.simulate(robot, robot.initial, np.zeros(3), 0.1, torque=[0.5, 0.2, 0.1, 0.4])
    head = run.to_csv(tmp_path / "a.csv").read_text().split("\n")[0].split(",")
    assert [name for name in head if name.startswith("tau_")] == [f"tau_{x}_spin" for x in ("fl", "fr", "rl", "rr")]
    assert sum(name.startswith("q_") for name in head) == robot.nq
    assert sum(name.startswith("qd_") for name in head) == 3
    figure = run.plot()
    assert [axes.get_title("left") for axes in figure.axes[1:]] == [
        "Joint values (rad or m)",
        "Joint rates (rad/s or m/s)",
        "Torques (Nm)",
        "Energy (J)",
    ]
    with pytest.raises(redyn.RedynError, match="4 actuators and 3 rates"):
        run.size(redyn.sizing.Motor(rated_torque=1.0, peak_torque=2.0, max_speed=100.0))


def test_wheels_collide_with_nothing():
    robot = redyn.load("agv")
    rolling = {contact.name for contact in robot.model.contacts}
    assert not rolling & {name for pair in clearance(robot, robot.random(0)[None]).pairs for name in pair}


# --- in a browser ------------------------------------------------------------------------------------------------


def test_tracks_in_a_browser(browser, tmp_path):
    """They grow while the motion plays, and the turning centre is where it was computed."""
    robot = redyn.load("agv")
    run = redyn.simulate(robot, robot.initial, np.zeros(2), 1.5, torque=[1.0, 0.6], sample=0.05)
    opened = Opened(browser, run.html(tmp_path / "agv.html"))
    page = opened.page
    view = page.locator(".view")
    assert view.get_attribute("data-tracks") == "3"
    assert view.get_attribute("data-turning") == ""  # at rest
    begin = opened.picture()
    page.get_by_test_id("player-slider").evaluate(
        "(slider) => { slider.value = 1; slider.dispatchEvent(new Event('input')); }"
    )
    shown = opened.picture(other_than=begin)
    k = int(np.argmin(abs(run.t - opened.time())))
    [centre] = turning_centres(robot, run.q[k], run.qd[k])
    np.testing.assert_allclose([float(x) for x in view.get_attribute("data-turning").split()], centre, atol=5e-3)
    page.get_by_test_id("show-tracks").click()
    opened.picture(other_than=shown)
    assert page.get_by_test_id("show-follow").count() == 1
    assert page.get_by_test_id("show-forces").count() == 0  # there is no ground
    assert opened.complaints == []
