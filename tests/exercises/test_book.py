"""Every answer of the book's exercises, by a second way: Lagrange in SymPy, the printed (9.42), or linear algebra."""

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import solve_ivp

import redyn
from answers import own, spoilt
from redyn.reproduce.closed_forms import three_link
from redyn.reproduce.counts import overtakes
from redyn.reproduce.published import FORWARD

MASSES, LENGTHS = [0.5, 0.4, 0.3], [0.3, 0.25, 0.22]  # Table 9.2


@pytest.fixture(scope="module")
def exercises():
    return {name: redyn.exercises.load(name) for name in redyn.exercises.names()}


def test_all_are_there(exercises):
    assert list(exercises) == [f"9.{k}" for k in range(1, 16)]
    kinds = {question.kind for exercise in exercises.values() for question in exercise.questions}
    assert kinds == {"value", "formula", "motion", "choice"}
    for exercise in exercises.values():
        assert f"Exercise {exercise.name}" in exercise.source
        assert all(question.hints for question in exercise.questions)


def test_right_and_wrong_answers_are_told_apart(exercises):
    """What `--answer` prints is accepted as an answer, and another is not."""
    for exercise in exercises.values():
        for question in exercise.questions:
            assert question.check(own(question)).right, (exercise.name, question.name)
            assert not question.check(spoilt(question)).right, (exercise.name, question.name)


class Lagrange:
    """Uniform rods in the plane: energies from positions, torques by differentiation."""

    def __init__(self, n, gravity):
        t, g = sp.symbols("t g")
        m, a = (sp.symbols(" ".join(f"{x}_{i}" for i in range(1, n + 1)), seq=True) for x in "ma")
        q = [sp.Function(f"q{i}")(t) for i in range(n)]
        joint, angle, T, V = sp.Matrix([0, 0]), 0, 0, 0
        self.turns = []
        for i in range(n):
            angle += q[i]
            along = a[i] * sp.Matrix([sp.cos(angle), sp.sin(angle)])
            centre = joint + along / 2
            velocity = centre.diff(t)
            T += m[i] * velocity.dot(velocity) / 2 + m[i] * a[i] ** 2 / 24 * sp.diff(angle, t) ** 2
            V -= m[i] * g * sp.Matrix(gravity).dot(centre)
            joint = joint + along
        plain = {}
        for i, x in enumerate(q, start=1):
            plain |= {x.diff(t, 2): sp.Symbol(f"theta_ddot_{i}"), x.diff(t): sp.Symbol(f"theta_dot_{i}")}
        plain |= {x: sp.Symbol(f"theta_{i}") for i, x in enumerate(q, start=1)}
        L = T - V
        self.T = sp.simplify(T.subs(plain))
        self.tau = [sp.expand((sp.diff(L, x.diff(t)).diff(t) - sp.diff(L, x)).doit().subs(plain)) for x in q]
        rates = [sp.Symbol(f"theta_dot_{i}") for i in range(1, n + 1)]
        self.mass_matrix = sp.hessian(sp.expand(self.T), rates).applyfunc(sp.simplify)


UNIT = {"m_1": 1, "m_2": 1, "a_1": 1, "a_2": 1, "g": 9.81}
STATE = [f"theta{kind}_{i}" for kind in ("", "_dot", "_ddot") for i in (1, 2)]


@pytest.fixture(scope="module")
def one_rod():
    return Lagrange(1, [1, 0])


@pytest.fixture(scope="module")
def two_rods():
    return Lagrange(2, [0, -1])


def test_one_link(exercises, one_rod):
    assert exercises["9.6"].check(str(one_rod.T)).right
    for name in ("9.7", "9.9"):
        assert exercises[name].check(str(one_rod.tau[0]), "tau").right
    assert exercises["9.7"].check(str(one_rod.mass_matrix[0]), "I").right
    assert exercises["9.7"].check("0", "C").right
    assert not exercises["9.7"].check("m1 a1 theta_dot1", "C").right


def test_the_orthogonal_complement_of_one_link(exercises):
    """By differentiation: the twist per unit of the rate, and its change in time."""
    t, a = sp.symbols("t a_1")
    q = sp.Function("q")(t)
    centre = a / 2 * sp.Matrix([sp.cos(q), sp.sin(q), 0])
    twist = sp.Matrix([0, 0, q.diff(t), *centre.diff(t)])
    plain = {q.diff(t, 2): sp.Symbol("theta_ddot_1"), q.diff(t): sp.Symbol("theta_dot_1"), q: sp.Symbol("theta_1")}
    column, rate = (str(list(x.subs(plain))) for x in (twist / q.diff(t), twist.diff(t)))
    assert exercises["9.7"].check(column, "N").right
    assert exercises["9.9"].check(column, "N_d").right
    assert exercises["9.9"].check(str(list(twist.subs(plain))), "t").right
    assert exercises["9.9"].check(rate, "t_dot").right
    assert exercises["9.9"].check(np.eye(6), "N_l").right
    numbers = [float(x.subs(plain).subs({"theta_1": np.pi / 6, "a_1": 1})) for x in twist / q.diff(t)]
    assert exercises["9.4"].check(numbers, "N").right


def test_choices_hold_in_numbers(exercises):
    """9.4: N^T w_c vanishes, where w_c is what remains of the wrenches; 9.8: the expressions that equal the energy."""
    robot = redyn.load("two-link")
    q, qd, qdd = np.array([[0.3, 0.8], [1.2, -0.7], [0.4, 2.0]])
    view = robot.denoc(q, qd, qdd)
    tau = robot.inverse_dynamics(q, qd, qdd)
    axis = np.array([0.0, 0, 1, 0, 0, 0])
    driving = np.concatenate([axis * (tau[0] - tau[1]), axis * tau[1]])  # moments of the motors on links 1 and 2
    weight = np.concatenate([[0, 0, 0, 0, -9.81, 0]] * 2)  # 1 kg each
    needed = view.M @ view.t_dot + view.W @ view.M @ view.t
    assert np.abs(view.N.T @ (needed - driving - weight)).max() < 1e-12
    assert np.abs(needed - driving - weight).max() > 1
    assert np.abs(view.N.T @ view.N - np.eye(2)).max() > 0.1
    assert np.abs(view.N.T @ driving).max() > 1
    assert exercises["9.4"].check("2", "meaning").right

    energy = robot.kinetic_energy(q, qd)
    M = view.M
    candidates = [
        view.t @ M @ view.t / 2,
        view.t @ M @ view.t,
        qd @ view.N.T @ M @ view.N @ qd / 2,
        qd @ view.N_d.T @ M @ view.N_d @ qd / 2,
    ]
    right = [k for k, value in enumerate(candidates, start=1) if abs(value - energy) < 1e-12]
    assert exercises["9.8"].check(str(right)[1:-1], "general").right


def test_inverse_dynamics_by_lagrange(exercises, two_rods):
    """9.1"""
    run = sp.lambdify(STATE, [x.subs(UNIT) for x in two_rods.tau])
    assert exercises["9.1"].check(run(np.pi / 6, np.pi / 3, 1, -0.5, 2, 1), "tau").right
    t = np.linspace(0, 2, 41)
    q, qd, qdd = (x[:, :2] for x in cycloid(np.pi / 2, t, 2.0))
    question = exercises["9.1"].question("torques")
    table = dict(zip(("t", "tau_joint1", "tau_joint2"), (t, *run(*q.T, *qd.T, *qdd.T)), strict=True))
    assert question.check(table).right
    assert np.abs(np.array(list(question.table(41).values())) - list(table.values())).max() < 1e-12


def test_forward_dynamics_and_simulation_by_lagrange(exercises, two_rods):
    """9.2: accelerations by linear equations, the fall by another integrator."""
    matrix = sp.lambdify(STATE[:2], two_rods.mass_matrix.subs(UNIT))
    torque = sp.lambdify(STATE, [x.subs(UNIT) for x in two_rods.tau])

    def acceleration(q, qd, tau):
        return np.linalg.solve(np.array(matrix(*q), dtype=float), tau - np.array(torque(*q, *qd, 0, 0)))

    found = acceleration(np.deg2rad([-60, 40]), [-3, 2], np.array([5, -1]))
    assert exercises["9.2"].check(found, "moving").right
    assert exercises["9.2"].check(acceleration([0, 0], [0, 0], np.zeros(2)), "theta_ddot").right
    t = np.linspace(0, 1, 101)
    fall = solve_ivp(
        lambda _, x: np.concatenate([x[2:], acceleration(x[:2], x[2:], np.zeros(2))]),
        (0, 1),
        np.zeros(4),
        "DOP853",
        t,
        rtol=1e-11,
        atol=1e-12,
    ).y[:2]
    question = exercises["9.2"].question("fall")
    assert question.check({"t": t, "q_joint1": fall[0], "q_joint2": fall[1]}).right
    assert np.abs(np.array(list(question.table(101).values()))[1:] - fall).max() < 1e-7
    assert exercises["9.2"].check(fall[:, 50], "half").right


def test_the_complement_eliminates_constraints(exercises):
    """9.3: the rank of what N^T annihilates, and the inertia matrix by (9.42)."""
    q = np.deg2rad([30, 45, -60])
    N = redyn.load("three-link").denoc(q).N
    n = sp.Symbol("n")
    assert exercises["9.3"].check(str(sp.expand(len(N) // 3 * n)), "equations").right
    assert exercises["9.3"].check(str((len(N) - np.linalg.matrix_rank(N)) // 3 * n), "eliminated").right
    inertia = three_link(MASSES, LENGTHS, q, np.zeros(3)).inertia
    assert exercises["9.3"].check(inertia, "I").right
    assert exercises["9.3"].check(inertia[2, 0], "i31").right
    assert not exercises["9.3"].check(inertia[1, 0], "i31").right
    assert not exercises["9.3"].check("4", "reasons").right


def test_from_how_many_links_on(exercises):
    pair = FORWARD["ReDySim (Shah et al., 2013)"], FORWARD["Walker and Orin (1982)"]
    assert exercises["9.5"].check(str(overtakes(*pair, True)), "multiplications").right
    assert exercises["9.5"].check(str(overtakes(*pair, False)), "operations").right
    n = sp.Symbol("n")
    assert exercises["9.5"].check(str(sum(count(n) for count in pair[0])), "total").right


def test_two_links(exercises, two_rods):
    assert exercises["9.8"].check(str(two_rods.T), "T").right
    ones = {"m_1": 1, "m_2": 1, "a_1": 1, "a_2": 1, "theta_1": 0, "theta_2": sp.pi / 3}
    energy = two_rods.T.subs(ones | {"theta_dot_1": 1, "theta_dot_2": 2})
    assert exercises["9.8"].check(float(energy), "number").right
    assert exercises["9.14"].check(str(two_rods.tau), "tau").right
    still = {f"theta_{kind}_{i}": 0 for kind in ("dot", "ddot") for i in (1, 2)}
    hold = [float(x.subs(ones | {"theta_2": 0, "g": 9.81} | still)) for x in two_rods.tau]
    assert exercises["9.14"].check(hold, "hold").right


def test_factors(exercises, two_rods):
    H = two_rods.mass_matrix
    u, last = H[0, 1] / H[1, 1], H[1, 1]
    assert exercises["9.10"].check(str(u), "u12").right
    assert exercises["9.10"].check(str([sp.expand(H[0, 0] - H[0, 1] ** 2 / last), last]), "D").right
    ones = {"m_1": 1, "m_2": 1, "a_1": 1, "a_2": 1}
    assert exercises["9.10"].check([[1, float(u.subs(ones | {"theta_2": sp.pi / 3}))], [0, 1]], "U").right
    there = ones | {"theta_1": 0, "theta_2": sp.pi / 2, "g": 9.81}
    still = {f"theta_{kind}_{i}": 0 for kind in ("dot", "ddot") for i in (1, 2)}
    weight = np.array([float(x.subs(there | still)) for x in two_rods.tau])
    matrix = np.array(H.subs(there).tolist(), dtype=float)
    assert exercises["9.10"].check(np.linalg.solve(matrix, -weight), "theta_ddot").right
    assert not np.allclose(np.linalg.eigvalsh(matrix), np.sort(redyn.load("two-link").udu([0, np.pi / 2])[1]))


def cycloid(stop, t, T=10.0):
    """(9.36) for three joints."""
    w = 2 * np.pi / T
    curves = (t - np.sin(w * t) / w, 1 - np.cos(w * t), w * np.sin(w * t))
    return [np.repeat((stop / T * curve)[:, None], 3, axis=1) for curve in curves]


@pytest.mark.parametrize(("name", "stop"), [("9.11", np.pi), ("9.15", np.pi / 2)])
def test_torques_by_the_printed_equations(exercises, name, stop):
    t = np.linspace(0, 10, 401)
    q, qd, qdd = cycloid(stop, t)
    tau = three_link(MASSES, LENGTHS, q, qd).torque(qd, qdd)
    question = exercises[name].question("torques")
    table = {"t": t} | {f"tau_joint{i + 1}": tau[:, i] for i in range(3)}
    assert question.check(table).right
    computed = np.column_stack(list(question.table(401).values()))
    assert np.abs(computed[:, 1:] - tau).max() < 2e-6  # Table 9.2 rounds an inertia
    if name == "9.11":
        assert exercises[name].check(tau[200], "middle").right
    else:
        assert exercises[name].check(tau[0], "start").right
        assert exercises[name].check(np.abs(tau).max(axis=0), "peak").right


def test_inertia_of_three_links(exercises):
    """i_12 as the book prints it."""
    printed = (
        "1/3 (m_2 a_2^2 + m_3 a_3^2) + m_3 a_2^2 + (1/2 m_2 a_2 + m_3 a_2) a_1 c2 + 1/2 m_3 a_3 (2 a_2 c3 + a_1 c23)"
    )
    assert exercises["9.11"].check(printed, "i12").right


def test_free_fall_by_the_printed_equations(exercises):
    def rates(_, state):
        q, qd = state[:3], state[3:]
        return np.concatenate([qd, three_link(MASSES, LENGTHS, q, qd).acceleration(qd, np.zeros(3))])

    t = np.linspace(0, 1, 101)
    fall = solve_ivp(rates, (0, 1), np.zeros(6), "DOP853", t, rtol=1e-11, atol=1e-12).y[:3].T
    question = exercises["9.12"].question("fall")
    assert question.check({"t": t, "q1": fall[:, 0], "q2": fall[:, 1], "q3": fall[:, 2]}).right
    computed = np.column_stack(list(question.table(101).values()))[:, 1:]
    assert np.abs(computed - fall).max() < 2e-3  # by the rounded inertia
    assert exercises["9.12"].check(fall[50], "half").right
    assert exercises["9.12"].check(rates(0, np.zeros(6))[3:], "start").right


def test_two_link_motion_by_lagrange(exercises, two_rods):
    t = np.linspace(0, 10, 41)
    q, qd, qdd = (x[:, :2] for x in cycloid(np.pi, t))
    names = [f"theta{kind}_{i}" for kind in ("", "_dot", "_ddot") for i in (1, 2)]
    ones = {"m_1": 1, "m_2": 1, "a_1": 1, "a_2": 1, "g": 9.81}
    curves = [sp.lambdify(names, x.subs(ones))(*q.T, *qd.T, *qdd.T) for x in two_rods.tau]
    question = exercises["9.14"].question("torques")
    assert question.check({"t": t, "tau_joint1": curves[0], "tau_joint2": curves[1]}).right
    assert np.abs(np.array(list(question.table(41).values()))[1:] - curves).max() < 1e-12
