"""The report: one HTML file that plays a motion, in a real browser."""

import base64
import html
import json
import re

import numpy as np
import pytest

import redyn
from browser import play_past
from random_robots import EXAMPLES
from redyn.kinematics import clearance
from redyn.report import bundles
from redyn.report.bundles import plotly_js, three_js
from redyn.report.colours import COLOURS, joint_colour
from redyn.report.figures import run_figure, torque_figure
from redyn.report.html import Plot, Second, write_html
from redyn.report.plots import Other
from redyn.report.scene import FRAMES, scene
from redyn.trajectory import cycloidal
from report_page import Opened, numbers, unpacked

HOSTILE = "</script><img src=x onerror=alert(1)>"


def motion(name, stop, count=201):
    robot = redyn.load(name) if isinstance(name, str) else name
    t = np.linspace(0, 2, count)
    q, qd, qdd = cycloidal(robot.initial, stop, 2.0)(t)
    tau = robot.inverse_dynamics(q, qd, qdd)
    energy = np.stack([robot.kinetic_energy(q, qd), robot.potential_energy(q)], axis=1)
    plots = [
        Plot("Joint values", "rad", robot.joint_names, q),
        Plot("Torques", "Nm", robot.joint_names, tau),
        Plot("Energy", "J", ["kinetic", "potential"], energy),
    ]
    return robot, t, q, plots


def hostile_robot():
    description = redyn.load("three-link").description.model_dump(exclude_none=True)
    description["name"] = HOSTILE
    for k, link in enumerate(description["links"]):
        link.update(name=f"{HOSTILE} {k}", parent=f"{HOSTILE} {k - 1}" if k else "world")
        link["joint"]["name"] = f"{HOSTILE} joint {k}"
    description["end_effector"] = f"{HOSTILE} 2"
    return redyn.load(description)


# --- without a browser ------------------------------------------------------------------------------------------


def test_bundles_are_where_we_look():
    """NiceGUI's bundle is an internal path that may move with any version."""
    text = three_js().read_text("utf-8")
    assert re.search(r"export\s*\{[^}]*\bOrbitControls\b[^}]*\bas THREE\b", text)
    for name in ("CapsuleGeometry", "LatheGeometry", "PMREMGenerator", "NeutralToneMapping", "ShadowMaterial"):
        assert f"{name}:" in text
    assert plotly_js().stat().st_size > 1e6


def test_a_missing_extra_is_named(monkeypatch):
    monkeypatch.setattr(bundles, "find_spec", lambda name: None)
    with pytest.raises(redyn.RedynError, match=r"needs nicegui.*redyn\[ui\]"):
        three_js()


def test_joint_colours_differ():
    assert len({joint_colour(i) for i in range(40)}) == 40
    assert all(joint_colour(i) == colour for i, colour in enumerate(COLOURS))


def test_scene_holds_the_poses():
    robot, t, q, _ = motion("stanford", [0.5, -1, 0.735, 2, 1, 0])
    data = json.loads(json.dumps(scene(robot, t + 3, q), allow_nan=False))
    np.testing.assert_allclose(numbers(data["times"], -1), t, atol=1e-6)
    poses = numbers(data["poses"], 201, 6, 7)
    np.testing.assert_allclose(poses[:, 5, :3], robot.forward_kinematics(q)[:, :3, 3], atol=1e-6)
    assert (np.einsum("fli,fli->fl", poses[1:, :, 3:], poses[:-1, :, 3:]) > 0.9).all()  # no jump of sign
    np.testing.assert_allclose(numbers(data["traces"][0]["points"], -1, 3), poses[:, 5, :3], atol=1e-6)
    assert [joint["colour"] for joint in data["joints"]] == list(COLOURS[:6])
    assert data["joints"][2]["kind"] == "prismatic"
    assert data["view"]["up"] == [0, 0, 1]
    assert data["touching"]["pairs"] == []


def test_long_motions_are_thinned():
    robot = redyn.load("three-link")
    t = np.linspace(0, 100, 50_001)
    q = np.stack([np.sin(t), t / 20, 0 * t], axis=1)
    data = scene(robot, t, q)
    times = numbers(data["times"], -1)
    assert len(times) == FRAMES < len(t)
    assert times[[0, -1]].tolist() == [0, 100]


def test_a_spike_survives_thinning(tmp_path):
    robot = redyn.load("three-link")
    t = np.linspace(0, 100, 50_001)
    spike = np.zeros(len(t))
    spike[12_345] = 1.0
    path = write_html(tmp_path / "a.html", robot, t, np.zeros((len(t), 3)), [Plot("s", "", ["s"], spike)], title="s")
    (plot,) = json.loads(unpacked(path.read_text("utf-8"), "data"))["plots"]
    values = numbers(plot["values"], -1)
    assert len(values) < 10_000
    assert numbers(plot["t"], -1)[values.argmax()] == pytest.approx(t[12_345])


@pytest.mark.parametrize(
    ("name", "up", "planar"),
    [
        ("puma", [0, 0, 1], False),
        ("three-link", [0, 1, 0], True),
        ("one-link", [-1, 0, 0], True),
        ("point-mass", [0, -1, 0], True),
        ("newton-euler-rp", [0, 1, 0], True),
        ("lagrange-pointing", [0, 0, 1], False),
    ],
)
def test_up_is_against_gravity(name, up, planar):
    robot = redyn.load(name)
    view = scene(robot, 0.0, robot.initial)["view"]
    assert view["up"] == up
    assert view["planar"] is planar
    if planar:
        assert np.abs(view["from"]).tolist() == [0, 0, 1]


def test_gravity_askew_leaves_z_up():
    robot = redyn.chain(3)
    assert scene(robot, [0, 1], np.zeros((2, 3)))["view"]["up"] == [0, 0, 1]


def test_the_floor_is_below_everything():
    robot, t, q, _ = motion("puma", [np.pi] * 6)
    view = scene(robot, t, q)["view"]
    assert view["floor"]["level"] < robot.forward_kinematics(q)[:, 2, 3].min()


def test_touching_is_sent_per_frame():
    robot, t, q, _ = motion("puma", [np.pi] * 6)
    found = clearance(robot, q)
    data = scene(robot, t, q)["touching"]
    assert data["pairs"] == [[2, 5], [2, 6]]
    flags = np.frombuffer(base64.b64decode(data["flags"]), np.uint8).reshape(201, 2)
    columns = [found.pairs.index(("link2", f"link{i}")) for i in (5, 6)]
    np.testing.assert_array_equal(flags, found.touching[:, columns])
    assert scene(robot, t, q, found)["touching"] == data


def test_no_touch_is_lost_when_frames_are_left_out():
    robot = redyn.load("three-link")
    t = np.linspace(0, 1, 9001)
    q = np.zeros((9001, 3))
    q[4444] = [0, np.pi, 0]
    data = scene(robot, t, q, clearance(robot, q))["touching"]
    assert np.frombuffer(base64.b64decode(data["flags"]), np.uint8).sum() == 1


@pytest.mark.parametrize(
    ("t", "q", "plots", "message"),
    [
        ([0, 1], np.zeros((3, 3)), [], r"t: expected one time per row of q, which has 3"),
        ([0, 1, 1], np.zeros((3, 3)), [], r"t: expected rising times, but t\[2\] = 1 follows t\[1\] = 1"),
        ([0, 1, np.inf], np.zeros((3, 3)), [], r"t and q: expected finite"),
        ([0, 1], np.zeros((2, 4)), [], r"q: expected 3 numbers, one per joint"),
        (
            [0, 1],
            np.zeros((2, 3)),
            [Plot("x", "m", ["a"], [[1, 2], [3, 4]])],
            r"plots\[0\].values: expected shape \(2, 1\)",
        ),
        ([0, 1], np.zeros((2, 3)), [Plot("x", "m", ["a"], "no")], r"plots\[0\].values: expected rows of numbers"),
    ],
)
def test_bad_input(tmp_path, t, q, plots, message):
    with pytest.raises(redyn.RedynError, match=message):
        write_html(tmp_path / "a.html", redyn.load("three-link"), t, q, plots, title="bad")


def test_a_folder_that_is_not_there(tmp_path):
    robot, t, q, plots = motion("three-link", [1, 1, 1])
    with pytest.raises(redyn.RedynError, match="there is no folder"):
        write_html(tmp_path / "no" / "a.html", robot, t, q, plots, title="x")
    with pytest.raises(redyn.RedynError, match="there is no folder"):
        run_figure(robot, t, q, plots, "x", tmp_path / "no" / "a.png")


def test_names_from_strangers_stay_text(tmp_path):
    robot, t, q, plots = motion(hostile_robot(), [1, 1, 1])
    plots.append(Plot(HOSTILE, HOSTILE, [HOSTILE], t))
    page = write_html(tmp_path / "a.html", robot, t, q, plots, title=f"{HOSTILE} {{{{packed}}}}", notes=[HOSTILE])
    text = page.read_text("utf-8")
    assert "<img" not in text
    assert text.count(html.escape(HOSTILE)) == 5
    assert json.loads(unpacked(text, "data"))["scenes"][0]["links"][1]["name"] == f"{HOSTILE} 0"
    assert page.stat().st_size < 8e6


def test_same_input_same_file(tmp_path):
    robot, t, q, plots = motion("three-link", [1, 1, 1])
    one, other = (write_html(tmp_path / name, robot, t, q, plots, title="x") for name in ("a.html", "b.html"))
    assert one.read_bytes() == other.read_bytes()


def test_figures(tmp_path):
    robot, t, q, plots = motion("stanford", [0.5, -1, 0.735, 2, 1, 0])
    figure = run_figure(robot, t, q, plots, "a run with $ and _", tmp_path / "run.png")
    assert len(figure.axes) == 1 + len(plots)
    tau = robot.inverse_dynamics(q, 0 * q, 0 * q)
    for name in ("run.png", torque_figure(robot, t, q, tau, tmp_path / "tau.png", "torques").name):
        assert (tmp_path / name).read_bytes().startswith(b"\x89PNG")


# --- in the browser ---------------------------------------------------------------------------------------------


def test_page_in_a_browser(browser, tmp_path):
    robot, t, q, plots = motion("puma", [np.pi] * 6)
    path = write_html(tmp_path / "puma.html", robot, t + 5, q, plots, title="PUMA", notes=["cycloidal", "2 s"])
    assert path.stat().st_size < 8e6
    opened = Opened(browser, path)
    page = opened.page
    find = page.get_by_test_id
    assert find("title").text_content() == "PUMA"
    assert find("notes").locator("li").all_text_contents() == ["cycloidal", "2 s"]
    assert page.locator(".js-plotly-plot").count() == 3
    still = opened.picture()
    before = opened.cursor(1)

    play_past(page, 0.3)
    stopped = opened.time()
    assert stopped > 0.3
    opened.picture(other_than=still)
    assert opened.cursor(1) > before
    page.wait_for_timeout(300)
    assert opened.time() == stopped  # paused

    box = page.locator("[data-testid=plot-0] .nsewdrag").bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    assert opened.time() == pytest.approx(1.0, abs=0.02)
    assert opened.cursor(0) == pytest.approx(box["x"] + box["width"] / 2, abs=2)
    assert find("touching").text_content() == "Touching: link2 and link5, link2 and link6"
    assert page.locator(".mark").count() == 1

    page.keyboard.press("ArrowRight")
    assert opened.time() == pytest.approx(1.02, abs=0.021)
    page.keyboard.press("Home")
    assert opened.time() == 0
    assert find("touching").is_hidden()
    play = find("player-play").get_attribute
    page.keyboard.press("Space")
    assert play("aria-label") == "Pause"
    page.wait_for_function("parseFloat(document.querySelector('[data-testid=player-time]').textContent) > 0.05")
    page.keyboard.press("Space")
    assert play("aria-label") == "Play"
    page.keyboard.press("Home")

    plain = opened.picture()
    for what in ("frames", "masses", "axes", "trace"):
        find(f"show-{what}").click()
        opened.picture(other_than=plain)
        find(f"show-{what}").click()
    assert page.locator("[data-testid=view3d] span", has_text="link6").count() == 1
    view = find("view3d").bounding_box()
    page.mouse.move(view["x"] + 300, view["y"] + 300)
    page.mouse.down()
    page.mouse.move(view["x"] + 400, view["y"] + 330, steps=4)
    page.mouse.up()
    opened.picture(other_than=plain)
    find("fit").click()

    find("joints").locator("button").first.click()
    hidden = "p => document.querySelector(`[data-testid=${p}] .graph`).data.map(c => c.visible)"
    assert page.evaluate(hidden, "plot-1") == [False, True, True, True, True, True]
    assert page.evaluate(hidden, "plot-2") == [True, True]
    find("theme").click()
    assert page.locator("html").get_attribute("data-theme") == "dark"
    assert opened.complaints == []


def test_page_fits_the_screen(browser, tmp_path):
    robot, t, q, plots = motion("three-link", [1, 2, 2])
    path = write_html(tmp_path / "a.html", robot, t, q, [*plots, *plots], title="long " * 60, notes=["note " * 40] * 3)
    opened = Opened(browser, path, theme="dark")
    size = "(({scrollWidth, scrollHeight}) => [scrollWidth, scrollHeight])(document.documentElement)"
    for width, height in ((1920, 1080), (1366, 768)):
        opened.page.set_viewport_size({"width": width, "height": height})
        opened.page.wait_for_function(f"{size}.join() == '{width},{height}'")
        canvas = opened.page.locator("[data-testid=view3d] canvas").bounding_box()
        assert canvas["height"] > height / 2
        assert canvas["width"] > width / 2
    assert opened.page.locator("html").get_attribute("data-theme") == "dark"
    assert opened.complaints == []


def test_hostile_names_in_a_browser(browser, tmp_path):
    robot, t, q, plots = motion(hostile_robot(), [0, np.pi, 0])
    plots.append(Plot(HOSTILE, HOSTILE, [HOSTILE], t))
    opened = Opened(browser, write_html(tmp_path / "a.html", robot, t, q, plots, title=HOSTILE, notes=[HOSTILE]))
    page = opened.page
    page.get_by_test_id("show-frames").click()
    page.keyboard.press("End")  # the switch has the focus and lets the key pass
    assert HOSTILE in page.get_by_test_id("touching").text_content()
    box = page.locator("[data-testid=plot-3] .nsewdrag").bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.wait_for_timeout(300)
    assert page.locator("img").count() == 0
    assert page.get_by_test_id("title").text_content() == HOSTILE
    assert opened.complaints == []


def test_a_single_state(browser, tmp_path):
    robot = redyn.load("newton-euler-rp")
    opened = Opened(browser, write_html(tmp_path / "a.html", robot, 0, [0.3, 0.2], [], title="still"))
    assert opened.page.get_by_test_id("player-play").is_disabled()
    assert opened.complaints == []


@pytest.mark.parametrize("name", EXAMPLES)
def test_joints_of_any_kind_are_drawn(browser, tmp_path, name):
    robot = redyn.load(name)
    q = np.array([robot.integrate(robot.initial, np.full(robot.dof, x)) for x in (0.0, 0.3)])
    path = write_html(tmp_path / "page.html", robot, [0.0, 1.0], q, [], title=name)
    opened = Opened(browser, path)
    assert "WebGL" not in opened.page.get_by_test_id("view3d").inner_text()
    assert opened.complaints == []


def test_two_runs_and_what_leaves_its_limits(browser, tmp_path):
    """Two robots side by side, dashed curves for the second, red where a limit is left; and on paper."""
    robot, t, q, _ = motion("two-link", [1.0, 2.0])
    beyond = q > 0.5
    plot = Plot("Joint values", "rad", robot.joint_names, q, beyond, [0.5])
    second = Second(scene(robot, t, q / 2), ("a", "b"))
    half = Other(t, plot._replace(values=q / 2, beyond=q > 1.0), "half")
    path = write_html(tmp_path / "two.html", robot, t, q, [plot], title="two", second=second, others=[[half]])
    opened = Opened(browser, path)
    assert opened.page.locator("[data-testid=view3d] canvas").count() == 2
    assert opened.page.locator(".which").all_text_contents() == ["a", "b"]
    shown = opened.page.evaluate(
        "document.querySelector('.graph').data.map((c) => [c.name, c.line.dash ?? '', c.meta ?? '', [...c.y]])"
    )
    names = ["joint1", "joint2", "joint1, half", "joint2, half"]
    assert [(name, dash) for name, dash, meta, _ in shown if not meta] == [
        (name, "dash" if "half" in name else "solid") for name in names
    ]
    red = {name: np.isfinite([np.nan if y is None else y for y in values]) for name, _, meta, values in shown if meta}
    assert list(red) == [f"{name}, beyond its limit" for name in names if name != "joint1, half"]
    np.testing.assert_array_equal(red["joint2, beyond its limit"], beyond[:, 1])
    assert opened.page.evaluate("document.querySelector('.graph').layout.shapes.map((s) => s.y0)") == [0.5]
    opened.page.emulate_media(media="print")
    assert opened.page.get_by_test_id("theme").is_hidden()
    assert len(opened.page.pdf()) > 20_000
    assert opened.complaints == []
