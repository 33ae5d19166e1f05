"""The page of natural modes: shapes as the kinematics has them, in a real browser."""

import json

import numpy as np
import pytest

import redyn
from drawn import check, drawn
from redyn.report.modes import write_modes
from report_page import Opened, numbers, unpacked

SWING = """
    const rows = modules.modes.createSwing(THREE, viewer.beams, data.parents, data.rows);
    const modes = data.modes.map((mode) => ({ ...mode, twists: floats(mode.twists) }));
    const found = given.map(([mode, amplitude]) => {
        viewer.setPoses(rows(modes[mode], amplitude));
        return viewer.drawn();
    });
    viewer.dispose();
    return found;"""


def modes_of(name, locked=()):
    robot = redyn.load(name)
    q = robot.sag(robot.initial) if name == "flexible-beam" else robot.initial
    return robot, robot.vibration(q, locked)


def test_what_the_page_is_sent(tmp_path):
    robot, vibration = modes_of("flexible-two-link")
    page = write_modes(tmp_path / "modes.html", robot, vibration, notes=["as it is"])
    data = json.loads(unpacked(page.read_text("utf-8"), "data"))
    assert [mode["omega"] for mode in data["modes"]] == vibration.frequencies.tolist()
    for k, mode in enumerate(data["modes"]):
        twists = numbers(mode["twists"], 4, 6)
        np.testing.assert_allclose(twists[[0, 2], 2], vibration.shapes[[0, 3], k], rtol=1e-6)
        np.testing.assert_allclose(mode["elastic"], vibration.shapes[[1, 2, 4, 5], k])
        assert mode["shares"][0][1] == 1
    assert page.stat().st_size < 4e6


def test_no_modes_no_page(tmp_path):
    robot, vibration = modes_of("two-link")
    with pytest.raises(redyn.InputError, match="two-link has no natural modes here"):
        write_modes(tmp_path / "modes.html", robot, vibration)


@pytest.mark.parametrize("name", ["flexible-beam", "flexible-space-arm", "elastic-joint-arm"])
def test_modes_move_as_the_robot_does(browser, tmp_path, name):
    """Also a free base and all that is carried, at an amplitude that is not small."""
    robot, vibration = modes_of(name)
    opened = Opened(browser, write_modes(tmp_path / "modes.html", robot, vibration))
    opened.page.get_by_test_id("player-play").click()
    amplitude = 0.3 / np.abs(vibration.shapes).max(axis=0)
    asked = [[k, s] for k in (0, len(amplitude) - 1) for s in (0.0, float(amplitude[k]), -float(amplitude[k]))]
    found = drawn(opened.page, SWING, asked)
    for (k, s), shown in zip(asked, found, strict=True):
        check(robot, shown, robot.integrate(vibration.q, s * vibration.shapes[:, k]))


def test_page_of_modes_in_a_browser(browser, tmp_path):
    robot, vibration = modes_of("flexible-beam", ["joint1"])
    opened = Opened(browser, write_modes(tmp_path / "modes.html", robot, vibration, notes=["joint1 is held"]))
    page, find = opened.page, opened.page.get_by_test_id
    play = find("player-play")
    assert play.get_attribute("aria-label") == "Pause"  # it plays at once
    play.click()
    assert find("title").text_content() == "flexible-beam: natural modes"
    assert find("notes").locator("li").all_text_contents() == ["joint1 is held"]
    cells = find("mode-2").locator("th, td").all_text_contents()
    assert cells == ["2", "15.86", "99.65", "0.00318", "link1.y2, link1.y1"]
    assert find("mode-name").text_content() == "Mode 1: 2.163 Hz"
    assert find("pace").text_content().startswith("A cycle takes 460 ms in reality and 2 s here: 4.3 times slower")
    page.keyboard.press("Home")
    page.keyboard.press("Shift+ArrowRight")
    first = opened.picture()
    find("mode-2").click()
    assert find("mode-name").text_content() == "Mode 2: 15.86 Hz"
    second = opened.picture(other_than=first)
    page.keyboard.press("ArrowUp")
    assert find("mode-1").get_attribute("aria-selected") == "true"
    page.keyboard.press("ArrowDown")
    find("player-speed").select_option("0.1")
    find("mode-2").click()
    assert "320 times slower" in find("pace").text_content()
    size = find("amplitude-size").text_content()
    find("amplitude").focus()
    page.keyboard.press("End")
    assert find("amplitude-size").text_content() != size
    opened.picture(other_than=second)
    find("theme").click()
    assert page.locator("html").get_attribute("data-theme") == "dark"
    assert opened.complaints == []
