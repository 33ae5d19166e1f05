"""Robots on the ground in reports: the ground, footprints, charts, tables, and the page in a browser."""

from types import SimpleNamespace

import numpy as np
import pytest

import redyn
from redyn.report.scene import pack_floats, scene
from redyn.report.standing import charts, columns, footprints, surface
from report_page import Opened, numbers

BLOCK = {
    "name": "block",
    "convention": "frames",
    "links": [
        {
            "name": "block",
            "joint": {"name": "base", "type": "free"},
            "mass": 2.0,
            "com": [0, 0, 0],
            "inertia": [0.0217, 0.0333, 0.0417],
            "visual": [{"type": "box", "size": [0.4, 0.3, 0.2]}],
        }
    ],
    "contacts": [{"link": "block", "box": [0.4, 0.3, 0.2]}],
}
LYING = [0, 0, 0.2, 0, 0, 0, 1]


@pytest.fixture(scope="module")
def dropped():
    """A block that falls 10 cm, flat, and comes to rest."""
    return redyn.simulate(redyn.load(BLOCK), LYING, np.zeros(6), 1.0, ground=True, sample=0.02)


def stands(points, gaps, slip):
    """Contacts of one foot, pressed evenly."""
    points = np.asarray(points, dtype=float)[:, None]
    up = np.zeros_like(points)
    up[..., 2] = 1.0
    flat = SimpleNamespace(names=["foot"], points=points, normals=up, forces=10.0 * up, friction=0.7)
    flat.gaps, flat.slip = np.asarray(gaps, dtype=float)[:, None], np.asarray(slip, dtype=float)[:, None]
    flat.centre_of_pressure = points[:, 0]
    return flat


def test_footprints():
    """One where a foot stands, another where it stands next, and a row of them where it slides."""
    x = [0, 0, 0, 0.5, 1, 1, 1.01, 1.02, 1.03]
    gaps = [-1, -1, -1, 1, -1, -1, -1, -1, -1]
    slip = [0.2, 0.0, 0.0, 9.0, 0.0, 0.0, 0.5, 0.5, 0.5]
    times = np.arange(9.0) + 3.0
    found = footprints(times, stands([[a, 0, 0] for a in x], gaps, slip), 0.01)
    np.testing.assert_allclose(found[:, 0], [0, 4, 6, 7, 8])  # counted from the first time
    np.testing.assert_allclose(found[:, 1], [0, 1, 1.01, 1.02, 1.03])
    np.testing.assert_allclose(found[:, 4:7], [[0, 0, 1]] * 5)
    np.testing.assert_allclose(found[:, 7], [0.2 / 3, 0, 0.5, 0.5, 0.5])  # the force is even
    assert footprints(times, stands([[a, 0, 0] for a in x], np.ones(9), slip), 0.01).shape == (0, 8)


@pytest.mark.parametrize(
    "given",
    [
        {"height": "0.02*sin(5*x)*cos(3*y)"},
        {"slope": "10 deg", "direction": "30 deg"},
        {"steps": [{"at": 0.4, "rise": 0.1, "width": 0.05}]},
        {"grid": {"x": [-1, 0, 1], "y": [-1, 0, 1], "heights": [[0, 0.1, 0], [0.1, 0.2, 0.1], [0, 0.1, 0]]}},
    ],
)
def test_the_mesh_of_the_ground_is_the_ground(given):
    """Between its lines, too: steps have more of them."""
    ground = redyn.load(BLOCK).ground(given)
    made = surface(ground, np.array([-1.0, -1.0]), np.array([1.0, 1.0]), 0.5, lambda a: a)
    rng = np.random.default_rng(0)
    x, y = rng.uniform(-1, 1, (2, 500))
    rows = np.array([np.interp(y, made["y"], row) for row in made["heights"]])
    heights = np.array([np.interp(a, made["x"], rows[:, k]) for k, a in enumerate(x)])
    np.testing.assert_allclose(heights, ground.height(x, y), atol=2e-3)


def test_a_level_ground_is_the_floor(dropped):
    ground = dropped.robot.ground({"height": 0.1})
    assert surface(ground, np.zeros(2), np.ones(2), 1.0, pack_floats) is None
    data = scene(dropped.robot, dropped.t, dropped.q, standing=dropped.standing)
    assert data["standing"]["surface"] is None
    assert data["view"]["floor"]["level"] == data["view"]["floor"]["meshes"] == 0.0


def test_a_scene_has_the_contacts_of_the_run(dropped):
    contacts = dropped.ground_contacts
    found = scene(dropped.robot, dropped.t, dropped.q, standing=dropped.standing)["standing"]
    assert found["names"] == contacts.names
    assert found["friction"] == dropped.ground.friction
    assert found["weight"] == pytest.approx(2 * 9.81)
    np.testing.assert_allclose(numbers(found["points"], -1, 8, 3), contacts.points, atol=1e-5)
    bears = contacts.gaps < 0
    forces = numbers(found["forces"], -1, 8, 3)
    np.testing.assert_allclose(forces[bears], contacts.forces[bears], rtol=1e-5, atol=1e-4)
    assert not forces[~bears].any()
    assert np.isnan(numbers(found["pressure"], -1, 3)[0]).all()  # in flight
    np.testing.assert_allclose(forces[-1].sum(axis=0), [0, 0, 2 * 9.81], atol=1e-3)
    assert len(numbers(found["prints"], -1, 8)) >= 4


def test_charts_and_columns(dropped):
    contacts = dropped.ground_contacts
    gait, normal, pressure, slip = charts(dropped.robot, contacts)
    assert gait.bars
    assert list(gait.names) == contacts.names
    np.testing.assert_array_equal(gait.values, contacts.gaps < 0)
    assert np.asarray(normal.values)[-1].sum() == pytest.approx(2 * 9.81, rel=1e-6)
    assert list(pressure.names) == ["x", "y"]
    assert np.asarray(slip.values).max() < 1e-3
    table = columns(contacts)
    np.testing.assert_array_equal(table["contact_block.3_fz"], contacts.forces[:, 2, 2])
    assert {"contact_block.1_gap", "contact_block.8_slip", "pressure_x"} <= set(dropped._columns())
    many = SimpleNamespace(**contacts._asdict() | {"names": [f"{x}.{k}" for x in "ab" for k in range(8)]})
    for name in ("points", "forces", "normals", "gaps", "slip"):
        setattr(many, name, np.concatenate([getattr(contacts, name)] * 2, axis=1))
    many.centre_of_pressure = contacts.centre_of_pressure
    grouped = charts(dropped.robot, many)
    assert list(grouped[0].names) == ["a", "b"]  # of more than twelve, link by link
    assert np.asarray(grouped[1].values)[-1] == pytest.approx([2 * 9.81] * 2)


def test_figure_with_a_gait_diagram(dropped, tmp_path):
    figure = dropped.plot(tmp_path / "a.png")
    titles = [axes.get_title("left") for axes in figure.axes[1:]]
    assert titles[1:5] == ["Contact with the ground", "Normal forces (N)", "Centre of pressure (m)", "Slip (m/s)"]
    bars = figure.axes[2]
    assert [label.get_text() for label in bars.get_yticklabels()] == [
        str(k) for k in range(1, 9)
    ]  # of the corners of one link
    first = float(dropped.t[(dropped.ground_contacts.gaps < 0).any(axis=1)][0])
    starts = [path.vertices[:, 0].min() for c in bars.collections for path in c.get_paths() if len(path.vertices)]
    assert min(starts) == pytest.approx(first)


# --- in a browser ------------------------------------------------------------------------------------------------


def test_forces_in_a_browser(browser, tmp_path):
    """None in flight, an arrow for each of the four corners at rest, cones on demand; on uneven ground as well."""
    run = redyn.simulate(redyn.load(BLOCK), LYING, np.zeros(6), 1.0, ground={"height": "0.001*x"}, sample=0.02)
    opened = Opened(browser, run.html(tmp_path / "block.html"))
    page, view = opened.page, opened.page.locator(".view")
    assert view.get_attribute("data-contacts") == "0"
    assert view.get_attribute("data-prints") == "0"
    begin = opened.picture()
    page.keyboard.press("End")
    rest = opened.picture(other_than=begin)
    assert view.get_attribute("data-contacts") == "4"
    assert int(view.get_attribute("data-prints")) >= 4
    page.get_by_test_id("show-cones").click()
    opened.picture(other_than=rest)
    assert "force arrows: 0.24 m for the weight, 19.6 N" in page.locator("#grid").text_content()
    bars = page.evaluate(
        "() => document.querySelector('[data-testid=plot-1] .graph').data.map((c) => [...c.y].filter(Boolean)[0])"
    )
    assert [bars[k] for k in (0, 2, 4, 6)] == [8, 6, 4, 2]  # rows of the corners below
    assert opened.complaints == []
