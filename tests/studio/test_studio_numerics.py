"""Numerics of the studio: hints about stiff systems, torques that drive a simulation, units of columns."""

import numpy as np
import pytest

import redyn
from redyn.studio import takeaway, work
from redyn.studio.state import State


def simulated(state, **fields):
    for name, value in fields.items():
        setattr(state.run, name, value)
    state.tab = "forward"
    state.forward = work.forward(lambda part, note: None, state.forward_order())
    return state.forward.runs[0]


def damped(text):
    state = State.first("two-link")
    state.run.set_duration("2")
    if text:
        state.editor.set_cell(0, "damping", text)
        assert state.follow_editor()
    return state


def test_a_stiff_system_names_radau():
    state = damped("1000")
    explicit = simulated(state)
    assert "the integrator radau takes fewer" in explicit.hint
    assert "fastest time constant is" in explicit.hint
    implicit = simulated(state, method="radau")
    assert implicit.hint == ""
    assert implicit.run.steps < explicit.run.steps / 2  # as was said
    short = simulated(state, method="rk4", step="0.01", duration="0.2")
    assert "take a shorter one, or the integrator radau" in short.hint


@pytest.mark.parametrize("fields", [{}, {"method": "abm"}, {"drive": "pd"}, {"rtol": "1e-12"}, {"method": "rk4"}])
def test_others_do_not(fields):
    assert simulated(damped(""), **fields).hint == ""


def test_gains_can_be_stiff():
    assert "radau" in simulated(damped(""), drive="pd", kp="1e6", kd="5000").hint


@pytest.mark.parametrize("name", ["four-bar", "stewart", "stanford"])
def test_hints_about_loops_and_slides(name):
    state = State.first(name)
    assert simulated(state, duration="0.1").hint == ""


@pytest.mark.parametrize("name", ["two-link", "stanford", "3-rrr"])
def test_torques_of_the_inverse_dynamics_drive_the_same_motion(name):
    state = State.first(name)
    with pytest.raises(redyn.RedynError, match="there are no torques yet"):
        state.drive_with_torques()
    state.motion.duration = "1"
    found = state.run_inverse()
    state.drive_with_torques()
    assert (state.run.drive, state.run.duration) == ("inverse", "1")
    run = simulated(state).run
    np.testing.assert_allclose(run.t, found.t, atol=1e-12)
    assert np.abs(run.q - found.q).max() < 1e-3
    np.testing.assert_allclose(run.tau, found.tau, atol=1e-6 * np.abs(found.tau).max())
    code = takeaway.python(state)
    made = {"print": lambda *_: None}
    exec(code, made)
    np.testing.assert_allclose(made["run"].q, run.q, atol=1e-9)


def test_the_same_torques_drive_another_robot():
    state = State.first("two-link")
    state.motion.duration = "0.5"
    state.run_inverse()
    state.drive_with_torques()
    state.run.compare = "robot:lagrange-two-link"
    simulated(state)
    first, second = (finished.run for finished in state.forward.runs)
    np.testing.assert_allclose(first.tau, second.tau, atol=1e-9)
    made = {"print": lambda *_: None}
    exec(takeaway.python(state), made)
    np.testing.assert_allclose(made["other"].q, second.q, atol=1e-9)


def test_headers_have_units_that_are_read_again(tmp_path):
    state = State.first("stanford")
    state.motion.duration = "0.5"
    found = state.run_inverse()
    text = takeaway.motion_csv(state)[1]
    head = text.partition("\r\n")[0].split(",")
    for name in ("t [s]", "q_joint1 [rad]", "q_joint3 [m]", "qd_joint3 [m/s]", "qdd_joint1 [rad/s²]", "tau_joint3 [N]"):
        assert name in head
    (tmp_path / "a.csv").write_text(text, "utf-8", newline="")
    table = redyn.trajectory.read_table(tmp_path / "a.csv")
    np.testing.assert_array_equal(table.times, found.t)
    np.testing.assert_array_equal(table.columns["tau_joint3"], found.tau[:, 2])
    simulated(state, duration="0.1")
    head = takeaway.motion_csv(state)[1].partition("\n")[0]
    assert "tau_joint1 [Nm]" in head
    assert "energy_kinetic [J]" in head


def test_degrees_and_other_units_of_columns(tmp_path):
    (tmp_path / "a.csv").write_text("t [ms],q_a [deg],qd_a [deg/s],b [furlong]\n0,0,0,1\n500,180,90,1\n")
    table = redyn.trajectory.read_table(tmp_path / "a.csv")
    assert table.times.tolist() == [0, 0.5]
    assert table.columns["q_a"][1] == pytest.approx(np.pi)
    assert list(table.columns) == ["q_a", "qd_a", "b [furlong]"]
    (tmp_path / "b.csv").write_text("t,a,a [deg]\n0,0,0\n")
    with pytest.raises(redyn.RedynError, match="'a' occurs twice"):
        redyn.trajectory.read_table(tmp_path / "b.csv")
