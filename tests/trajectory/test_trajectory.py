"""Motions: their ends, their derivatives, their limits, and the files they come from."""

import csv

import numpy as np
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

import redyn
from commands import printed
from motions import is_derivative
from random_robots import close
from redyn import trajectory
from redyn.trajectory import cubic, cycloidal, from_csv, quintic, read_table, samples, spline, trapezoidal

number = st.floats(-5, 5)
seconds = st.floats(0.3, 20)


def rows(count=1):
    """That many equally long rows, for one to four joints."""
    return st.integers(1, 4).flatmap(
        lambda n: st.tuples(*[st.lists(number, min_size=n, max_size=n).map(np.array) for _ in range(count)])
    )


KINDS = {
    "cycloidal": cycloidal,
    "cubic": cubic,
    "quintic": quintic,
    "trapezoidal": trapezoidal,
    "triangle": lambda start, stop, duration: trapezoidal(start, stop, duration, blend=0.5),
    "spline": lambda start, stop, duration: spline(
        [0, duration / 3, duration], np.stack([start, (start + stop) / 2 + 0.3, stop])
    ),
}


@pytest.mark.parametrize("kind", KINDS)
@given(ends=rows(2), duration=seconds)
def test_ends_and_rates(kind, ends, duration):
    start, stop = ends
    motion = KINDS[kind](start, stop, duration)
    assert motion.duration == duration
    assert motion.dof == len(start)
    for t, where in ((0.0, start), (duration, stop)):
        q, qd, _ = motion(t)
        np.testing.assert_allclose(q, where, atol=1e-12)
        np.testing.assert_allclose(qd, 0, atol=1e-10)
    for t, where in ((-3.0, start), (duration + 3.0, stop)):
        q, qd, qdd = motion(t)
        np.testing.assert_allclose(q, where, atol=1e-12)
        assert not qd.any()
        assert not qdd.any()
    is_derivative(motion)


@pytest.mark.parametrize("kind", KINDS)
def test_shapes(kind):
    motion = KINDS[kind](np.zeros(3), np.ones(3), 2.0)
    assert all(x.shape == (3,) for x in motion(0.4))
    assert all(x.shape == (5, 3) for x in motion(np.linspace(-1, 3, 5)))
    assert all(x.shape == (0, 3) for x in motion([]))
    np.testing.assert_array_equal(motion([0.7])[1][0], motion(0.7)[1])
    for bad in ("x", [[1.0]], np.nan):
        with pytest.raises(redyn.InputError, match="t: expected"):
            motion(bad)


@given(rows(6), seconds)
def test_quintic_meets_six_conditions(values, duration):
    q0, q1, v0, v1, a0, a1 = values
    motion = quintic(q0, q1, duration, v0, v1, a0, a1)
    scale = 1 + duration**2
    for t, expected in ((0.0, (q0, v0, a0)), (duration, (q1, v1, a1))):
        for found, wanted in zip(motion(t), expected, strict=True):
            np.testing.assert_allclose(found, wanted, atol=1e-12 * scale * max(1, 1 / duration**2) * 20)
    is_derivative(motion)


@given(rows(4), seconds)
def test_cubic_meets_four_conditions(values, duration):
    q0, q1, v0, v1 = values
    motion = cubic(q0, q1, duration, v0, v1)
    for t, position, rate in ((0.0, q0, v0), (duration, q1, v1)):
        q, qd, _ = motion(t)
        np.testing.assert_allclose(q, position, atol=1e-12 * (1 + duration))
        np.testing.assert_allclose(qd, rate, atol=1e-11 * (1 + 1 / duration))
    is_derivative(motion)


def test_one_rate_serves_all_joints():
    _, qd, _ = cubic([0, 0], [1, 2], 3.0, start_rate=0.5)(0.0)
    np.testing.assert_allclose(qd, [0.5, 0.5])


@given(rows(2), seconds, st.floats(0.01, 0.5))
def test_trapezoid_keeps_its_plateau(ends, duration, blend):
    start, stop = ends
    motion = trapezoidal(start, stop, duration, blend)
    plateau = np.abs(stop - start) / (duration * (1 - blend))
    q, qd, qdd = motion(np.linspace(0, duration, 301))
    assert (np.abs(qd) <= plateau * (1 + 1e-9) + 1e-12).all()
    np.testing.assert_allclose(np.abs(motion(duration / 2)[1]), plateau, rtol=1e-9, atol=1e-12)
    assert (np.abs(qdd) <= plateau / (blend * duration) * (1 + 1e-9) + 1e-12).all()
    assert (np.diff(q, axis=0) * np.sign(stop - start) >= -1e-12).all()  # never turns back


@pytest.mark.parametrize("ends", ["clamped", "natural", "not-a-knot"])
@given(st.lists(st.floats(0.1, 3), min_size=3, max_size=6), st.integers(1, 3), st.randoms(use_true_random=False))
def test_spline_hits_its_waypoints(ends, gaps, n, random):
    times = np.concatenate([[0.0], np.cumsum(gaps)])
    points = np.array([[random.uniform(-2, 2) for _ in range(n)] for _ in times])
    motion = spline(times, points, ends)
    q, qd, qdd = motion(times)
    np.testing.assert_allclose(q, points, atol=1e-10)
    before = [x[1:] for x in motion(times - 1e-9 * times)[1:]]
    for left, right in zip(before, (qd, qdd), strict=True):  # rates and accelerations do not jump
        np.testing.assert_allclose(left, right[1:], atol=1e-4 * (1 + np.abs(qdd).max() / min(gaps)))
    if ends == "clamped":
        np.testing.assert_allclose(qd[[0, -1]], 0, atol=1e-8)
    if ends == "natural":
        np.testing.assert_allclose(qdd[[0, -1]], 0, atol=1e-7)
    is_derivative(motion, 1e-3)


def test_samples_meet_what_was_given():
    source = cycloidal([0, 1], [2, -1], 3.0)
    t = np.linspace(0, 3, 31)
    q, qd, qdd = source(t)
    between = t[:-1] + 0.037
    for given_values, tolerance in (((q,), 2e-2), ((q, qd), 3e-3), ((q, qd, qdd), 2e-5)):
        motion = samples(t, *given_values)
        for found, wanted in zip(motion(t)[: len(given_values)], (q, qd, qdd), strict=False):
            np.testing.assert_allclose(found, wanted, atol=1e-12)
        for found, wanted in zip(motion(between), source(between), strict=True):
            np.testing.assert_allclose(found, wanted, atol=tolerance)


def test_csv_round_trip(tmp_path):
    """What `redyn torque --csv` writes reads back as the same motion."""
    path = tmp_path / "stanford.csv"
    command = ["torque", "stanford", "--cycloid", "0", "1", "--duration", "4", "--samples", "81", "--csv", str(path)]
    printed(*command)
    robot = redyn.load("stanford")
    motion, source = from_csv(path, robot.joint_names), cycloidal(np.zeros(6), np.ones(6), 4.0)
    assert motion.duration == 4.0
    t = np.linspace(0, 4, 81)
    for found, wanted in zip(motion(t), source(t), strict=True):
        np.testing.assert_allclose(found, wanted, atol=1e-12)
    np.testing.assert_allclose(motion(t + 0.021)[0], source(t + 0.021)[0], atol=1e-9)
    np.testing.assert_array_equal(from_csv(path)(1.3)[0], motion(1.3)[0])
    turned = from_csv(path, ["joint3", "joint1"])
    np.testing.assert_array_equal(turned(1.3)[0], motion(1.3)[0][[2, 0]])
    times, columns = read_table(path)
    np.testing.assert_array_equal(times, t)
    np.testing.assert_allclose(columns["tau_joint2"], robot.inverse_dynamics(*source(t))[:, 1])


def test_csv_may_start_late_and_know_positions_only(tmp_path):
    path = tmp_path / "log.csv"
    t = np.linspace(100.0, 102.0, 21)
    with path.open("w", newline="", encoding="utf-8-sig") as file:
        writer = csv.writer(file)
        writer.writerow(["t", "note_temperature", "q_a"])
        writer.writerows([x, 20, (x - 100) ** 2] for x in t)
        file.write("\n\n")
    q, qd, qdd = from_csv(path)([0.0, 0.55, 2.0])
    np.testing.assert_allclose(q[:, 0], [0, 0.3025, 4], atol=1e-9)
    np.testing.assert_allclose(qd[:, 0], [0, 1.1, 4], atol=1e-9)
    np.testing.assert_allclose(qdd[:, 0], 2, atol=1e-7)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "empty"),
        ("t,q_a\n", "no rows"),
        ("time,q_a\n0,1\n", ":1: no column is called t.*time, q_a"),
        ("t,q_a,q_a\n0,1,2\n", ":1: column 'q_a' occurs twice"),
        ("t,q_a\n0,1\n1,x\n", ":3: column q_a: expected a finite number, got 'x'"),
        ("t,q_a\n0,1\n1,nan\n", ":3: column q_a"),
        ("t,q_a\n0,1\n1,1e999\n", ":3: column q_a"),
        ("t,q_a\n0,1\n1,\n", ":3: column q_a: expected a finite number, got ''"),
        ("t,q_a\n0,1\n1\n", ":3: 1 cells, but the header names 2"),
        ("t,q_a\n0,1\n\n1,2\n1,3\n", ":5: times must increase, but t = 1 follows t = 1"),
        ("t,x\n0,1\n1,2\n", "no column q_<joint>; the columns besides t are: x"),
        ("t,q_a\n0,1\n", "at least two rows"),
        ("t,q_a,q_b,qd_a\n0,1,1,1\n1,1,1,1\n", "column qd_a but none qd_b"),
        ('t,q_a\n0,"1\n', "not CSV"),
        ("t,q_a\n0," + "1" * 200_000 + "\n", "not CSV"),
    ],
)
def test_bad_files(tmp_path, text, message):
    path = tmp_path / "bad.csv"
    path.write_text(text)
    with pytest.raises(redyn.InputError, match=message) as caught:
        from_csv(path)
    assert str(path) in str(caught.value)


def test_files_that_are_no_tables(tmp_path, monkeypatch):
    with pytest.raises(redyn.InputError, match="cannot be read: No such file"):
        from_csv(tmp_path / "none.csv")
    with pytest.raises(redyn.InputError, match="cannot be read"):
        from_csv(tmp_path)
    binary = tmp_path / "picture.csv"
    binary.write_bytes(b"\x89PNG\xff\xfe\x00")
    with pytest.raises(redyn.InputError, match="UTF-8"):
        from_csv(binary)
    monkeypatch.setattr("redyn.trajectory.table.LARGEST", 4)
    with pytest.raises(redyn.InputError, match="exceeds the limit"):
        from_csv(binary)
    good = tmp_path / "good.csv"
    good.write_text("t,q_a\n0,1\n1,2\n")
    monkeypatch.undo()
    with pytest.raises(redyn.InputError, match="no column q_joint1"):
        from_csv(good, ["joint1"])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: cubic([0], [1], 1, start_rate=[1, 2]), "start_rate must hold 1 number, one"),
        (lambda: cubic([[0]], [[1]], 1), r"start must be a row.*\(1, 1\)"),
        (lambda: quintic([0], [1], 1, stop_acceleration=np.nan), "stop_acceleration must be finite"),
        (lambda: quintic([0], [1], "soon"), "number of seconds"),
        (lambda: quintic([0], [1e300], 1e-300), "too long or too quick"),
        (lambda: trapezoidal([0], [1], 1, blend=0.6), "at most 0.5"),
        (lambda: trapezoidal([0], [1], 1, blend=0), "above 0"),
        (lambda: trapezoidal([0], [1], 1, blend="x"), "blend must be a number"),
        (lambda: spline([0, 1], [[0], [1]], ends="loose"), "ends must be"),
        (lambda: spline([0], [[0]]), "at least two times"),
        (lambda: spline([0, 1], [0, 1]), "expected 2 rows"),
        (lambda: spline([0, 1, 1], [[0], [1], [2]]), r"times\[2\] = 1 follows 1"),
        (lambda: spline([1, 2], [[0], [1]]), "start at 0"),
        (lambda: spline([0, 1], [["x"], [1]]), "expected a row of times"),
        (lambda: samples([0, 1], [[0], [1]], qdd=[[0], [0]]), "without rates"),
        (lambda: samples([0, 1], [[0], [1]], qd=[[0, 1], [0, 1]]), "equally shaped"),
    ],
)
def test_bad_arguments(make, message):
    with pytest.raises(redyn.InputError, match=message):
        make()


LIMITED = {
    "name": "limited",
    "convention": "dh",
    "links": [
        {
            "name": f"l{i}",
            "joint": {"type": "revolute", "limits": [-1, 1], "speed_limit": speed},
            "a": 1,
            "b": 0,
            "alpha": 0,
            "mass": 1,
            "r": [0, 0, 0],
            "inertia": [1, 1, 1],
        }
        for i, speed in ((1, 2.0), (2, None))
    ],
}


def test_limits():
    robot = redyn.load(LIMITED)
    trajectory.cubic([-1, 0], [1, 1], 2.0).check_limits(robot)  # on the limits is within them
    far = quintic([0, 0], [0.5, -3.0], 2.0)
    (found,) = far.violations(robot)
    assert found == (robot.joint_names[1], "position", 2.0, -3.0, -1.0)
    with pytest.raises(redyn.InputError, match=r"joint2: position -3 at t = 2 s is beyond its limit of -1"):
        far.check_limits(robot)
    quick = trapezoidal([0, 0], [1.0, 1.0], 0.5, blend=0.25)
    (found,) = quick.violations(robot)
    assert found.quantity == "speed"
    assert found.joint == robot.joint_names[0]
    np.testing.assert_allclose(abs(found.value), 1 / (0.5 * 0.75))
    peak = spline([0, 1, 2], [[0, 0], [1.01, 0], [0, 0]])  # beyond at a knot, between the usual samples or not
    assert peak.violations(robot, samples=2)[0].time == 1.0
    with pytest.raises(redyn.InputError, match="length 1 and 1, those of limited have 2 and 2"):
        cubic([0], [1], 1).violations(robot)
    assert cubic([0, 0, 0], [9, 9, 9], 1).violations(redyn.load("three-link")) == []


# --- configurations with quaternions -------------------------------------------------------------------------------

MAKERS = ("cycloidal", "cubic", "quintic", "trapezoidal")


@pytest.mark.parametrize("kind", MAKERS)
def test_motions_on_the_manifold(kind):
    """From pose to pose, with the rates and accelerations that the joint values themselves show."""
    robot = redyn.load("spatial-biped")
    start, stop = robot.random(1), robot.random(2)
    motion = getattr(redyn.trajectory, kind)(start, stop, 2.0, robot=robot)
    assert motion.dof == robot.dof
    close(robot.difference(motion(0.0)[0], start), np.zeros(robot.dof))
    close(robot.difference(motion(2.0)[0], stop), np.zeros(robot.dof))
    t = np.linspace(0.05, 1.95, 40)
    q, qd, qdd = motion(t)
    assert (q.shape, qd.shape, qdd.shape) == ((40, 21), (40, 18), (40, 18))
    h = 1e-5
    ahead, behind = motion(t + h), motion(t - h)
    np.testing.assert_allclose(robot.difference(behind[0], ahead[0]) / (2 * h), qd, atol=1e-6)
    np.testing.assert_allclose((ahead[1] - behind[1]) / (2 * h), qdd, atol=1e-4)
    (one, rate, _), (many, rates, _) = motion(0.3), motion([0.3])
    assert (one == many[0]).all()
    assert (rate == rates[0]).all()


def test_with_a_robot_of_plain_joints_nothing_changes():
    robot = redyn.load("puma")
    start, stop = robot.random(1), robot.random(2)
    for kind in MAKERS:
        make = getattr(redyn.trajectory, kind)
        for mine, plain in zip(make(start, stop, 2.0, robot=robot)(0.7), make(start, stop, 2.0)(0.7), strict=True):
            assert (mine == plain).all()
    rates = [0.1 * k for k in range(6)]
    with_rates = redyn.trajectory.cubic(start, stop, 2.0, start_rate=rates, robot=robot)
    np.testing.assert_allclose(with_rates(0.0)[1], rates, atol=1e-12)


@pytest.mark.slow
def test_following_on_the_manifold():
    robot = redyn.load("spatial-biped")
    motion = redyn.trajectory.quintic(robot.random(3), robot.random(4), 1.0, robot=robot)
    law = redyn.control.computed_torque(robot, motion, 100, 20)
    run = redyn.simulate(robot, *motion(0.0)[:2], 1.0, torque=law)
    assert np.abs(robot.difference(run.q, motion(run.t)[0])).max() < 1e-6


def test_what_motions_refuse_of_quaternions():
    robot, make = redyn.load("spatial-biped"), redyn.trajectory.cycloidal
    start, stop = robot.random(3), robot.random(4)
    plain = make(start, stop, 1.0)
    for controller in (redyn.control.computed_torque, redyn.control.feedforward_pd):
        with pytest.raises(redyn.InputError, match=r"length 21, 21 and 21, those of .* 21, 18 and 18; .* robot=robot"):
            controller(robot, plain, 1, 1)
    with pytest.raises(redyn.InputError, match="robot="):
        plain.violations(robot)
    with pytest.raises(redyn.InputError, match=r"cycloidal: start\[3:7\] is a quaternion"):
        make(np.zeros(21), stop, 1.0, robot=robot)
    with pytest.raises(redyn.InputError, match="one configuration each"):
        make([start, start], stop, 1.0, robot=robot)
    with pytest.raises(redyn.InputError, match=r"start_rate must be zero for joints with quaternions.*'base'"):
        redyn.trajectory.cubic(start, stop, 1.0, start_rate=0.1, robot=robot)
    with pytest.raises(redyn.InputError, match="target"):
        redyn.control.pd_gravity(robot, 0.0, 1, 1)
    with pytest.raises(redyn.InputError, match=r"motion\(0\)\[3:7\] is a quaternion"):
        redyn.control.computed_torque(robot, lambda t: (np.zeros(21), np.zeros(18), np.zeros(18)), 1, 1)


def test_limits_on_the_manifold():
    tree = yaml.safe_load(redyn.load("spatial-biped").to_yaml())
    (knee,) = (link for link in tree["links"] if link["joint"]["name"] == "right-knee")
    knee["joint"] |= {"limits": [-0.1, 0.1], "speed_limit": 0.2}
    robot = redyn.load(tree)
    knee = robot.coordinate_names.index("right-knee")
    start, stop = robot.neutral(), robot.neutral()
    stop[knee] = 1.0
    found = redyn.trajectory.cycloidal(start, stop, 1.0, robot=robot).violations(robot)
    assert [(v.joint, v.quantity) for v in found] == [("right-knee", "position"), ("right-knee", "speed")]
    np.testing.assert_allclose([v.value for v in found], [1.0, 2.0])


MASKED = np.ma.array([0.0, 1.0], mask=[False, True])


@pytest.mark.parametrize(
    "call",
    [
        lambda r: r.inverse_dynamics(MASKED, [0, 0], [0, 0]),
        lambda r: r.inverse_dynamics([MASKED], [0, 0], [0, 0]),
        lambda r: r.inverse_dynamics(np.zeros(2), np.zeros(2), MASKED),
        lambda r: r.forward_dynamics(np.zeros(2), MASKED, np.zeros(2)),
        lambda r: r.mass_matrix(np.ma.zeros((3, 2))),
        lambda r: r.gravity_torque([0, 0], gravity=np.ma.zeros(3)),
        lambda r: r.integrate(MASKED, [0, 0]),
        lambda r: redyn.simulate(r, MASKED, [0, 0], 0.1),
        lambda r: redyn.simulate(r, [0, 0], [0, 0], 0.1, torque=MASKED),
        lambda r: redyn.simulate(r, [0, 0], [0, 0], 0.1, torque=lambda t, q, qd: MASKED),
        lambda r: redyn.simulate(r, [0, 0], [0, 0], 0.1, sample=np.ma.array([0.0, 0.1])),
        lambda r: redyn.simulate_batch(r, [0, 0], [0, 0], 0.1, torque=MASKED),
        lambda r: redyn.control.pd_gravity(r, [0, 0], MASKED, 1),
        lambda r: redyn.trajectory.cycloidal(MASKED, [0, 0], 1.0),
        lambda r: redyn.trajectory.spline([0, 1], np.ma.zeros((2, 2))),
        lambda r: redyn.trajectory.cycloidal([0, 0], [1, 1], 1.0)(MASKED),
        lambda r: r.inverse_kinematics(np.ma.array(np.eye(4))),
    ],
)
def test_masked_arrays_are_refused(call):
    robot = redyn.load("two-link")
    for _ in range(5):  # the short way, too
        robot.inverse_dynamics(np.zeros(2), np.zeros(2), np.zeros(2))
        robot.forward_dynamics(np.zeros(2), np.zeros(2), np.zeros(2))
    with pytest.raises(redyn.InputError, match="masked arrays are not supported"):
        call(robot)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0], [1, 2], 3), "equally long"),
        (([0], [1], 0), "positive"),
        (([0], ["x"], 1), "row of numbers"),
        (([0], [np.inf], 1), "finite"),
    ],
)
def test_bad_trajectories(arguments, message):
    with pytest.raises(redyn.InputError, match=message):
        redyn.trajectory.cycloidal(*arguments)
