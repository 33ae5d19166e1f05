"""Robots on wheels and on the ground in the studio, without a browser: widths, forms, runs and what is kept."""

import numpy as np
import pytest

import redyn
from redyn.errors import RedynError
from redyn.studio import keep, signals, takeaway, work
from redyn.studio.coordinates import sliders
from redyn.studio.grounding import GroundForm, can_stand
from redyn.studio.opening import opened as built
from redyn.studio.state import State
from redyn.studio.table import draft_of, read
from redyn.studio.units import DEGREES, RADIANS

BLOCK = {
    "name": "block",
    "convention": "frames",
    "links": [
        {
            "name": "block",
            "joint": {"name": "base", "type": "free", "initial": [0, 0, 0.1, 0, 0, 0, 1]},
            "mass": 2.0,
            "com": [0, 0, 0],
            "inertia": [0.0217, 0.0333, 0.0417],
            "collision": [{"type": "box", "size": [0.4, 0.3, 0.2]}],
        }
    ],
}


@pytest.fixture
def opened():
    made = []

    def go(source):
        made.append(State.first(source))
        return made[-1]

    yield go
    for state in made:
        state.close()


def ran(state):
    order = state.forward_order()
    state.forward = work.forward(lambda *_: None, order)
    state.choose("forward")
    return state.forward.runs[0], order


@pytest.mark.parametrize("name", ["mecanum", "rolling-disk", "chaplygin-sleigh"])
def test_every_panel_of_a_robot_on_wheels(opened, name):
    """q is the tree's, qd the independent rates, tau one per actuator: no panel takes one for another."""
    state = opened(name)
    robot = state.robot
    assert len(sliders(robot)) == robot.model.tangent
    before = state.q.copy()
    for k in range(robot.model.tangent):
        state.jog(k, float(0.05 + k / 100))
    assert (state.q != before).any()
    assert len(state.run.torque) == len(robot.torque_names)
    state.run.set_duration("0.2")
    finished, order = ran(state)
    run = finished.run
    assert (run.q.shape[1], run.qd.shape[1], run.tau.shape[1]) == (robot.nq, robot.dof, len(robot.torque_names))
    assert not np.array_equal(run.q[0], run.q[-1])  # it is on its way without anything being typed
    assert bool(finished.scene["rolling"]["centres"]) == (name != "rolling-disk")  # which leans, and has none
    plots = takeaway.plots_of(state.forward)
    assert list(plots["tau"][0].names) == robot.torque_names
    assert takeaway.plot_csv(state, "forward", "tau")[1].split("\n")[0].count("tau_") == len(robot.torque_names)
    assert signals.of_run(finished, order.plan).has(f"tau_{robot.torque_names[-1]}")
    assert (state.sized("forward") is None) == (robot.torque_names != robot.velocity_names)
    assert state.matrices()["mass"].shape == (robot.tree.dof,) * 2
    assert finished.beyond(stops=False) is not None
    assert read(draft_of(robot.description)) == robot.description  # the tables keep its wheels


def test_motions_between_poses_are_not_for_wheels(opened):
    state = opened("agv")
    with pytest.raises(RedynError, match="the wheels of agv would slip"):
        state.run_inverse()
    state.run.drive = "pd"
    with pytest.raises(RedynError, match="expected one of none, constant, csv for agv, which is on wheels"):
        state.forward_order()


def test_the_ground(opened):
    """A block with collision shapes lies on it; the switch, its numbers and the code say so."""
    state = opened(built(redyn.load(BLOCK).description, []))
    assert can_stand(state.robot)
    assert not state.run.ground.on
    state.run.ground = GroundForm(on=True, friction="0.5")
    state.run.set_duration("1")
    finished, order = ran(state)
    contacts = finished.run.ground_contacts
    assert finished.run.ground.friction == 0.5
    assert contacts.normal_forces[-1].sum() == pytest.approx(2 * 9.81, rel=1e-3)
    assert finished.scene["standing"]["names"] == contacts.names
    assert order.plan.conditions == ["ground (friction 0.5)"]
    assert {"stands", "normal", "pressure", "slip"} <= set(takeaway.plots_of(state.forward))
    assert signals.of_run(finished, order.plan).has("normal_block.1")
    assert "ground={'friction': 0.5, 'contacts': 'collision'}" in takeaway.python(state)
    assert takeaway.report(state)[1].startswith(b"<!doctype html>")
    for angles in (RADIANS, DEGREES):
        state.angles = angles
        head, *rows = takeaway.motion_csv(state)[1].splitlines()
        assert "contact_block.1_fz [N]" in head
        assert len(rows) == len(finished.run.t)
    assert state.run.changed_since(order.plan, state.robot) == []
    state.run.ground.friction = "0.6"
    assert state.run.changed_since(order.plan, state.robot) == ["the ground"]
    other = opened("two-link")
    keep.restore(other, keep.snapshot(state))
    assert other.run.ground == GroundForm(on=True, friction="0.6")


@pytest.mark.parametrize(("name", "text"), [("friction", "-1"), ("stiffness", "0"), ("friction", "rough")])
def test_numbers_of_the_ground(name, text):
    with pytest.raises(RedynError, match=f"{name} of the ground"):
        GroundForm(on=True, **{name: text}).plan(redyn.load(BLOCK))


def test_robots_without_contacts():
    assert not can_stand(redyn.load("puma"))
    assert not can_stand(redyn.load("agv"))
    with pytest.raises(RedynError, match="puma has nothing that could touch it"):
        GroundForm(on=True).plan(redyn.load("puma"))
    assert GroundForm().plan(redyn.load("puma")) is None
