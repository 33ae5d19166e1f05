"""Joints of any kind and free bases, against Pinocchio and against the identities of mechanics."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import redyn
from pinocchio_oracle import Oracle
from random_robots import KINDS, close, on_floats, random_joints, random_motion

seeds = st.integers(0, 10**9)
MOVING = [kind for kind in KINDS if kind != "fixed"]


def loaded(seed, n=5, kinds=KINDS, **options):
    return redyn.load(random_joints(seed, n, kinds=kinds), exact=True, friction=False, **options)


def check_against_pinocchio(robot, seed):
    oracle = Oracle(robot)
    q, qd, qdd = random_motion(robot, seed)
    M = oracle.mass_matrix(q)
    condition = np.linalg.cond(M)
    tip = robot.link_names[-1]
    close(robot.forward_kinematics(q, tip), oracle.pose(q, tip))
    close(robot.mass_matrix(q), M)
    tau = oracle.inverse_dynamics(q, qd, qdd)
    close(robot.inverse_dynamics(q, qd, qdd), tau)
    close(robot.forward_dynamics(q, qd, tau), qdd, condition)
    close(robot.forward_dynamics(q, qd, tau, method="cholesky"), qdd, condition)
    close(robot.gravity_torque(q), oracle.gravity_torque(q))
    close(robot.jacobian(q, tip), oracle.jacobian(q, tip))
    close(robot.jacobian_rate(q, qd, tip), oracle.jacobian_rate(q, qd, tip))
    step = 1e-6
    ahead, behind = (robot.jacobian(robot.integrate(q, qd, s), tip) for s in (step, -step))
    close(robot.jacobian_rate(q, qd, tip), (ahead - behind) / (2 * step), 1e3)
    close(robot.com(q), oracle.com(q))
    close(robot.momentum(q, qd), oracle.momentum(q, qd))
    close(robot.kinetic_energy(q, qd), oracle.kinetic_energy(q, qd))
    close(robot.joint_wrenches(q, qd, qdd), oracle.joint_wrenches(q, qd, qdd))
    close(robot.potential_energy(q), oracle.potential_energy(q))
    for mine, theirs in zip(
        robot.inverse_dynamics_derivatives(q, qd, qdd), oracle.inverse_dynamics_derivatives(q, qd, qdd), strict=True
    ):
        close(mine, theirs)
    wrench = np.arange(1.0, 7.0)
    close(
        robot.inverse_dynamics(q, qd, qdd, external={tip: wrench}),
        oracle.inverse_dynamics(q, qd, qdd, external=[(tip, wrench)]),
    )


@settings(max_examples=10, deadline=None)
@given(seeds, st.integers(1, 6))
def test_any_joints_agree_with_pinocchio(seed, n):
    check_against_pinocchio(on_floats(loaded(seed, n)), seed)


@pytest.mark.slow
@pytest.mark.parametrize("kind", MOVING)
def test_each_kind_agrees_with_pinocchio_on_kernels(kind):
    check_against_pinocchio(loaded(7, 3, kinds=[kind]), 1)


@settings(max_examples=6, deadline=None)
@given(seeds)
def test_universal_joints_are_pinocchios_own(seed):
    robot = on_floats(loaded(seed, 3, kinds=["universal", "revolute"]))
    oracle = Oracle(robot, own_universal=True)
    q, qd, qdd = random_motion(robot, seed)
    close(robot.mass_matrix(q), oracle.mass_matrix(q))
    close(robot.inverse_dynamics(q, qd, qdd), oracle.inverse_dynamics(q, qd, qdd))


@settings(max_examples=10, deadline=None)
@given(seeds, st.integers(1, 5))
def test_integrate_is_pinocchios_and_difference_undoes_it(seed, n):
    robot = loaded(seed, n)
    q, v, _ = random_motion(robot, seed)
    end = robot.integrate(q, v)
    close(end, Oracle(robot).integrate(q, v))
    close(robot.difference(q, end), v, 100)
    close(robot.integrate(q, v, 0.5), robot.integrate(q, v / 2))


@settings(max_examples=10, deadline=None)
@given(seeds, st.integers(1, 5))
def test_factors_and_coriolis_matrices(seed, n):
    robot = on_floats(loaded(seed, n))
    q, qd, qdd = random_motion(robot, seed)
    M = robot.mass_matrix(q)
    condition = np.linalg.cond(M)
    U, D = robot.udu(q)
    assert U.shape == (robot.dof, robot.dof)
    close(U @ np.diag(D) @ U.T, M)
    assert np.array_equal(U, np.triu(U))
    close(robot.inverse_mass_matrix(q) @ M, np.eye(robot.dof), condition)
    close(M @ robot.solve(q, qdd), qdd, condition)
    step = 1e-6
    rate = (robot.mass_matrix(robot.integrate(q, qd, step)) - robot.mass_matrix(robot.integrate(q, qd, -step))) / (
        2 * step
    )
    for form in ("mci", "christoffel"):
        C = robot.coriolis_matrix(q, qd, form=form)
        close(C @ qd, robot.coriolis_vector(q, qd), 10)
        skew = rate - 2 * C
        close(skew, -skew.T, 1e4)


@settings(max_examples=8, deadline=None)
@given(seeds, st.integers(1, 4))
def test_derivatives_are_in_the_tangent_space(seed, n):
    robot = on_floats(loaded(seed, n))
    q, qd, tau = random_motion(robot, seed)
    by_q, _, by_tau = robot.forward_dynamics_derivatives(q, qd, tau)
    assert by_q.shape == (robot.dof, robot.dof)
    step = 1e-6
    for k, unit in enumerate(np.eye(robot.dof)):
        ahead, behind = (robot.forward_dynamics(robot.integrate(q, s * unit), qd, tau) for s in (step, -step))
        close(by_q[:, k], (ahead - behind) / (2 * step), 1e5 * max(1.0, np.linalg.cond(robot.mass_matrix(q)) / 100))
    close(by_tau, robot.inverse_mass_matrix(q), 10)


@settings(max_examples=8, deadline=None)
@given(seeds, st.integers(1, 5))
def test_power_and_parameters(seed, n):
    robot = on_floats(loaded(seed, n))
    q, qd, qdd = random_motion(robot, seed)
    close(robot.kinetic_energy(q, qd), 0.5 * qd @ robot.mass_matrix(q) @ qd, 10)
    armature = np.array([float(link.joint.armature) for link in robot.model.links])
    tau = robot.regressor(q, qd, qdd) @ robot.parameters
    close(tau + armature * qdd, robot.inverse_dynamics(q, qd, qdd), 10)
    step = 1e-6
    ahead, behind = (robot.potential_energy(robot.integrate(q, qd, s)) for s in (step, -step))
    close(robot.gravity_torque(q) @ qd, (ahead - behind) / (2 * step), 1e5)


@pytest.mark.slow
@settings(max_examples=6, deadline=None)
@given(seeds)
def test_batches_are_single_states(seed):
    robot = loaded(seed, 3)
    q, qd, qdd = random_motion(robot, seed, (7,))
    tau = robot.inverse_dynamics(q, qd, qdd)
    for row in range(7):
        close(tau[row], robot.inverse_dynamics(q[row], qd[row], qdd[row]))
    close(robot.forward_kinematics(q, 1)[3], robot.forward_kinematics(q[3], 1))


@settings(max_examples=8, deadline=None)
@given(seeds, st.integers(1, 4))
def test_linearize_carries_deviations_along(seed, n):
    """d/dt of a deviation, by moving both states along: the upper rows of A, -ad(v) and 1."""
    robot = on_floats(loaded(seed, n))
    q, qd, tau = random_motion(robot, seed)
    A, _ = robot.linearize(q, qd, tau)
    dof, small, step = robot.dof, 1e-4, 1e-4
    close(A[:dof, dof:], np.eye(dof))
    for k, unit in enumerate(np.eye(dof)):
        slopes = []
        for side in (small, -small):
            beside = robot.integrate(q, side * unit)
            gaps = [robot.difference(robot.integrate(q, qd, t), robot.integrate(beside, qd, t)) for t in (step, -step)]
            slopes.append((gaps[0] - gaps[1]) / (2 * step))
        close(A[:dof, k], (slopes[0] - slopes[1]) / (2 * small), 1e5)


@pytest.mark.slow
def test_linearize_of_a_free_body_by_its_blocks():
    robot = redyn.load("dual-arm-satellite")
    q, qd, tau = random_motion(robot, 3, (4,))
    A, B = robot.linearize(q, qd[0], tau)  # one velocity for all
    (x, y, z), v = qd[0, :3], qd[0, 3:6]
    w_hat = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    v_hat = np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
    expected = np.zeros((robot.dof, robot.dof))
    expected[:6, :6] = np.block([[-w_hat, np.zeros((3, 3))], [-v_hat, -w_hat]])
    for row in range(4):
        close(A[row, : robot.dof, : robot.dof], expected)
    close(robot.linearize(q, qd, tau)[0][2], robot.linearize(q[2], qd[2], tau[2])[0])
    assert B.shape == (4, 2 * robot.dof, robot.dof)


def test_discrete_linearization_is_of_first_order_along_a_motion():
    """Against the flow itself: the error of one step falls by four when the step is halved."""
    kinds = ["spherical", "revolute"]
    robot = loaded(5, 2, kinds=kinds)
    q, qd, tau = random_motion(robot, 5)
    dof, small = robot.dof, 1e-5

    def after(x, step):
        """The state that a deviation x leads to."""
        start = robot.integrate(q, x[:dof]), qd + x[dof:]
        run = redyn.simulate(robot, *start, step, torque=tau, rtol=1e-13, atol=1e-13)
        return run.q[-1], run.qd[-1]

    errors = []
    for step in (0.02, 0.01, 0.005):
        A, _ = robot.linearize(q, qd, tau, step=step)
        flow = np.empty((2 * dof, 2 * dof))
        for k, unit in enumerate(np.eye(2 * dof)):
            (q0, v0), (q1, v1) = after(-small * unit, step), after(small * unit, step)
            flow[:, k] = np.concatenate([robot.difference(q0, q1), v1 - v0]) / (2 * small)
        errors.append(np.abs(A - flow).max())
    assert 3.0 < errors[0] / errors[1] < 5.0
    assert 3.0 < errors[1] / errors[2] < 5.0


def in_a_row(seed, n, kinds):
    """A serial robot of joints of these kinds."""
    tree = random_joints(seed, n, kinds=kinds)
    for before, link in zip(tree["links"], tree["links"][1:], strict=False):
        link["parent"] = before["name"]
    return redyn.load(tree, exact=True, friction=False)


@pytest.mark.parametrize("kinds", [["revolute", "spherical"], ["spherical"], ["universal"], ["revolute", "free"]])
def test_long_chains_of_any_joints(kinds):
    """More velocities than straight-line code is made for: whatever answers agrees with Pinocchio."""
    robot = in_a_row(11, 35, kinds)
    assert robot.dof > 60
    oracle = Oracle(robot)
    q, qd, qdd = random_motion(robot, 2, (3,))
    for row in range(3):
        tau = oracle.inverse_dynamics(q[row], qd[row], qdd[row])
        close(robot.inverse_dynamics(q, qd, qdd)[row], tau)
        close(robot.forward_dynamics(q[row], qd[row], tau), qdd[row], np.linalg.cond(oracle.mass_matrix(q[row])))
    close(robot.mass_matrix(q[0]), oracle.mass_matrix(q[0]))


def test_large_matrices_are_not_compiled(monkeypatch):
    """The code of such a matrix takes minutes to build; NumPy answers in milliseconds."""
    robot = in_a_row(3, 20, ["spherical"])
    oracle, (q, qd, qdd) = Oracle(robot), random_motion(robot, 1)

    def refuse(text, width):
        raise AssertionError(f"{len(text)} characters were to be compiled")

    monkeypatch.setattr("redyn.kernels.machine.compile_module", refuse)
    monkeypatch.setattr("redyn.kernels.cache.read", lambda name: None)
    M = robot.mass_matrix(q)
    close(M, oracle.mass_matrix(q))
    close(robot.inverse_mass_matrix(q) @ M, np.eye(60), np.linalg.cond(M))
    U, D = robot.udu(q)
    close(U * D @ U.T, M)
    C = robot.coriolis_matrix(q, qd)
    assert C.shape == (60, 60)
    assert robot.regressor(q, qd, qdd).shape == (60, 200)
    for mine, theirs in zip(
        robot.inverse_dynamics_derivatives(q, qd, qdd), oracle.inverse_dynamics_derivatives(q, qd, qdd), strict=True
    ):
        close(mine, theirs)


@pytest.mark.slow
@settings(max_examples=6, deadline=None)
@given(seeds, st.integers(1, 3))
def test_derivatives_on_arrays_are_those_of_the_graph(seed, n):
    robot = on_floats(redyn.load(random_joints(seed, n, friction=True), exact=True))
    q, qd, x = random_motion(robot, seed, (3,))
    for name in ("inverse_dynamics_derivatives", "forward_dynamics_derivatives"):
        graph = robot.casadi(name)
        on_arrays = getattr(robot, name)(q, qd, x)
        condition = max(np.linalg.cond(M) for M in robot.mass_matrix(q))
        for row in range(3):
            expected = graph(q[row], qd[row], x[row])
            for mine, theirs in zip(on_arrays, expected, strict=True):
                close(mine[row], np.array(theirs).reshape(robot.dof, robot.dof), condition)


def test_derivatives_of_a_long_chain():
    robot = redyn.chain(100)
    q, qd, qdd = np.random.default_rng(0).uniform(-1, 1, (3, 100, 100))  # more than one block of states
    by_q, by_qd = robot.inverse_dynamics_derivatives(q, qd, qdd)
    step, k = 1e-6, 41
    ahead, behind = (robot.inverse_dynamics(q + s * np.eye(100)[k], qd, qdd) for s in (step, -step))
    close(by_q[:, :, k], (ahead - behind) / (2 * step), 1e6)
    ahead, behind = (robot.inverse_dynamics(q, qd + s * np.eye(100)[k], qdd) for s in (step, -step))
    close(by_qd[:, :, k], (ahead - behind) / (2 * step), 1e6)
