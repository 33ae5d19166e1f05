"""Kinematics and taught points of the studio, in a real browser. Screenshots are kept in .artefacts/studio."""

import io

import numpy as np
import pytest
from PIL import Image

import redyn
from studio_server import sound
from studio_tab import AUDIT, Tab

POSE = [20.0, -40.0, 30.0, 35.0, 50.0, 0.0]  # degrees


@pytest.fixture(scope="module")
def tab(browser):
    with sound("puma") as server:
        opened = Tab(browser, server.url)
        yield opened
        assert opened.complaints == []
        opened.close()


def values(tab):
    fields = tab.page.locator("[data-testid^=joint-slider] input[type=text]")
    return [float(field.input_value()) for field in fields.all()]


def pose(tab, degrees):
    fields = tab.page.locator("[data-testid^=joint-slider] input[type=text]").all()
    for field, value in zip(fields, degrees, strict=True):
        field.fill(f"{value} deg")
        field.press("Enter")
    x, y, z = redyn.load("puma").forward_kinematics(np.radians(degrees))[:3, 3]
    tab.wait_text("tip-position", f"x {x:.3f}   y {y:.3f}   z {z:.3f}")


def drawn(tab, kind, count):
    tab.page.wait_for_function(
        "([kind, count]) => document.querySelector('[data-loaded]').dataset[kind] === count", arg=[kind, str(count)]
    )


def type_in(tab, testid, text):
    tab(testid).fill(text)
    tab(testid).press("Tab")


def readable(tab):
    """Every control has a name, and text has contrast, in both themes."""
    for theme in ("dark", "light"):
        tab("theme").click()
        tab.page.wait_for_selector(f"html[data-theme={theme}] body.body--{theme}")
        for what in ("nameless", "faint"):
            tab.soon(lambda what=what: tab.page.evaluate(AUDIT)[what], [])


def test_a_pose_and_all_its_solutions(tab):
    tab.open("kinematics")
    pose(tab, POSE)
    tab("reach-use").click()
    tab.wait_text("reach-note", "8 solutions, closed form: the axes of joint4, joint5, joint6 meet in a point.")
    drawn(tab, "ghosts", 8)
    tab.page.wait_for_selector("[data-testid=solution-1][aria-current]")
    for size in (True, False):
        tab("large-type").click()
        tab.page.wait_for_function(f"(document.documentElement.dataset.large == 'yes') == {str(size).lower()}")
        assert tab.fits()
        for part in ("tab-kinematics", "reach", "ellipsoid"):
            box = tab(part).bounding_box()
            assert box["x"] + box["width"] < 1366 - 10
    readable(tab)
    tab.keep("kinematics")

    # A solution is gone to, by its button as by the keyboard; the end effector stays where it is.
    tip = tab("tip-position").text_content()
    shown = [
        float(x.removesuffix(" rad")) for x in tab.page.locator("[data-testid=solution-3] td").all_text_contents()[:6]
    ]
    tab("go-3").focus()
    tab.page.keyboard.press("Enter")
    tab.page.wait_for_selector("[data-testid=solution-3][aria-current]")
    tab.soon(lambda: values(tab), shown)
    assert tab("tip-position").text_content() == tip

    # A mistake loses nothing; a pose out of reach says why.
    type_in(tab, "pose-1", "far")
    tab.wait_text("error-message", "x: expected a number")
    drawn(tab, "ghosts", 0)
    assert tab("pose-1").input_value() == "far"
    type_in(tab, "pose-1", "3")
    tab.wait_text("reach-note", "Not reachable: the point where the axes")
    tab.hidden("error-message")
    tab("workspace-run").click()
    tab.wait_text("workspace-note", "random positions within the joint limits")
    drawn(tab, "cloud", 1)
    tab("workspace-clear").click()
    drawn(tab, "cloud", 0)

    # What was typed survives a reload; nothing of this tab is drawn in another.
    tab.page.reload()
    tab.ready()
    tab.wait_text("reach-note", "Not reachable")
    assert tab("pose-1").input_value() == "3"
    drawn(tab, "handle", 1)
    tab("tab-inverse").click()
    drawn(tab, "handle", 0)


def tip(tab):
    """x, y, z as shown."""
    return [float(x) for x in tab("tip-position").text_content().split()[1:6:2]]


def test_the_frame_is_dragged(tab):
    tab("tab-kinematics").click()
    drawn(tab, "handle", 1)
    pose(tab, POSE)
    before = tip(tab)
    picture = np.array(Image.open(io.BytesIO(tab.page.screenshot())).convert("RGB")).astype(int)
    box = tab.page.locator(".view canvas").bounding_box()
    left, top, right, bottom = (
        round(x) for x in (box["x"], box["y"], box["x"] + box["width"], box["y"] + box["height"])
    )
    blue = np.abs(picture[top:bottom, left:right] - [0x1C, 0x7E, 0xD6]).sum(axis=2) < 60
    rows, columns = blue.nonzero()
    head = rows.argmin()  # of the arrow along z, which is up
    x, y = left + int(columns[head]), top + int(rows[head]) + 3
    tab.page.mouse.move(x, y)
    tab.page.mouse.down()
    tab.page.mouse.move(x, y - 20, steps=4)
    tab.page.mouse.up()
    tab.page.wait_for_function(
        "z => Number(document.querySelector('[data-testid=tip-position]').textContent.split(/ +/)[5]) > z + 0.02",
        arg=before[2],
    )
    assert tip(tab)[:2] == pytest.approx(before[:2], abs=0.002)
    robot = redyn.load("puma")
    attitudes = [robot.forward_kinematics(np.radians(q))[:3, :3] for q in (POSE, np.degrees(values(tab)))]
    np.testing.assert_allclose(*attitudes, atol=0.01)  # sliders show three digits
    tab("tab-inverse").click()


def test_a_value_that_was_just_typed_is_taught(tab):
    """Joint 6 does not move the origin of the tip: nothing else on the page says that its value has come."""
    tab.choose("motion-kind", "Taught points")
    tab.shown("teach")
    field = tab.page.locator("[data-testid^=joint-slider] input[type=text]").nth(5)
    for k, angle in enumerate((10, -50, 70), start=1):
        field.fill(f"{angle} deg")
        tab("teach").click()  # the field loses the focus, the button is pressed
        tab.shown(f"point-{k}")
        assert tab(f"point-{k}-6").input_value() == f"{np.radians(angle):.3g}"
    for _ in range(3):
        tab("point-1-remove").click()
    tab.hidden("point-1")


def test_points_are_taught_and_run(tab):
    tab.choose("motion-kind", "Taught points")
    tab.shown("teach")
    for k, angle in enumerate((10, 30, -20), start=1):
        pose(tab, [angle, *POSE[1:]])
        tab("teach").click()
        tab.shown(f"point-{k}")
    assert tab("point-1-1").input_value() == f"{np.radians(10):.3g}"
    tab("point-3-up").click()
    tab.soon(lambda: tab("point-2-1").input_value(), f"{np.radians(-20):.3g}")
    type_in(tab, "point-2-dwell", "0.5")
    type_in(tab, "point-3-duration", "0.2")
    tab("taught-speed").locator("input").fill("2")
    tab("taught-speed").locator("input").press("Enter")
    with tab.redrawn("inverse"):
        tab("run-inverse").click()
    q = np.radians([[angle, *POSE[1:]] for angle in (10, -20, 30)])
    points = [q[0], redyn.trajectory.Point(q=q[1], dwell=0.5), redyn.trajectory.Point(q=q[2], duration=0.2)]
    motion = redyn.trajectory.taught(redyn.load("puma"), points, speed=2.0)
    _, t, tau = tab.curves("plot-torque")[0]
    assert t[-1] == pytest.approx(motion.duration)
    np.testing.assert_allclose(tau, redyn.load("puma").inverse_dynamics(*motion(np.array(t)))[:, 0], atol=1e-6)
    tab.wait_text("inverse-limits", "its speed limit of 2 rad/s")
    readable(tab)
    tab.keep("taught")
    tab("point-2-go").click()
    tab.soon(lambda: values(tab)[0], -0.349)
    for _ in range(2):
        tab("point-1-remove").click()
    tab.hidden("point-2")
    tab("run-inverse").click()
    tab.wait_text("error-message", "press Teach, at least twice")
