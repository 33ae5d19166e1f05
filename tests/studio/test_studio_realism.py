"""Torque limits, payload, pushes and sizing in the studio: what is computed is what the forms say."""

import asyncio
import csv
import json
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import redyn
from redyn.studio import keep, messages, motors, signals, takeaway, work
from redyn.studio.carrying import Payload
from redyn.studio.opening import open_source
from redyn.studio.panels.pushes import PushList
from redyn.studio.pushing import MOST, dragged, new_push
from redyn.studio.sizing_charts import charts
from redyn.studio.state import State
from redyn.studio.units import DEGREES, RADIANS
from report_page import unpacked


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
    return state.forward.runs[0]


def scipy_run(robot, run, torque, **conditions):
    """The motion from the same state, by SciPy and the robot's forward dynamics alone."""
    n = robot.dof

    def rate(t, y):
        given = {name: value(t, y[:n]) if callable(value) else value for name, value in conditions.items()}
        return np.concatenate([y[n:], robot.forward_dynamics(y[:n], y[n:], torque(t, y[:n], y[n:]), **given)])

    y = np.concatenate([run.q[0], run.qd[0]])
    return solve_ivp(rate, (0, run.t[-1]), y, t_eval=run.t, rtol=1e-10, atol=1e-12, max_step=2e-3).y.T


def restored(state, change=lambda data: None):
    data = json.loads(json.dumps(keep.snapshot(state)))
    change(data)
    back = State.first("one-link")
    keep.restore(back, data)
    return back


def executed(state):
    names: dict = {}
    exec(compile(takeaway.python(state), "studio.py", "exec"), names)
    return names


# --- torque limits -----------------------------------------------------------------------------------------------


def with_effort(state, text="4"):
    state.editor.set_cell(0, "effort", text)
    assert state.follow_editor(), state.mistake
    return state.robot


def test_torque_limits_hold_the_actuators(state):
    robot = with_effort(state)
    state.run.torque = ["9", "1"]
    free = simulated(state, drive="constant")
    assert free.run.tau[0, 0] == 9
    assert free.beyond(False)[0].startswith("joint1 starts beyond its effort limit of 4 Nm")
    held = simulated(state, saturate=True)
    np.testing.assert_array_equal(held.run.tau, np.tile([4.0, 1.0], (len(held.run.t), 1)))
    oracle = scipy_run(robot, held.run, lambda t, q, qd: [4.0, 1.0])
    np.testing.assert_allclose(np.hstack([held.run.q, held.run.qd]), oracle, atol=1e-6)
    said = held.beyond(False, True)
    assert said == ["joint1 is held to its torque limit of 4 Nm, first at 0 s, for 0.5 s in all"]
    np.testing.assert_array_equal(executed(state)["run"].q, held.run.q)
    assert b"held to its torque limit" in takeaway.report(state)[1]
    assert signals.of_run(held, state.forward.order.plan).about == "two-link, rkf45, torque limits"
    assert restored(state).run.saturate is True
    assert restored(state, lambda data: data["run"].pop("saturate")).run.saturate is False


def test_a_result_from_before_a_switch_is_marked(state):
    with_effort(state)
    simulated(state)
    plan = state.forward.order.plan
    assert state.run.changed_since(plan, state.robot) == []
    state.run.saturate = state.run.stops = True
    assert state.run.changed_since(plan, state.robot) == ["joint stops", "torque limits"]


def test_torque_limits_need_limits(state):
    state.run.saturate = True
    with pytest.raises(redyn.RedynError, match="two-link has no effort limits; give some in the column effort"):
        state.forward_order()


# --- payload -----------------------------------------------------------------------------------------------------


def carry(state, mass="2", com="", inertia=""):
    for name, text in (("mass", mass), ("com", com), ("inertia", inertia)):
        state.set_payload(name, text)


def test_a_payload_is_in_the_inverse_dynamics(state):
    alone = state.run_inverse()
    carry(state, "2", "0.1, 0, 0.2", "0.01, 0.02, 0.03")
    assert state.inverse is None  # it is of the robot without
    found = state.run_inverse()
    ten = loads(2.0, [0.1, 0, 0.2], [0.01, 0.02, 0.03])
    oracle = state.robot.inverse_dynamics(alone.q, alone.qd, alone.qdd, payload=ten)
    np.testing.assert_allclose(found.tau, oracle, atol=1e-11)
    assert np.abs(found.tau - alone.tau).max() > 1
    np.testing.assert_allclose(sum(found.parts), found.tau, atol=1e-10)
    assert found.robot.name == "two-link with 2 kg at (0.1, 0, 0.2)"
    assert found.scene["payload"]["mass"] == 2.0
    assert alone.scene["payload"] is None
    np.testing.assert_allclose(executed(state)["tau"], found.tau, atol=1e-11)
    _, page = takeaway.report(state)
    assert b"two-link with 2 kg" in page
    assert json.loads(unpacked(page.decode(), "data"))["scenes"][0]["payload"]["mass"] == 2.0


def loads(mass, com, moments):
    """The ten numbers of a payload about the end effector's origin."""
    com, inertia = np.array(com, dtype=float), np.diag(moments)
    about = inertia + mass * (com @ com * np.eye(3) - np.outer(com, com))
    return [mass, *(mass * com), about[0, 0], about[0, 1], about[1, 1], about[0, 2], about[1, 2], about[2, 2]]


@pytest.mark.parametrize("drive", ["none", "computed"])
def test_a_payload_is_in_the_forward_dynamics(state, drive):
    carry(state, "2", "0, 0.1, 0")
    state.motion.duration = "0.5"
    finished = simulated(state, drive=drive)
    ten, run = loads(2.0, [0, 0.1, 0], [0, 0, 0]), finished.run
    if drive == "none":
        oracle = scipy_run(state.robot, run, lambda t, q, qd: np.zeros(2), payload=ten)
        np.testing.assert_allclose(np.hstack([run.q, run.qd]), oracle, atol=1e-6)
    else:  # the controller knows it
        motion = state.run.plan(state.robot, state.motion).motion.motion(state.robot)
        np.testing.assert_allclose(run.q, motion(run.t)[0], atol=1e-6)
    assert np.abs(run.energy.balance).max() < 1e-5
    assert run.robot.name == "two-link with 2 kg at (0, 0.1, 0)"
    assert finished.scene["payload"]["mass"] == 2.0
    np.testing.assert_allclose(executed(state)["run"].q, run.q, atol=1e-9)
    assert b"two-link with 2 kg" in takeaway.report(state)[1]
    assert signals.of_run(finished, state.forward.order.plan).about.startswith("two-link with 2 kg")


def test_a_payload_drops_results_and_says_what_it_stops(state):
    state.run_inverse()
    simulated(state)
    assert state.set_payload("mass", "1") == ""
    assert state.inverse is state.forward is None
    state.open(open_source("three-link"))
    assert not state.payload.given  # another robot begins without


def test_both_robots_carry_it(state):
    carry(state, "1.5")
    state.run.compare = "robot:three-link"
    simulated(state)
    names = [finished.run.robot.name for finished in state.forward.runs]
    assert names == ["two-link with 1.5 kg", "three-link with 1.5 kg"]
    assert executed(state)["other"].robot.description.links[-1].mass == 1.5


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        (("heavy",), "payload: mass"),
        (("-1",), "expected kilograms"),
        (("1, 2",), "payload: mass: expected a number"),
        (("1", "0, 0"), "payload: centre: expected three numbers"),
        (("1", "0, 0, 0", "1, 2"), "payload: inertia: expected three or six numbers"),
        (("1", "0, 0, 0", "1, 0, 0"), "inertia"),
    ],
)
def test_a_wrong_payload_is_named(state, fields, message):
    carry(state, *fields)
    with pytest.raises(redyn.RedynError, match=message):
        state.run_inverse()
    with pytest.raises(redyn.RedynError, match=message):
        simulated(state)
    assert state.inverse is None


def test_a_robot_without_an_end_effector_carries_nothing():
    link = {"mass": 1, "com": [0, 0, 0.1], "inertia": [1, 1, 1], "axis": [0, 1, 0], "joint": {"type": "revolute"}}
    links = [{**link, "name": name, "parent": "world", "xyz": [0, 0, 0], "rpy": [0] * 3} for name in ("left", "right")]
    with pytest.raises(redyn.RedynError, match="arms has several tips"):
        Payload(1.0).carried_by(redyn.load({"name": "arms", "convention": "frames", "links": links}))


def test_a_payload_on_closed_loops():
    state = State.first("four-bar")
    carry(state, "1")
    alone = State.first("four-bar").run_inverse()
    assert np.abs(state.run_inverse().tau - alone.tau).max() > 0.1


def test_sessions_keep_the_payload(state):
    carry(state, "2", "0, 0, 0.1", "1, 1, 1")
    assert restored(state).payload == state.payload
    assert not restored(state, lambda data: data.pop("payload")).payload.given  # of an earlier version
    with pytest.raises(redyn.RedynError):
        restored(state, lambda data: data["payload"].pop("mass"))


# --- sizing ------------------------------------------------------------------------------------------------------

MOTOR = {
    "rated_torque": "0.2",
    "peak_torque": "0.6",
    "max_speed": "1000 rpm",
    "ratio": "100",
    "efficiency": "0.8",
}


def put_motor(state, joint, **fields):
    for name, text in (MOTOR | fields).items():
        state.motors.cells[name][joint] = text


def test_sizing_is_that_of_the_library(state):
    state.motion.stop = ["pi", "pi"]
    found = state.run_inverse()
    put_motor(state, 0)
    sized = state.sized("inverse")
    motor = redyn.sizing.Motor(0.2, 0.6, 1000 * np.pi / 30, ratio=100, efficiency=0.8)
    oracle = redyn.sizing.size(state.robot, [motor, None], found.t, found.qd, found.tau, found.qdd).joints[0]
    first, second = sized.joints
    assert first.motor.motor == motor
    assert (first.motor.continuous, first.motor.peak, first.motor.speed) == (
        oracle.continuous,
        oracle.peak,
        oracle.speed,
    )
    assert first.motor.verdict == "fits"
    assert second.motor is None
    np.testing.assert_allclose(second.load.peak_torque, np.abs(found.tau[:, 1]).max())
    assert motors.joint_rows(sized, RADIANS)[0][:3] == ["joint1", "20.1 Nm", "13.44 Nm"]
    assert motors.joint_rows(sized, DEGREES)[0][3].endswith(" deg/s")
    assert motors.motor_rows(sized)[0][-4:] == ["77%", "42%", "60%", "fits"]
    assert "joint1: fits" in charts(sized)
    rows = list(csv.reader(takeaway.sizing_csv(state, "inverse")[1].splitlines()))
    table = dict(zip(rows[0], rows[1], strict=True))
    assert float(table["rms_torque"]) == first.load.rms_torque
    assert float(table["motor ratio"]) == 100
    assert table["verdict"] == "fits"
    assert rows[2][-1] == ""


def test_sizing_is_of_the_present_result(state):
    assert state.sized("inverse") is None
    assert state.sized("forward") is None
    with pytest.raises(redyn.RedynError, match="there is no motion yet"):
        takeaway.sizing_csv(state, "forward")
    run = simulated(state).run
    assert state.sized("forward").joints[0].load.peak_speed == np.abs(run.qd[:, 0]).max()
    alone = state.run_inverse().tau
    carry(state, "2")
    assert state.sized("inverse") is state.sized("forward") is None
    loaded = state.run_inverse().tau
    assert state.sized("inverse").joints[0].load.peak_torque == np.abs(loaded[:, 0]).max() > np.abs(alone[:, 0]).max()


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"peak_torque": ""}, "Motor of joint1: peak torque is missing"),
        ({"ratio": "many"}, "Motor of joint1: gear ratio: "),
        ({"peak_torque": "0.1"}, "Motor of joint1: peak torque 0.1 is below rated torque 0.2"),
        ({"efficiency": "80"}, "Motor of joint1: efficiency: expected a number up to 1"),
    ],
)
def test_a_wrong_motor_is_named_and_the_others_stay(state, fields, message):
    put_motor(state, 0, **fields)
    put_motor(state, 1)
    state.run_inverse()
    found = state.sized("inverse")
    assert found.notes[0].startswith(message)
    assert [joint.motor is not None for joint in found.joints] == [False, True]


def test_motors_stay_with_their_joints(state):
    put_motor(state, 1, ratio="50")
    with_effort(state)
    assert state.motors.cells["ratio"] == ["", "50"]
    state.motors.cells["ratio"][0] = "7"
    state.motors.spread()
    assert state.motors.cells["ratio"] == ["7", "7"]
    assert state.motors.cells["rated_torque"] == ["", ""]
    state.sizing = {"forward"}
    back = restored(state)
    assert (back.motors, back.sizing) == (state.motors, {"forward"})

    def earlier(data):
        del data["motors"], data["sizing"]

    assert restored(state, earlier).sizing == set()
    state.open(open_source("three-link"))
    assert state.motors.cells["ratio"] == ["", "", ""]


def test_the_report_has_the_sizing_if_it_is_shown(state):
    put_motor(state, 0)
    state.run_inverse()
    assert b"What the motors need" not in takeaway.report(state)[1]
    state.sizing = {"inverse"}
    page = takeaway.report(state)[1].decode()
    for text in ("What the joints need", "What the motors need", "joint1: torque over speed of the motor"):
        assert text in page


def test_a_rotor_that_counts_twice_is_noted(state):
    state.editor.set_cell(0, "armature", "0.1")
    assert state.follow_editor()
    put_motor(state, 0, inertia="1e-5")
    state.run_inverse()
    with pytest.warns(redyn.RedynWarning, match="count twice"):
        assert state.sized("inverse").notes[0].startswith("joint1: the rotor inertia is added to the armature")


def test_sizing_of_driven_joints_only():
    state = State.first("four-bar")
    state.run_inverse()
    assert [joint.name for joint in state.sized("inverse").joints] == ["crank"]


# --- pushes ------------------------------------------------------------------------------------------------------

FORCE, POINT = np.array([0.0, 30.0, 5.0]), np.array([-0.5, 0.1, 0.0])


def add_push(state, **fields):
    state.run.add_push(new_push(state.robot))
    for name, text in {"point": "-0.5, 0.1, 0", "force": "0, 30, 5", "start": "0.1", **fields}.items():
        setattr(state.run.pushes[-1], name, text)


def test_a_push_acts_in_the_forward_dynamics(state):
    robot = state.robot
    add_push(state, duration="0.2")
    finished = simulated(state)
    run = finished.run

    def external(t, q):
        arm = robot.forward_kinematics(q, "link2")[:3, :3] @ POINT
        on = 0.1 <= t < 0.3
        return {"link2": on * np.concatenate([np.cross(arm, FORCE), FORCE])}

    oracle = scipy_run(robot, run, lambda t, q, qd: np.zeros(2), external=external)
    np.testing.assert_allclose(np.hstack([run.q, run.qd]), oracle, atol=2e-4)
    assert abs(run.energy.external[-1]) > 0.1
    assert np.abs(run.energy.balance).max() < 1e-5
    assert "external" in work.run_plots(run)["energy"].names
    (arrow,) = finished.scene["pushes"]
    assert (arrow["link"], arrow["start"], arrow["stop"]) == (2, 0.1, pytest.approx(0.3))
    np.testing.assert_allclose(executed(state)["run"].q, run.q, atol=1e-9)
    page = takeaway.report(state)[1].decode()
    assert json.loads(unpacked(page, "data"))["scenes"][0]["pushes"] == [arrow]
    assert "1 push" in page
    assert signals.of_run(finished, state.forward.order.plan).about == "two-link, rkf45, 1 push"
    assert restored(state).run.pushes == state.run.pushes
    assert restored(state, lambda data: data["run"].pop("pushes")).run.pushes == []


def test_a_changed_push_is_marked(state):
    add_push(state)
    simulated(state)
    plan = state.forward.order.plan
    assert state.run.changed_since(plan, state.robot) == []
    state.run.pushes[0].force = "0, 0, 1"
    assert state.run.changed_since(plan, state.robot) == ["pushes"]
    state.run.pushes[0].force = "up"
    assert state.run.changed_since(plan, state.robot) == ["pushes"]
    state.run.pushes.clear()
    assert state.run.changed_since(plan, state.robot) == ["pushes"]


def test_the_size_of_a_push(state):
    add_push(state, force="0, 3, 4")
    push = state.run.pushes[0]
    assert push.size == "5"
    push.set_size("10")
    assert push.force == "0, 6, 8"
    push.force = "much"
    assert push.size == ""
    with pytest.raises(redyn.RedynError, match="force"):
        push.set_size("1")


def test_a_push_from_the_view(state):
    push = dragged(state.robot, 1, np.array([0.1234, 0, -1e-17]), np.array([0, 12.345, 0]), 0.25)
    assert (push.link, push.point, push.force, push.start) == ("link1", "0.123, 0, 0", "0, 12.3, 0", "0.25")
    with pytest.raises(redyn.RedynError, match="finite"):
        dragged(state.robot, 1, np.array([np.nan, 0, 0]), np.zeros(3), 0.0)


@pytest.mark.parametrize(
    "wrong",
    [None, 7, {}, {"link": 0}, {"link": 3}, {"link": True}, {"link": "link1"}, {"x": "here"}, {"fz": None}],
)
def test_an_arrow_that_no_page_would_send_is_refused(state, wrong):
    panel = object.__new__(PushList)
    panel._desk = SimpleNamespace(state=state)
    whole = {"link": 1, **dict.fromkeys(("x", "y", "z", "fx", "fy", "fz"), 1.0)}
    message = {**whole, **wrong} if wrong and isinstance(wrong, dict) else wrong
    with pytest.raises(messages.MalformedError):
        asyncio.run(panel.dragged(message))
    with pytest.raises(messages.MalformedError):
        asyncio.run(panel._edited(message))
    assert state.run.pushes == []


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"force": "1, 2"}, "push 1: force: expected three numbers"),
        ({"point": ""}, "push 1: point"),
        ({"start": "-1"}, "push 1: expected a start from 0"),
        ({"duration": "0"}, "push 1: expected a start from 0 and a duration"),
        ({"force": "1e12, 0, 0"}, "push 1: force: expected numbers up to"),
    ],
)
def test_a_wrong_push_is_named(state, fields, message):
    add_push(state, **fields)
    with pytest.raises(redyn.RedynError, match=message):
        state.forward_order()


def test_pushes_stay_with_their_links(state):
    for _ in range(MOST):
        add_push(state)
    with pytest.raises(redyn.RedynError, match="which is the limit"):
        add_push(state)
    with_effort(state)
    assert len(state.run.pushes) == MOST
    state.run.compare = "robot:one-link"
    with pytest.raises(redyn.RedynError, match="one-link has no link link2"):
        simulated(state)
    state.open(open_source("three-link"))
    assert state.run.pushes == []
