"""Degrees or radians by one switch, in a browser."""

import math

import numpy as np
import pytest

import redyn
from studio_server import sound
from studio_tab import Tab


@pytest.fixture(scope="module")
def server():
    with sound("stanford") as started:
        yield started


@pytest.fixture(scope="module")
def tab(browser, server):
    opened = Tab(browser, server.url)
    yield opened
    assert opened.complaints == []
    opened.close()


def switch(tab, name):
    with_plots = tab.page.evaluate("document.querySelector('[data-testid=panel-inverse] .plots').dataset.asked")
    tab("angles").click()
    tab.wait_text("angles", name)
    again = "(before) => document.querySelector('[data-testid=panel-inverse] .plots').dataset.asked !== before"
    tab.page.wait_for_function(again, arg=with_plots)
    tab.still()


def heads(tab):
    return tab.page.locator("[data-testid=dh-table] .ag-header-cell-text").all_text_contents()


def slider(tab, joint):
    row = tab(f"joint-slider-{joint}")
    return row.locator("input[type=text]").input_value(), row.locator(".unit").text_content()


def test_everything_follows(tab):
    q = np.array([y for _, _, y in tab.curves("plot-q")])
    assert tab("stop-1").input_value() == "pi/3"
    switch(tab, "deg")
    shown = np.array([y for _, _, y in tab.curves("plot-q")])
    factors = np.array([1.0 if k == 2 else 180 / math.pi for k in range(6)])[:, None]
    np.testing.assert_array_equal(shown, q * factors)
    assert tab.page.locator("[data-testid=plot-q] .unit").text_content() == "deg, m"
    assert tab.page.locator("[data-testid=plot-qdd] .unit").text_content() == "deg/s², m/s²"
    assert tab.page.locator("[data-testid=plot-torque] .unit").text_content() == "Nm, N"
    assert [tab(f"stop-{k}").input_value() for k in (1, 2, 3)] == ["60", "-150", "0.735"]
    assert tab.page.locator("[data-row=stop] th").text_content().startswith("stop deg, m")
    assert "\u03b1 (deg)" in heads(tab)
    assert tab.cell(0, "alpha").text_content() == "-90"
    tab.soon(lambda: [slider(tab, k)[1] for k in (1, 3)], ["\u00b0", "m"])
    tab.keep("degrees-1366")
    assert tab.fits()
    tab.page.set_viewport_size({"width": 1920, "height": 1080})
    assert tab.fits()
    tab.keep("degrees-1920")
    tab.page.set_viewport_size({"width": 1366, "height": 768})
    switch(tab, "rad")
    assert [tab(f"stop-{k}").input_value() for k in (1, 2, 3)] == ["pi/3", "-5*pi/6", "0.735"]
    assert tab.cell(0, "alpha").text_content() == "-pi/2"
    np.testing.assert_array_equal(np.array([y for _, _, y in tab.curves("plot-q")]), q)


def test_what_is_typed_in_degrees_is_stored_exactly(tab):
    switch(tab, "deg")
    tab("stop-1").fill("90")
    tab.page.keyboard.press("Enter")
    tab("stop-2").fill("-pi/4")  # whatever the switch says
    tab.page.keyboard.press("Enter")
    tab("motion-duration").locator("input").fill("1")
    tab.run("inverse")
    assert tab("stop-2").input_value() == "-45"
    curves = tab.curves("plot-q")
    assert [curves[k][2][-1] for k in (0, 1, 2)] == pytest.approx([90, -45, 0.735], rel=1e-15)
    with tab.redrawn("inverse"):
        tab.edit(0, "alpha", "45 + 45")
    tab.soon(lambda: tab.cell(0, "alpha").text_content(), "45 + 45")
    tab("robot-save").click()
    with tab.page.expect_download() as download:
        tab("save-yaml").click()
    saved = redyn.load(download.value.path().rename(download.value.path().with_suffix(".yaml")))
    assert saved.description.links[0].alpha == math.pi / 2
    field = tab("joint-slider-1").locator("input[type=text]")
    field.fill("30")
    field.press("Enter")
    tab.soon(lambda: slider(tab, 1)[0], "30")
    field.fill("pi/6 + ")
    field.press("Enter")
    tab.wait_text("error-message", "joint1: expected a number")
    tab.soon(lambda: slider(tab, 1)[0], "30")
    field.fill("pi/3")
    field.press("Enter")
    tab.soon(lambda: slider(tab, 1)[0], "60")


def test_taught_points_and_kinematics(tab):
    wrist = tab("joint-slider-5").locator("input[type=text]")
    wrist.fill("100")  # away from where the wrist is singular
    wrist.press("Enter")
    tab.soon(lambda: slider(tab, 5)[0], "100")
    tab.choose("motion-kind", "Taught points")
    tab("teach").click()
    tab.soon(lambda: tab("point-1-1").input_value(), "60")
    tab("taught-speed").locator("input").fill("90")
    tab.page.keyboard.press("Enter")
    tab.soon(lambda: tab("taught-speed").locator("input").input_value(), ", ".join(["90"] * 6))
    tab("taught-speed").locator("input").fill("")
    tab.page.keyboard.press("Enter")
    tab.soon(lambda: tab("taught-speed").locator("input").input_value(), "")
    field = tab("joint-slider-1").locator("input[type=text]")
    field.fill("50")
    field.press("Enter")
    tab.soon(lambda: slider(tab, 1)[0], "50")
    tab("teach").click()
    tab.soon(lambda: tab("point-2-1").input_value(), "50")
    tab.hidden("taught-tip_speed")
    tab("point-2-leg").select_option("line")
    tab.shown("taught-tip_speed", "taught-tip_angular_speed")
    assert "tip (deg/s)" in tab("taught-tip_angular_speed").text_content()
    tab("taught-tip_angular_speed").locator("input").fill("5")
    tab.page.keyboard.press("Enter")
    tab.run("inverse")
    assert tab.curves("plot-q")[0][1][-1] > 2.0  # s: 10 deg at 5 deg/s
    tab("point-2-duration").fill("1")
    tab.page.keyboard.press("Enter")
    tab.run("inverse")
    tab.wait_text("inverse-limits", "its angular speed limit of 5 deg/s")
    tab.keep("tip-limits")
    assert tab.fits()
    tab.open("kinematics")
    tab.shown("pose-6")
    tab.shown("solution-1")
    texts = tab.page.locator("[data-testid=solution-1] td").all_text_contents()[:3]
    assert [text[-1] for text in texts] == ["\u00b0", "\u00b0", "m"]
    assert tab.page.locator("[data-testid=reach] thead").first.text_content().count("deg") == 3
    tab.keep("degrees-kinematics")
    assert tab.fits()
    tab.open("compare")
    tab.shown("plot-compare")
    tab.soon(lambda: tab.page.locator("[data-testid=plot-compare] .unit").text_content(), "deg")
    tab.open("forward")
    assert tab.page.locator("[data-row=qd0] th").text_content().startswith("rate deg/s, m/s")
    tab.dock("joint")
    tab.wait_text("loop-facts", "In deg, deg/s, Nm and Nms/rad")
    tab.keep("degrees-forward")
    assert tab.fits()


def test_the_browser_keeps_it(tab, server):
    tab.page.wait_for_function("document.cookie.includes('redyn-angles=deg')")
    page = tab.context.new_page()  # another tab of the same browser
    page.goto(server.url)
    page.wait_for_selector("[data-testid=angles]")
    page.wait_for_function("document.querySelector('[data-testid=angles]').textContent === 'deg'")
    page.close()
    tab.page.wait_for_function("JSON.parse(sessionStorage['redyn-work'] ?? '{}').angles === 'deg'")
