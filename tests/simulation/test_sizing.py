"""Sizing of actuators against cases computed by hand."""

import numpy as np
import pytest

import redyn
from redyn.errors import InputError, RedynWarning
from redyn.simulation.sizing import Motor, size

MOTOR = Motor(rated_torque=1.0, peak_torque=3.0, max_speed=100.0, rated_speed=50.0, ratio=10.0, efficiency=0.8)


@pytest.fixture(scope="module")
def robot():
    return redyn.load("one-link")


def columns(*values):
    return [np.asarray(value, dtype=float)[:, None] for value in values]


def test_square_wave(robot):
    """2 s at 4 rad/s: 12 Nm for 1 s, then -12 Nm; the motor drives, then brakes."""
    t = np.concatenate([np.linspace(0, 1, 101), np.linspace(1, 2, 101) + 1e-9])
    tau = np.where(t <= 1, 12.0, -12.0)
    found = size(robot, MOTOR, t, *columns(4 + 0 * t, tau, 0 * t))
    (joint,) = found.joints
    assert joint.joint_side.rms_torque == pytest.approx(12)
    assert joint.joint_side.peak_power == pytest.approx(48)
    assert joint.joint_side.energy == pytest.approx(0, abs=1e-6)
    assert joint.joint_side.returned == pytest.approx(48)
    # driving 12 / (10 * 0.8) = 1.5 Nm, braking 12 * 0.8 / 10 = 0.96 Nm, at 40 rad/s
    there = joint.motor_side
    assert there.peak_torque == pytest.approx(1.5)
    assert there.peak_speed == pytest.approx(40)
    assert there.rms_torque == pytest.approx(np.sqrt((1.5**2 + 0.96**2) / 2))
    assert there.energy == pytest.approx(40 * (1.5 - 0.96), abs=1e-6)
    assert there.mean_power == pytest.approx(20 * (1.5 - 0.96), abs=1e-6)
    assert there.returned == pytest.approx(40 * 0.96)
    assert joint.continuous == pytest.approx(1.2592, abs=1e-4)
    assert joint.peak == pytest.approx(0.5)
    assert joint.speed == pytest.approx(0.4)
    assert joint.reasons == ["RMS torque 1.26 times the rated torque"]
    assert not found.fits


def test_rotor(robot):
    """A joint that accelerates at 5 rad/s^2 without load: inertia * ratio * 5 at the motor."""
    t = np.linspace(0, 1, 11)
    motor = Motor(1.0, 3.0, 100.0, ratio=10.0, inertia=0.01)
    (joint,) = size(robot, motor, t, *columns(5 * t, 0 * t, 5 + 0 * t)).joints
    assert joint.motor_side.rms_torque == pytest.approx(0.5)
    assert joint.motor_side.energy == pytest.approx(0.01 * 50**2 / 2)
    assert joint.joint_side.energy == 0.0
    assert joint.verdict == "fits"


def test_torque_speed_curve(robot):
    """At 80 rad/s only 3 * 20 / 50 = 1.2 Nm are left."""
    t = np.linspace(0, 1, 11)
    (joint,) = size(robot, MOTOR, t, *columns(8 + 0 * t, 12 * (t > 0.85), 0 * t)).joints
    assert joint.peak == pytest.approx(1.5 / 1.2)
    assert joint.reasons == ["peak torque 1.25 times what is available at its speed"]
    (joint,) = size(robot, MOTOR, t, *columns(11 + 0 * t, 0 * t + 0.1, 0 * t)).joints
    assert joint.reasons == ["speed 1.10 times the largest"]
    assert joint.peak == np.inf


def test_uneven_times(robot):
    """RMS and energy weigh every stretch by its length."""
    t = np.array([0.0, 0.1, 1.0])
    (joint,) = size(robot, MOTOR, t, *columns([1, 1, 1], [2, 2, 2], [0, 0, 0])).joints
    assert joint.joint_side.rms_torque == pytest.approx(2)
    assert joint.joint_side.energy == pytest.approx(2)


def test_a_run_and_its_energy(tmp_path):
    """The energy at the joints is the work of the actuators; a motor per joint, by name, and a figure."""
    robot = redyn.load("two-link")
    motion = redyn.trajectory.cycloidal([0, 0], [1, 1], 1.0)
    run = redyn.simulate(robot, [0, 0], [0, 0], 1.0, torque=redyn.control.feedforward(robot, motion), sample=1e-3)
    found = run.size(MOTOR)
    assert [joint.name for joint in found.joints] == ["joint1", "joint2"]
    work = sum(joint.joint_side.energy for joint in found.joints)
    assert work == pytest.approx(run.energy.actuators[-1], rel=1e-5)
    big = Motor(100.0, 300.0, 1000.0)
    named = run.size({"joint2": big})
    assert [joint.name for joint in named.joints] == ["joint2"]
    assert named.fits
    assert [joint.motor for joint in run.size([None, big]).joints] == [big]
    figure = found.plot(tmp_path / "motors.png")
    assert len(figure.axes) == 2
    assert (tmp_path / "motors.png").stat().st_size > 10_000


def test_sliding_joints_and_armatures():
    robot = redyn.load("stanford")
    t, zero = np.linspace(0, 1, 3), np.zeros((3, 6))
    found = size(robot, MOTOR, t, zero, zero, zero)
    assert [joint.turns for joint in found.joints] == [True, True, False, True, True, True]
    data = redyn.load("one-link").description.model_dump(exclude_none=True, exclude_defaults=True)
    data["links"][0]["joint"] = {"type": "revolute", "armature": 0.1}
    with pytest.warns(RedynWarning, match="count twice"):
        size(redyn.load(data), Motor(1, 2, 3, inertia=0.1), t, zero[:, :1], zero[:, :1], zero[:, :1])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda r, t, z: Motor(0, 1, 1), "rated_torque: expected a positive number, got 0"),
        (lambda r, t, z: Motor(1, 0.5, 1), "peak_torque 0.5 is below rated_torque 1"),
        (lambda r, t, z: Motor(1, 2, 3, rated_speed=4), "rated_speed 4 is above max_speed 3"),
        (lambda r, t, z: Motor(1, 2, 3, efficiency=1.2), "a number up to 1"),
        (lambda r, t, z: Motor(1, 2, 3, inertia=-1), "inertia: expected a number that is not negative"),
        (lambda r, t, z: Motor(1, 2, float("nan")), "max_speed"),
        (lambda r, t, z: size(r, MOTOR, [0], z, z, z), "at least two increasing times"),
        (lambda r, t, z: size(r, MOTOR, t, z[:2], z, z), r"qd: expected finite numbers of shape \(3, 1\)"),
        (lambda r, t, z: size(r, [MOTOR, MOTOR], t, z, z, z), "one for all joints or 1, one per joint, got 2"),
        (lambda r, t, z: size(r, {"elbow": MOTOR}, t, z, z, z), "has no joint 'elbow'"),
    ],
)
def test_mistakes(robot, call, message):
    with pytest.raises(InputError, match=message):
        call(robot, np.linspace(0, 1, 3), np.zeros((3, 1)))
