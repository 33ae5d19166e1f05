"""Torque limits, payload, pushes and sizing in a browser."""

from pathlib import Path

import numpy as np
import pytest

import redyn
from studio_server import sound
from studio_tab import AUDIT, Tab


@pytest.fixture(scope="module")
def server():
    with sound("two-link") as started:
        yield started


@pytest.fixture(scope="module")
def tab(browser, server):
    opened = Tab(browser, server.url)
    yield opened
    opened.close()


def type_into(tab, testid, text):
    field = tab(testid).locator("input")
    field.fill(text)
    field.press("Tab")


def test_torque_limits(tab):
    tab.pick("franka-panda")
    tab.open("forward")
    tab.choose("torque-kind", "Constant torque")
    tab("tau-1").fill("120")
    tab("tau-1").press("Tab")
    type_into(tab, "run-duration", "0.002")
    tab.run("forward")
    tab.wait_text("run-limits", "starts beyond its effort limit of 87 Nm")
    assert tab.curves("plot-run-tau")[0][2][0] == 120
    tab.hidden("run-changed")
    tab("saturate").get_by_role("checkbox").click()
    tab.wait_text("run-changed", "from before a change of torque limits: run again")
    tab.run("forward")
    tab.hidden("run-changed")
    tab.wait_text("run-limits", "is held to its torque limit of 87 Nm")
    tab.wait_text("run-note", "with torque limits")
    assert set(tab.curves("plot-run-tau")[0][2]) == {87}
    tab.fits()
    tab.keep("torque-limits")
    # It stays on for a robot that has no limits, which is said instead of a run.
    tab.pick("two-link")
    tab("run-forward").click()
    tab.wait_text("error-message", "two-link has no effort limits")
    tab("saturate").get_by_role("checkbox").click()
    type_into(tab, "run-duration", "1")
    assert tab.complaints == []


def test_payload(tab):
    """In both panels, at once in the inverse dynamics; a run without it is gone."""
    tab.pick("two-link")
    tab.open("forward")
    tab.choose("torque-kind", "None: free fall")
    tab.run("forward")
    tab.open("inverse")
    alone = np.array(tab.curves("plot-torque")[0][2])
    with tab.redrawn("inverse", "forward"):
        type_into(tab, "payload-inverse", "2")
    tab.wait_text("inverse-note", "with 2 kg")
    t, loaded = (np.array(x) for x in tab.curves("plot-torque")[0][1:])
    robot = redyn.load("two-link").with_payload(2.0)
    q = np.array([tab.curves("plot-q")[k][2] for k in range(2)]).T
    motion = redyn.trajectory.cycloidal(q[0], q[-1], float(t[-1]))
    np.testing.assert_allclose(loaded, robot.inverse_dynamics(*motion(t))[:, 0], atol=1e-6)
    assert np.abs(loaded - alone).max() > 10
    with tab.redrawn("inverse", "forward"):
        type_into(tab, "payload-com-inverse", "0.2, 0.2, 0")
    tab.wait_text("inverse-note", "with 2 kg at (0.2, 0.2, 0)")
    tab.fits()
    tab.keep("payload")
    with tab.redrawn("inverse", "forward"):
        type_into(tab, "payload-com-inverse", "0.2")
    tab.wait_text("error-message", "payload: centre: expected three numbers")
    assert tab.curves("plot-torque") == []
    with tab.redrawn("inverse", "forward"):
        type_into(tab, "payload-com-inverse", "")
    tab.open("forward")
    assert tab.curves("plot-run-q") == []
    assert tab("payload-forward").locator("input").input_value() == "2"
    tab.run("forward")
    tab.wait_text("run-note", "with 2 kg")
    tab("pin-forward").click()
    tab.wait_text("notice", "Pinned as “two-link with 2 kg, rkf45”")
    tab.page.reload()
    tab.ready()
    tab.soon(lambda: tab("payload-forward").locator("input").input_value(), "2")
    assert tab.complaints == []


MOTOR = {"rated_torque": "0.2", "peak_torque": "0.6", "max_speed": "1000 rpm", "ratio": "100", "efficiency": "0.8"}


def test_sizing(tab):
    tab.pick("one-link")
    tab.pick("two-link")
    tab.open("inverse")
    for joint in (1, 2):
        tab(f"stop-{joint}").fill("pi")
        tab(f"stop-{joint}").press("Tab")
    tab.run("inverse")
    tab("sizing-inverse").click()
    tab.shown("sizing-body-inverse")
    tab.hidden("plot-torque")
    tab.wait_text("loads-inverse", "20.1 Nm")
    for name, text in MOTOR.items():
        field = tab("sizing-body-inverse").get_by_test_id(f"{name}-1")
        field.fill(text)
        field.press("Tab")
    tab.wait_text("motors-inverse", "77%")
    tab.wait_text("motor-charts-inverse", "joint1: fits")
    tab("motors-spread-inverse").click()
    tab.wait_text("motor-charts-inverse", "joint2: fits")
    # A slower motion of the same robot needs less; a heavier one more.
    with tab.redrawn("inverse", "forward"):
        type_into(tab, "payload-inverse", "5")
    tab.wait_text("motor-reasons-inverse", "times the rated torque")
    tab.wait_text("motor-charts-inverse", "joint1: does not fit")
    tab.fits()
    tab.keep("sizing")
    with tab.page.expect_download() as download:
        tab("sizing-csv-inverse").click()
    assert "joint1,Nm,rad/s," in Path(download.value.path()).read_text()
    # The same motors in the other panel, with a result of its own.
    tab.open("forward")
    tab("sizing-forward").click()
    tab.wait_text("sizing-note-forward", "There is no result yet")
    assert tab("sizing-body-forward").get_by_test_id("ratio-2").input_value() == "100"
    tab.run("forward")
    tab.wait_text("motor-reasons-forward", "times the largest")
    tab.page.reload()
    tab.ready()
    tab.shown("sizing-body-forward")
    tab.soon(lambda: tab("sizing-body-forward").get_by_test_id("ratio-2").input_value(), "100")
    for theme in ("light", "dark"):
        tab.page.wait_for_selector(f"html[data-theme={theme}]")
        for what in ("nameless", "faint"):
            tab.soon(lambda what=what: tab.page.evaluate(AUDIT)[what], [])
        tab("theme").click()
    tab("sizing-forward").click()
    tab.shown("plot-energy")
    assert tab.complaints == []


ARROW = "[...document.querySelectorAll('.view')].map((view) => view.dataset.pushes)"


def test_pushes(tab):
    """By numbers, and by an arrow in the view; drawn while they act, and kept."""
    tab.pick("one-link")
    tab.pick("two-link")
    tab.open("forward")
    type_into(tab, "run-duration", "0.5")
    tab.run("forward")
    tab("push-add").click()
    tab.shown("push-list")
    assert tab("push-1-link").input_value() == "link2"
    tab.soon(lambda: tab("push-1-size").input_value(), "2")
    for name, text in (("point", "-0.5, 0, 0"), ("force", "0, 30, 40"), ("start", "0.1"), ("duration", "0.2")):
        tab(f"push-1-{name}").fill(text)
        tab(f"push-1-{name}").press("Tab")
    tab.soon(lambda: tab("push-1-size").input_value(), "50")
    tab("push-1-size").fill("25")
    tab("push-1-size").press("Tab")
    tab.soon(lambda: tab("push-1-force").input_value(), "0, 15, 20")
    tab.wait_text("run-changed", "a change of pushes")
    tab.page.wait_for_selector("[data-drafts='1']")
    tab.run("forward")
    tab.hidden("run-changed")
    tab.wait_text("run-note", "with 1 push")
    assert "external" in [name for name, _, _ in tab.curves("plot-energy")]
    robot = redyn.load("two-link")
    push = redyn.Push("link2", [0, 15, 20], [-0.5, 0, 0], 0.1, 0.2)
    run = redyn.simulate(robot, robot.initial, [0, 0], 0.5, pushes=push, rtol=1e-8, sample=0.001)
    np.testing.assert_allclose(tab.curves("plot-run-q")[1][2], run.q[:, 1], atol=1e-7)
    # The arrow is drawn while the push acts.
    for t, shown in (("0.05", "0"), ("0.2", "1"), ("0.4", "0")):
        tab.page.locator("[data-testid=player] input[type=range]").evaluate(
            "(slider, t) => { slider.value = t; slider.dispatchEvent(new Event('input')); }", t
        )
        tab.soon(lambda: tab.page.evaluate(ARROW), [shown])
    tab.fits()
    tab("push-drag").click()
    tab.page.wait_for_selector(".views[data-pushing]")
    box = tab.page.locator("[data-testid=view3d] canvas").bounding_box()
    tab.keep("push")
    assert drag(tab, box), "no link was met"
    tab.page.wait_for_selector("[data-testid=push-list][data-count='2']")
    tab.soon(lambda: tab("push-2-start").input_value(), "0.4")
    assert float(tab("push-2-size").input_value()) > 0
    tab.wait_text("run-changed", "a change of pushes")
    tab.keep("push-dragged")
    tab.run("forward")
    tab.wait_text("run-note", "with 2 pushes")
    tab("push-1-remove").click()
    tab.page.wait_for_selector("[data-testid=push-list][data-count='1']")
    tab.page.wait_for_function("JSON.parse(sessionStorage.getItem('redyn-work')).run.pushes.length === 1")
    tab.page.reload()
    tab.ready()
    tab.page.wait_for_selector("[data-testid=push-list][data-count='1']")
    for what in ("nameless", "faint"):
        tab.soon(lambda what=what: tab.page.evaluate(AUDIT)[what], [])
    assert tab.complaints == []


def drag(tab, box):
    """Presses on the view until a link is met, and pulls to the side."""
    mouse = tab.page.mouse
    for k in range(1, 20):
        for j in range(1, 20):
            x, y = box["x"] + box["width"] * j / 20, box["y"] + box["height"] * k / 20
            mouse.move(x, y)
            mouse.down()
            mouse.move(x + 12, y + 8)
            met = tab("push-caption").is_visible()
            mouse.move(x + 40, y - 30)
            mouse.up()
            if met:
                return True
    return False
