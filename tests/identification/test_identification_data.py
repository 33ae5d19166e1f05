"""Recordings as people have them: their names, units, gaps and slips; and the command line."""

import csv
import json
import re
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import redyn
from commands import printed
from redyn.identification import (
    States,
    base_parameters,
    exciting_motion,
    fit_base,
    identify,
    read_recording,
    recording,
    states,
)
from redyn.identification.columns import meanings

ARM = "three-link"
PAGE = Path(__file__).parents[2] / "docs" / "identification.md"


@pytest.fixture(scope="module")
def arm():
    return redyn.load(ARM)


@pytest.fixture(scope="module")
def truth(arm):
    data = redyn.description.to_data(arm.description)
    for link, mass in zip(data["links"], (0.8, 0.5, 0.3), strict=True):
        link["mass"] = mass
        link["joint"] = {"type": "revolute", "damping": 0.05, "coulomb": 0.1}
    return redyn.load(data)


@pytest.fixture(scope="module")
def seen(truth):
    """t, q, qd, qdd and torque with noise of 1 %."""
    motion = exciting_motion(truth, 12.0, speed=2.0, acceleration=8.0, tries=5, steps=1)
    t = np.linspace(0.0, 12.0, 1201)
    q, qd, qdd = motion(t)
    tau = truth.inverse_dynamics(q, qd, qdd)
    noise = 0.01 * np.sqrt((tau**2).mean(axis=0))
    return t, q, qd, qdd, tau + noise * np.random.default_rng(0).normal(size=tau.shape)


def write(path, header, columns, separator=","):
    with path.open("w", newline="") as file:
        writer = csv.writer(file, delimiter=separator)
        writer.writerow(header)
        writer.writerows(np.column_stack(columns).tolist())
    return path


def header(q="q_joint{}", tau="tau_joint{}", t="t"):
    return [t, *(q.format(i) for i in (1, 2, 3)), *(tau.format(i) for i in (1, 2, 3))]


@pytest.mark.parametrize(
    ("names", "separator", "in_degrees", "time", "force"),
    [
        (header(), ",", False, 1.0, 1.0),
        (header("q{}", "tau{}"), ",", False, 1.0, 1.0),
        (header("Position_{} [deg]", "Torque_{} [mNm]", "Time (ms)"), ";", True, 1e3, 1e3),
        (header("joint{}.pos", "joint{}.effort", "timestamp"), "\t", False, 1.0, 1.0),
        (header("q_joint{}_deg", "tau_joint{}_Nm"), ",", True, 1.0, 1.0),
        (["t", "q0", "q1", "q2", "tau0", "tau1", "tau2"], ",", False, 1.0, 1.0),
        (["t [s]", "q[1]", "q[2]", "q[3]", "tau[1]", "tau[2]", "tau[3]"], ",", False, 1.0, 1.0),
    ],
)
def test_names_and_units(tmp_path, arm, seen, names, separator, in_degrees, time, force):
    t, q, _, _, tau = seen
    path = write(tmp_path / "a.csv", names, [t * time, np.degrees(q) if in_degrees else q, tau * force], separator)
    found = read_recording(path, arm)
    np.testing.assert_allclose(found.t, t, atol=1e-12)
    np.testing.assert_allclose(found.q, q, atol=1e-12)
    np.testing.assert_allclose(found.tau, tau, rtol=1e-12)


def test_meaning_of_columns():
    joints, turning = ["m", "slide"], [True, False]
    names = ["t", "q_m", "q_slide [mm]", "tau_m", "tau_slide (kN)", "qd_slide (mm/s)", "comment"]
    found = meanings(names, joints, turning)
    assert [c and (c.quantity, c.joint, c.factor) for c in found] == [
        ("t", -1, 1.0), ("q", 0, 1.0), ("q", 1, 1e-3), ("tau", 0, 1.0), ("tau", 1, 1e3), ("qd", 1, 1e-3), None,
    ]  # fmt: skip
    with pytest.raises(redyn.InputError, match=r"unknown unit 'deg'; it may be m, mm, cm"):
        meanings(["q_slide [deg]"], joints, turning)


def test_derivatives_without_delay(arm, seen):
    """Of clean positions to a millionth, of noisy ones and of uneven times well enough."""
    t, q, qd, qdd, tau = seen
    clean = states(recording(arm, t, q, tau), np.inf)
    np.testing.assert_allclose(clean.qdd, qdd[np.isin(t, clean.t)], atol=1e-5)
    rng = np.random.default_rng(1)
    noisy = states(recording(arm, t, q + 1e-5 * rng.normal(size=q.shape), tau), 6.0)
    inside = np.isin(t, noisy.t)
    assert np.abs(noisy.qd - qd[inside]).max() < 0.01
    assert np.abs(noisy.qdd - qdd[inside]).max() < 0.1
    for given in (qd, None):
        made = states(recording(arm, t, q, tau, given), 20.0)
        assert np.abs(made.qdd - qdd[np.isin(t, made.t)]).max() < 0.02


def test_messy_recording(arm, truth, seen, tmp_path):
    """Uneven times, a gap, missing cells, spikes in torques and positions, positions with noise."""
    t, q, qd, qdd, tau = seen
    rng = np.random.default_rng(2)
    motion = redyn.trajectory.samples(t, q, qd, qdd)
    times = np.sort(t + rng.uniform(-0.004, 0.004, len(t)))
    q, qd, qdd = motion(times)
    tau = truth.inverse_dynamics(q, qd, qdd)
    tau += 0.01 * np.sqrt((tau**2).mean(axis=0)) * rng.normal(size=tau.shape)
    q = q + 2e-5 * rng.normal(size=q.shape)
    tau[rng.integers(1201, size=12), rng.integers(3, size=12)] += 40.0
    q[rng.integers(50, 900, size=3), rng.integers(3, size=3)] += 3.0
    tau[rng.integers(1201, size=20), 1] = np.nan
    keep = (times < 4.0) | (times > 4.6)
    path = write(tmp_path / "messy.csv", header(), [times[keep], q[keep], tau[keep]])
    path.write_text(path.read_text().replace("nan", ""))
    found = identify(arm, read_recording(path, arm))
    assert found.error < 0.02
    assert 5 <= found.fit.outliers <= 80
    np.testing.assert_allclose(found.robot.all_parameters(True)[-6:], [0.05] * 3 + [0.1] * 3, rtol=0.1)


def test_slips_are_named(arm, seen, tmp_path):
    t, q, qd, _, tau = seen
    with pytest.warns(redyn.RedynWarning, match=r"if these are degrees"):
        recording(arm, t, np.degrees(q), tau)
    with pytest.warns(redyn.RedynWarning, match=r"times as fast as qd says; check the units"):
        recording(arm, t, q, tau, np.degrees(qd))
    with pytest.warns(redyn.RedynWarning, match="opposite sign"):
        recording(arm, t, q, tau, -qd)
    with pytest.warns(redyn.RedynWarning, match="unexplained on unseen motion"):
        identify(arm, recording(arm, t, q[:, [1, 0, 2]], tau), friction=False)
    path = write(tmp_path / "plain.csv", header(), [t, np.degrees(q), tau])
    np.testing.assert_allclose(read_recording(path, arm, degrees=True).q, q, atol=1e-12)
    heads = header("q_joint{} [deg]")  # a unit of their own counts once
    path = write(tmp_path / "units.csv", heads, [t, np.degrees(q), tau])
    np.testing.assert_allclose(read_recording(path, arm, degrees=True).q, q, atol=1e-12)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "empty"),
        ("a,b\n1,2\n", "no column is called t"),
        ("t,q1,q2,q3,tau1,tau2\n", "no rows below the header"),
        ("t,q1,q2,q3,tau1,tau2\n" + "0,0,0,0,0,0\n", "no column tau_joint3; the columns besides t are"),
        ("t,q1,q2,q3,tau1,tau2,tau3\n0,0,0,0,0,0,0\n", "too few whole rows, 1; at least"),
        ("t,q1,q2,q3,tau1,tau2,tau3\n0,0,0,zero,0,0,0\n", ":2: column q:2: expected a finite number, got 'zero'"),
        ("t,q1,q2,q3,tau1,tau2,tau3\n0,0,0,0,0,0,0\n0,0,0,0,0,0,0\n", ":3: times must increase"),
        ("t,q1,q1,q3,tau1,tau2,tau3\n0,0,0,0,0,0,0\n", "occurs twice"),
        ("t [h],q1,q2,q3,tau1,tau2,tau3\n0,0,0,0,0,0,0\n", "unknown unit 'h'"),
        ("t,q1 [Nm],q2,q3,tau1,tau2,tau3\n0,0,0,0,0,0,0\n", "unknown unit 'nm'"),
    ],
)
def test_bad_files(tmp_path, arm, text, words):
    path = tmp_path / "bad.csv"
    path.write_text(text)
    with pytest.raises(redyn.InputError) as caught:
        read_recording(path, arm)
    assert words in str(caught.value)


def test_bad_calls(arm, seen):
    t, q, qd, _, tau = seen
    with pytest.raises(redyn.InputError, match=r"expected shape \(1201, 3\)"):
        recording(arm, t, q[:, :2], tau)
    with pytest.raises(redyn.InputError, match="too short to hold"):
        identify(arm, recording(arm, t[:30], q[:30], tau[:30]))
    with pytest.raises(redyn.InputError, match="too few rows"):
        fit_base(base_parameters(arm), States(t[:5], q[:5], qd[:5], qd[:5], tau[:5]))
    with pytest.raises(redyn.InputError, match="not below half the sampling rate"):
        identify(arm, recording(arm, t, q, tau), cutoff=500.0)
    with pytest.raises(redyn.InputError, match="cutoff: expected"):
        identify(arm, recording(arm, t, q, tau), cutoff=-1.0)
    with pytest.raises(redyn.InputError, match="validate"):
        identify(arm, recording(arm, t, q, tau), validate=0.9)


def test_missing_extra(arm, seen, monkeypatch):
    monkeypatch.setitem(sys.modules, "cvxpy", None)
    t, q, qd, qdd, tau = seen
    with pytest.raises(redyn.MissingExtraError, match=r"pip install 'redyn\[identify\]'"):
        identify(arm, recording(arm, t, q, tau, qd, qdd))


@pytest.mark.slow
def test_command_line(tmp_path, seen):
    t, q, _, _, tau = seen
    path = write(tmp_path / "data.csv", header(), [t, q, tau])
    out, png = tmp_path / "fitted.yaml", tmp_path / "check.png"
    text = printed("identify", path, ARM, "--out", out, "--png", png)
    assert "mx3 + 0.22 m3" in text
    assert "error on unseen motion, all joints" in text
    assert png.read_bytes().startswith(b"\x89PNG")
    fitted = redyn.load(out)
    assert abs(fitted.model.links[0].joint.damping - 0.05) < 0.01
    data = json.loads(printed("identify", path, ARM, "--json", "--validate", path))
    assert data["error"] < 0.02
    assert len(data["base_parameters"]) == 15
    assert "cannot be read" in printed("identify", str(tmp_path / "none.csv"), ARM, code=2)
    assert "Izz1 + a2² m2" in printed("parameters", "lagrange-two-link")
    rows = json.loads(printed("parameters", "three-link", "--friction", "--json"))["base"]
    assert rows[0]["grouping"] == "mx1 + a1 (m1 + m2 + m3)"
    motion = tmp_path / "excite.csv"
    assert "condition" in printed(
        "excite", "two-link", "--out", motion, "--duration", "5", "--speed", "1", "--rate", "50"
    )
    assert redyn.trajectory.from_csv(motion, ["joint1", "joint2"]).duration == 5.0
    assert "--rate" in printed("excite", "two-link", "--rate", "-1", code=2)


@pytest.mark.slow
def test_the_page_runs(tmp_path, monkeypatch):
    """Every example of the documentation, in order."""
    monkeypatch.chdir(tmp_path)
    names = {}
    for block in re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL):
        exec(compile(block, str(PAGE), "exec"), names)
    assert names["found"].error < 0.02
    np.testing.assert_allclose(names["betas"][1:3], [0.075, 0.1575])
    assert redyn.load("fitted.yaml").dof == 6
    assert (tmp_path / "check.png").is_file()


GIMBAL = {
    "name": "gimbal",
    "convention": "frames",
    "links": [
        {
            "name": "ring",
            "joint": {"type": "universal", "name": "gimbal"},
            "axis": [1, 0, 0],
            "axis2": [0, 1, 0],
            "mass": 2,
            "com": [0.1, 0.05, 0.2],
            "inertia": [0.05, 0.04, 0.03],
        },
        {
            "name": "piston",
            "joint": {"type": "cylindrical", "name": "slot"},
            "axis": [0, 0, 1],
            "mass": 1,
            "com": [0.05, 0, 0.3],
            "inertia": [0.02, 0.02, 0.01],
        },
    ],
}


@pytest.mark.slow
@pytest.mark.parametrize("source", ["planar-biped", GIMBAL], ids=["planar-biped", "gimbal"])
def test_joints_with_several_numbers(tmp_path, source):
    """From the exciting motion on the command line to the parameters: every velocity has its own column."""
    robot = redyn.load(source)
    path, file = tmp_path / "robot.yaml", tmp_path / "excite.csv"
    robot.to_yaml(path)
    told = printed("excite", path, "--out", file, "--duration", "6", "--rate", "50", "--no-friction", "--speed", "1")
    assert f"{base_parameters(robot).count} base parameters" in told
    motion = redyn.trajectory.from_csv(file, robot.velocity_names)
    assert motion.duration == 6.0
    t = np.linspace(0.0, 6.0, 301)
    q, qd, qdd = motion(t)
    assert np.abs(qd).max() <= 1.0
    assert np.abs(qd[[0, -1]]).max() < 1e-9
    tau = robot.inverse_dynamics(q, qd, qdd)
    columns = [f"q_{name}" for name in robot.velocity_names] + [f"tau_{name}" for name in robot.velocity_names]
    write(file, ["t", *columns], [t, q, tau])
    found = identify(robot, read_recording(file, robot), friction=False)
    assert found.error < 1e-3


@pytest.mark.parametrize("name", ["spatial-biped", "dual-arm-satellite"])
def test_joints_with_quaternions_are_refused_in_words(tmp_path, name):
    file = tmp_path / "excite.csv"
    assert "joint 'base' turns about a point" in printed("excite", name, "--out", file, code=2)
    assert not file.exists()
    with pytest.raises(redyn.InputError, match="joint 'base' turns about a point"):
        exciting_motion(redyn.load(name))


def test_a_fit_that_is_not_accurate_is_told_in_our_words(arm, seen, monkeypatch):
    """Not in those of the solver's package, with its paths."""
    cp = pytest.importorskip("cvxpy")
    solve = cp.Problem.solve

    def inaccurate(problem, **options):
        value = solve(problem, **options)
        warnings.warn("Solution may be inaccurate.", UserWarning, stacklevel=1)
        problem._status = "optimal_inaccurate"
        return value

    monkeypatch.setattr(cp.Problem, "solve", inaccurate)
    t, q, _, _, tau = seen
    with pytest.warns(redyn.RedynWarning, match="less accurate than usual") as told:
        identify(arm, recording(arm, t, q, tau), friction=True)
    assert {warning.category for warning in told} == {redyn.RedynWarning}
