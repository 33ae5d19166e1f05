"""Degrees or radians: what is shown and typed follows the switch, what is stored does not."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import redyn
from redyn.description.numbers import parse_angle
from redyn.studio import bundle, keep, takeaway
from redyn.studio.comparing import compare
from redyn.studio.panels.columns import link_columns
from redyn.studio.state import State
from redyn.studio.table import cell_units, shown_cells
from redyn.studio.teaching import limit_shown, limit_typed
from redyn.studio.units import DEGREES, RADIANS
from redyn.studio.work import forward

SIZES = st.floats(1e-12, 1e6) | st.floats(-1e6, -1e-12)


@given(SIZES)
@settings(max_examples=500)
def test_text_in_degrees_is_read_back(value):
    shown = DEGREES.shown(repr(value))
    again = parse_angle(DEGREES.typed(shown))
    assert abs(again - value) <= 1e-15 * abs(value)
    assert abs(again - value) <= math.ulp(value)


@given(SIZES)
@settings(max_examples=200)
def test_text_in_degrees_becomes_radians_and_back(value):
    stored = DEGREES.typed(repr(value))
    assert DEGREES.shown(stored) == repr(value)  # as it was typed
    assert float(parse_angle(RADIANS.shown(stored))) == parse_angle(stored)


@pytest.mark.parametrize(
    ("stored", "degrees", "radians"),
    [
        ("pi/2", "90", "pi/2"),
        ("1.5707963267948966", "90", "1.5707963267948966"),
        ("-5*pi/6", "-150", "-5*pi/6"),
        ("90 deg", "90", "pi/2"),
        ("30°", "30", "pi/6"),
        ("1 deg", "1", "0.017453292519943295"),
        ("(30 + 15) deg", "30 + 15", "pi/4"),
        ("90 deg + 45 deg", "135", repr(parse_angle("135 deg"))),
        ("", "", ""),
        ("ninety", "ninety", "ninety"),
        ("0", "0", "0"),
    ],
)
def test_stored_text_is_shown(stored, degrees, radians):
    assert DEGREES.shown(stored) == degrees
    assert parse_angle(RADIANS.shown(stored)) == parse_angle(radians) if stored not in ("", "ninety") else True
    assert DEGREES.shown(stored, "m") == RADIANS.shown(stored, "m") == stored


def test_words_with_units():
    for unit in ("Nms/rad", "m/rad", "Nm", "m", "radius", "kg m²"):
        assert DEGREES.of(unit) == unit
    assert DEGREES.of("rad, m") == "deg, m"
    assert DEGREES.of("rad/s² or m/s²") == "deg/s² or m/s²"


def test_a_field_of_limits():
    turns, mixed = ["rad/s", "rad/s"], ["rad/s", "m/s"]
    assert limit_typed("90", turns, DEGREES) == "90 deg"
    assert limit_shown("90 deg", turns, DEGREES) == "90"
    assert limit_typed("90", mixed, DEGREES) == "90 deg, 90"  # a joint that slides has no degrees
    assert limit_shown("90 deg, 90", mixed, DEGREES) == "90, 90"
    assert limit_typed("1", mixed, RADIANS) == limit_shown("1", mixed, RADIANS) == "1"


@pytest.fixture
def state():
    made = State.first("stanford")  # turns and slides
    yield made
    made.close()


def test_tables_are_shown_in_degrees_and_stay_as_they_are(state):
    before = state.editor.draft
    row = shown_cells(before.rows[0], DEGREES)
    assert DEGREES.shown(before.rows[0]["alpha"]) == row["alpha"] == "-90"
    assert state.editor.draft is before
    assert cell_units({"joint": "prismatic"}, "lower") == "m"
    assert cell_units({"joint": "revolute"}, "speed") == "rad/s"
    assert cell_units({"joint": "revolute"}, "damping") == ""
    heads = [column["headerName"] for column in link_columns(before, "geometry", DEGREES)]
    assert "\u03b1 (deg)" in heads
    assert "a (m)" in heads
    damping = next(c for c in link_columns(before, "joint", DEGREES) if c["field"] == "damping")
    assert "Nms/rad" in damping["headerTooltip"]
    state.editor.set_cell(0, "speed", DEGREES.typed("90", cell_units(before.rows[0], "speed")))
    assert not state.editor.problems
    assert state.editor.description.links[0].joint.speed_limit == math.pi / 2


def test_every_joint_type_has_its_units():
    lengths = {"revolute": 1, "prismatic": 1, "helical": 1, "cylindrical": 2, "universal": 2, "planar": 3}
    for kind, count in {**lengths, "spherical": 4, "free": 7}.items():
        units = cell_units({"joint": kind}, "initial")
        assert len(units) == count
    assert DEGREES.typed("1, 2, 90", cell_units({"joint": "planar"}, "initial")) == "1, 2, 90 deg"


def test_plots_and_columns_are_converted(state, tmp_path):
    state.motion.duration = "1"
    found = state.run_inverse()
    state.angles = DEGREES
    plots = {key: plot for key, (plot, _) in takeaway.plots_of(found, angles=DEGREES).items()}
    slides = state.robot.coordinate_names.index("joint3")
    factors = np.where(np.arange(6) == slides, 1.0, 180 / math.pi)
    for key, values, unit in (
        ("q", found.q, "deg, m"),
        ("qd", found.qd, "deg/s, m/s"),
        ("qdd", found.qdd, "deg/s², m/s²"),
    ):
        assert plots[key].unit == unit
        np.testing.assert_array_equal(plots[key].values, values * factors)
    assert plots["torque"].unit == "Nm, N"
    name, text = takeaway.motion_csv(state)
    head = text.splitlines()[0]
    assert "q_joint1 [deg]" in head
    assert "qdd_joint3 [m/s²]" in head
    (tmp_path / name).write_text(text, "utf-8")
    table = redyn.trajectory.read_table(tmp_path / name)  # takes the units back
    np.testing.assert_allclose(table.columns["q_joint1"], found.q[:, 0], rtol=1e-15, atol=1e-300)
    np.testing.assert_array_equal(table.columns["q_joint3"], found.q[:, slides])
    shown = compare(state)
    assert shown.plot.unit == "deg"
    np.testing.assert_array_equal(shown.plot.lines[0].y, found.q[:, 0] * (180 / math.pi))
    state.angles = RADIANS
    assert "q_joint1 [rad]" in takeaway.motion_csv(state)[1].splitlines()[0]


def test_a_run_in_degrees_is_read_back(tmp_path):
    state = State.first("two-link")
    try:
        state.run.set_duration("0.2")
        state.forward = forward(lambda part, note: None, state.forward_order())
        state.choose("forward")
        plain = takeaway.motion_csv(state)[1]
        state.angles = DEGREES
        text = takeaway.motion_csv(state)[1]
        for name, content in (("rad.csv", plain), ("deg.csv", text)):
            (tmp_path / name).write_text(content, "utf-8")
        first, second = (redyn.trajectory.read_table(tmp_path / f"{name}.csv") for name in ("rad", "deg"))
        assert list(first.columns) == list(second.columns)
        for name in first.columns:
            np.testing.assert_allclose(second.columns[name], first.columns[name], rtol=1e-15, atol=1e-300)
        assert "[deg/s]" in text.splitlines()[0]
    finally:
        state.close()


def test_sentences_follow_the_switch(state):
    state.editor.set_cell(0, "lower", "-30 deg")
    state.editor.set_cell(0, "upper", "30 deg")
    state.follow_editor()
    state.motion.stop[0] = "60 deg"
    found = state.run_inverse()
    assert any("limit of 30 deg: 60 at worst" in line for line in found.beyond_in(DEGREES))
    assert any("limit of 0.5236 rad: 1.047 at worst" in line for line in found.beyond)
    state.angles = DEGREES
    assert state.jog(0, 1.0).endswith("stops at its limit, 30 deg")


def test_the_switch_is_part_of_the_session(state):
    kept = keep.snapshot(state)
    assert kept["angles"] == "rad"
    state.angles = DEGREES
    state.motion.stop[0] = DEGREES.typed("45")
    kept, mark = keep.snapshot(state), bundle.mark(state)
    other = State.first("two-link")
    try:
        keep.restore(other, kept)
        assert other.angles is DEGREES
        assert other.motion.plan(other.robot).stop[0] == math.pi / 4
        keep.restore(other, {**kept, "angles": "turns"})  # not trusted: the switch stays as it is
        assert other.angles is DEGREES
        keep.restore(other, {key: value for key, value in kept.items() if key != "angles"})
        assert other.angles is DEGREES
    finally:
        other.close()
    state.angles = RADIANS
    assert bundle.mark(state) == mark  # nothing that would have to be saved
