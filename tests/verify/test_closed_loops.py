"""redyn verify of robots with closed loops: what is compared, and why the rest is not."""

import json

import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

import redyn
from mechanisms import LOOPS, random_loop
from random_robots import close, on_floats, random_joints
from redyn.cli.main import app
from redyn.verify.closed import loop_rows
from redyn.verify.compare import random_states, verify
from redyn.verify.mujoco_peer import Mujoco
from redyn.verify.peers import joint_names, read
from redyn.verify.pinocchio_loops import Constraints, pinocchio_model
from redyn.verify.pinocchio_peer import Pinocchio

LIBRARY = [name for name in redyn.library() if redyn.load(name).loops]
SOFT = "not compared: MuJoCo's loops are soft constraints, which give way under load"


def verified(source, **options):
    return {item.peer: item for item in verify(source, **options)[1]}


@pytest.mark.parametrize(
    "name", [name if name == "four-bar" else pytest.param(name, marks=pytest.mark.slow) for name in LIBRARY]
)
def test_library(name):
    found = verified(name, states=10)
    pinocchio, mujoco = found["Pinocchio"], found["MuJoCo"]
    assert not pinocchio.skipped
    rows = {row.quantity: row for row in pinocchio.rows}
    assert len(rows) == 13
    assert {"forward_dynamics", "inverse_dynamics of forward_dynamics", "forward_dynamics of the tree"} < set(rows)
    assert not any(row.note for row in rows.values())
    assert all(row.difference < 1e-12 for row in rows.values()), rows
    if name == "3-rrr":
        assert "inertia must satisfy" in mujoco.skipped  # its platform is unphysical, and so it says
        return
    noted = [(row.quantity, row.note) for row in mujoco.rows if row.note]
    assert noted == [("forward_dynamics", SOFT), ("inverse_dynamics", SOFT)]
    assert all(row.difference < 1e-12 for row in mujoco.rows), mujoco.rows


@pytest.mark.parametrize("wrong", ["forward_dynamics", "inverse_dynamics"])
def test_a_wrong_answer_is_seen(monkeypatch, wrong):
    """Of the closed robot alone: its tree stays right."""
    right = getattr(redyn.Robot, wrong)

    def off(self, *state, **options):
        return right(self, *state, **options) * (1 + 1e-6 * bool(self.loops))

    monkeypatch.setattr(redyn.Robot, wrong, off)
    differing = {row.quantity for row in verified("four-bar", states=3)["Pinocchio"].rows if not row.agrees}
    expected = {"inverse_dynamics of forward_dynamics"}
    assert differing == (expected | {"forward_dynamics"} if wrong == "forward_dynamics" else expected)


@pytest.mark.parametrize("kind", LOOPS)
def test_every_joint_that_closes_a_loop(kind):
    """Pinocchio has points and frames; of the others it is said."""
    data = next(data for seed in range(4, 50) if (data := random_loop(seed, 5, kind)) is not None)
    robot = on_floats(redyn.load(data, exact=True, friction=False))
    states = random_states(robot, 3)
    assert np.abs(robot.loop_error(states.q)).max() < 1e-11
    forward, inverse = loop_rows(robot, read(Pinocchio, robot), states, 1e-11, np.full(3, 1e3))
    assert inverse.agrees or inverse.note, inverse
    if kind in ("revolute", "spherical", "fixed"):
        assert forward.agrees, forward
        assert not forward.note
    else:
        assert forward.note == f"not compared: Pinocchio cannot close a loop by a {kind} joint"
    forward, _ = loop_rows(robot, read(Mujoco, robot), states, 1e-11, np.ones(3))
    assert forward.note == SOFT


def test_torques_of_more_actuators_than_needed():
    """Other torques come back, which do the same."""
    data = redyn.load("four-bar").description.model_copy(update={"actuated": ["crank", "output"]})
    robot = on_floats(redyn.Robot(data, exact=True))
    states = random_states(robot, 3)
    _, inverse = loop_rows(robot, read(Pinocchio, robot), states, 1e-11, np.ones(3))
    found = robot.inverse_dynamics(states.q, states.qd, robot.forward_dynamics(*states))
    assert np.abs(found - states.x).max() > 1e-3
    assert inverse.agrees


@pytest.mark.slow
def test_on_a_floating_base():
    found = verified("four-bar", states=3, floating_base=True)
    assert found["Pinocchio"].agrees
    assert "forward_dynamics" in [row.quantity for row in found["Pinocchio"].rows if not row.note]
    assert "mass and inertia of moving bodies" in found["MuJoCo"].skipped  # its base has none


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6), n=st.integers(1, 6))
def test_trees_body_by_body(seed, n):
    """Joints of any kind, as both programs are given them."""
    robot = on_floats(redyn.load(random_joints(seed, n), exact=True, friction=False))
    armature = np.array([float(link.joint.armature) for link in robot.model.driven])
    given = robot.description, joint_names(robot), robot.gravity, armature, np.zeros(robot.dof)
    peer = Pinocchio.build(*given)
    states = random_states(robot, 1)
    q, qd, x = (array[0] for array in states)
    answer = peer.answers(q, qd, x, robot.link_names[-1])
    close(robot.mass_matrix(q), answer["mass_matrix"])
    close(robot.inverse_dynamics(q, qd, x), answer["inverse_dynamics"])
    close(robot.forward_kinematics(q, robot.link_names[-1]), answer["forward_kinematics"])
    if any(link.joint.type in ("helical", "free") for link in robot.description.links):
        return  # MuJoCo has no screws, and free joints at the world only
    answer = Mujoco.build(*given).answers(q, qd, x, robot.link_names[-1])
    close(robot.mass_matrix(q), answer["mass_matrix"])
    close(robot.inverse_dynamics(q, qd, x), answer["inverse_dynamics"])


@pytest.mark.parametrize("name", ["puma", "stanford"])
def test_dh_tables_body_by_body(name):
    robot = redyn.load(name, exact=True, friction=False)
    model = pinocchio_model(robot.description)
    q = np.random.default_rng(1).uniform(-2, 2, robot.dof)
    M = pin.crba(model, model.createData(), q)
    close(robot.mass_matrix(q), np.triu(M) + np.triu(M, 1).T)


def test_rows_of_pinocchio():
    """A pin is two points, a ball is one."""
    for name, rows in (("four-bar", 6), ("stewart", 15)):
        description = redyn.load(name).description
        assert Constraints(pinocchio_model(description), description).rows == rows


def run(*arguments):
    return CliRunner().invoke(app, ["verify", *map(str, arguments)])


def test_command():
    shown = run("four-bar", "--states", 3)
    assert shown.exit_code == 0, shown.output
    text = " ".join(shown.output.split())
    assert "All states keep its 1 loop closed (mobility 1)" in text
    assert SOFT in text
    assert "by Pinocchio's constraintDynamics" in text
    line = run("four-bar", "--states", 3, "--markdown").stdout.splitlines()[-1]
    assert line.count("|") == 5
    assert f"; forward_dynamics and inverse_dynamics {SOFT} |" in line
    data = json.loads(run("four-bar", "--states", 3, "--json").output)
    assert all(peer["agrees"] for peer in data["peers"])
