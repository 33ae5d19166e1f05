"""Torque limits, payload, pushes and sizing in a browser."""

from pathlib import Path

import numpy as np
import pytest

import redyn
from studio_server import running
from studio_tab import Tab

AUDIT = (Path(__file__).parent / "audit.js").read_text().partition("\n")[2]


@pytest.fixture(scope="module")
def server():
    with running("two-link") as started:
        yield started
    assert not [line for line in started.log if "Traceback" in line], "".join(started.log)


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
    type_into(tab, "run-duration", "0.02")
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
    tab.wait_text("error-message", "payload: centre: expected 3 numbers")
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
