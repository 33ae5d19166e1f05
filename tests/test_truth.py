"""The numbers and formulas of the book, the paper and the other sources, each by its equation or table."""

import numpy as np
import pytest

import redyn
from known_robots import explicit_three_link, three_rods
from random_robots import close

NAMES = {
    "arm3": "three-link",
    "puma": "puma",
    "stanford": "stanford",
    "kuka": "kuka-kr5-printed",
    "stanford001": "stanford-2003",
    "puma001_abs": "puma-2003",
    "puma001_printed": "puma-2003-printed",
}


def near(value, reference, tolerance=1e-9):
    """To 1e-9 of the max-norm of each vector."""
    reference = np.asarray(reference)
    np.testing.assert_allclose(value, reference, rtol=0, atol=tolerance * np.abs(reference).max())


@pytest.mark.parametrize("key", NAMES)
@pytest.mark.parametrize("exact", [False, True])
def test_inverse_dynamics_tables(golden, key, exact):
    """Examples 9.4-9.7 and the forced runs of the paper: Tables 9.2-9.5 and II along (9.36), (9.37)."""
    robot = redyn.load(NAMES[key], exact=exact)
    entry = golden[key]["inverse_dynamics"]
    motion = redyn.trajectory.cycloidal(np.zeros(6), [np.pi] * 6, 10.0)
    for row in entry["rows"] if isinstance(entry, dict) else entry:
        state = (row["q"], row["qd"], row["qdd"]) if "q" in row else motion(row["t"])
        near(robot.inverse_dynamics(*state), row["tau"])


@pytest.mark.parametrize("key", ["arm3", "puma", "stanford", "kuka"])
def test_generic_states(golden, key):
    robot, entry = redyn.load(NAMES[key]), golden[key]["generic"]
    q, qd = entry["q"], entry["qd"]
    near(robot.mass_matrix(q), entry["GIM"])
    near(robot.coriolis_matrix(q, qd), entry["C_9_10b"])
    near(robot.coriolis_vector(q, qd), entry["h"])
    near(robot.gravity_torque(q), entry["gamma"])
    if entry["qdd_from_tau"] is None:
        with pytest.raises(redyn.SingularError, match="joint6"):
            robot.forward_dynamics(q, qd, entry["tau_in"])
    else:
        near(robot.forward_dynamics(q, qd, entry["tau_in"]), entry["qdd_from_tau"])
        U, D = robot.udu(q)
        near(U, entry["U"])
        near(D, entry["D"])


def test_printed_puma_of_the_paper_is_indefinite(golden):
    robot, entry = redyn.load("puma-2003-printed"), golden["puma001_printed"]
    near(np.linalg.eigvalsh(robot.mass_matrix(np.zeros(6))), entry["GIM_eig_q0"])
    near(robot.forward_dynamics(np.zeros(6), np.zeros(6), np.zeros(6)), entry["qdd_at_rest"])


def test_exercise_9_15(golden):
    robot = redyn.load("three-link")
    motion = redyn.trajectory.cycloidal([0, 0, 0], [np.pi / 2] * 3, 10.0)
    for row in golden["arm3"]["inverse_dynamics_ex9_15_qT_pi_2"]["rows"]:
        q, qd, qdd = motion(row["t"])
        near(q, row["q"], 1e-14) if np.any(row["q"]) else None
        near(robot.inverse_dynamics(q, qd, qdd), row["tau"])


SEED_002 = {
    "ex1_conf1": ("newton-euler-rr", [318.1937, 38.6735], [4.3641, 1.3955]),
    "ex1_conf2": ("newton-euler-rr", [-65.0917, -52.4313], [-12.3727, 0.2878]),
    "ex2_conf1": ("newton-euler-rp", [113.6829, 20.1452], [1.2186, 0.0139]),
    "ex2_conf2": ("newton-euler-rp", [-72.8546, 49.3783], [-1.2416, -1.5960]),
    "ex3_conf1": ("newton-euler-rrr", [5.1128, 104.1829, 6.7743], [5.1128, 1.3712, 0.1532]),
}


@pytest.mark.parametrize("key", SEED_002)
def test_newton_euler_assignment(golden, key):
    """All 22 torques of its Exercise 2, with and without gravity, to the four decimals printed."""
    name, with_gravity, without = SEED_002[key]
    robot, entry = redyn.load(name), golden["seed002"][key]
    state = entry["q"], entry["qd"], entry["qdd"]
    tau, weightless = robot.inverse_dynamics(*state), robot.inverse_dynamics(*state, gravity=[0, 0, 0])
    assert np.abs(tau - with_gravity).max() <= 5e-5
    assert np.abs(weightless - without).max() <= 5e-5
    near(tau, entry["with_gravity"]["tau"])
    near(weightless, entry["no_gravity"]["tau"])


def test_newton_euler_dynamic_forces():
    """D_i = m_i a_Ci and Delta_i = I w_dot + w x I w carry the joint torques inwards, as the assignment does."""
    robot = redyn.load("newton-euler-rrr")
    q, qd, qdd = [0.35, 0.7, 0.17], [0.2, 0.15, -0.2], [0.1, 0.085, 0.0]
    motion, view = robot.link_motion(q, qd, qdd), robot.denoc(q, qd, qdd)
    moment = force = np.zeros(3)
    weightless = robot.inverse_dynamics(q, qd, qdd, gravity=[0, 0, 0])
    for i in (2, 1, 0):
        if i < 2:
            moment = moment + np.cross(view.O[i + 1] - view.O[i], force)
        force = force + motion.force[i]
        moment = moment + motion.moment[i] + np.cross(view.C[i] - view.O[i], motion.force[i])
        close(view.e[i] @ moment, weightless[i])


def test_lagrange_two_link(golden):
    """Lagrange slides, Example 1: H, C, G and the split H qdd + (H_dot / 2 + S) qd + G."""
    robot, e = redyn.load("lagrange-two-link"), golden["seed003_ex1"]
    q, qd, qdd = e["q"], e["qd"], e["qdd"]
    near(robot.mass_matrix(q), e["H"])
    near(robot.coriolis_vector(q, qd), e["C"])
    near(robot.gravity_torque(q), e["G"])
    near(robot.inverse_dynamics(q, qd, qdd), e["tau"])
    x = e["m2"] * e["l1"] * e["l2"] * np.sin(q[1])
    H_dot = np.array([[-x * qd[1], -0.5 * x * qd[1]], [-0.5 * x * qd[1], 0.0]])
    S = 0.5 * x * (qd[0] + 0.5 * qd[1]) * np.array([[0.0, -1.0], [1.0, 0.0]])
    near(robot.coriolis_matrix(q, qd), 0.5 * H_dot + S)
    near(robot.mass_matrix(q) @ qdd + (0.5 * H_dot + S) @ qd + robot.gravity_torque(q), e["tau"])


def test_lagrange_pointing(golden):
    """Lagrange slides, Example 2, with the Coriolis term and M22 corrected; the printed ones do differ."""
    robot, e = redyn.load("lagrange-pointing"), golden["seed003_ex2"]
    q, qd = e["q"], e["qd"]
    tau = robot.inverse_dynamics(q, qd, e["qdd"])
    near(tau, e["tau_correct"])
    assert np.abs(tau - e["tau_as_printed"]).max() > 0.1
    c, m, l2 = np.cos(q[1]), e["m2"], e["l2"]
    near(robot.mass_matrix(q), np.diag([e["I1"] + m * l2**2 * c**2, m * l2**2]))
    s = np.sin(2 * q[1])
    near(robot.coriolis_vector(q, qd), [-m * l2**2 * s * qd[0] * qd[1], 0.5 * m * l2**2 * s * qd[0] ** 2])
    near(robot.gravity_torque(q), [0, m * e["g"] * l2 * c])


def test_point_mass(golden):
    """State-space note, (16)-(18): gravity +Y, the force as the arm exerts it, the damping of (18)."""
    robot, e = redyn.load("point-mass"), golden["seed004"]
    m, l, b, g, th, thd = (e[k] for k in ("m", "l", "b", "g", "theta", "thetadot"))
    on_environment = np.array([0, 0, 0, e["fx"], e["fy"], 0])
    qdd = robot.forward_dynamics([th], [thd], [0.0], external={"tip": -on_environment})
    near(qdd, [e["thdd_eq18_as_printed"]])
    near(
        m * l * l * qdd, [m * l * g * np.cos(th) - b * thd + l * np.sin(th) * e["fx"] - l * np.cos(th) * e["fy"]]
    )  # (18)
    near(
        robot.forward_dynamics([th], [thd], [0.0], external={"tip": on_environment}),
        [e["thdd_gravity_plusY_force_on_tip"]],
    )
    near(
        robot.forward_dynamics([th], [thd], [0.0], gravity=[0, -g, 0], external={"tip": on_environment}),
        [e["thdd_gravity_minusY_force_on_tip"]],
    )
    frictionless = redyn.load("point-mass", friction=False)
    near(
        frictionless.forward_dynamics([th], [thd], [0.0], external={"tip": -on_environment}),
        [e["thdd_eq19_no_damping"]],
    )
    thdd = 0.7
    tau16 = np.cos(th) * l * e["fy"] - np.sin(th) * l * e["fx"] + m * l * l * thdd - m * l * g * np.cos(th)
    near(frictionless.inverse_dynamics([th], [thd], [thdd], external={"tip": -on_environment}), [tau16])  # (16)
    near(
        robot.inverse_dynamics([th], [thd], [thdd], external={"tip": -on_environment}), [tau16 + b * thd]
    )  # (17), + b thd


def test_example_9_1():
    """(9.22)-(9.24): the one-link arm."""
    m = a = 1.0
    robot = redyn.load("one-link")
    th, thd = 0.6, 1.3
    view = robot.denoc([th], [thd])
    close(view.N_l, np.eye(6))  # (9.22)
    close(view.N[:, 0], view.p[0])  # (9.22)
    close(view.e[0], [0, 0, 1])  # (9.23b)
    close(view.d[0], [a * np.cos(th) / 2, a * np.sin(th) / 2, 0])  # (9.23b)
    s, c = np.sin(th), np.cos(th)
    close(
        view.I_i[0], m * a * a / 12 * np.array([[s * s, -s * c, 0], [-s * c, c * c, 0], [0, 0, 1]])
    )  # (9.23d), corrected
    close(view.GIM, [[m * a * a / 3]])  # (9.23f)
    close(view.MCI, [[0.0]])  # (9.24a)
    close(robot.gravity_torque([th]), [m * 9.81 * a * s / 2])  # (9.24c): tau - (1/2) m g a sin(theta)
    close(robot.inverse_dynamics([th], [thd], [2.0]), [m * a * a / 3 * 2.0 + m * 9.81 * a * s / 2])


def test_example_9_3():
    """(9.25)-(9.31): the two-link arm, with other lengths and masses than the library's."""
    m1, m2, a1, a2 = 1.3, 0.7, 0.9, 0.6
    rods = [
        {
            "joint": "revolute",
            "a": a,
            "b": 0,
            "alpha": 0,
            "mass": m,
            "r": [a / 2, 0, 0],
            "inertia": [0, m * a * a / 12, m * a * a / 12],
        }
        for m, a in ((m1, a1), (m2, a2))
    ]
    robot = redyn.load({"name": "rods", "convention": "dh", "gravity": [0, -9.81, 0], "links": rods})
    q, (w1, w2) = [0.4, 1.1], (0.8, -0.5)
    view = robot.denoc(q, [w1, w2])
    c2, s2 = np.cos(q[1]), np.sin(q[1])
    i22, i21 = m2 * a2**2 / 3, m2 * a2**2 / 3 + m2 * a1 * a2 * c2 / 2
    i11 = (m1 * a1**2 + m2 * a2**2) / 3 + m2 * a1**2 + m2 * a1 * a2 * c2
    close(robot.mass_matrix(q), [[i11, i21], [i21, i22]])  # (9.27a), (9.27d), (9.29)
    close(view.B(2, 1)[3:, :3] @ [1, 2, 3], -np.cross(view.r[0] + view.d[1], [1, 2, 3]))  # (9.27c)
    close(view.delta_tilde[0], m2 * view.c(2, 1))  # (9.28b)
    close(view.m_tilde, [m1 + m2, m2])  # (9.28b)
    I_1 = view.I_i[0] + view.I_i[1]
    x = np.array([0.3, -0.2, 0.5])
    close(view.I_tilde[0] @ x, I_1 @ x - np.cross(view.c(2, 1), np.cross(view.delta_tilde[0], x)))  # (9.28b), corrected
    half = m2 * a1 * a2 * s2 / 2
    close(robot.coriolis_matrix(q, [w1, w2]), [[-half * w2, -half * (w1 + w2)], [half * w1, 0]])  # (9.30a-d)
    close(robot.coriolis_vector(q, [w1, w2]), [-2 * half * (w2 / 2 + w1) * w2, half * w1**2])  # (9.31a, b)


def test_exercise_9_11(golden):
    """(9.42): explicit GIM, MCI and gravity of the three-link arm, element by element."""
    m, a = (0.5, 0.4, 0.3), (0.3, 0.25, 0.22)
    robot = three_rods(m, a)
    rng = np.random.default_rng(2)
    for _ in range(20):
        q, qd = rng.uniform(-3, 3, (2, 3))
        GIM, MCI, pull = explicit_three_link(q, qd, m, a, 9.81)
        close(robot.mass_matrix(q), GIM)
        close(robot.coriolis_matrix(q, qd), MCI)
        close(robot.gravity_torque(q), -pull)
    for row in golden["arm3"]["inverse_dynamics_exact_ma2_12"]["rows"]:
        near(robot.inverse_dynamics(row["q"], row["qd"], row["qdd"]), row["tau"])


def test_table_9_2_rounds_the_inertia_of_link_2():
    """0.00208 against m a^2 / 12: the torques differ, by no more than 1e-5."""
    motion = redyn.trajectory.cycloidal([0, 0, 0], [np.pi] * 3, 10.0)
    q, qd, qdd = motion(np.linspace(0, 10, 11))
    exact = three_rods((0.5, 0.4, 0.3), (0.3, 0.25, 0.22)).inverse_dynamics(q, qd, qdd)
    gap = np.abs(exact - redyn.load("three-link").inverse_dynamics(q, qd, qdd)).max()
    assert 1e-7 < gap < 1e-5


def test_exercises_9_6_to_9_9():
    """Kinetic energy and equation of motion by the NOC and by the generalized twist."""
    robot = redyn.load("one-link")
    m = a = 1.0
    th, thd, thdd = 0.4, 1.7, -0.6
    view = robot.denoc([th], [thd], [thdd])
    close(view.t @ view.M @ view.t / 2, m * a**2 * thd**2 / 6)  # 9.6
    close(robot.kinetic_energy([th], [thd]), m * a**2 * thd**2 / 6)  # 9.6
    by_noc = view.N.T @ (view.M @ view.t_dot + view.W @ view.M @ view.t)  # 9.7
    close(by_noc - view.N.T @ view.w_gravity, robot.inverse_dynamics([th], [thd], [thdd]))  # 9.7
    arm = redyn.load("stanford")
    q, qd = np.array([0.1, -1.2, 0.5, 0.3, 0.7, -0.2]), np.array([0.4, 0.2, -0.3, 1.0, -0.8, 0.6])
    dense = arm.denoc(q, qd)
    close(dense.t @ dense.M @ dense.t / 2, arm.kinetic_energy(q, qd))  # 9.8
    close(qd @ dense.GIM @ qd / 2, arm.kinetic_energy(q, qd))  # 9.9


def test_cycloid_is_at_rest_at_both_ends():
    """After (9.36c)."""
    motion = redyn.trajectory.cycloidal([0.1, -1], [2.0, 0.5], 3.0)
    for t, where in ((0.0, [0.1, -1]), (3.0, [2.0, 0.5])):
        q, qd, qdd = motion(t)
        close(q, where)
        close(qd, [0, 0])
        close(qdd, [0, 0], 10)
    t = np.linspace(0, 3, 2001)
    q, qd, qdd = motion(t)
    np.testing.assert_allclose(np.gradient(q, t, axis=0)[1:-1], qd[1:-1], atol=1e-5)
    np.testing.assert_allclose(np.gradient(qd, t, axis=0)[1:-1], qdd[1:-1], atol=1e-5)
