"""Equations of motion in closed form: the page's formulas, the robot's numbers, and three derivations that agree."""

import ast
import re

import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

import redyn
from known_robots import first_joints
from random_robots import close, random_state, random_tree
from redyn.symbolic import check as checks
from redyn.symbolic.equations import QUANTITIES, numeric
from redyn.symbolic.notation import Typesetter, operations
from work import Calls

# --- the pages ----------------------------------------------------------------------------------------------------

EXAMPLE_9_1 = {("mass_matrix", 1, 1): "1/3*m_1*a_1**2", ("gravity_torque", 1): "1/2*m_1*g*a_1*s1"}
EXAMPLE_9_3 = {
    ("mass_matrix", 2, 2): "1/3*m_2*a_2**2",
    ("mass_matrix", 2, 1): "1/3*m_2*a_2**2 + 1/2*m_2*a_1*a_2*c2",
    ("mass_matrix", 1, 1): "1/3*(m_1*a_1**2 + m_2*a_2**2) + m_2*a_1**2 + m_2*a_1*a_2*c2",
    ("coriolis_matrix", 2, 1): "1/2*m_2*a_1*a_2*s2*theta_dot_1",
    ("coriolis_matrix", 1, 2): "-1/2*m_2*a_1*a_2*s2*theta_dot_12",
    ("coriolis_matrix", 1, 1): "-1/2*m_2*a_1*a_2*s2*theta_dot_2",
    ("coriolis_vector", 2): "1/2*m_2*a_1*a_2*s2*theta_dot_1**2",
    ("coriolis_vector", 1): "-m_2*a_1*a_2*s2*(1/2*theta_dot_2 + theta_dot_1)*theta_dot_2",
}
_K = "(m_2*a_1*a_2*s2 + m_3*(2*a_1*a_2*s2 + a_1*a_3*s23))"
_J = "m_3*(a_1*a_3*s23 + a_2*a_3*s3)"
EQUATION_9_42 = {
    ("mass_matrix", 1, 1): "1/3*(m_1*a_1**2 + m_2*a_2**2 + m_3*a_3**2) + m_2*a_1**2 + m_3*(a_1**2 + a_2**2)"
    " + (m_2 + 2*m_3)*a_1*a_2*c2 + m_3*a_3*(a_2*c3 + a_1*c23)",
    ("mass_matrix", 1, 2): "1/3*(m_2*a_2**2 + m_3*a_3**2) + m_3*a_2**2 + (1/2*m_2*a_2 + m_3*a_2)*a_1*c2"
    " + 1/2*m_3*a_3*(2*a_2*c3 + a_1*c23)",
    ("mass_matrix", 1, 3): "1/3*m_3*a_3**2 + 1/2*m_3*a_3*(a_2*c3 + a_1*c23)",
    ("mass_matrix", 2, 2): "1/3*(m_2*a_2**2 + m_3*a_3**2) + m_3*(a_2**2 + a_2*a_3*c3)",
    ("mass_matrix", 2, 3): "1/3*m_3*a_3**2 + 1/2*m_3*a_2*a_3*c3",
    ("mass_matrix", 3, 3): "1/3*m_3*a_3**2",
    ("coriolis_matrix", 1, 1): f"-1/2*({_K}*theta_dot_2 + {_J}*theta_dot_3)",
    ("coriolis_matrix", 1, 2): f"-1/2*({_K}*theta_dot_12 + {_J}*theta_dot_3)",
    ("coriolis_matrix", 1, 3): f"-1/2*{_J}*theta_dot_123",
    ("coriolis_matrix", 2, 1): f"1/2*({_K}*theta_dot_1 - m_3*a_2*a_3*s3*theta_dot_3)",
    ("coriolis_matrix", 2, 2): "-1/2*m_3*a_2*a_3*s3*theta_dot_3",
    ("coriolis_matrix", 2, 3): "-1/2*m_3*a_2*a_3*s3*theta_dot_123",
    ("coriolis_matrix", 3, 1): "1/2*m_3*((a_1*a_3*s23 + a_2*a_3*s3)*theta_dot_1 + a_2*a_3*s3*theta_dot_2)",
    ("coriolis_matrix", 3, 2): "1/2*m_3*a_2*a_3*s3*theta_dot_12",
    ("gravity_torque", 1): "-1/2*g*(-m_1*a_1*c1 - 2*m_2*(a_1*c1 + 1/2*a_2*c12)"
    " - 2*m_3*(a_1*c1 + a_2*c12 + 1/2*a_3*c123))",
    ("gravity_torque", 2): "-1/2*g*(-m_2*a_2*c12 - 2*m_3*(a_2*c12 + 1/2*a_3*c123))",
    ("gravity_torque", 3): "1/2*g*m_3*a_3*c123",
}
SLIDES_1 = {
    ("mass_matrix", 1, 1): "I_o1 + m_2*l_1**2 + 0.25*m_2*l_2**2 + I_c2 + m_2*l_1*l_2*c2",
    ("mass_matrix", 1, 2): "0.25*m_2*l_2**2 + I_c2 + 0.5*m_2*l_1*l_2*c2",
    ("mass_matrix", 2, 2): "0.25*m_2*l_2**2 + I_c2",
    ("coriolis_vector", 1): "-m_2*l_1*l_2*s2*(theta_dot_1 + 0.5*theta_dot_2)*theta_dot_2",
    ("coriolis_vector", 2): "0.5*m_2*l_1*l_2*s2*theta_dot_1**2",
    ("gravity_torque", 1): "(0.5*m_1 + m_2)*l_1*g*c1 + 0.5*m_2*l_2*g*c12",
    ("gravity_torque", 2): "0.5*m_2*l_2*g*c12",
}
SLIDES_1_NAMES = {
    "a_1": "l_1",
    "d_1x": "l_1/2",
    "d_2x": "l_2/2",
    "I_1zz": "I_o1 - m_1*l_1**2/4",
    "I_2zz": "I_c2",
}
SLIDES_2 = {  # mended: m_2 l_2^2 in the corner, and the whole Coriolis term with its sign
    ("mass_matrix", 1, 1): "I_1 + m_2*l_2**2*c2**2",
    ("mass_matrix", 2, 2): "m_2*l_2**2",
    ("coriolis_vector", 1): "-m_2*l_2**2*sin(2*theta_2)*theta_dot_1*theta_dot_2",
    ("coriolis_vector", 2): "0.5*m_2*l_2**2*sin(2*theta_2)*theta_dot_1**2",
    ("gravity_torque", 2): "m_2*g*l_2*c2",
}
PAGES = {
    "Example 9.1": ("one-link", {}, EXAMPLE_9_1),
    "Example 9.3": ("two-link", {}, EXAMPLE_9_3),
    "(9.42)": ("three-link", {"rods": True}, EQUATION_9_42),
    "slides, example 1": ("lagrange-two-link", {"where": SLIDES_1_NAMES}, SLIDES_1),
    "slides, example 2": ("lagrange-pointing", {"where": {"d_2x": "l_2", "I_1zz": "I_1"}}, SLIDES_2),
}


def spelled_out(text):
    """c23, s23 and theta_dot_23 as what they stand for; numbers exact."""
    names = {}
    for i in range(1, 4):
        for j in range(i, 4):
            run = "".join(map(str, range(i, j + 1)))
            angle = sum(sympy.Symbol(f"theta_{k}") for k in range(i, j + 1))
            names |= {f"c{run}": sympy.cos(angle), f"s{run}": sympy.sin(angle)}
            names[f"theta_dot_{run}"] = sum(sympy.Symbol(f"theta_dot_{k}") for k in range(i, j + 1))
    return sympy.sympify(text, locals=names, rational=True)


def written_operations(text):
    """+ - * / ** in a formula, a fraction of two numbers being one number."""
    tree = ast.parse(re.sub(r"\b\d+/\d+\b", "0.5", text), mode="eval")
    return sum(isinstance(node, ast.BinOp) for node in ast.walk(tree))


@pytest.mark.parametrize("page", PAGES)
def test_formulas_of_the_page(page):
    name, options, formulas = PAGES[page]
    eqs = redyn.derive(name, **options)
    for entry, printed in formulas.items():
        found = eqs.text(*entry)
        assert sympy.expand(sympy.expand_trig(spelled_out(found) - spelled_out(printed))).simplify() == 0, entry
        assert written_operations(found) <= 1.2 * written_operations(printed), (entry, found, printed)
    matrices = {entry[0] for entry in formulas}
    for matrix in matrices & {"mass_matrix", "coriolis_matrix"}:  # what the page leaves out is zero or symmetric
        found = eqs.quantity(matrix)
        for i in range(eqs.dof):
            for j in range(eqs.dof):
                listed = (matrix, i + 1, j + 1) in formulas or (
                    matrix == "mass_matrix" and (matrix, j + 1, i + 1) in formulas
                )
                assert listed or found[i, j] == 0


def test_notation_of_the_page():
    eqs = redyn.derive("three-link", rods=True)
    assert eqs.text("coriolis_matrix", 1, 3) == "-1/2*m_3*a_3*(a_1*s23 + a_2*s3)*theta_dot_123"
    assert eqs.latex("coriolis_matrix", 3, 2) == r"\frac{1}{2} m_{3} a_{2} a_{3} s_{3} \dot{\theta}_{12}"
    assert eqs.latex("gravity_torque", 3) == r"\frac{1}{2} m_{3} g a_{3} c_{123}"
    spatial = redyn.derive("newton-euler-rrr").text("mass_matrix", 1, 1)
    assert "m_2*(a_1 + d_2x*c2)**2 + m_3*(a_1 + a_2*c2 + d_3x*c23)**2" in spatial


def test_slides_split_of_C():
    """C = H_dot/2 + S of the slides, centrifugal and Coriolis terms told apart."""
    found = redyn.derive("lagrange-two-link", where=SLIDES_1_NAMES).lagrange
    x = "m_2*l_1*l_2*s2"
    half = [[f"-1/2*{x}*theta_dot_2", f"-1/4*{x}*theta_dot_2"], [f"-1/4*{x}*theta_dot_2", "0"]]
    for i in range(2):
        for j in range(2):
            assert sympy.expand(found.half_H_dot[i, j] - spelled_out(half[i][j])) == 0
    assert sympy.expand(found.S[1, 0] - spelled_out(f"1/2*{x}*(theta_dot_1 + 1/2*theta_dot_2)")) == 0
    assert sympy.zeros(2, 2) == found.S + found.S.T
    assert sympy.expand(found.coriolis[0] - spelled_out(f"-{x}*theta_dot_1*theta_dot_2")) == 0
    assert sympy.expand(found.centrifugal[0] - spelled_out(f"-1/2*{x}*theta_dot_2**2")) == 0
    assert sympy.expand(found.centrifugal[1] - spelled_out(f"1/2*{x}*theta_dot_1**2")) == 0
    assert found.coriolis[1] == 0


def test_state_space_of_the_note():
    """(16)-(19), mended: b keeps its sign and stays in (19)."""
    eqs = redyn.derive("point-mass", where={"d_1x": "l", "a_1": "l", "damping_1": "b", "m_1": "m"})
    space = eqs.state_space
    t, w, h, m, l, g, b, tau = sympy.symbols("theta_1 theta_dot_1 h m l g b tau_1")
    fx, fy = sympy.symbols("f_x f_y")
    wanted = (tau + m * l * g * sympy.cos(t) - b * w + l * sympy.sin(t) * fx - l * sympy.cos(t) * fy) / (m * l**2)
    assert sympy.simplify(space.acceleration[0] - wanted) == 0
    assert sympy.simplify(space.step[0] - (w + h * wanted)) == 0
    assert sympy.simplify(space.step[1] - (t + h * w + h**2 / 2 * wanted)) == 0
    assert sympy.Matrix([[1, 0], [h, 1]]) == space.A


# --- the robot's numbers ---------------------------------------------------------------------------------------------

ROBOTS = {
    name: (lambda name=name: redyn.load(name))
    for name in [
        "one-link",
        "two-link",
        "three-link",
        "lagrange-two-link",
        "lagrange-pointing",
        "newton-euler-rr",
        "newton-euler-rp",
        "newton-euler-rrr",
        "point-mass",
    ]
} | {
    "stanford-3": lambda: first_joints("stanford", 3),
    "puma-3": lambda: first_joints("puma", 3),
    "springs": lambda: sprung("newton-euler-rp"),
}


def sprung(name):
    """A robot with a spring at every joint, all but the first with another place of rest."""
    description = redyn.load(name).description
    links = [
        link.model_copy(update={"joint": link.joint.model_copy(update={"stiffness": 5.0 + i, "rest": 0.3 * i})})
        for i, link in enumerate(description.links)
    ]
    return redyn.Robot(description.model_copy(update={"links": links}))


def test_springs_are_written_as_they_are_said():
    eqs = redyn.derive(sprung("newton-euler-rp"))
    assert eqs.text("spring_torque") == "[[k_1*theta_1],\n [k_2*(b_2 - rest_2)]]"
    assert "k_2*(b_2 - rest_2)" in eqs.text("torque", 2)
    assert "1/2*k_2*(b_2 - rest_2)**2" in eqs.text("potential_energy")
    assert "rest" in str(eqs.lagrange.potential_energy)
    assert not {"k_1", "rest_2"} & {str(s) for s in eqs.linear.parameters.free_symbols}  # as friction is not
    assert redyn.derive(sprung("newton-euler-rp"), numbers=["springs"]).text("spring_torque", 1) == "5*theta_1"


def numbers_of(robot, name, q, qd, qdd):
    method = {"torque": "inverse_dynamics", "christoffel_matrix": "coriolis_matrix"}.get(name, name)
    if name in ("U", "D"):
        return robot.udu(q)["UD".index(name)]
    if name == "torque":
        return robot.inverse_dynamics(q, qd, qdd)
    if name in ("mass_matrix", "inverse_mass_matrix", "gravity_torque", "spring_torque", "potential_energy"):
        return getattr(robot, method)(q)
    if name == "friction_torque":
        return robot.friction_torque(qd)
    if name == "coordinate_rates":
        return qd
    form = {"form": "christoffel"} if name == "christoffel_matrix" else {}
    return getattr(robot, method)(q, qd, **form)


@pytest.mark.parametrize("name", ROBOTS)
@pytest.mark.slow
def test_equal_to_the_robots_numbers(name):
    robot = ROBOTS[name]()
    eqs = redyn.derive(robot)
    forces = dict.fromkeys(sympy.symbols("f_x f_y f_z"), 0.0)
    symbols = [*eqs.values, *forces, *eqs.q, *eqs.qd, *eqs.tau]
    acceleration = numeric(eqs.state_space.acceleration, symbols)
    for seed in range(3):
        q, qd, qdd = random_state(robot, seed)
        for quantity in QUANTITIES:
            close(eqs.evaluate(quantity, q, qd, qdd), numbers_of(robot, quantity, q, qd, qdd), 100, 1e-11)
        tau = np.linspace(-1, 1, robot.dof)
        found = acceleration(*eqs.values.values(), *forces.values(), *q, *qd, *tau)[:, 0]
        close(found, robot.forward_dynamics(q, qd, tau), np.linalg.cond(robot.mass_matrix(q)) * 10)


@pytest.mark.parametrize("name", ROBOTS)
def test_three_derivations_agree(name):
    agreement = redyn.derive(ROBOTS[name]()).check()
    assert agreement.ok, str(agreement)
    assert str(agreement).count("symbolically") == 4


@pytest.mark.parametrize("name", ["puma", "stanford", "kuka-kr5"])
def test_three_derivations_agree_at_points(name):
    agreement = redyn.derive(name).check(points=2)
    assert agreement.ok, str(agreement)
    assert "symbolically" not in str(agreement)


def test_a_tip_force_pushes_through_B():
    robot = first_joints("stanford", 3)
    eqs = redyn.derive(robot)
    q, qd, tau, f = [0.3, -0.7, 0.4], [0.2, 0.1, -0.5], [1.0, 2.0, 3.0], [4.0, -5.0, 6.0]
    symbols = [*eqs.values, *eqs.q, *eqs.qd, *eqs.tau, *sympy.symbols("f_x f_y f_z")]
    found = numeric(eqs.state_space.acceleration, symbols)(*eqs.values.values(), *q, *qd, *tau, *f)[:, 0]
    on_tip = {"link3": [0, 0, 0, *(-x for x in f)]}  # f is what the arm exerts
    close(found, robot.forward_dynamics(q, qd, tau, external=on_tip), 1e3)


@pytest.mark.slow
@settings(max_examples=6)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(1, 3),
    convention=st.sampled_from(["dh", "modified-dh", "frames"]),
    serial=st.booleans(),
)
def test_random_trees_with_numbers(seed, n, convention, serial):
    """Every number kept as a number: lumped parts, rotors, friction, offsets, any axes."""
    robot = redyn.load(random_tree(seed, n, convention=convention, serial=serial))
    eqs = redyn.derive(robot, numbers=True)
    q, qd, qdd = random_state(robot, seed)
    assert not eqs.values
    for quantity in ("torque", "mass_matrix", "coriolis_matrix", "kinetic_energy", "potential_energy"):
        found = eqs.evaluate(quantity, q, qd, qdd)
        close(found, numbers_of(robot, quantity, q, qd, qdd), 1000, 1e-11)


@pytest.mark.slow
@settings(max_examples=6)
@given(seed=st.integers(0, 10**6), n=st.integers(1, 2), convention=st.sampled_from(["dh", "modified-dh", "frames"]))
def test_random_trees_with_symbols(seed, n, convention):
    robot = redyn.load(random_tree(seed, n, convention=convention))
    eqs = redyn.derive(robot)
    q, qd, qdd = random_state(robot, seed)
    for quantity in ("torque", "mass_matrix", "U", "D", "coriolis_matrix", "christoffel_matrix", "gravity_torque"):
        found = eqs.evaluate(quantity, q, qd, qdd)
        close(found, numbers_of(robot, quantity, q, qd, qdd), 1000, 1e-11)
    assert eqs.check(points=1).ok


STEPS = ("inverse_dynamics", "forward_dynamics", "mass_matrix", "udu", "coriolis_matrix", "gravity_torque", "solve")


@pytest.mark.slow
@pytest.mark.parametrize("source", ["puma", "stanford", random_tree(3, 5)], ids=["puma", "stanford", "tree"])
def test_named_steps_give_the_robots_numbers(source):
    robot = redyn.load(source)
    eqs = redyn.derive(robot)
    q, qd, other = random_state(robot, 4)
    values = eqs.values | dict(zip([*eqs.q, *eqs.qd, *eqs.qdd, *eqs.tau], [*q, *qd, *other, *other], strict=True))
    values |= {sympy.Symbol(f"phi_{i + 1}"): x for i, x in enumerate(other)}
    arguments = {"q": q, "qd": qd, "qdd": other, "tau": other, "phi": other}
    for name in STEPS:
        steps = eqs.steps(name)
        state = redyn.dynamics.catalogue.ALGORITHMS[{"coriolis_matrix": "coriolis_matrix_mci"}.get(name, name)].state
        wanted = getattr(robot, name)(*(arguments[k] for k in state))
        wanted = wanted if isinstance(wanted, tuple) else (wanted,)
        needed = {s: values[s] for s in values if s in set(steps.inputs) | set(eqs.values)}
        for found, reference in zip(steps.evaluate(needed), wanted, strict=True):
            close(found.reshape(reference.shape), reference, np.linalg.cond(robot.mass_matrix(q)) * 100)
        assert max(operations(e) for _, e in steps.assignments) < 40  # short lines, not one formula


@pytest.mark.slow
def test_no_letter_means_two_things():
    for source in ("puma", random_tree(0, 4, fixed=0.0), random_tree(1, 4, convention="modified-dh")):
        eqs = redyn.derive(source)
        inputs = {str(s) for name in ("solve", "inverse_dynamics", "forward_dynamics") for s in eqs.steps(name).inputs}
        assert not inputs & {str(s) for s in eqs.values}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("make", "limit"),
    [
        (lambda: "two-link", 300_000),
        (lambda: "three-link", 2_000_000),
        (lambda: first_joints("puma", 3), 12_000_000),
        (lambda: "newton-euler-rrr", 12_000_000),
    ],
)
def test_work_of_closed_forms(make, limit):
    """Three times the calls that it takes: some two million pass in a second."""
    robot = make()
    robot = redyn.load(robot) if isinstance(robot, str) else robot
    assert redyn.derive("one-link").mass_matrix.shape == (1, 1)  # what is imported once is imported now
    with Calls() as calls:
        eqs = redyn.derive(robot)
        for quantity in ("mass_matrix", "coriolis_matrix", "coriolis_vector", "gravity_torque"):
            eqs.quantity(quantity)
    assert calls.count < limit


@pytest.mark.slow
def test_work_of_six_joints():
    with Calls() as calls:
        eqs = redyn.derive("puma")
        for name in ("inverse_dynamics", "forward_dynamics", "mass_matrix", "coriolis_matrix", "udu"):
            eqs.steps(name)
    assert calls.count < 27_000_000


# --- choices ------------------------------------------------------------------------------------------------------


def test_any_subset_becomes_numbers():
    robot = redyn.load("three-link")
    q, qd, qdd = random_state(robot, 1)
    for numbers in (True, "mass", ["geometry", "gravity"], ["m_1", "I_2zz", "d"], ["a", "inertia", "g"]):
        eqs = redyn.derive(robot, numbers=numbers)
        close(eqs.evaluate("torque", q, qd, qdd), robot.inverse_dynamics(q, qd, qdd), 10)
        names = {str(s) for s in eqs.torque.free_symbols} - {str(s) for s in [*eqs.q, *eqs.qd, *eqs.qdd]}
        assert (not names) == (numbers is True)
        if numbers == "mass":
            assert not [n for n in names if n.startswith("m_")]
            assert "a_1" in names
    assert redyn.derive("two-link", numbers=["mass"]).text("mass_matrix", 2, 2) == "1/3*a_2**2"  # rods follow


def test_a_right_angle_may_be_a_symbol():
    robot = redyn.load("lagrange-pointing")
    eqs = redyn.derive(robot, where={"alpha_1": "alpha_1"})
    assert eqs.values[sympy.Symbol("alpha_1")] == pytest.approx(np.pi / 2)
    assert "cos(alpha_1)" in eqs.text("torque") or "sin(alpha_1)" in eqs.text("torque")
    q, qd, qdd = random_state(robot, 2)
    close(eqs.evaluate("torque", q, qd, qdd), robot.inverse_dynamics(q, qd, qdd), 10)
    assert eqs.check().ok


def test_centres_by_the_books_r():
    robot = first_joints("puma", 3)
    eqs = redyn.derive(robot, centres="r")
    assert {"r_1z", "r_2x", "r_3z"} <= {str(s) for s in eqs.torque.free_symbols}
    q, qd, qdd = random_state(robot, 2)
    close(eqs.evaluate("torque", q, qd, qdd), robot.inverse_dynamics(q, qd, qdd), 10)
    assert eqs.check(points=2).ok


def test_contradictions_are_named():
    eqs = redyn.derive("three-link", rods=True)
    assert eqs.contradictions == ["I_2yy", "I_2zz"]
    assert "I_2zz" in str(eqs.check())


def test_derivations_that_differ_are_told(monkeypatch):
    """A Newton-Euler derivation without the Coriolis factor 2 of a sliding joint must not pass."""
    eqs = redyn.derive("newton-euler-rp")
    torque = eqs.closed.run("coriolis_vector")
    bodies = eqs.closed.free_bodies()
    wrong = [type(b)(**{**b.__dict__, "tau": b.tau - torque[i] / 2}) for i, b in enumerate(bodies)]
    monkeypatch.setattr(eqs.closed, "free_bodies", lambda: wrong)
    agreement = eqs.check()
    assert not agreement.ok
    assert "DeNOC and Newton-Euler: DIFFERENT" in str(agreement)
    assert checks.SYMBOLIC == 3


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"where": {"a_9": 1}}, r"where: unknown parameter 'a_9'; this robot has .*a_1"),
        ({"numbers": ["q_1"]}, "numbers: unknown parameter 'q_1'"),
        ({"where": {"a_1": "__import__('os')"}}, r"where\['a_1'\]: expected names and numbers"),
        ({"where": {"a_1": "1/0"}}, r"where\['a_1'\]: expected names and numbers"),
        ({"where": {"a_1": "1/l"}}, "not a polynomial"),
        ({"where": {"a_1": []}}, r"where\['a_1'\]: expected a number"),
        ({"where": {"a_1": float("nan")}}, "expected a finite number"),
        ({"centres": "c"}, "centres: expected 'd' or 'r'"),
    ],
)
def test_bad_choices(options, message):
    with pytest.raises(redyn.RedynError, match=message):
        redyn.derive("two-link", **options).mass_matrix  # noqa: B018


def test_bad_questions():
    eqs = redyn.derive("two-link")
    for ask, message in (
        (lambda: eqs.latex("inertia"), "expected one of mass_matrix"),
        (lambda: eqs.latex("mass_matrix", 3, 1), "row: mass_matrix has 2, counted from 1; got 3"),
        (lambda: eqs.latex("mass_matrix", None, 1), "column: give the row"),
        (lambda: eqs.steps("jacobian"), "steps: expected one of"),
        (lambda: eqs.evaluate("torque", [0, 0]), "no value for theta_ddot_1"),
        (lambda: eqs.evaluate("mass_matrix", [0, 0, 0]), "expected 2 numbers"),
        (lambda: redyn.derive("newton-euler-rr", rods=True), "rods: the length of a link"),
        (lambda: redyn.derive("puma").U, r"use steps\('udu'\)"),
    ):
        with pytest.raises(redyn.RedynError, match=message):
            ask()


def test_typesetting():
    t1, t2, m, a, w1, w2 = sympy.symbols("theta_1 theta_2 m_1 a_1 theta_dot_1 theta_dot_2")
    write = Typesetter().write
    assert write(sympy.cos(t1 + t2) ** 2) == "c_{12}^{2}"
    assert write(m * sympy.sin(2 * t1)) == r"m_{1} \sin\left(2 \theta_{1}\right)"
    assert write(sympy.sin(t1 - t2)) == r"\sin\left(\theta_{1} - \theta_{2}\right)"
    assert write(m * (w1 + w2) ** 2) == r"m_{1} \dot{\theta}_{12}^{2}"
    assert write(-a / (2 * m * (m + a))) == r"-\frac{a_{1}}{2 m_{1} \left(m_{1} + a_{1}\right)}"
    assert write(sympy.Rational("0.123456789")) == "0.123457"
    assert Typesetter(latex=False).write((m + a) / a) == "(m_1 + a_1)/(a_1)"


def test_polynomials_have_no_square_root():
    """Coulomb friction reaches them only if somebody forgets to take it out; then they say so."""
    from redyn.dynamics.passive import friction_torque
    from redyn.symbolic.polynomials import Polynomials

    arith = Polynomials([], [])
    with pytest.raises(redyn.InputError, match="square root"):
        arith.sqrt(arith.const(4.0))
    robot = redyn.load("puma")
    assert friction_torque(robot.model.over(arith), arith, [arith.const(1.0)] * 6)  # without Coulomb friction none asks
