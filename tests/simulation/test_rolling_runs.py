"""Runs of robots on wheels: verified ones, closed forms, energy, and what integrators and batches have in common."""

import numpy as np
import pytest

import redyn
from vehicles import GOLDEN, NAMES, WheelOracle, described, disk, sleigh

DRIVES = {
    "agv": lambda t: [1.0, 0.6],
    "car": lambda t: [0.4, 0.02 * np.cos(2 * t)],
    "mec": lambda t: [0.5, 0.3, 0.2 * np.sin(t), 0.4],
}
EXACT = {"method": "dopri5", "rtol": 1e-11, "atol": 1e-12}


def golden_robot(name):
    order = GOLDEN["robots"][name]["order"]
    return redyn.load(described(name, independent=[order[i] for i in GOLDEN["simulations"][name]["independent"]]))


@pytest.mark.parametrize("name", NAMES)
def test_golden_runs(name):
    entry, robot = GOLDEN["simulations"][name], golden_robot(name)
    start = np.array(entry["start"])
    law = DRIVES[name]
    run = redyn.simulate(robot, start[: robot.nq], start[robot.nq :], 3.0, lambda t, q, qd: law(t), sample=0.5, **EXACT)
    np.testing.assert_allclose(run.q, entry["q"], atol=1e-8)
    np.testing.assert_allclose(run.qd, entry["u"], atol=1e-8)
    assert np.abs(run.energy.balance).max() < 1e-9
    oracle = WheelOracle(robot)
    for q, u in zip(run.q, run.qd, strict=True):  # no wheel slips anywhere
        assert np.abs(oracle.rows(q) @ robot.rates(q, u)).max() < 1e-12 * max(1.0, np.abs(robot.rates(q, u)).max())


def test_rolling_disk():
    entry = GOLDEN["rolling_disk"]
    robot = redyn.load(disk(independent=["body.wx", "body.wy", "body.wz"]))
    start = np.array(entry["state0"])
    run = redyn.simulate(robot, start[:7], start[7:], 3.0, sample=0.5, **EXACT)
    reference = np.array(entry["noc"])
    np.testing.assert_allclose(np.column_stack([run.q, run.qd]), reference, atol=1e-8)
    euler = np.array(entry["euler"])
    np.testing.assert_allclose(run.q[:, :2], euler[:, :2], atol=1e-9)
    np.testing.assert_allclose(run.q[:, 2], entry["r"] * np.sin(euler[:, 3]), atol=1e-9)
    total = run.energy.kinetic + run.energy.potential
    assert np.abs(total - total[0]).max() < 1e-9


def test_steady_disk_stays_steady():
    entry = GOLDEN["rolling_disk"]
    robot, r = redyn.load(disk()), entry["r"]
    for steady in entry["steady"]:
        theta, psd, phd = steady["theta"], steady["psd"], steady["phd"]
        q = np.array([0, 0, r * np.sin(theta), np.sin(theta / 2), 0, 0, np.cos(theta / 2)])
        w = np.array([0, psd * np.sin(theta), psd * np.cos(theta) + phd])
        run = redyn.simulate(robot, q, w, 2.0, sample=0.1, **EXACT)
        assert np.abs(run.q[:, 2] - q[2]).max() < 1e-10  # it leans as at first
        assert np.abs(run.qd[:, 2] - w[2]).max() < 1e-9


def test_chaplygin_sleigh():
    entry = GOLDEN["chaplygin_sleigh"]
    robot = redyn.load(sleigh())
    run = redyn.simulate(robot, [0, 0, 0], [entry["v0"], entry["w0"]], 4.0, sample=1.0, **EXACT)
    np.testing.assert_allclose(run.qd[:, 0], entry["v"], atol=1e-10)
    np.testing.assert_allclose(run.qd[:, 1], entry["w"], atol=1e-10)
    np.testing.assert_allclose(run.q[:, 2], entry["psi"], atol=1e-10)
    np.testing.assert_allclose(run.q[:, :2], entry["xy"], atol=1e-10)


@pytest.mark.parametrize("method", ["rkf45", "abm", "rk4", "radau", "lsoda", "euler", "taylor"])
def test_integrators_agree(method):
    robot = redyn.load(described("agv"))
    start = robot.neutral(), [1.0, 2.0], 0.5, [0.2, -0.1]
    fixed = method in ("rk4", "euler", "taylor")
    run = redyn.simulate(robot, *start, method=method, **({"step": 1e-3} if fixed else {}))
    reference = redyn.simulate(robot, *start, **EXACT)
    allowed = {"euler": 1e-2, "taylor": 1e-2}.get(method, 1e-7)
    np.testing.assert_allclose(run.q, reference.q, atol=allowed)
    np.testing.assert_allclose(run.qd, reference.qd, atol=allowed * 10)


@pytest.mark.parametrize("name", [*NAMES, "disk", "sleigh"])
def test_batches_equal_single_runs(name):
    made = {"disk": disk, "sleigh": sleigh}
    robot = redyn.load(made[name]()) if name in made else golden_robot(name)
    rng = np.random.default_rng(0)
    q = np.array([robot.random(rng) for _ in range(9)])
    u, tau = rng.normal(size=(9, robot.dof)), rng.normal(size=(9, len(robot.torque_names)))
    batch = redyn.simulate_batch(robot, q, u, 0.1, tau, step=1e-2)
    for k in (0, 8):
        run = redyn.simulate(robot, q[k], u[k], 0.1, tau[k], method="rk4", step=1e-2)
        np.testing.assert_allclose(batch.q[-1, k], run.q[-1], rtol=0, atol=1e-12)
        np.testing.assert_allclose(batch.qd[-1, k], run.qd[-1], rtol=0, atol=1e-11)


def test_friction_of_wheels_dissipates():
    """Damping of dependent wheels takes energy away, and the balance holds."""
    description = described("agv")
    links = [dict(link) for link in description["links"]]
    for link in links[1:]:
        link["joint"] = {**link["joint"], "damping": 0.05}
    robot = redyn.load({**description, "links": links})
    run = redyn.simulate(robot, robot.neutral(), [5.0, 4.0], 2.0, **EXACT)
    assert run.energy.kinetic[-1] < 0.9 * run.energy.kinetic[0]
    assert np.abs(run.energy.balance).max() < 1e-9


def test_saturation_limits_the_actuators():
    robot = redyn.load(described("mec", independent=["base.x", "base.y", "base.angle"]))
    run = redyn.simulate(robot, robot.neutral(), np.zeros(3), 0.5, [5.0, -5.0, 0.1, 0.1], saturate=[1, 2, 3, 4])
    np.testing.assert_allclose(run.tau[0], [1, -2, 0.1, 0.1])


def test_casadi_and_code_in_independent_rates():
    robot = golden_robot("mec")
    rng = np.random.default_rng(3)
    q, u, tau = robot.random(rng), rng.normal(size=3), rng.normal(size=4)
    for name, given in {"forward_dynamics": (q, u, tau), "inverse_dynamics": (q, u, u), "rates": (q, u)}.items():
        found = np.array(robot.casadi(name)(*given)).ravel()
        np.testing.assert_allclose(found, getattr(robot, name)(*given), atol=1e-11)
    function = robot.casadi("forward_dynamics")
    assert [function.size1_in(k) for k in range(3)] == [7, 3, 4]
