"""Closed loops in the studio, in a real browser. Screenshots are kept in .artefacts/studio."""

import numpy as np
import pytest

import redyn
from studio_server import sound
from studio_tab import Tab


@pytest.fixture(scope="module")
def tab(browser):
    with sound() as server:
        opened = Tab(browser, server.url)
        yield opened
        assert opened.complaints == []
        opened.close()


def value(tab, slider):
    return tab.page.locator(f"[data-testid=joint-slider-{slider}] input[type=text]")


def turn(tab, slider, degrees):
    value(tab, slider).fill(f"{degrees} deg")
    value(tab, slider).press("Enter")


def test_a_four_bar_from_nothing(tab):
    with tab.redrawn("inverse"):
        tab("robot-new").click()
        tab("new-dh").click()
    for _ in range(2):
        with tab.redrawn("inverse"):
            tab("add-link").click()
    tab("dock-loops").click()
    tab.wait_text("loop-facts", "then press + Loop")
    tab("add-loop").click()
    tab.wait_text("error-message", "Turn a joint by some 30 degrees")
    for slider, degrees in ((1, 60), (2, -50), (3, -70)):
        turn(tab, slider, degrees)
    tip = np.cumsum(np.exp(1j * np.radians([60, 10, -60])))[-1]
    tab.wait_text("tip-position", f"x {tip.real:.3f}")
    with tab.redrawn("inverse"):
        tab("add-loop").click()
    tab.hidden("error-message")
    tab.wait_text("loop-facts", "Mobility 1 of 3 joint rates; driven: joint1")
    assert tab.cell(0, "gap").text_content() == "closed"
    assert [name for name, _, _ in tab.curves("plot-torque")] == ["joint1"]
    tab.shown("singular-meter")
    tab.keep("four-bar")

    # The driven joint moves, the others follow and cannot be moved; beyond the reach it stops, and says so.
    assert [value(tab, slider).is_disabled() for slider in (1, 2, 3)] == [False, True, True]
    before = value(tab, 3).input_value()
    turn(tab, 1, 50)
    tab.soon(lambda: value(tab, 3).input_value() != before, True)
    turn(tab, 1, 170)
    tab.wait_text("notice", "joint1 can go no further")

    # A pin out of reach: the gap is shown and nothing is computed.
    tab.edit(0, "meets", "5, 0, 0")
    tab.shown("open-strip")
    tab.wait_text("open-text", "stays open by 2 m")
    tab.soon(lambda: tab.cell(0, "gap").text_content(), "2.52 m")
    assert tab("run-inverse").is_disabled()
    tab.keep("open-loop")
    with tab.redrawn("inverse"):
        tab("undo-open").click()
    tab.hidden("open-strip")

    # Another joint is driven by a click on its box.
    tab.dock("geometry")
    with tab.redrawn("inverse"):
        tab.cell(1, "driven").locator("input").click()
    with tab.redrawn("inverse"):
        tab.cell(0, "driven").locator("input").click()
    assert [name for name, _, _ in tab.curves("plot-torque")] == ["joint2"]
    tab.open("forward")
    tab.run("forward")
    tab.wait_text("run-note", "loops closed within")
    tab.open("inverse")


def test_two_clicks_to_the_torques_along_a_circle(tab):
    tab.pick("3-rrr")
    with tab.redrawn("inverse"):
        tab.choose("motion-kind", "Circle")  # a click to open the list, and one on the circle
    tab.shown("path-form")
    assert tab.page.locator("[data-testid=path-radius] input").input_value() == "0.1"
    robot = redyn.load("3-rrr")
    centre = [float(x) for x in tab.page.locator("[data-testid=path-centre] input").input_value().split(",")]
    motion = redyn.trajectory.circle(robot, centre, 10.0, [0, 0, 1], start=robot.initial)
    curves = tab.curves("plot-torque")
    assert [name for name, _, _ in curves] == ["a1", "a2", "a3"]
    tau = robot.inverse_dynamics(*motion(np.array(curves[0][1])))
    np.testing.assert_allclose([y for _, _, y in curves], tau[:, robot.driven_rates].T, atol=1e-6)
    tab.choose("torque-split", "joint reactions")
    tab.wait_text("reactions", "(loop)")
    tab.keep("circle")
    tab.open("forward")
    tab.pick("four-bar")  # while they cannot be seen, reactions are not left to be those of another robot
    tab.open("inverse")
    tab.wait_text("reactions", "cut (loop)")
    assert "a1" not in tab("reactions").text_content()
    tab.choose("torque-split", "all joints")
    for width, height in ((1920, 1080), (1366, 768)):
        tab.page.set_viewport_size({"width": width, "height": height})
        assert tab.fits()


def test_a_page_that_is_reloaded_has_its_loops(tab):
    tab.pick("four-bar")
    tab.dock("loops")
    with tab.redrawn("inverse"):
        tab.edit(0, "name", "pin")
    tab.page.reload()
    tab.ready()
    tab.dock("loops")
    assert tab.cell(0, "name").text_content() == "pin"
    assert tab.cell(0, "gap").text_content() == "closed"
