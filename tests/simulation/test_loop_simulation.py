"""Closed loops in time: they stay closed, energies balance, singular positions are passed."""

import numpy as np
import pytest

import redyn
from mechanisms import GOLDEN, definition, mechanism, states
from random_robots import close
from redyn.simulation.integrators import METHODS

LIGHT = [
    "four-bar",
    "hoeken",
    "slider-crank",
    "3-RRR",
    "hoeken-leg",
    "five-bar",
    "parallelogram-arm",
    "excavator",
    "rssr",
]


@pytest.mark.parametrize("name", LIGHT)
def test_golden_runs(name):
    """Dormand and Prince's method at 1e-12; the file's own two runs agree to some 1e-12, hoeken's a little less."""
    entry, robot = GOLDEN["simulations"][name], mechanism(name)
    times = np.array([0.0, *entry["times"]])
    run = redyn.simulate(
        robot, entry["q0"], entry["qd0"], times[-1], torque=entry["tau"], method="dopri5", rtol=1e-12, sample=times
    )
    allowed = 10 * max(entry["agreement_with_pinocchio_run"])
    assert np.abs(run.q[1:] - entry["q"]).max() < max(allowed, 2e-12)
    assert np.abs(run.loop_error).max() < 1e-14
    scale = max(1.0, *(abs(x) for x in entry["potential"]))
    close(run.energy.kinetic[1:], entry["kinetic"], factor=scale, tolerance=1e-10)
    close(run.energy.potential[1:], entry["potential"], factor=scale, tolerance=1e-10)


def test_bricard():
    """The benchmark A04: the energy over ten seconds at 1e-12."""
    entry, robot = GOLDEN["simulations"]["bricard"], mechanism("bricard")
    run = redyn.simulate(robot, entry["q0"], entry["qd0"], 10.0, method="abm", rtol=1e-12)
    assert np.abs(run.energy.balance).max() < 1e-10
    times = np.searchsorted(run.t, np.array(entry["times"]) - 1e-9)
    close(run.q[times], entry["q"], tolerance=3e-12)


@pytest.mark.parametrize("method", METHODS)
def test_every_method_keeps_loops_closed(method):
    """Samples, rates and the balance of energies."""
    robot, entry = mechanism("four-bar"), GOLDEN["simulations"]["four-bar"]
    duration = 10.0 if method in ("rkf45", "dopri5", "abm", "rk4") else 0.5
    coarse = method in ("euler", "taylor")
    run = redyn.simulate(robot, entry["q0"], entry["qd0"], duration, method=method, step=1e-4 if coarse else None)
    assert np.abs(run.loop_error).max() < 1e-12
    rates = np.einsum("nij,nj->ni", robot.loop_jacobian(run.q), run.qd)
    assert np.abs(rates).max() < 1e-11
    assert np.abs(run.energy.balance).max() < (0.1 if coarse else 1e-4)


@pytest.mark.parametrize("method", ["rkf45", "dopri5", "abm"])
@pytest.mark.parametrize("rtol", [1e-8, 1e-10, 1e-12])
def test_through_singular_positions(method, rtol):
    """The exact pendulum of two four-bars, which lie flat again and again: 10 s, whatever the tolerance."""
    entry, robot = GOLDEN["exact_n_four_bar"], mechanism("2-four-bar")
    times = np.array([0.0, *entry["times"]])
    run = redyn.simulate(robot, entry["q0"], entry["qd0"], 10.0, method=method, rtol=rtol, sample=times)
    error = np.abs(run.q[1:, 0] - entry["theta"]).max()
    assert error < {1e-8: 1e-4, 1e-10: 1e-6, 1e-12: 1e-7}[rtol]
    assert np.abs(run.loop_error).max() < 1e-12


def test_a_batch():
    """Projected inside the kernel, and the same as one after the other."""
    robot, entry = mechanism("four-bar"), GOLDEN["simulations"]["four-bar"]
    start = robot.complete(np.linspace(0.0, 1.0, 5)[:, None], [2.0], near=entry["q0"])
    batch = redyn.simulate_batch(robot, start.q, start.qd, 1.0, step=1e-3, sample=0.1)
    assert np.abs(robot.loop_error(batch.q.reshape(-1, 3))).max() < 1e-13
    J = robot.loop_jacobian(batch.q.reshape(-1, 3))
    assert np.abs(np.einsum("nij,nj->ni", J, batch.qd.reshape(-1, 3))).max() < 1e-12
    run = redyn.simulate(robot, start.q[2], start.qd[2], 1.0, method="rk4", step=1e-3, sample=0.1)
    close(batch.q[:, 2], run.q, tolerance=1e-9)


def test_a_batch_with_quaternions():
    robot = mechanism("rssr")
    state = states("rssr")[0]
    batch = redyn.simulate_batch(robot, [state["q"]] * 3, np.zeros((3, robot.dof)), 0.2, step=1e-3)
    assert np.abs(robot.loop_error(batch.q[-1])).max() < 1e-13


def test_without_kernels():
    """The same run where Python answers the loop."""
    entry = GOLDEN["simulations"]["four-bar"]
    robot = redyn.load(definition("four-bar"), exact=True)
    kept = redyn.simulate(robot, entry["q0"], entry["qd0"], 0.1)
    slow = redyn.load(definition("four-bar"), exact=True)
    slow.evaluator.kernels = None
    run = redyn.simulate(slow, entry["q0"], entry["qd0"], 0.1)
    close(run.q, kept.q, tolerance=1e-7)
    batch = redyn.simulate_batch(slow, [entry["q0"]], np.zeros(3), 0.05, step=1e-2)
    assert np.abs(slow.loop_error(batch.q[-1])).max() < 1e-13


def test_an_open_start_is_refused():
    robot = mechanism("four-bar")
    start = np.radians([0.0, 145.54, 130.54])
    with pytest.raises(redyn.AssemblyError, match=r"use robot\.assemble"):
        redyn.simulate(robot, start, np.zeros(3), 1.0)
    with pytest.raises(redyn.AssemblyError, match=r"in row 1; use robot\.assemble"):
        redyn.simulate_batch(robot, [robot.initial, start], np.zeros(3), 0.1)
    with pytest.raises(redyn.AssemblyError, match=r"use robot\.project"):
        redyn.simulate(robot, robot.initial, [1.0, 0.0, 0.0], 1.0)


def test_driven_and_pushed():
    """Torques, wrenches, friction and stops act as on a tree, and the works add up."""
    data = definition("four-bar")
    data["links"] = [dict(link) for link in data["links"]]
    for link in data["links"]:
        link["joint"] = link["joint"] | {"damping": 0.01, "coulomb": 0.02}
    data["links"][1]["joint"] |= {"limits": [1.5, 2.4]}
    robot = redyn.load(data)
    push = {"coupler": [0, 0, 0, 5.0, 3.0, 0]}
    run = redyn.simulate(robot, robot.initial, np.zeros(3), 1.0, torque=[0.5, 0, 0], external=push, stops=True)
    assert np.abs(run.loop_error).max() < 1e-12
    assert np.abs(run.energy.balance).max() < 1e-5 * max(1.0, np.abs(run.energy.kinetic).max())
    assert abs(run.energy.external[-1]) > 1e-3
    assert run.energy.friction[-1] < 0
