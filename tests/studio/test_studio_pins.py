"""Pinned runs: they survive edits and restarts, are compared with each other, and are bounded."""

import base64
import io
import json

import numpy as np
import pytest

import redyn
from redyn.report.html import cross_chart
from redyn.studio import comparing, keep, pins, takeaway, work
from redyn.studio.formulas import derive
from redyn.studio.opening import open_source
from redyn.studio.pins import MOST, MOST_NUMBERS, TIME, Board, packed, unpacked
from redyn.studio.signals import Trace
from redyn.studio.state import State
from report_page import unpacked as unpacked_page


@pytest.fixture
def state():
    made = State.first("two-link")
    made.run.set_duration("0.5")
    yield made
    made.close()


def simulated(state, **fields):
    for name, value in fields.items():
        setattr(state.run, name, value)
    state.tab = "forward"
    state.forward = work.forward(lambda part, note: None, state.forward_order())
    return state.forward.runs[0].run


def restored(state, tmp_path):
    """As after a restart of the server: the snapshot, then the numbers of each run."""
    back = State.first("one-link")
    keep.restore(back, json.loads(json.dumps(keep.snapshot(state))))
    for pin in state.board.pins:
        path = tmp_path / pin.key
        path.write_text(packed(pin.trace))
        back.board.take(pin.key, unpacked(path))
    return back


def test_a_pinned_run_survives_edits_and_other_robots(state):
    before = simulated(state)
    assert comparing.pin(state, "forward") == "Pinned as “two-link, rkf45”"
    state.board.rename(state.board.pins[0].key, "  before ")
    state.editor.set_cell(1, "mass", "5")
    assert state.follow_editor()
    assert state.forward is None
    after = simulated(state)
    now, pinned = comparing.runs_of(state)
    assert (now.name, pinned.name) == ("Forward, now", "before")
    np.testing.assert_array_equal(pinned.trace["q_joint1"], before.q[:, 0])
    np.testing.assert_array_equal(now.trace["qd_joint2"], after.qd[:, 1])
    assert np.abs(now.trace["q_joint1"] - pinned.trace["q_joint1"]).max() > 1e-3
    plot, others = takeaway.plots_of(state.forward, pins=state.board.pins)["q"]
    assert [other.label for other in others] == ["before"]
    drawn = work.plot_data(state.robot, after.t, plot, others)
    assert drawn["names"] == ["joint1", "joint2", "joint1, before", "joint2, before"]
    assert drawn["colours"][:2] == drawn["colours"][2:]
    assert len(set(drawn["dashes"])) == 2
    state.open(open_source("puma"))
    assert [run.name for run in comparing.runs_of(state)] == ["before"]
    state.board.pins[0].shown = False
    assert takeaway.plots_of(state.run_inverse(), pins=state.board.pins)["q"][1] == []


def test_signals_have_names_units_and_values(state):
    stanford = State.first("stanford")
    found = stanford.run_inverse()
    trace = comparing.present(stanford)["inverse"]
    assert (trace.find("q_joint1").unit, trace.find("q_joint3").unit) == ("rad", "m")
    assert (trace.find("qd_joint3").unit, trace.find("tau_joint3").unit) == ("m/s", "N")
    assert (trace.find("qdd_joint1").unit, trace.find("tau_joint1").unit) == ("rad/s²", "Nm")
    assert trace.find("path_x").label == "end effector: x"
    np.testing.assert_array_equal(trace["tau_joint3"], found.tau[:, 2])
    run = simulated(state)
    trace = comparing.present(state)["forward"]
    np.testing.assert_array_equal(trace["energy_total"], run.energy.total)
    assert trace.find("energy_total").label == "energy: total"
    assert not trace.has("error_joint1")  # no controller


def test_reference_and_error_of_a_controller(state):
    state.motion.duration = "0.5"
    run = simulated(state, drive="computed")
    trace = comparing.present(state)["forward"]
    q, _, _ = state.motion.plan(state.robot).motion(state.robot)(run.t)
    np.testing.assert_allclose(trace["reference_joint2"], q[:, 1])
    np.testing.assert_allclose(trace["error_joint2"], q[:, 1] - run.q[:, 1])
    run = simulated(state, drive="pd", target=["1", "0"])
    trace = comparing.present(state)["forward"]
    np.testing.assert_allclose(trace["error_joint1"], 1 - run.q[:, 0])
    # The same with two results: the motion of the inverse dynamics is the reference.
    state.run_inverse()
    simulated(state, drive="computed")
    state.board.present, state.board.minus = {"inverse": True}, "inverse"
    found = comparing.compare(state)
    assert len(found.plot.lines[0].t) == 501
    assert float(found.numbers["forward"][0]) < 1e-5


def test_any_signal_against_any_other(state):
    run = simulated(state)
    board = state.board
    board.y, board.x = "qd_joint1", "q_joint1"
    found = comparing.compare(state)
    assert (found.plot.title, found.plot.unit, found.plot.against) == ("joint1: rate", "rad/s", "joint1: value (rad)")
    np.testing.assert_array_equal(found.plot.lines[0].x, run.q[:, 0])
    np.testing.assert_array_equal(found.plot.lines[0].y, run.qd[:, 0])
    data = cross_chart(found.plot, work.doubles)
    np.testing.assert_array_equal(np.frombuffer(base64.b64decode(data["xs"][0])), run.q[:, 0])
    assert found.heads[0] == "smallest (rad/s)"
    assert [float(x) for x in found.numbers["forward"]] == pytest.approx(
        [run.qd[:, 0].min(), run.qd[:, 0].max(), run.qd[-1, 0]], rel=1e-3
    )
    board.x = "nothing"  # not there: time
    assert comparing.compare(state).x == TIME
    name, text = takeaway.comparison_csv(state)
    assert name == "comparison.csv"
    table = np.genfromtxt(io.StringIO(text.partition("\n")[2]), delimiter=",")
    np.testing.assert_array_equal(table, np.column_stack([run.t, run.qd[:, 0]]))


def test_differences_where_times_agree(state):
    simulated(state)
    comparing.pin(state, "forward")
    board = state.board
    board.minus = board.pins[0].key
    run = simulated(state, method="rk4")
    found = comparing.compare(state)
    line = found.plot.lines[0]
    assert [line.name for line in found.plot.lines] == ["Forward, now"]
    np.testing.assert_array_equal(line.t, run.t)
    np.testing.assert_array_equal(line.y, run.q[:, 0] - board.pins[0].trace["q_joint1"])
    assert 0 < np.abs(line.y).max() < 1e-6  # no error of an interpolation
    assert found.heads == ["largest difference (rad)", "rms"]
    simulated(state, sample="0.005")  # fewer times, all of them shared
    assert len(comparing.compare(state).plot.lines[0].t) == 101
    simulated(state, sample="0.5", duration="0.49973")  # only the first one
    found = comparing.compare(state)
    assert found.plot.lines == []
    assert found.note == "Forward, now and two-link, rkf45 share no times: give both the same sample"
    board.remove(board.minus)
    assert comparing.compare(state).minus == ""


def test_runs_without_the_signal_are_named(state):
    state.run_inverse()
    comparing.pin(state, "inverse")
    simulated(state)
    state.board.y = "energy_total"
    found = comparing.compare(state)
    assert [line.name for line in found.plot.lines] == ["Forward, now"]
    assert found.note == "two-link, cycloidal: without energy: total"
    state.board.present["forward"] = state.board.pins[0].shown = False
    assert comparing.compare(state).note == "No run is switched on."
    with pytest.raises(redyn.RedynError, match="nothing to save"):
        takeaway.comparison_csv(state)


def test_two_runs_side_by_side_are_pinned_together(state):
    simulated(state, compare="method:rk4")
    assert comparing.pin(state, "forward") == "Pinned as “two-link, rkf45”; Pinned as “two-link, rk4”"
    comparing.pin(state, "forward")
    assert [pin.name for pin in state.board.pins][2:] == ["two-link, rkf45 2", "two-link, rk4 2"]
    assert len({(pin.colour, pin.dash) for pin in state.board.pins}) == 4


def test_pins_are_bounded_and_say_so(state):
    state.run_inverse()
    for _ in range(MOST):
        comparing.pin(state, "inverse")
    with pytest.raises(redyn.RedynError, match=f"{MOST} runs pinned, and the limit is {MOST}: remove some"):
        comparing.pin(state, "inverse")
    assert len(state.board.pins) == MOST
    gone = state.board.pins[3]
    state.board.remove(gone.key)
    state.motion.duration, state.motion.sample = "40", "0.001"
    state.run_inverse()
    said = comparing.pin(state, "inverse")
    new = state.board.pins[-1]
    assert (new.place, new.colour) == (gone.place, gone.colour)
    assert f"of its 40,001 rows: a pinned run holds {MOST_NUMBERS:,} numbers" in said
    assert (len(new.trace.signals) + 1) * len(new.trace.t) <= MOST_NUMBERS
    assert (new.trace.t[0], new.trace.t[-1]) == (0, 40)


def test_the_report_holds_pinned_runs_tables_and_equations(state):
    first = simulated(state)
    comparing.pin(state, "forward")
    state.board.rename(state.board.pins[0].key, "<b>before")
    simulated(state, method="rk4")
    state.board.y, state.board.x = "qd_joint1", "q_joint1"
    formulas = derive(lambda part, note: None, state.robot.description)
    text = takeaway.report(state, formulas)[1].decode()
    data = json.loads(unpacked_page(text, "data"))
    assert data["plots"][1]["names"] == ["joint1", "joint2", "joint1, <b>before", "joint2, <b>before"]
    phase = data["plots"][-1]
    assert (phase["title"], phase["against"]) == ("joint1: rate", "joint1: value (rad)")
    assert phase["names"] == ["Forward, now", "<b>before"]
    np.testing.assert_allclose(np.frombuffer(base64.b64decode(phase["ys"][1]), "<f4"), first.qd[:, 0], atol=1e-5)
    page = text.partition('<section id="appendix"')[2].partition("</section>")[0]
    assert "&lt;b&gt;before" in page
    assert "<b>" not in page
    for word in ("Equations of motion", "<math", "Mass and inertia", "two-link, rk4", f"{first.q[:, 1].max():.4g}"):
        assert word in page
    state.run_inverse()
    state.tab = "inverse"
    for pin in list(state.board.pins):
        state.board.remove(pin.key)
    state.board.x = TIME
    text = takeaway.report(state)[1].decode()
    assert all("ts" not in plot for plot in json.loads(unpacked_page(text, "data"))["plots"])
    page = text.partition('<section id="appendix"')[2].partition("</section>")[0]
    assert "its change as a mass or a length grows by 1 %" in page
    assert f"<td>{np.abs(state.inverse.tau[:, 0]).max():.4g}</td>" in page


def test_names_and_colours_are_checked(state):
    state.run_inverse()
    comparing.pin(state, "inverse")
    comparing.pin(state, "inverse")
    board = state.board
    first, second = board.pins
    for name, why in ((" ", "expected 1 to 60"), ("x" * 61, "expected 1 to 60"), (second.name, "choose another name")):
        with pytest.raises(redyn.RedynError, match=why):
            board.rename(first.key, name)
    with pytest.raises(redyn.RedynError, match="expected one such as"):
        board.recolour(first.key, "red; x")
    board.recolour(first.key, "#123456")
    with pytest.raises(redyn.RedynError, match="no longer pinned"):
        board.remove("nothing")
    assert first.name == "two-link, cycloidal"


def test_a_diverged_run_is_pinned_as_far_as_it_is_finite(state):
    run = simulated(state)
    run.energy.kinetic[-3:] = np.inf
    assert len(comparing.present(state)["forward"].t) == len(run.t) - 3


def test_pins_come_back_from_the_browser(state, tmp_path):
    simulated(state, compare="method:rk4")
    comparing.pin(state, "forward")
    board = state.board
    board.rename(board.pins[0].key, "A <b>")
    board.pins[1].shown = False
    board.y, board.x, board.minus = "qd_joint2", "q_joint2", board.pins[1].key
    state.tab = "compare"
    back = restored(state, tmp_path)
    assert keep.snapshot(back) == {**keep.snapshot(state), "ran": False}
    for mine, other in zip(back.board.pins, board.pins, strict=True):
        assert mine.trace.signals == other.trace.signals
        np.testing.assert_array_equal(mine.trace.values, other.trace.values)
        np.testing.assert_array_equal(mine.trace.t, other.trace.t)
    with pytest.raises(redyn.RedynError, match="not in the list"):
        back.board.take(board.pins[0].key, board.pins[0].trace)
    old = keep.snapshot(state)
    del old["board"]  # saved before there were any
    keep.restore(back, old)
    assert back.board == Board()


WRONG = {
    "no JSON": lambda data: b"[",
    "a list": lambda data: b"[]",
    "no numbers": lambda data: {**data, "numbers": ""},
    "not base64": lambda data: {**data, "numbers": "?" * 8},
    "half a row": lambda data: {**data, "numbers": base64.b64encode(np.zeros(3)).decode()},
    "infinite": lambda data: {**data, "numbers": base64.b64encode(np.full(6, np.inf)).decode()},
    "times that stand still": lambda data: {**data, "numbers": base64.b64encode(np.zeros(24)).decode()},
    "too many": lambda data: {**data, "numbers": base64.b64encode(np.zeros((30_000, 6))).decode()},
    "another kind": lambda data: {**data, "signals": [["x", "y", "z"]]},
    "no signals": lambda data: {**data, "signals": []},
    "twice": lambda data: {**data, "signals": [data["signals"][0]] * 2},
}


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG)
def test_what_a_browser_sends_as_a_run_is_not_believed(state, tmp_path, wrong):
    t = np.array([0.0, 1.0])
    signals = tuple(pins.Signal("q", f"joint{k}", "rad") for k in range(5))
    sent = wrong(json.loads(packed(Trace("inverse", "a", t, signals, np.zeros((2, 5))))))
    (tmp_path / "pin").write_bytes(sent if isinstance(sent, bytes) else json.dumps(sent).encode())
    with pytest.raises(redyn.RedynError, match="cannot be read"):
        unpacked(tmp_path / "pin")


@pytest.mark.parametrize(
    "change", [{"key": "../../x"}, {"colour": "url(x)"}, {"place": 99}, {"place": "1"}, {"place": 1}]
)
def test_a_list_of_runs_that_is_wrong_is_refused(state, change):
    state.run_inverse()
    comparing.pin(state, "inverse")
    comparing.pin(state, "inverse")
    data = keep.snapshot(state)
    data["board"]["pins"][0] |= change
    back = State.first("one-link")
    with pytest.raises(redyn.RedynError, match="cannot be read"):
        keep.restore(back, data)
    assert back.robot.name == "one-link"


def test_loops_and_quaternions_can_be_compared():
    for name in ("four-bar", "stewart"):
        state = State.first(name)
        state.run.set_duration("0.1")
        simulated(state)
        comparing.pin(state, "forward")
        assert comparing.compare(state).plot.lines
        state.close()
    state = State.first("puma")
    assert comparing.compare(state).note == comparing.NONE
