"""Pinned runs in a browser: before and after an edit, a phase plot, a difference; after a restart they are back."""

import numpy as np
import pytest

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


def names(tab, plot="plot-compare"):
    return [name for name, _, _ in tab.curves(plot)]


def test_torques_drive_the_robot_again(tab):
    tab("motion-duration").locator("input").fill("1")
    tab.run("inverse")
    with tab.redrawn("forward"):
        tab("drive").click()
    tab.motion = "forward"
    tab.shown("panel-forward")
    tab.soon(lambda: len(tab.curves("plot-run-q")), 2)
    tab.still()
    aim, run = (np.array(tab.curves(plot)[1][2]) for plot in ("plot-q", "plot-run-q"))
    assert np.abs(aim - run).max() < 1e-4
    assert tab.complaints == []


def test_before_and_after(tab, server):
    tab.pick("one-link")
    tab.pick("two-link")
    tab.open("forward")
    tab.choose("torque-kind", "None: free fall")
    tab("run-duration").locator("input").fill("5")
    assert tab("pin-forward").is_disabled()
    tab.run("forward")
    tab("pin-forward").click()
    tab.wait_text("notice", "Pinned as “two-link, rkf45”")
    joints = ["joint1", "joint2"]
    tab.soon(lambda: names(tab, "plot-run-q"), [*joints, *(f"{joint}, two-link, rkf45" for joint in joints)])
    tab.dock("mass")
    with tab.redrawn("inverse"):
        tab.edit(1, "mass", "3")
    tab.run("forward")
    before, after = (np.array(tab.curves("plot-run-q")[k][2]) for k in (2, 0))
    assert np.abs(after - before).max() > 0.1
    tab("pinned-forward").get_by_role("button").click()  # switched off
    tab.soon(lambda: names(tab, "plot-run-q"), ["joint1", "joint2"])
    tab("pinned-forward").get_by_role("button").click()
    tab.open("compare")
    tab.soon(lambda: names(tab), ["Forward, now", "two-link, rkf45"])
    field = tab.page.get_by_label("Name of two-link, rkf45")
    field.fill("")
    field.press("Enter")
    tab.wait_text("error-message", "expected 1 to 60 characters")
    field.fill("before")
    tab.page.keyboard.press("Enter")  # not `field.press`: a list drawn again has taken what is typed, with a new field
    tab.soon(lambda: names(tab), ["Forward, now", "before"])
    tab.hidden("error-message")
    tab.choose("compare-y", "joint1: rate")
    tab.choose("compare-x", "joint1: value")
    tab.hidden("compare-minus")
    tab.soon(lambda: [x for _, x, _ in tab.curves("plot-compare")[1:]], [before.tolist()])
    dot = tab.page.locator("[data-testid=plot-compare] .cursor.dot")
    dot.wait_for()
    tab.keep("pins-phase")
    tab.choose("compare-x", "time")
    tab.choose("compare-y", "joint1: value")
    tab.choose("compare-minus", "before")
    tab.soon(lambda: names(tab), ["Forward, now"])
    tab.soon(lambda: [np.allclose(y, after - before, atol=1e-12) for *_, y in tab.curves("plot-compare")], [True])
    for what in ("nameless", "faint"):
        tab.soon(lambda what=what: tab.page.evaluate(AUDIT)[what], [])
    assert tab.fits()
    tab.keep("pins-difference")
    kept = "JSON.parse(sessionStorage.getItem('redyn-work')).board.minus !== ''"
    tab.page.wait_for_function(kept)
    tab.soon(lambda: [kind[:4] for kind in tab.kept()], ["pin-"])
    server.end()
    tab.page.wait_for_selector("#popup[aria-hidden=false]")
    server.restart()
    tab.wait_text("notice", "Restored from this browser tab")
    tab.ready()
    tab.shown("panel-compare")
    tab.page.get_by_label("Name of before").wait_for()
    tab.choose("compare-minus", "nothing")
    tab.soon(lambda: [y for *_, y in tab.curves("plot-compare")[-1:]], [before.tolist()])
    tab.page.get_by_label("Remove before").click()
    tab.soon(tab.kept, {})
    tab.page.get_by_label("Name of before").wait_for(state="detached")
    assert [said for said in tab.complaints if "ERR_CONNECTION_REFUSED" not in said and "WebSocket" not in said] == []
