"""Robots with legs walk, are dropped, pushed and stand up; ReDySim's quadruped as in golden_contact.json."""

import json
from pathlib import Path

import numpy as np
import pytest

import redyn
from commands import printed
from redyn.reproduce import quadruped as reproduced
from redyn.simulation.walking import (
    CRAWL,
    EXAMPLES,
    FIRM,
    KD,
    KP,
    STEPPING,
    TRIPOD,
    example,
    follow,
    hold,
    measure,
    standing,
)
from redyn.trajectory import redysim_trot, walk

GOLDEN = json.loads((Path(__file__).parents[1] / "data" / "golden_contact.json").read_text())["redysim_quadruped"]


@pytest.fixture(scope="module", params=["quadruped", "biped", "hexapod"])
def walked(request):
    """One stride: the motion, the run, and the distance that was asked for."""
    robot = redyn.load(request.param)
    if request.param == "quadruped":
        motion = walk(robot, CRAWL, 1, direction=[0, 0, 1], start=standing(robot), margin=0.3)
        return motion, follow(robot, motion, FIRM), CRAWL["stride"]
    gait, margin = (STEPPING, 1.0) if request.param == "biped" else (TRIPOD, 0.5)
    motion = walk(robot, gait, 1, margin=margin)
    return motion, follow(robot, motion), gait["stride"]


def test_it_walked_as_far_as_asked(walked):
    motion, run, stride = walked
    found = measure(run)
    assert found.distance == pytest.approx(stride, rel=0.04)
    assert -0.003 < found.height[0] <= found.height[1] < 0.001
    assert found.tilt < np.radians(0.6)
    assert found.slide < 0.002
    assert found.depth < 0.003
    places = motion.legs.places(run.q)[0]
    asked = motion.legs.places(motion(run.t)[0])[0]
    assert np.abs(places - asked)[-1].max() < 0.005


def test_feet_leave_the_ground_when_they_should(walked):
    """In the middle of every swing there is no force, in the middle of what lies between there is one."""
    motion, run, _ = walked
    contacts = run.ground_contacts
    owner = np.array([motion.feet.index(name.split(".")[0]) for name in contacts.names])
    for swing in motion.swings:
        k = int(np.argmin(np.abs(run.t - (swing.start + swing.stop) / 2)))
        own = owner == swing.foot
        assert not contacts.forces[k][own].any()
        assert contacts.gaps[k][own].min() > 0.03
        assert contacts.forces[k][~own].any()
    mass = run.robot.total_mass
    mean = np.trapezoid(contacts.forces.sum(axis=1), run.t, axis=0) / run.t[-1]
    assert mean @ motion.legs.up == pytest.approx(mass * 9.81, rel=2e-3)


def test_joints_follow_and_energy_balances(walked):
    motion, run, _ = walked
    asked = motion(run.t)[0]
    assert np.abs(run.q - asked)[:, 7:].max() < 1e-4
    assert not run.tau[:, :6].any()
    assert np.abs(run.energy.balance).max() < 1e-4
    assert run.energy.ground[-1] < -1e-3  # lost in the ground


@pytest.mark.filterwarnings("ignore::redyn.RedynWarning")
def test_a_public_robot_trots():
    """HyQ as example-robot-data has it, with its feet named here; two feet on a diagonal carry it."""
    feet = ["lf_foot", "rf_foot", "lh_foot", "rh_foot"]
    robot = redyn.load("example-robot-data:hyq", floating_base=True).with_contacts([{"link": foot} for foot in feet])
    q = robot.initial
    q[7:] = [-0.2, 0.75, -1.5] * 2 + [-0.2, -0.75, 1.5] * 2
    q[2] = -robot.forward_kinematics(q, "lf_foot")[2, 3]
    gait = {"period": 0.8, "duty": 0.6, "stride": 0.2, "lift": 0.06, "order": [feet[::3], feet[1:3]]}
    found = measure(follow(robot, walk(robot, gait, 1, start=q, margin=1.0), {"slip": 0.02}))
    assert found.distance == pytest.approx(0.2, rel=0.03)
    assert found.tilt < np.radians(0.5)
    assert found.slide < 0.003


def test_errors_of_joints_decay_as_the_gains_say():
    """e-ddot + kd e-dot + kp e = 0, in the air and on the ground."""
    robot = redyn.load("hexapod")
    q = robot.initial
    off = q.copy()
    off[7] += 0.01
    for ground in (True, None):
        torque = redyn.control.legged(robot, hold(q, robot.dof), KP, KD, ground)
        run = redyn.simulate(robot, off, np.zeros(robot.dof), 0.2, torque, ground=ground, rtol=1e-6)
        w = np.sqrt(KP)
        np.testing.assert_allclose(run.q[:, 7] - q[7], 0.01 * (1 + w * run.t) * np.exp(-w * run.t), atol=1e-7)
        fallen = run.q[-1, 2] - q[2]
        assert fallen == pytest.approx(-9.81 / 2 * 0.2**2, rel=0.01) if ground is None else fallen > -0.002


def test_redysims_second():
    """0.6 mm and 1 mrad from ReDySim's own result, 2e-6 from the same law around Pinocchio; its energies."""
    robot = redyn.load("quadruped")
    q, qd, _ = redysim_trot(0.0)
    torque = redyn.control.legged(robot, redysim_trot, 49, 14)
    run = redyn.simulate(robot, q, qd, 1.0, torque, ground=True, sample=GOLDEN["t"], rtol=1e-6)
    base = np.concatenate([run.q[:, :3], reproduced.angles(robot, run.q)], axis=1)
    off = np.abs(base - GOLDEN["redysim_base"]).max(axis=0)
    assert off[:3].max() < 6e-4
    assert off[3:].max() < 1e-3
    np.testing.assert_allclose(base, GOLDEN["ours_base"], rtol=0, atol=2e-6)
    potential, kinetic, actuators, total, ground = np.array(GOLDEN["redysim_energy"]).T
    energy = run.energy
    landed = run.t > 0.85
    for ours, theirs in (
        (energy.potential, potential),
        (energy.kinetic, kinetic),
        (-energy.actuators, actuators),
        (-energy.ground, ground),
    ):
        assert np.abs(ours - theirs)[~landed].max() < 0.01
        assert np.abs(ours - theirs).max() < 0.2
    assert np.abs(energy.total - energy.actuators - energy.ground - total).max() < 2e-4


def test_the_trot_goes_on():
    """Beyond what ReDySim shows: a step a second, upright."""
    robot = redyn.load("quadruped")
    q, qd, _ = redysim_trot(0.0)
    torque = redyn.control.legged(robot, redysim_trot, 49, 14)
    found = measure(redyn.simulate(robot, q, qd, 3.0, torque, ground=True, rtol=1e-4))
    assert found.distance == pytest.approx(3 * 0.3, rel=0.05)
    assert found.tilt < np.radians(3)
    assert found.height[0] > -0.02


def test_the_numbers_of_the_item_are_the_golden_ones():
    for name, key in (("BASE", "redysim_base"), ("INDEPENDENT", "ours_base"), ("ENERGIES", "redysim_energy")):
        assert getattr(reproduced, name) == GOLDEN[key]


def test_the_library_has_redysims_table():
    """Masses, mass centres, inertias and where the joints are."""
    table, robot = GOLDEN["table"], redyn.load("quadruped")
    bodies = [link for link in robot.description.links if link.joint.type != "fixed"]
    for i, link in enumerate(bodies):
        assert link.mass == table["m"][i]
        assert link.com == (table["dx"][i], table["dy"][i], table["dz"][i])
        diagonal = [table[key][i] for key in ("Icxx", "Icyy", "Iczz")]
        np.testing.assert_allclose([link.inertia[k] for k in (0, 3, 5)], diagonal, atol=1e-15)
        if i:
            alpha, b = table["alp"][i], table["b"][i]
            place = link.xyz or (0.0, 0.0, 0.0)
            np.testing.assert_allclose(place, [table["a"][i], -b * np.sin(alpha), b * np.cos(alpha)], atol=1e-15)
            assert bodies[int(table["bt"][i]) - 1].name == link.parent
    stiffness, damping, _, friction, sideways = table["g_prop"][:5]
    ground = robot.ground()
    assert (ground.stiffness, ground.damping, ground.friction, ground.tangential_damping) == (
        stiffness,
        damping,
        friction,
        sideways,
    )
    q, qd, _ = redysim_trot(0.0)
    assert robot.kinetic_energy(q, qd) == pytest.approx(GOLDEN["agreement"]["ke_pe_at_0"][0], abs=1e-7)


def test_a_dropped_quadruped_lands_on_its_feet():
    run = example("drop")
    falling = run.t < np.sqrt(2 * 0.3 / 9.81) - 0.005
    np.testing.assert_allclose(run.q[falling, 1], 0.8 - 9.81 / 2 * run.t[falling] ** 2, atol=0.01)
    assert 0.40 < run.q[:, 1].min() < 0.45  # the legs gave way
    assert run.q[-1, 1] == pytest.approx(0.48, abs=0.02)
    assert np.abs(run.qd[-1]).max() < 0.02
    assert np.abs(run.energy.balance).max() < 1e-3
    trunk = [k for k, name in enumerate(run.ground_contacts.names) if name.startswith("trunk")]
    assert len(trunk) == 8
    assert not run.ground_contacts.forces[:, trunk].any()


def test_a_pushed_quadruped_comes_back_unless_it_falls():
    run = example("push")
    found = measure(run)
    assert np.radians(8) < found.tilt < np.radians(20)
    assert found.distance < 0.01
    assert np.abs(run.qd[-1]).max() < 0.01
    assert run.energy.external[-1] > 5
    robot = run.robot
    q = standing(robot)
    torque = redyn.control.legged(robot, hold(q, robot.dof), KP, KD, FIRM)
    hard = redyn.Push("trunk", force=[300, 0, 0], start=0.1, duration=0.1)
    fallen = redyn.simulate(robot, q, np.zeros(robot.dof), 0.9, torque, ground=FIRM, pushes=hard, rtol=1e-4)
    assert measure(fallen).tilt > np.radians(60)


def test_a_quadruped_stands_up():
    run = example("stand")
    assert run.q[0, 1] == pytest.approx(0.15)
    assert run.q[-1, 1] == pytest.approx(0.5, abs=0.002)
    found = measure(run)
    assert found.tilt < np.radians(0.2)
    assert found.slide < 0.002
    lifted = run.robot.total_mass * 9.81 * 0.35
    assert run.energy.actuators[-1] > 0.6 * lifted  # the legs, a third of the weight, rise less than the trunk


def test_measures_need_a_ground():
    robot = redyn.load("quadruped")
    run = redyn.simulate(robot, robot.initial, np.zeros(robot.dof), 0.01)
    with pytest.raises(redyn.InputError, match="the run has no ground"):
        measure(run)


def test_command(tmp_path):
    listed = printed("walk", "--list")
    assert all(name in listed and entry.title in listed for name, entry in EXAMPLES.items())
    text = printed("walk", "stand", "--out", str(tmp_path), "--json")
    (row,) = json.loads(text)
    assert row["example"] == "stand"
    assert Path(row["page"]).read_text("utf-8").startswith("<!doctype html>")
    assert "no example is called 'jog'" in printed("walk", "jog", code=2)
