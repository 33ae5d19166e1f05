"""The studio in a real browser. Screenshots are kept in .artefacts/studio."""

from pathlib import Path

import numpy as np
import pytest

import redyn
from browser import PATIENCE, play_past
from redyn.description import read
from redyn.robot import Robot
from redyn.studio.access import OPENER, Access
from redyn.studio.editor import Editor
from studio_files import URDF, zipped
from studio_server import sound
from studio_tab import AUDIT, Tab

CONTROLS = [
    *("robot-select", "robot-upload", "dh-table", "view3d", "joint-slider-1", "joint-slider-6", "tab-inverse"),
    *("tab-forward", "tab-equations", "run-inverse", "run-forward", "plot-torque", "plot-energy", "player-play"),
    *("player-time", "cancel", "export-html", "copy-python", "error-message"),
]


@pytest.fixture(scope="module")
def server():
    with sound() as started:
        yield started


@pytest.fixture(scope="module")
def address(server):
    return server.url


@pytest.fixture(scope="module")
def tab(browser, address):
    opened = Tab(browser, address)
    yield opened
    opened.close()


# How many files the page has asked for, and their bytes as they are sent.
ASKED = """() => {
    const files = performance.getEntriesByType('resource');
    return [files.length, files.reduce((sum, file) => sum + file.transferSize, 0)];
}"""


def test_little_is_loaded_before_something_is_seen(browser, address):
    context = browser.new_context()
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    page.route_web_socket("**", lambda line: None)  # the server has nothing to say yet, however long painting takes
    page.goto(address)
    page.wait_for_selector("[data-testid=starting] h1")
    page.wait_for_function("performance.getEntriesByType('paint').length > 0")
    asked, weight = page.evaluate(ASKED)
    assert 5 < asked < 25
    assert weight < 2e6  # of 8 MB: 3D, plots and tables come once there is something to see
    context.close()


def test_first_view(tab):
    for testid in CONTROLS:
        assert tab(testid).count() == 1, testid
    assert tab.page.locator("[data-testid=view3d] canvas").count() == 1
    assert tab("error-message").is_hidden()
    play_past(tab.page, 1.0)
    stopped = tab.time()
    cursor = tab.page.locator("[data-testid=plot-torque] .cursor").bounding_box()["x"]
    plot = tab.page.locator("[data-testid=plot-torque] .nsewdrag").bounding_box()
    assert cursor == pytest.approx(plot["x"] + plot["width"] * stopped / 10, abs=2)
    q, _, _ = redyn.trajectory.cycloidal(np.zeros(6), np.full(6, np.pi / 3), 10.0)(stopped)
    value = tab.page.locator("[data-testid=joint-slider-1] input[type=text]")
    tab.soon(lambda: float(value.input_value()) == pytest.approx(q[0], abs=0.005), True)
    tab.keep("first-view")
    for width, height in ((1920, 1080), (1366, 768)):
        tab.page.set_viewport_size({"width": width, "height": height})
        assert tab.fits()
        tab("large-type").click()
        tab.page.wait_for_function("document.documentElement.dataset.large == 'yes'")
        assert tab.fits()
        tab.keep(f"large-{width}")
        tab("large-type").click()
        tab("theme").click()
        tab.page.wait_for_selector("html[data-theme=dark]")
        tab.keep(f"dark-{width}")
        tab("theme").click()
    for width, height in ((900, 700), (390, 844)):
        tab.page.set_viewport_size({"width": width, "height": height})
        assert tab.fits_across()
        tab.keep(f"narrow-{width}")
    tab.page.set_viewport_size({"width": 1366, "height": 768})
    assert tab.fits()
    assert tab.complaints == []


def test_inverse_dynamics_of_the_kuka(tab):
    tab.pick("puma")
    tab.pick("kuka-kr5")
    tab.page.get_by_test_id("stop-2").fill("-90 deg")
    tab.page.keyboard.press("Enter")
    tab("motion-duration").locator("input").fill("2")
    with tab.redrawn("inverse"):
        tab.page.keyboard.press("Control+Enter")
    robot = redyn.load("kuka-kr5")
    stop = np.full(6, np.pi / 3)
    stop[1] = -np.pi / 2
    curves = tab.curves("plot-torque")
    t = np.array(curves[0][1])
    tau = robot.inverse_dynamics(*redyn.trajectory.cycloidal(np.zeros(6), stop, 2.0)(t))
    assert [name for name, _, _ in curves] == robot.joint_names
    np.testing.assert_array_equal(np.array([y for _, _, y in curves]).T, tau)
    tab.choose("torque-split", "joint2, by cause")
    tab.page.wait_for_function("document.querySelector('[data-testid=plot-torque] .graph').data.length == 5")
    parts = tab.curves("plot-torque")
    assert [name for name, _, _ in parts] == ["inertia", "Coriolis", "gravity", "friction", "total"]
    np.testing.assert_allclose(np.sum([y for _, _, y in parts[:4]], axis=0), tau[:, 1], atol=1e-9)
    tab.choose("torque-split", "joint reactions")
    tab.wait_text("reactions", "fx (N)")
    first = robot.joint_wrenches(np.zeros(6), np.zeros(6), np.zeros(6))
    shown = tab("reactions").text_content()
    assert all(f"{x:.5g}" in shown for x in first.flat if abs(x) > 1e-9)  # rounding is shown as 0
    tab.choose("torque-split", "all joints")
    tab("plot-torque").hover()
    with tab.page.expect_download() as download:
        tab.page.get_by_test_id("save-torque-csv").click()
    rows = np.loadtxt(download.value.path(), delimiter=",", skiprows=1)
    np.testing.assert_array_equal(rows[:, 1:], tau)
    for kind, magic in (("png", b"\x89PNG"), ("svg", b"<svg")):
        with tab.page.expect_download() as download:
            tab.page.get_by_test_id(f"save-torque-{kind}").click()
        assert Path(download.value.path()).read_bytes().startswith(magic)
    with tab.page.expect_download() as download:
        tab("export-html").click()
    assert Path(download.value.path()).read_bytes().startswith(b"<!doctype html>")
    assert tab.complaints == []


def test_plots_show_what_came_last(tab):
    """Also where those before it take long to draw."""
    tab.pick("kuka-kr5")
    tab.open("inverse")
    tab.page.evaluate("""() => {
        const draw = Plotly.react;
        const held = new Promise((done) => { window.goOn = done; });
        Plotly.react = (...all) => {
            Plotly.react = draw;
            return held.then(() => draw(...all));
        };
    }""")
    for duration in (3, 4):
        tab("motion-duration").locator("input").fill(str(duration))
        tab("run-inverse").click()
        tab.wait_text("player-time", f"/ {duration}.000 s")  # it has come, and waits
    tab.page.evaluate("goOn()")
    tab.still()
    plots = ("torque", "q", "qd", "qdd", "path")
    assert [tab.curves(f"plot-{plot}")[0][1][-1] for plot in plots] == [4] * 5
    assert tab.complaints == []


def tip(robot, q):
    """As it is shown."""
    return "x {:.3f}   y {:.3f}   z {:.3f} m".format(*robot.forward_kinematics(q)[:3, 3])


TAKES = ["run-inverse", "run-forward", "robot-save", "copy-python", "export-html", "export-csv", "copy-latex-coriolis"]


def test_a_wrong_cell_and_a_right_one(tab):
    """While a table holds a mistake it is said on every tab, and nothing can be run, saved or copied."""
    tab.pick("kuka-kr5")
    loads = tab.loads
    tab.edit(1, "alpha", "ninety")
    tab.wait_text("error-message", "link2, alpha: expected a number such as 0.3, pi/2 or 90 deg, got 'ninety'")
    tab.page.wait_for_selector("[row-index='1'] [col-id=alpha].cell-error")
    assert tab.page.locator(".cell-error").count() == 1
    tab.keep("wrong-cell")
    assert tab.loads == loads  # the robot that was right is still there
    tab("error-close").click()
    tab.wait_text("mistake-text", "ninety")  # the strip says it now
    slider = tab.page.locator("[data-testid=joint-slider-2] input[type=text]")
    slider.fill("-20 deg")
    slider.press("Enter")  # which goes well, and changes nothing of that
    robot = redyn.load("kuka-kr5")
    q = robot.initial.copy()
    q[1] = np.radians(-20)
    tab.wait_text("tip-position", tip(robot, q))
    for name in ("forward", "equations", "inverse"):
        tab.open(name)
        tab.shown("mistake-strip")
        tab.wait_text("mistake-text", "the last valid robot, kuka-kr5")
        tab.soon(lambda: [testid for testid in TAKES if not tab(testid).is_disabled()], [])
    tab("plot-torque").hover()
    assert tab("save-torque-csv").is_disabled()
    assert tab("save-torque-png").is_disabled()
    tab.page.keyboard.press("Control+Enter")
    tab.soon(tab.page.title, "\u26a0 redyn studio")
    tab.dock("mass")
    tab.page.wait_for_selector("[data-testid=dock-geometry][data-wrong=yes]")
    tab("show-mistake").click()
    tab.page.wait_for_selector("[data-testid=dock-geometry][aria-selected=true]")
    tab.page.wait_for_selector("[row-index='1'] [col-id=alpha].ag-cell-focus")  # the last thing that it does
    with tab.redrawn("inverse"):
        tab.edit(1, "alpha", "90 deg")
    tab.hidden("error-message", "mistake-strip")
    tab.soon(tab.page.locator(".cell-error, [data-wrong]").count, 0)
    tab.soon(tab.page.title, "redyn studio")
    tab.soon(lambda: [testid for testid in TAKES if tab(testid).is_disabled()], [])
    tab("copy-python").click()
    tab.wait_text("python-code", "'alpha': 'pi/2'")
    tab("close-python").click()
    tab("undo").click()
    tab.wait_text("error-message", "ninety")
    with tab.redrawn("inverse", "forward"):  # of the robot as it was at first
        tab("undo-mistake").click()
    tab.soon(tab.page.locator(".cell-error").count, 0)
    tab.soon(tab.cell(1, "alpha").text_content, "pi")
    tab("redo").click()
    tab.wait_text("error-message", "ninety")
    tab("undo").click()
    tab.soon(tab.page.locator(".cell-error").count, 0)
    tab.hidden("error-message", "mistake-strip")
    assert tab.complaints == []


def test_many_edits_at_once(tab):
    """The last one counts, and what is wrong with it stays said when those before it are through."""
    tab.pick("three-link")
    multiply = """(texts) => {
        const emit = window.socket.emit;
        window.sent = 0;
        window.socket.emit = function (name, message, ...rest) {
            if (name === 'event' && JSON.stringify(message.args).includes('0.123')) {
                window.socket.emit = emit;
                for (const text of texts) {
                    const args = message.args.map((x) => x.replaceAll('0.123', text));
                    emit.call(this, name, { ...message, args }, ...rest);
                    window.sent += 1;
                }
            } else emit.call(this, name, message, ...rest);
        };
    }"""

    def reached(text):
        editor = Editor(read("three-link"))
        editor.set_cell(0, "a", text)
        robot = Robot(editor.description)
        return "x {:.3f}   y {:.3f}".format(*robot.forward_kinematics(robot.initial)[:2, 3])

    def edits(texts):
        tab.page.evaluate(multiply, texts)
        tab.edit(0, "a", "0.123")
        tab.page.wait_for_function("(count) => window.sent === count", arg=len(texts))

    loads = tab.loads
    edits([f"0.{k}" for k in range(51, 100)] + ["0.755"])
    tab.wait_text("tip-position", reached("0.755"))  # of none before it
    assert tab.loads < loads + 50  # those that came while another one was built were left out
    tab.soon(tab.cell(0, "a").text_content, "0.755")
    edits(["0.6", "0.61", "sixty"])
    tab.wait_text("tip-position", reached("0.61"))  # the last one that was valid
    tab.wait_text("error-message", "got 'sixty'")
    tab.shown("mistake-strip")
    tab("undo-mistake").click()
    tab.hidden("mistake-strip")
    assert tab.complaints == []


def test_links_are_removed_when_they_are_chosen(tab):
    tab.pick("stanford")
    tab.soon(tab("remove-link").is_disabled, True)
    tab.cell(2, "a").click()
    tab.wait_text("remove-link", "link3")
    tab.page.keyboard.press("Escape")
    with tab.redrawn("inverse"):
        tab("remove-link").click()
    names = tab.page.locator("[data-testid=dh-table] .ag-cell[col-id=name]").all_text_contents
    tab.soon(lambda: (len(names()), "link3" in names()), (5, False))
    tab.soon(tab("remove-link").is_disabled, True)
    with tab.redrawn("inverse"):
        tab.edit(1, "b", "0.3")
    tab.wait_text("offer-text", "b of link2: 0.393 to 0.3 m")
    with tab.redrawn("inverse"):
        tab("offer-take").click()
    tab.hidden("offer-strip")
    tab.dock("mass")
    link = redyn.load("stanford").description.links[1]
    axis = np.array([0, np.sin(link.alpha), np.cos(link.alpha)])
    moved = link.r + (0.3 / link.b - 1) * (axis @ link.r) * axis
    shown = [float(tab.cell(1, column).text_content()) for column in "xyz"]
    np.testing.assert_allclose(shown, moved, rtol=1e-3, atol=1e-12)
    tab.dock("geometry")
    assert tab.complaints == []


def test_uploads(tab, tmp_path):
    good, bad, packed = tmp_path / "pendulum.urdf", tmp_path / "bad.urdf", tmp_path / "evil.zip"
    good.write_bytes(URDF)
    bad.write_bytes(b"<robot><link/></robot>")
    packed.write_bytes(zipped({"../../evil.urdf": URDF}))
    with tab.redrawn("inverse", "forward"):
        tab("robot-upload").set_input_files(good)
    tab.soon(tab.page.locator("[data-testid^=joint-slider-]").count, 1)
    tab.wait_text("jog", "hinge")
    for file, message in ((bad, "bad.urdf"), (packed, "leads out of the archive")):
        tab("robot-upload").set_input_files(file)
        tab.wait_text("error-message", message)
        assert "Traceback" not in tab("error-message").text_content()
        assert "hinge" in tab("jog").text_content()
        tab("error-close").click()
        tab.hidden("error-message")
    # The browser's own notes of the refusals come beside what the server tells the page, before or after.
    tab.soon(lambda: sum("status of 400" in complaint for complaint in tab.complaints), 2)
    tab.complaints[:] = [complaint for complaint in tab.complaints if "status of 400" not in complaint]
    two = tmp_path / "two.zip"
    lost = b"</inertial><visual><geometry><mesh filename='gone.stl'/></geometry></visual></link>"
    two.write_bytes(
        zipped({"a.urdf": URDF.replace(b"</inertial></link>", lost), "b/b.urdf": URDF.replace(b"hinge", b"axle")})
    )
    with tab.redrawn("inverse", "forward"):
        tab("robot-upload").set_input_files(two)
    tab.wait_text("notice", "gone.stl: no such mesh")
    tab("robot-notes").click()
    tab.wait_text("notes-dialog", "such links are drawn from the model")
    tab("close-notes").click()
    with tab.redrawn("inverse", "forward"):
        tab.choose("robot-select", "b/b.urdf, in two.zip")
    tab.wait_text("jog", "axle")
    tab.hidden("robot-notes")
    assert tab.complaints == []


LIMITED = """name: limited
convention: dh
gravity: [0, -9.81, 0]
links:
- {name: upper, joint: {type: revolute, name: shoulder, limits: [-1.2, 0.6]}, a: 1, b: 0, alpha: 0, mass: 1,
   r: [0.5, 0, 0], inertia: [0, 0.0833, 0.0833]}
- {name: fore, joint: {type: revolute, name: elbow}, a: 1, b: 0, alpha: 0, mass: 1, r: [0.5, 0, 0],
   inertia: [0, 0.0833, 0.0833]}
"""
RED = """(id) => document.querySelector(`[data-testid=${id}] .graph`).data
    .filter((curve) => curve.meta === 'beyond').map((curve) => curve.name)"""


def test_limits_act(tab, tmp_path):
    (tmp_path / "limited.yaml").write_text(LIMITED)
    with tab.redrawn("inverse", "forward"):
        tab("robot-upload").set_input_files(tmp_path / "limited.yaml")
    assert tab.page.evaluate(RED, "plot-q") == []  # the usual motion keeps to the limits
    tab("stop-1").fill("1.5")
    tab("stop-1").press("Tab")
    tab.run("inverse")
    tab.wait_text("inverse-limits", "its limit of 0.6 rad: 1.5 at worst")
    tab.soon(lambda: tab.page.evaluate(RED, "plot-q"), ["shoulder, beyond its limit"])
    tab("player-slider").focus()
    tab.page.keyboard.press("End")
    tab.page.wait_for_selector("[data-testid=joint-slider-1][data-beyond]")
    number = tab.page.locator("[data-testid=joint-slider-1] input[type=text]")
    number.fill("80 deg")
    number.press("Enter")
    tab.wait_text("notice", "shoulder stops at its limit, 0.6 rad")
    tab.soon(number.input_value, "0.6")
    tab.open("forward")
    tab.hidden("step")
    tab.choose("integrator", "rk4")
    tab.page.wait_for_selector("[data-testid=step]:visible")
    tab.hidden("tolerance")
    tab.page.locator("[data-testid=run-duration] input").fill("600")
    tab.page.keyboard.press("Tab")
    sample = tab.page.locator("[data-testid=run-sample] input")
    tab.page.wait_for_function("document.querySelector('[data-testid=run-sample] input').value == '0.01'")
    tab.page.locator("[data-testid=run-duration] input").fill("2")
    tab.page.keyboard.press("Tab")
    tab.page.wait_for_function("document.querySelector('[data-testid=run-sample] input').value == '0.002'")
    sample.fill("0.1")
    sample.press("Tab")
    tab.run("forward")
    tab.wait_text("run-limits", "shoulder leaves from")
    assert len(tab.curves("plot-run-q")[0][1]) == 21
    tab.keep("limits")
    tab("stops").get_by_role("checkbox").click()
    tab.run("forward")
    tab.wait_text("run-limits", "shoulder presses its stop at -1.2 rad")
    assert min(tab.curves("plot-run-q")[0][2]) > -1.5
    with tab.page.expect_download() as download:
        tab("export-csv").click()
    assert Path(download.value.path()).read_text().startswith("t [s],q_shoulder [rad],q_elbow [rad],qd_shoulder")
    tab("stops").get_by_role("checkbox").click()
    tab.choose("integrator", "rkf45")
    sample.fill("")
    sample.press("Tab")
    tab.open("inverse")
    assert tab.complaints == []


def test_everybody_can_read_and_use_it(tab):
    """Language, names of controls, contrast; notes and matrices in full, in both themes."""
    tab.pick("puma")
    wrong = "<p class=wrong-one style=color:#bbb>faint</p><button class=wrong-one></button>"
    tab.page.evaluate("(html) => document.body.insertAdjacentHTML('beforeend', html)", wrong)
    assert tab.page.evaluate(AUDIT)["lang"].startswith("en")
    for what in ("nameless", "faint"):  # it finds what there is to find, once the list of robots has faded away
        tab.soon(lambda what=what: len(tab.page.evaluate(AUDIT)[what]), 1)
    tab.page.evaluate("document.querySelectorAll('.wrong-one').forEach((node) => node.remove())")
    for theme in ("light", "dark"):
        for name in ("inverse", "forward", "equations"):
            tab.open(name)
            if name == "equations":
                tab.wait_text("numbers-gravity", "g(q)")
            # Soon: plots, tables and lists take on the colours of a theme one after the other.
            for what in ("nameless", "faint"):
                tab.soon(lambda what=what: tab.page.evaluate(AUDIT)[what], [])
        assert tab("equations-note").bounding_box()["height"] > 10
        tab("theme").click()
        other = {"light": "dark", "dark": "light"}[theme]
        tab.page.wait_for_selector(f"html[data-theme={other}] body.body--{other}")
    scrolled = """() => {
        const area = document.querySelector('[data-testid=numbers-mass]');
        area.style.maxWidth = '200px'; // as a matrix of more joints would have it
        area.scrollLeft = 1e6;
        const [last, box] = [[...area.querySelectorAll('td')].at(-1), area].map((node) => node.getBoundingClientRect());
        area.style.maxWidth = '';
        return area.scrollWidth > 200 && last.right <= box.right + 1;
    }"""
    assert tab.page.evaluate(scrolled)
    tab.page.emulate_media(media="print")
    assert tab.page.evaluate("getComputedStyle(document.querySelector('#studio')).position") == "static"
    assert tab.page.evaluate("document.documentElement.scrollHeight") > 800
    assert tab("copy-python").is_hidden()
    tab.page.emulate_media(media="screen")
    tab.open("inverse")
    assert tab.complaints == []


def test_first_lecture(tab):
    """A 2R arm from nothing: see it fall, read its equations, take the Python home."""
    tab("robot-new").click()
    with tab.redrawn("inverse", "forward"):
        tab("new-dh").click()
    with tab.redrawn("inverse", "forward"):
        tab("add-link").click()
    tab.open("forward")
    tab.page.locator("[data-testid=run-duration] input").fill("2")
    tab.run("forward")
    tab.wait_text("run-note", "steps in")
    energy = {name: y for name, _, y in tab.curves("plot-energy")}
    np.testing.assert_allclose(energy["total"], energy["total"][0], atol=1e-4)
    path = {name: y for name, _, y in tab.curves("plot-run-path")}
    assert min(path["y"]) < -1.5
    run = redyn.simulate(redyn.load("two-link"), [0, 0], [0, 0], 2.0, sample=0.002)
    np.testing.assert_allclose(path["x"], run.path[:, 0], atol=1e-6)
    tab("copy-python").click()
    tab.wait_text("python-code", "redyn.simulate")
    code = tab("python-code").text_content()
    tab.soon(lambda: tab.page.evaluate("navigator.clipboard.readText()"), code)
    tab("close-python").click()
    names: dict = {}
    exec(compile(code, "studio.py", "exec"), names)
    np.testing.assert_array_equal(names["run"].path[:, 0], path["x"])
    tab.open("equations")
    tab.page.wait_for_selector("[data-testid=formula-gravity] math")
    tab.wait_text("formula-mass", "3")  # a third of m a^2
    assert "(9.15b)" in tab.page.locator("[data-testid=formula-mass] td").first.get_attribute("title")
    tab.wait_text("operation-counts", "redyn, this robot")
    tab("copy-latex-mass").click()
    tab.wait_text("notice", "Copied")
    tab.soon(lambda: tab.page.evaluate("navigator.clipboard.readText()").startswith(r"\begin{bmatrix}"), True)
    tab.keep("first-lecture")
    tab("dock-steps").click()
    tab("dh-start").click()
    tab.wait_text("dh-caption", "rotate about z by 0")
    tab("dh-next").click()
    tab("dh-next").click()
    tab.wait_text("dh-caption", "move along x by 1 m")
    tab.page.wait_for_selector("[data-testid=dh-step-2].now")  # the server tells it
    tab.keep("visualise-dh")
    tab("dock-pose").click()
    tab.wait_text("frame-pose", "1.0000")
    tab.dock("geometry")
    assert tab.complaints == []


def test_jogging(tab):
    tab.pick("kuka-kr5")
    robot = redyn.load("kuka-kr5")
    q = robot.initial.copy()
    slider = tab.page.locator("[data-testid=joint-slider-2] input[type=range]")
    slider.focus()
    for _ in range(10):
        tab.page.keyboard.press("ArrowLeft")
    q[1] = float(slider.input_value())
    assert q[1] < robot.initial[1]
    # Typed at once: what the slider has still to say is not lost.
    for joint, angle in ((3, 25.0), (5, 30.0)):
        tab.page.locator(f"[data-testid=joint-slider-{joint}] input[type=text]").fill(f"{angle} deg")
        tab.page.keyboard.press("Enter")
        q[joint - 1] = np.radians(angle)
    tab.wait_text("tip-position", tip(robot, q))
    assert tab.time() == 0  # the arrows moved the joint, not the time
    tab("tip-z-plus").click()
    height = robot.forward_kinematics(q)[2, 3] + 0.02
    shown = "document.querySelector('[data-testid=tip-position]').textContent.split(/\\s+/)[5]"
    tab.page.wait_for_function(f"z => Math.abs(parseFloat({shown}) - z) < 2e-3", arg=height)
    assert tab("error-message").is_hidden()


def test_long_run_cancelled_while_others_work(browser, address, tab):
    tab.pick("three-link")
    other = Tab(browser, address)
    try:
        other.pick("kuka-kr5")
        other.open("forward")
        other.page.locator("[data-testid=run-duration] input").fill("3600")
        other.page.locator("[data-testid=tolerance] input").fill("1e-13")
        other.choose("integrator", "radau")  # it would take many minutes
        other.page.keyboard.press("Control+Enter")
        other.wait_text("run-note", "simulating")
        tab.soon(other("run-forward").is_disabled, True)
        # Meanwhile the first tab answers, and has its own robot.
        tab.open("inverse")
        tab.run("inverse")
        assert "simulating" in other("run-note").text_content()
        tab.soon(tab.page.locator("[data-testid^=joint-slider-]").count, 3)
        assert other.page.locator("[data-testid^=joint-slider-]").count() == 6
        # The page is loaded again and finds its work.
        other.page.reload()
        other.ready()
        other.wait_text("run-note", "simulating")
        other.shown("panel-forward")
        other.keep("running")
        other.wait_text("run-note", "of at most 300 s")
        other("cancel").click()
        other.wait_text("run-note", "cancelled")
        other.ready(2)
        other.soon(other("run-forward").is_enabled, True)
        assert 0 < other.curves("plot-energy")[0][1][-1] < 3600
        # An edit stops a run, and says so.
        other.page.keyboard.press("Control+Enter")
        other.wait_text("run-note", "simulating")
        with other.redrawn("inverse", "forward"):
            other.edit(0, "a", "0.2")
        other.wait_text("notice", "The simulation was stopped at")
        other.soon(other("run-forward").is_enabled, True)
        # Both workers are busy with long runs; when their tabs are closed, others are served.
        more = Tab(browser, address)
        more.open("forward")
        more.page.locator("[data-testid=run-duration] input").fill("3600")
        more.page.locator("[data-testid=tolerance] input").fill("1e-13")
        more.choose("integrator", "radau")
        for busy in (other, more):
            busy.page.keyboard.press("Control+Enter")
            busy.wait_text("run-note", "simulating")
        more.close()
    finally:
        other.close()
    tab.open("forward")
    tab.page.locator("[data-testid=run-duration] input").fill("1")
    tab.run("forward")
    tab.wait_text("run-note", "steps in")
    tab.open("inverse")


LABELS = """() => [...document.querySelectorAll('[data-testid=view3d] .view span')].map((label) => {
    const box = label.getBoundingClientRect();
    return [label.textContent, Math.round(box.left), Math.round(box.top)];
})"""


def test_a_pose_stays_in_other_colours(tab):
    """The view shows what the sliders say, also after a change of the theme."""
    tab.pick("two-link")
    tab("show-frames").click()

    def settled():
        """The labels, once they stand still."""
        seen = [None]
        tab.soon(lambda: seen.append(tab.page.evaluate(LABELS)) or (bool(seen[-1]) and seen[-1] == seen[-2]), True)
        return seen[-1]

    at_rest = settled()
    field = tab.page.locator("[data-testid=joint-slider-1] input[type=text]")
    field.fill("50 deg")
    field.press("Enter")
    tab.soon(lambda: tab.page.evaluate(LABELS) != at_rest, True)
    posed = settled()
    for theme in ("dark", "light"):
        tab("theme").click()
        tab.page.wait_for_selector(f"html[data-theme={theme}]")
        assert settled() == posed
    tab("show-frames").click()


def test_a_lost_connection_goes_on(tab):
    tab.open("forward")
    tab.page.locator("[data-testid=run-duration] input").fill("1")
    # Written down as it happens: the line may be there again before anybody looks.
    tab.page.evaluate("""() => {
        window.met = [];
        for (const event of ['disconnect', 'connect']) window.socket.on(event, () => window.met.push(event));
    }""")
    tab.context.set_offline(True)
    tab.page.evaluate("window.socket.io.engine.close()")
    tab.page.wait_for_function("window.met.includes('disconnect')")
    tab.context.set_offline(False)
    tab.page.wait_for_function("window.met.at(-1) === 'connect'")
    tab.run("forward")
    tab.wait_text("run-note", "steps in")
    tab.open("inverse")
    tab.complaints.clear()


def test_two_integrators_side_by_side(tab):
    tab.pick("two-link")
    tab.open("forward")
    tab.choose("compare", "integrator rk4")
    tab.run("forward")
    tab.wait_text("run-summary", "two-link, rk4")
    tab.soon(tab.page.locator("[data-testid=view3d] canvas").count, 2)
    names = [name for name, _, _ in tab.curves("plot-run-q")]
    assert names == ["joint1", "joint2", "joint1, rk4", "joint2, rk4"]
    tab.keep("compare")
    assert tab.complaints == []


def test_by_keyboard_alone(browser, address):
    """From the address bar on: pick another tab, run, play, edit a cell, undo."""
    tab = Tab(browser, address)
    try:
        press = tab.page.keyboard.press
        reached = {}
        for _ in range(60):
            press("Tab")
            where, outline = tab.page.evaluate("""() => {
                const at = document.activeElement;
                return [at.closest('[data-testid]')?.dataset.testid ?? '', getComputedStyle(at).outlineStyle];
            }""")
            reached[where] = outline
        for testid in ("robot-select", "robot-upload", "robot-new", "copy-python", "player-play", "joint-slider-1"):
            assert testid in reached
        assert reached["copy-python"] == reached["player-play"] == "solid"  # one sees where one is
        with tab.redrawn():
            press("Alt+2")
        tab.page.wait_for_selector("[data-testid=panel-forward]:visible")
        with tab.redrawn("forward"):
            press("Control+Enter")
        tab.wait_text("run-note", "steps in")
        tab.page.evaluate("document.activeElement.blur()")
        press("Space")
        tab.page.wait_for_function("parseFloat(document.querySelector('[data-testid=player-time]').textContent) > 0.2")
        press("Space")
        press("Home")
        tab.soon(tab.time, 0)
        tab.page.locator("[data-testid=dh-table] .ag-cell[col-id=a]").first.focus()
        with tab.redrawn("inverse"):
            press("Enter")
            tab.page.wait_for_selector(".ag-cell-inline-editing input:focus")
            press("Control+a")
            tab.page.keyboard.type("0.25")
            press("Enter")
        tab.soon(tab.cell(0, "a").text_content, "0.25")
        with tab.redrawn("inverse"):
            press("Control+z")
        tab.soon(tab.cell(0, "a").text_content, "0.18")
        assert tab.complaints == []
    finally:
        tab.close()


INSIDE = """() => {
    const view = document.querySelector('[data-testid=view3d]').getBoundingClientRect();
    const names = [...document.querySelectorAll('[data-testid=view3d] .view span')];
    const places = names.map((node) => node.getBoundingClientRect());
    const inside = ({ left, top }) => left > view.left && top > view.top && left < view.right && top < view.bottom;
    const wide = Math.max(...places.map((box) => box.left)) - Math.min(...places.map((box) => box.left));
    return names.length > 3 && places.every(inside) && wide > view.width / 4;
}"""


def test_a_free_flying_robot(browser, address):
    """More numbers in q than velocities: sliders, fields and curves are still as many as they should be."""
    tab = Tab(browser, address)
    try:
        tab.pick("dual-arm-satellite")
        tab.soon(tab.page.locator("[data-testid^=joint-slider-]").count, 12)
        tab.hidden("tip")  # no inverse kinematics where the base flies
        slider = tab.page.locator("[data-testid=joint-slider-3] input[type=text]")
        slider.fill("90 deg")
        slider.press("Enter")
        tab.wait_text("tip-position", "y 1.6")  # the arm that reached along x reaches along y
        away = tab.page.locator("[data-testid=joint-slider-4] input[type=text]")
        away.fill("9")
        away.press("Enter")
        tab.wait_text("tip-position", "x 9")
        tab("show-frames").click()
        assert not tab.page.evaluate(INSIDE)
        tab("fit").click()
        tab.page.wait_for_function(INSIDE)  # all of the robot as it is now, far from its motion
        tab("show-frames").click()
        tab.open("forward")
        for row, count in (("q0", 13), ("qd0", 12)):
            tab.soon(tab.page.locator(f"input[data-testid^={row}-]").count, count)
        tab("qd0-3").fill("1")
        tab("qd0-3").press("Tab")
        tab.run("forward")
        tab.wait_text("run-note", "steps in")
        for plot, count in (("run-q", 13), ("run-qd", 12)):
            assert len(tab.curves(f"plot-{plot}")) == count
        assert tab.curves("plot-run-qd")[2][2][0] == 1.0
        assert tab("error-message").is_hidden()
        tab.keep("free-flying")
        assert tab.complaints == []
    finally:
        tab.close()


def test_tabs_side_by_side(browser, address):
    """Three people pick three robots; everyone keeps their own."""
    robots = {"one-link": 1, "three-link": 3, "stanford": 6}
    tabs = []
    try:
        for name in robots:
            tabs.append(Tab(browser, address))
            tabs[-1].pick(name)
        for tab, (name, joints) in zip(tabs, robots.items(), strict=True):
            tab.soon(tab.page.locator("[data-testid^=joint-slider-]").count, joints)
            tab.soon(tab.page.locator("[data-testid=robot-name] input").input_value, name)
            assert tab.complaints == []
    finally:
        for tab in tabs:
            tab.close()


def test_a_copy_of_a_tab(browser, address, tmp_path):
    """It has the work of the first one, is not told of a server that was started again, and keeps files of its own."""
    (tmp_path / "arm.urdf").write_bytes(URDF)
    tab = Tab(browser, address)
    try:
        with tab.redrawn("inverse", "forward"):
            tab("robot-upload").set_input_files(tmp_path / "arm.urdf")
        tab.soon(tab.kept, {"robot": "arm.urdf"})
        tab.page.wait_for_function("JSON.parse(sessionStorage.getItem('redyn-work'))?.robot.name === 'pendulum'")
        name = tab.page.evaluate("sessionStorage['redyn-tab']")
        with tab.context.expect_page() as opened:  # a copy of the tab's own storage, as browsers make it
            tab.page.evaluate("window.open(location.href)")
        tab.page = opened.value
        tab.wait_text("notice", "of the tab that this one duplicates")
        tab.ready()
        tab.soon(tab.page.locator("[data-testid=robot-name] input").input_value, "pendulum")
        assert tab.page.evaluate("sessionStorage['redyn-tab']") != name
    finally:
        tab.close()


def test_the_page_that_opens_the_browser(browser, server, tmp_path):
    """It comes from a file, which is another site: the cookie must be there all the same."""
    guard = Access("127.0.0.1", server.port, server.url.partition("token=")[2])
    (tmp_path / "open.html").write_text(OPENER.format(address=guard.address))
    context = browser.new_context()
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    page.goto((tmp_path / "open.html").as_uri())
    page.wait_for_selector("[data-testid=starting], #studio")
    assert "token" not in page.url
    context.close()


MESH = b"</inertial><visual><geometry><mesh filename='package://p/rod.stl'/></geometry></visual></link>"
FACET = b"facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n"


def test_a_server_that_is_started_again(tab, server, tmp_path):
    """The page says that the connection is lost, comes back by itself, has its work, and says what happened."""
    files = {
        "p/arm.urdf": URDF.replace(b"</inertial></link>", MESH),
        "p/rod.stl": b"solid a\n" + FACET + b"endsolid a\n",
    }
    (tmp_path / "arm.zip").write_bytes(zipped(files))
    (tmp_path / "motion.csv").write_text("t,q_hinge\n0,0\n1,1\n2,0\n")
    with tab.redrawn("inverse", "forward"):
        tab("robot-upload").set_input_files(tmp_path / "arm.zip")
    with tab.redrawn("inverse"):
        tab.edit(1, "xyz", "0, 0, 0.25")
    tab.open("inverse")
    tab.choose("motion-kind", "CSV file")
    with tab.redrawn("inverse"):
        tab("motion-upload").set_input_files(tmp_path / "motion.csv")
    tab.open("forward")
    tab.page.locator("[data-testid=run-duration] input").fill("0.7")
    tab.page.keyboard.press("Tab")
    tab.page.wait_for_function("JSON.parse(sessionStorage.getItem('redyn-work')).run.duration === '0.7'")
    tab.soon(tab.kept, {"robot": "arm.zip", "motion": "motion.csv"})
    server.end()
    tab.page.wait_for_selector("#popup[aria-hidden=false]")
    server.restart()
    tab.wait_text("notice", "Restored from this browser tab")
    tab.ready()
    tab.shown("panel-forward")
    tab.soon(tab.page.locator("[data-testid=run-duration] input").input_value, "0.7")
    tab.soon(tab.cell(1, "xyz").text_content, "0, 0, 0.25")
    assert tab("robot-notes").is_hidden()  # nothing is missing, meshes included
    tab.run("forward")
    assert tab.curves("plot-run-q")[0][1][-1] == 0.7
    tab.open("inverse")
    tab.wait_text("motion-file", "motion.csv, 3 rows")
    tab.soon(lambda: max(tab.curves("plot-q")[0][2]), 1)
