"""Flexible links in the report: tubes where the kinematics has them, exaggerated deflections, charts and figures."""

import json

import numpy as np
import pytest
import yaml

import redyn
from drawn import ALLOWED, check, drawn
from redyn.kinematics.bending import exaggerated
from redyn.kinematics.shape import frame_offset
from redyn.report.html import write_html
from redyn.report.plots import Plot, joint_entries, plot_colours, shares_legend, turning
from redyn.report.scene import pose_rows, scene
from report_page import Opened, numbers, unpacked

FLEXIBLE = ("flexible-beam", "spin-up", "flexible-two-link", "flexible-space-arm", "elastic-joint-arm")

TIMES = "\N{MULTIPLICATION SIGN}"

DRAW = """
    const found = given.map(([t, rows, factor]) => {
        viewer.exaggerate(factor);
        if (rows) viewer.setPoses(rows);
        else viewer.setTime(t);
        return viewer.drawn();
    });
    viewer.dispose();
    return found;"""


CORNERS = """
    const found = [];
    viewer.overlay.parent.updateMatrixWorld();
    viewer.overlay.parent.traverse((mesh) => {
        if (!mesh.userData.beam || mesh.geometry.index) return; // tubes have an index
        const position = mesh.geometry.getAttribute("position");
        for (let k = 0; k < position.count; k += 1) {
            found.push(new THREE.Vector3().fromBufferAttribute(position, k).applyMatrix4(mesh.matrixWorld).toArray());
        }
    });
    viewer.dispose();
    return found;"""


def moving(name, count=5):
    """A robot, and states in which it is bent and its joints are anywhere."""
    robot = redyn.load(name)
    rng = np.random.default_rng(8)
    q = np.array([robot.integrate(robot.initial, rng.normal(size=robot.dof)) for _ in range(count)])
    for i, link in zip(robot.model.places, robot.model.located, strict=True):
        if link.joint.kind == "mode":
            q[:, i] = 0.02 * rng.normal(size=count) * (10 if name == "spin-up" else 1)
        if link.joint.motor:
            q[:, i] = q[:, robot.coordinate_names.index(f"{link.joint.name}.motor")] + 0.01 * rng.normal(size=count)
    return robot, np.linspace(0, 1, count), q


# --- without a browser ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FLEXIBLE)
def test_the_scene_has_what_bends(name):
    robot, t, q = moving(name)
    data = json.loads(json.dumps(scene(robot, t, q), allow_nan=False))
    bending = data["bending"]
    assert [beam["name"] for beam in bending["beams"]] == [beam.name for _, beam in robot.model.beams]
    modes = [robot.coordinate_names.index(name) for name in robot.mode_names]
    values = numbers(bending["values"], len(t), -1)
    np.testing.assert_allclose(values[:, : len(modes)], q[:, modes], rtol=1e-6)
    for beam in bending["beams"]:
        assert robot.link_names[beam["tip"] - 1] in (beam["name"], f"{beam['name']}.tip")
        assert beam["link"] == frame_offset(robot, f"{beam['name']}.root")[0]
    rows = pose_rows(robot, q[1])
    np.testing.assert_allclose(rows[-1], values[1], rtol=1e-6)
    assert len(rows) == len(robot.link_names) + 1


def test_rigid_robots_bend_nowhere():
    robot = redyn.load("puma")
    assert scene(robot, 0.0, robot.initial)["bending"] is None
    assert len(pose_rows(robot, robot.initial)) == 6
    rigid = redyn.load("flexible-two-link").rigid()
    assert scene(rigid, 0.0, rigid.initial)["bending"] is None


@pytest.mark.parametrize(("size", "most"), [(0.0, 50), (1e-6, 1000), (0.004, 100), (0.05, 10), (0.5, 10)])
def test_how_far_deflections_can_be_exaggerated(size, most):
    robot = redyn.load("flexible-beam")
    assert scene(robot, 0.0, [0, size, 0])["bending"]["most"] == most


def test_a_beam_in_the_plane_keeps_the_view_flat():
    robot = redyn.load("flexible-beam")
    assert scene(robot, 0.0, robot.initial)["view"]["planar"]
    description = yaml.safe_load(robot.to_yaml())
    description["links"][0]["flexible"]["modes"] = [1, 1, 0]
    spatial = redyn.load(description)
    assert not scene(spatial, 0.0, spatial.initial)["view"]["planar"]


def test_joint_charts_leave_modes_to_their_own(tmp_path):
    robot = redyn.load("flexible-two-link")
    run = redyn.simulate(robot, robot.initial, [2, 0, 0, -3, 0, 0], 0.05)
    plots = {plot.title: plot for plot in run._plots()}
    assert list(plots) == [
        "Joint values",
        "Elastic coordinates",
        "Tip deflection",
        "Joint rates",
        "Torques",
        "Energy",
    ]
    for title in ("Joint values", "Joint rates", "Torques"):
        assert plots[title].names == ["joint1", "joint2"]
        assert plot_colours(robot, plots[title]) == ["#1b6ca8", "#d1495b"]
        assert shares_legend(robot, plots[title])
    assert [plots[title].unit for title in plots] == ["rad", "m", "m", "rad/s", "Nm", "J"]
    assert plots["Elastic coordinates"].names == robot.mode_names
    tips = robot.forward_kinematics(run.q, "link1.root")[:, :3, 1], robot.shape(run.q, "link1", 2)[:, 1]
    np.testing.assert_allclose(plots["Tip deflection"].values[:, 0], np.einsum("ki,ki->k", *tips), atol=1e-12)
    data = json.loads(unpacked(run.html(tmp_path / "a.html").read_text("utf-8"), "data"))
    assert [plot["joints"] for plot in data["plots"]] == [True, False, False, True, True, False]
    assert len(run.plot().axes) == 7


def test_charts_of_elastic_gears():
    robot = redyn.load("elastic-joint-arm")
    run = redyn.simulate(robot, robot.initial, [1, 0, 0, 0], 0.05)
    plots = {plot.title: plot for plot in run._plots()}
    assert plots["Torques"].names == ["joint1.motor", "joint2.motor"]
    np.testing.assert_allclose(plots["Twist of gears"].values, run.q[:, [1, 3]] - run.q[:, [0, 2]])
    assert plot_colours(robot, plots["Torques"])[1] == plot_colours(robot, plots["Joint rates"])[2]


def test_which_entries_turn():
    robot = redyn.load("flexible-space-arm")
    names = robot.velocity_names
    turns = dict(zip(names, turning(robot), strict=True))
    assert turns["upper-boom.twist1"]
    assert not turns["upper-boom.y1"]
    assert [names[i] for i in joint_entries(robot)][6:] == ["shoulder-yaw", "shoulder-pitch", "elbow"]
    plot = Plot("", "", [robot.coordinate_names[i] for i in joint_entries(robot, "coordinates")], np.zeros((1, 10)))
    assert len(plot_colours(robot, plot)) == 10


# --- in the browser ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FLEXIBLE)
def test_what_is_drawn_is_what_was_computed(browser, tmp_path, name):
    """Links and bent centre lines against forward kinematics: as they are, and with deflections ten times as large."""
    robot, t, q = moving(name)
    opened = Opened(browser, write_html(tmp_path / "page.html", robot, t, q, [], title=name))
    rows = pose_rows(robot, q[2])
    asked = [[t[1], None, 1], [t[1], None, 10], [0, rows, 10], [0, rows, 1], [t[4], None, 10], [t[4], None, 1]]
    found = drawn(opened.page, DRAW, asked)
    for shown, state, factor in zip(found, (1, 1, 2, 2, 4, 4), (1, 10, 10, 1, 10, 1), strict=True):
        check(robot, shown, exaggerated(robot, q[state], factor))
    assert [text for text in opened.complaints if ALLOWED not in text] == []


def test_shapes_bend_with_their_link(browser, tmp_path):
    """A thin box along a beam, in both conventions: all of it stays on the centre line, from root to tip."""
    box = {"type": "box", "size": [0.5, 1e-3, 1e-3], "colour": [0, 0, 1, 1]}
    for convention, x in (("dh", -0.25), ("frames", 0.25)):
        beam = {"rho_A": 0.2, "EI": 1.0, "modes": [2, 1, 1], "GJ": 1.0, "rho_Ip": 0.01}
        where = {"a": 0.5, "b": 0, "alpha": 0.4} if convention == "dh" else {"xyz": [0.1, 0, 0]}
        beam |= {} if convention == "dh" else {"length": 0.5}
        turned = {"rpy": [0.3, 0, 0]}  # about the beam
        link = {
            "name": "arm",
            "joint": "revolute",
            **where,
            "flexible": beam,
            "visual": [{**box, "xyz": [x, 0, 0], **turned}],
        }
        robot = redyn.load({"name": "strip", "convention": convention, "links": [link]})
        q = np.array([0.5, 0.04, -0.01, 0.03, 0.4])
        path = write_html(tmp_path / f"{convention}.html", robot, 0.0, q, [], title="strip")
        opened = Opened(browser, path)
        points = np.array(drawn(opened.page, CORNERS, None))
        assert len(points) > 300  # fine enough to look bent
        line = robot.shape(q, "arm", 201)
        apart = np.linalg.norm(points[:, None] - line[None], axis=2)
        assert apart.min(axis=1).max() < 2.5e-3
        assert apart[:, [0, -1]].min(axis=0).max() < 1e-3
        assert opened.page.get_by_test_id("show-meshes").is_checked()


def test_the_slider_of_deflections(browser, tmp_path):
    robot = redyn.load("flexible-beam")
    path = write_html(tmp_path / "page.html", robot, 0.0, robot.sag(robot.initial), [], title="sag")
    opened = Opened(browser, path)
    page = opened.page
    slider, factor = (page.get_by_test_id(name) for name in ("deflection", "deflection-factor"))
    assert factor.text_content() == f"{TIMES}1"
    slider.focus()
    page.keyboard.press("Home")
    before = opened.picture()
    for _ in range(4):
        page.keyboard.press("ArrowRight")
    assert factor.text_content() == f"{TIMES}5"
    assert f"deflection {TIMES}5" in page.locator("#grid").text_content()
    opened.picture(other_than=before)
    page.keyboard.press("Home")
    assert factor.text_content() == f"{TIMES}1"
    assert "deflection" not in page.locator("#grid").text_content()
    assert opened.picture() == before
    assert opened.complaints == []


def test_no_slider_for_rigid_robots(browser, tmp_path):
    robot = redyn.load("two-link")
    opened = Opened(browser, write_html(tmp_path / "page.html", robot, 0.0, robot.initial, [], title="rigid"))
    assert opened.page.get_by_test_id("deflection").is_hidden()
