"""What mechanics demands of every robot, whatever its numbers."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import redyn
from random_robots import close, on_floats, random_state, trees

seeds = st.integers(0, 10**9)


@given(trees, seeds)
def test_forward_undoes_inverse_with_friction(data, seed):
    robot = on_floats(redyn.load(data))
    q, qd, qdd = random_state(robot, seed)
    condition = np.linalg.cond(robot.mass_matrix(q))
    tau = robot.inverse_dynamics(q, qd, qdd)
    close(robot.forward_dynamics(q, qd, tau), qdd, condition)
    close(robot.forward_dynamics(q, qd, tau, method="cholesky"), qdd, condition)


@given(trees, seeds)
def test_torque_is_the_sum_of_its_parts(data, seed):
    robot = on_floats(redyn.load(data))
    q, qd, qdd = random_state(robot, seed)
    parts = robot.mass_matrix(q) @ qdd + robot.coriolis_vector(q, qd) + robot.gravity_torque(q)
    close(robot.inverse_dynamics(q, qd, qdd), parts + robot.friction_torque(qd))


@given(trees, seeds)
def test_mass_matrix_is_symmetric_positive_definite_and_factors(data, seed):
    robot = on_floats(redyn.load(data))
    q, qd, _ = random_state(robot, seed)
    GIM = robot.mass_matrix(q)
    assert (GIM == GIM.T).all()
    assert np.linalg.eigvalsh(GIM).min() > 0
    U, D = robot.udu(q)
    assert (np.tril(U, -1) == 0).all()
    assert (np.diag(U) == 1).all()
    close(U @ np.diag(D) @ U.T, GIM)
    close(0.5 * qd @ GIM @ qd, robot.kinetic_energy(q, qd))


@given(trees, seeds)
def test_coriolis_matrices(data, seed):
    """C qd = h in both forms, and dM/dt - 2 C is skew."""
    robot = on_floats(redyn.load(data))
    q, qd, _ = random_state(robot, seed)
    step = 1e-5
    M_dot = (robot.mass_matrix(q + step * qd) - robot.mass_matrix(q - step * qd)) / (2 * step)
    for form in ("mci", "christoffel"):
        C = robot.coriolis_matrix(q, qd, form=form)
        close(C @ qd, robot.coriolis_vector(q, qd))
        skew = M_dot - 2 * C
        close(skew, -skew.T, tolerance=1e-7)


@given(trees, seeds)
def test_power_balance_with_friction(data, seed):
    """The actuators' power feeds the kinetic and potential energy and the friction."""
    robot = on_floats(redyn.load(data))
    q, qd, qdd = random_state(robot, seed)

    def energy(t):
        at, rate = q + t * qd + 0.5 * t * t * qdd, qd + t * qdd
        return robot.kinetic_energy(at, rate) + robot.potential_energy(at)

    h = 1e-4
    rate = (8 * (energy(h) - energy(-h)) - (energy(2 * h) - energy(-2 * h))) / (12 * h)
    power = robot.inverse_dynamics(q, qd, qdd) @ qd
    dissipated = robot.friction_torque(qd) @ qd
    assert dissipated >= 0
    close(rate + dissipated, power, tolerance=1e-7)


@given(trees, seeds)
def test_virtual_work_of_external_wrenches(data, seed):
    robot = on_floats(redyn.load(data))
    q, qd, qdd = random_state(robot, seed)
    rng = np.random.default_rng(seed)
    name = rng.choice([name for name in robot.frame_names if robot.model.frames[name].link])
    wrench = rng.uniform(-5, 5, 6)
    free = robot.inverse_dynamics(q, qd, qdd)
    pushed = robot.inverse_dynamics(q, qd, qdd, external={name: wrench})
    close(free - pushed, robot.jacobian(q, name).T @ wrench)


@given(trees, seeds)
def test_jacobian_and_its_rate(data, seed):
    robot = on_floats(redyn.load(data))
    q, qd, _ = random_state(robot, seed)
    step = 1e-6
    for name in robot.frame_names[-2:]:
        J = robot.jacobian(q, name)
        after, before = (robot.forward_kinematics(q + s * qd, name) for s in (step, -step))
        close((after - before)[:3, 3] / (2 * step), (J @ qd)[3:], tolerance=1e-7)
        spin = (after - before)[:3, :3] / (2 * step) @ robot.forward_kinematics(q, name)[:3, :3].T
        close([spin[2, 1], spin[0, 2], spin[1, 0]], (J @ qd)[:3], tolerance=1e-7)
        rate = (robot.jacobian(q + step * qd, name) - robot.jacobian(q - step * qd, name)) / (2 * step)
        close(robot.jacobian_rate(q, qd, name), rate, tolerance=1e-7)


@given(trees, seeds)
def test_momentum_is_mass_times_velocity_of_the_mass_centre(data, seed):
    robot = on_floats(redyn.load(data))
    q, qd, qdd = random_state(robot, seed)
    moving = sum(float(link.M.m) for link in robot.model.links)
    step = 1e-6
    velocity = (robot.com(q + step * qd) - robot.com(q - step * qd)) / (2 * step)
    close(robot.momentum(q, qd)[3:], moving * velocity, tolerance=1e-7)
    # Newton and Euler for the whole robot: the base carries the rate of momentum.
    motion = robot.link_motion(q, qd, qdd)
    h = 1e-5
    at = [(q + s * h * qd + 0.5 * h * h * qdd, qd + s * h * qdd) for s in (1, -1)]
    rate = (robot.momentum(*at[0]) - robot.momentum(*at[1])) / (2 * h)
    close(motion.force.sum(axis=0), rate[3:], tolerance=1e-6)


@given(trees, seeds)
def test_link_motion(data, seed):
    robot = on_floats(redyn.load(data))
    q, qd, qdd = random_state(robot, seed)
    motion = robot.link_motion(q, qd, qdd)
    for i, name in enumerate(robot.link_names):
        J = robot.jacobian(q, name)
        close(motion.pose[i], robot.forward_kinematics(q, name))
        close(motion.twist[i], J @ qd)
        close(motion.twist_rate[i], J @ qdd + robot.jacobian_rate(q, qd, name) @ qd)


@given(trees, seeds)
def test_payload_is_a_body_at_the_end_effector(data, seed):
    data["end_effector"] = data["links"][-1]["name"]
    robot = on_floats(redyn.load(data))
    q, qd, qdd = random_state(robot, seed)
    m, c = 1.7, np.array([0.1, -0.2, 0.3])
    about_com = np.diag([0.02, 0.03, 0.04])
    inertia = about_com + m * (c @ c * np.eye(3) - np.outer(c, c))
    numbers = [m, *(m * c), inertia[0, 0], inertia[0, 1], inertia[1, 1], inertia[0, 2], inertia[1, 2], inertia[2, 2]]
    load = {
        "name": "load",
        "parent": data["end_effector"],
        "joint": "fixed",
        "mass": m,
        "com": list(c),
        "inertia": [0.02, 0.03, 0.04],
    }
    rows = {"dh": ("a", "b", "alpha", "theta"), "modified-dh": ("a", "d", "alpha", "theta"), "frames": ()}
    load |= dict.fromkeys(rows[data["convention"]], 0)
    heavier = on_floats(redyn.load({**data, "links": [*data["links"], load]}))
    if robot.model.frames[robot.frame_name()].link:
        close(robot.inverse_dynamics(q, qd, qdd, payload=numbers), heavier.inverse_dynamics(q, qd, qdd))
        condition = np.linalg.cond(heavier.mass_matrix(q))
        close(robot.forward_dynamics(q, qd, qdd, payload=numbers), heavier.forward_dynamics(q, qd, qdd), condition)


@given(trees, seeds, st.integers(0, 5))
def test_batches_equal_single_states(data, seed, size):
    robot = on_floats(redyn.load(data))
    q, qd, qdd = random_state(robot, seed, (size,))
    pull = np.random.default_rng(seed).uniform(-9, 9, (size, 3))
    calls = {
        "inverse": lambda i: robot.inverse_dynamics(q[i], qd[i], qdd[i], gravity=pull[i]),
        "forward": lambda i: robot.forward_dynamics(q[i], qd[i], qdd[i]),
        "mass": lambda i: robot.mass_matrix(q[i]),
        "inverse mass": lambda i: robot.inverse_mass_matrix(q[i]),
        "coriolis": lambda i: robot.coriolis_matrix(q[i], qd[i]),
        "energy": lambda i: robot.kinetic_energy(q[i], qd[i]) + robot.potential_energy(q[i]),
        "pose": lambda i: robot.forward_kinematics(q[i], robot.frame_names[-1]),
        "rate": lambda i: robot.jacobian_rate(q[i], qd[i], robot.frame_names[-1]),
        "wrenches": lambda i: robot.joint_wrenches(q[i], qd[i], qdd[i]),
        "pose of links": lambda i: robot.link_motion(q[i], qd[i], qdd[i]).pose,
        "momentum": lambda i: robot.momentum(q[i], qd[i]),
    }
    for name, call in calls.items():
        whole = call(slice(None))
        assert whole.shape[0] == size, name
        for i in range(size):
            close(whole[i], call(i), tolerance=1e-9)
    if size:
        one = robot.inverse_dynamics(q[0], qd, qdd[0])  # a single state broadcasts against a batch
        close(one[-1], robot.inverse_dynamics(q[0], qd[-1], qdd[0]))
