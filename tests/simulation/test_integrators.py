"""Integrators: their orders, their dense output, and joints whose positions are no vectors."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import redyn
from redyn.kernels.compiled import scalar_code
from redyn.simulation import drive, forces, manifold
from redyn.simulation import system as slots
from redyn.simulation.callbacks import Callbacks
from redyn.simulation.integrators import FIXED, METHODS, STIFF
from redyn.simulation.system import System

ORDERS = {"rkf45": 5, "dopri5": 5, "abm": 5, "rk4": 4, "euler": 1, "taylor": 1, "rosenbrock": 5}


def end_of(method, robot, **how):
    """The last state; without tolerances to meet, all steps are equal."""
    run = redyn.simulate(robot, robot.initial + 0.4, robot.neutral(), 1.0, method=method, sample=1.0, **how)
    return np.concatenate([run.q[-1], run.qd[-1]])


@pytest.mark.parametrize("method", ORDERS)
def test_order_of_convergence(method):
    robot = redyn.load("puma")
    truth = end_of("dopri5", robot, rtol=1e-13, atol=1e-14)
    steps = 2.0 ** -np.arange(4, 8) if ORDERS[method] > 1 else 2.0 ** -np.arange(9, 12)
    errors = [np.abs(end_of(method, robot, step=h, rtol=1e6, atol=1e6) - truth).max() for h in steps]
    order = np.polyfit(np.log(steps), np.log(errors), 1)[0]
    assert ORDERS[method] - 0.3 < order < ORDERS[method] + 0.7, (errors, order)


@pytest.mark.parametrize("method", [name for name in METHODS if name not in FIXED])
def test_samples_are_as_exact_as_the_steps(method):
    """Whatever lies between two steps costs no accuracy: few samples or many, the same curve."""
    robot = redyn.load("three-link")
    state = ([0.3, -0.2, 0.5], [0.0, 1.0, -1.0])
    many = redyn.simulate(robot, *state, 1.0, method=method, rtol=1e-8, sample=1e-3)
    exact = redyn.simulate(robot, *state, 1.0, rtol=1e-12, atol=1e-13, sample=1e-3)
    error = np.abs(many.q - exact.q).max(axis=1)
    assert error.max() < 1e-6
    assert error[:-1].max() < 20 * max(error[-1], 1e-9)


def test_every_method_is_reachable():
    assert set(METHODS) == {*drive.METHODS, *STIFF}


def tumbling(q0, v0, inertia):
    """A free rigid body: a quaternion and an angular velocity, the forward dynamics in Python."""
    rows = np.zeros((slots.ROWS, 4))
    rows[slots.Q], rows[slots.V, :3] = q0, v0
    calls = Callbacks(rows[slots.Q], rows[slots.V, :3])

    def euler_equations():
        w = rows[slots.V, :3]
        return -np.cross(w, inertia * w) / inertia

    addresses = np.zeros(slots.FRAMES, dtype=np.int64)
    addresses[slots.KERNEL] = calls.kernel(euler_equations, rows[slots.ACCELERATION, :3])
    layout = np.array([[manifold.KIND_QUATERNION, 0, 0]], dtype=np.int64)
    constants = np.full(forces.COUNT + 1, forces.COUNT + 1.0)  # no element has any
    frames, jacobians = np.zeros((2, 0, 6)), np.zeros((0, 6, 3))
    nothing = np.zeros(1)
    return System(addresses, layout, rows, constants, nothing, np.zeros((1, 3)), frames, jacobians, nothing), calls


def turned(q0, v0, inertia, method, step, times, rtol=1e6, atol=1e6):
    system, calls = tumbling(q0, v0, inertia)
    solved = 7 if method == "rosenbrock" else 0
    memory = drive.memory(np.concatenate([q0, v0, np.zeros(forces.COUNT)]), times, [], [], calls.failed, solved)
    memory.clock[drive.STEP] = step
    with scalar_code():
        status = drive.DRIVERS[method](system, memory, float(times[-1]), step, rtol, atol, 10**6)
    assert status == drive.DONE, calls.error
    return memory.samples[:, :4], memory.samples[:, 4:7]


Q0 = np.array([0.1, -0.3, 0.5, np.sqrt(1 - 0.35)])
V0, INERTIA = np.array([0.5, 3.0, 0.1]), np.array([1.0, 2.0, 3.0])


def exact_turn(times):
    def rate(t, y):
        x, y_, z, w = y[:4]
        a, b, c = y[4:] / 2
        spin = [w * a + y_ * c - z * b, w * b + z * a - x * c, w * c + x * b - y_ * a, -x * a - y_ * b - z * c]
        return np.concatenate([spin, -np.cross(y[4:], INERTIA * y[4:]) / INERTIA])

    found = solve_ivp(rate, (0, times[-1]), np.r_[Q0, V0], method="DOP853", t_eval=times, rtol=1e-13, atol=1e-13)
    return found.y.T


@pytest.mark.parametrize("method", ORDERS)
def test_quaternions_stay_unit_and_keep_the_order(method):
    times = np.array([0.0, 1.0])
    truth = exact_turn(times)[-1]
    steps = (1 / 32, 1 / 64) if ORDERS[method] > 1 else (1 / 256, 1 / 512)
    errors = []
    for h in steps:
        q, v = turned(Q0, V0, INERTIA, method, h, times)
        np.testing.assert_allclose(np.linalg.norm(q, axis=1), 1.0, atol=1e-12)
        errors.append(np.abs(np.r_[q[-1], v[-1]] - truth).max())
    assert np.log2(errors[0] / errors[1]) > ORDERS[method] - 0.4, errors


def test_dense_output_of_quaternions():
    times = np.linspace(0, 2, 301)
    q, v = turned(Q0, V0, INERTIA, "dopri5", 0.1, times, 1e-9, 1e-11)
    truth = exact_turn(times)
    np.testing.assert_allclose(q, truth[:, :4], atol=1e-6)
    np.testing.assert_allclose(v, truth[:, 4:], atol=1e-5)
    momentum = Rotation.from_quat(q).apply(INERTIA * v)
    np.testing.assert_allclose(momentum, np.broadcast_to(momentum[0], momentum.shape), atol=1e-5)
