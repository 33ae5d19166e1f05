"""Flexible links: golden states, an independent derivation by Lagrange, the identities of mechanics."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import redyn
from flexible_oracle import Lagrange, golden_robot, random_flexible
from redyn.arithmetic import Floats
from redyn.dynamics import forward, inverse

GOLDEN = json.loads((Path(__file__).parents[1] / "data" / "golden_flex.json").read_text())
ROBOTS = ("flexible-beam", "spin-up", "flexible-two-link", "flexible-space-arm", "elastic-joint-arm")


def near(value, reference, tolerance=1e-11):
    reference = np.asarray(reference, dtype=float)
    np.testing.assert_allclose(value, reference, rtol=0, atol=tolerance * max(1.0, np.abs(reference).max(initial=0.0)))


def state(robot, seed=0):
    rng = np.random.default_rng(seed)
    modes = np.array([link.joint.kind == "mode" for link in robot.model.links])
    return robot.random(rng), rng.normal(size=robot.dof) * np.where(modes, 0.05, 1.0), rng.normal(size=robot.dof)


def difference(f, step=1e-6):
    """The derivative of f at 0."""
    return (f(step) - f(-step)) / (2 * step)


@pytest.mark.parametrize("name", GOLDEN["states"])
def test_golden_states(name):
    """Two independent methods of the truth, to 1e-11."""
    entry = GOLDEN["states"][name]
    robot = redyn.load(golden_robot(entry), exact=True, allow_unphysical=True)
    for case in entry["cases"]:
        q, qd, tau = (np.array(case[key]) for key in ("q", "qd", "tau"))
        near(robot.mass_matrix(q), case["mass_matrix"])
        near(robot.inverse_dynamics(q, qd, np.zeros(robot.dof)), case["bias"])
        cond = np.linalg.cond(robot.mass_matrix(q))
        for method in ("recursive", "cholesky"):
            near(robot.forward_dynamics(q, qd, tau, method=method), case["qdd"], 1e-14 * cond + 1e-11)
        near(robot.kinetic_energy(q, qd), case["kinetic"])
        near(robot.potential_energy(q), case["potential_with_strain"])
        tip = robot.forward_kinematics(q)
        near(tip[:3, 3], case["tip_position"])
        near(tip[:3, :3], case["tip_rotation"])


@pytest.mark.slow
@given(st.integers(0, 10_000))
@settings(max_examples=12)
def test_random_trees_against_lagrange(seed):
    robot = redyn.load(random_flexible(seed, 2 + seed % 2), exact=True)
    oracle = Lagrange(robot)
    q, qd, qdd = state(robot, seed)
    M = np.array(oracle.mass_matrix(q))
    near(robot.mass_matrix(q), M)
    near(robot.inverse_dynamics(q, qd, qdd), np.array(oracle.bias(q, qd))[:, 0] + M @ qdd)
    T, V = (float(x) for x in oracle.energies(q, qd))
    near(robot.kinetic_energy(q, qd), T)
    near(robot.potential_energy(q), V)
    near(robot.momentum(q, qd)[3:], np.array(oracle.momentum(q, qd))[:, 0])
    tip, axes = (np.array(x) for x in oracle.tip_pose(q))
    pose = robot.forward_kinematics(q, f"{robot.model.beams[-1][1].name}.tip")
    near(pose[:3, 3], tip[:, 0])
    near(pose[:3, :3], axes)


@pytest.fixture(scope="module", params=[*ROBOTS, 3, 8])
def robot(request):
    if isinstance(request.param, int):
        return redyn.load(random_flexible(request.param), exact=True)
    return redyn.load(request.param)


def test_forward_undoes_inverse(robot):
    q, qd, qdd = state(robot)
    tau = robot.inverse_dynamics(q, qd, qdd)
    scale = np.linalg.cond(robot.mass_matrix(q)) * 1e-13
    near(robot.forward_dynamics(q, qd, tau), qdd, scale)
    near(robot.forward_dynamics(q, qd, tau, method="cholesky"), qdd, scale)


def test_matrices(robot):
    q, qd, qdd = state(robot)
    M = robot.mass_matrix(q)
    near(M, M.T, 1e-14)
    U, D = robot.udu(q)
    near(U @ np.diag(D) @ U.T, M)
    assert (D > 0).all()
    near(robot.inverse_mass_matrix(q) @ M, np.eye(robot.dof), 1e-15 * np.linalg.cond(M))
    near(robot.solve(q, M @ qdd), qdd, 1e-14 * np.linalg.cond(M))
    h = robot.coriolis_vector(q, qd)
    parts = robot.torque_parts(q, qd, qdd)
    near(sum(parts), robot.inverse_dynamics(q, qd, qdd))
    near(parts.inertia, M @ qdd)
    C = robot.coriolis_matrix(q, qd)
    near(C @ qd, h)
    step = 1e-6
    rate = (
        (robot.mass_matrix(robot.integrate(q, qd, step)) - robot.mass_matrix(robot.integrate(q, qd, -step))) / 2 / step
    )
    skew = rate - 2 * C
    near(skew + skew.T, np.zeros_like(M), 1e-7 * max(1.0, np.abs(M).max()))


def test_energies_and_momentum(robot):
    q, qd, _ = state(robot)
    near(robot.kinetic_energy(q, qd), qd @ robot.mass_matrix(q) @ qd / 2)
    step, still = 1e-6, np.zeros(robot.dof)
    slope = [
        (robot.potential_energy(robot.integrate(q, e, step)) - robot.potential_energy(robot.integrate(q, e, -step)))
        / 2
        / step
        for e in np.eye(robot.dof)
    ]
    near(slope, robot.inverse_dynamics(q, still, still), 1e-8)
    moved = difference(lambda s: robot.com(robot.integrate(q, qd, s)))
    near(robot.momentum(q, qd)[3:], robot.total_mass * moved, 1e-7)


def test_jacobians_of_tips(robot):
    q, qd, qdd = state(robot)
    for frame in robot.frame_names:
        J, T = robot.jacobian(q, frame), robot.forward_kinematics(q, frame)
        for k, e in enumerate(np.eye(robot.dof)):
            change = difference(lambda s, e=e, frame=frame: robot.forward_kinematics(robot.integrate(q, e, s), frame))
            W = change[:3, :3] @ T[:3, :3].T
            near(J[:, k], [W[2, 1], W[0, 2], W[1, 0], *change[:3, 3]], 1e-7)
        rate = difference(lambda s, frame=frame: robot.jacobian(robot.integrate(q, qd, s), frame))
        near(robot.jacobian_rate(q, qd, frame), rate, 1e-7)
        wrench = np.array([0.3, -0.2, 0.5, 1.0, 2.0, -1.5])
        pushed = robot.inverse_dynamics(q, qd, qdd, external={frame: wrench})
        near(pushed, robot.inverse_dynamics(q, qd, qdd) - J.T @ wrench)


def test_link_motion(robot):
    """Twists are those of the Jacobians, forces add up to the rate of momentum."""
    q, qd, qdd = state(robot)
    motion = robot.link_motion(q, qd, qdd)
    for k, name in enumerate(robot.link_names):
        J = robot.jacobian(q, name)
        near(motion.twist[k], J @ qd)
        near(motion.twist_rate[k], J @ qdd + robot.jacobian_rate(q, qd, name) @ qd)
    rate = difference(lambda s: robot.momentum(robot.integrate(q, qd + s / 2 * qdd, s), qd + s * qdd))
    near(motion.force.sum(axis=0), rate[3:], 1e-6)


def test_derivatives(robot):
    q, qd, qdd = state(robot)
    tau = robot.inverse_dynamics(q, qd, qdd)
    step, unit = 1e-6, np.eye(robot.dof)

    def slopes(f, x):
        by_q = [
            (f(robot.integrate(q, e, step), qd, x) - f(robot.integrate(q, e, -step), qd, x)) / 2 / step for e in unit
        ]
        by_qd = [(f(q, qd + step * e, x) - f(q, qd - step * e, x)) / 2 / step for e in unit]
        return np.array(by_q).T, np.array(by_qd).T

    for found, expected in zip(
        robot.inverse_dynamics_derivatives(q, qd, qdd), slopes(robot.inverse_dynamics, qdd), strict=True
    ):
        near(found, expected, 1e-7)
    *found, by_tau = robot.forward_dynamics_derivatives(q, qd, tau)
    for matrix, expected in zip(found, slopes(robot.forward_dynamics, tau), strict=True):
        near(matrix, expected, 2e-6)
    near(by_tau @ robot.mass_matrix(q), np.eye(robot.dof), 1e-15 * np.linalg.cond(robot.mass_matrix(q)))
    A, B = robot.linearize(q, qd, tau)
    near(A[robot.dof :, robot.dof :], found[1])
    near(B[robot.dof :], by_tau)


def test_driven(robot):
    """Joints prescribed: torques at the joints alone, and what the modes do meanwhile."""
    q, qd, _ = state(robot)
    free = robot.model.undriven
    joints = [i for i in range(robot.dof) if i not in free]
    wanted = np.linspace(-1, 1, len(joints))
    tau, qdd = robot.driven(q, qd, wanted)
    near(qdd[joints], wanted)
    assert not tau[free].any()
    near(robot.forward_dynamics(q, qd, tau), qdd, 1e-13 * np.linalg.cond(robot.mass_matrix(q)))


def test_batches_and_uncompiled_runs_agree(robot):
    states = [state(robot, seed) for seed in range(9)]
    q, qd, qdd = (np.array(x) for x in zip(*states, strict=True))
    tau = robot.inverse_dynamics(q, qd, qdd)
    for k in range(len(q)):
        near(robot.inverse_dynamics(q[k], qd[k], qdd[k]), tau[k], 1e-13)
    model = robot.model.over(Floats())
    plain = inverse.inverse_dynamics(model, Floats(), q[0].tolist(), qd[0].tolist(), qdd[0].tolist())
    near(plain, tau[0], 1e-12)
    solved = forward.forward_dynamics(model, Floats(), q[0].tolist(), qd[0].tolist(), tau[0].tolist())
    near(solved, qdd[0], 1e-13 * np.linalg.cond(robot.mass_matrix(q[0])))


def test_casadi_and_counts():
    robot = redyn.load("flexible-two-link")
    q, qd, qdd = state(robot)
    near(np.array(robot.casadi("inverse_dynamics")(q, qd, qdd))[:, 0], robot.inverse_dynamics(q, qd, qdd))
    count = robot.operation_count("forward_dynamics")
    rigid = robot.rigid().operation_count("forward_dynamics")
    assert rigid.multiplications < count.multiplications < 1500


def test_order_n():
    """Operations grow with the number of links, not with its square."""

    def arm(n):
        beam = {"length": 0.4, "rho_A": 0.3, "EI": 5.0, "modes": [1, 1, 0]}
        links = [
            {"joint": "revolute", "axis": [0, k % 2, 1 - k % 2], "xyz": [0.4 if k else 0, 0, 0], "flexible": beam}
            for k in range(n)
        ]
        return redyn.load({"name": f"arm{n}", "convention": "frames", "links": links})

    counts = [sum(arm(n).operation_count("forward_dynamics")) for n in (4, 8, 12)]
    assert counts[2] - counts[1] == pytest.approx(counts[1] - counts[0], rel=0.02)


def test_what_cannot_be_asked():
    robot = redyn.load("flexible-two-link")
    q, qd, qdd = state(robot)
    with pytest.raises(redyn.InputError, match="regressor: flexible-two-link has flexible links"):
        robot.regressor(q, qd, qdd)
    with pytest.raises(redyn.InputError, match="flexible links"):
        _ = robot.parameters
    with pytest.raises(redyn.InputError, match="form='christoffel'"):
        robot.coriolis_matrix(q, qd, form="mci")
    with pytest.raises(redyn.InputError, match="dense view"):
        robot.denoc(q)


def test_elastic_joints_are_spongs():
    """M(q) qdd + h + g = k (theta - q) + d (theta' - q'), J theta'' + friction + k (theta - q) + ... = tau."""
    robot = redyn.load("elastic-joint-arm")
    rigid = redyn.load("elastic-joint-arm", friction=False).rigid()
    rng = np.random.default_rng(1)
    theta, q, rates, speeds, tau = (rng.normal(size=2) for _ in range(5))
    k, d, J, b = np.array([4000, 1500]), np.array([4, 1.5]), np.array([1.2, 0.5]), np.array([2, 1])
    whole = np.empty(4)
    given = []
    for motor, link in ((theta, q), (speeds, rates), (tau, np.zeros(2))):
        whole[0::2], whole[1::2] = motor, link
        given.append(whole.copy())
    found = robot.forward_dynamics(*given)
    bare = rigid.mass_matrix(q) - np.diag(J)  # armature is the motors'
    wound = k * (theta - q) + d * (speeds - rates)
    links = np.linalg.solve(bare, wound - rigid.inverse_dynamics(q, rates, np.zeros(2)))
    near(found[1::2], links, 1e-10)
    near(found[0::2], (tau - b * speeds - wound) / J, 1e-10)
