"""Equations of closed loops: against reference results, textbook formulas, and the robot at random closed states."""

import json
from pathlib import Path

import numpy as np
import pytest
import sympy as sp

import redyn
from linkages import DH_FOUR_BAR, LINKAGES, PARALLEL, four_bar
from random_robots import close
from redyn.symbolic.loops.states import random_state

DATA = json.loads((Path(__file__).parents[2] / "data" / "loop_states.json").read_text())["mechanisms"]
SMALL = ["four-bar", "slider-crank", "hoeken", "five-bar"]


@pytest.fixture(scope="module")
def equations():
    made = {}

    def get(name):
        if name not in made:
            made[name] = redyn.derive(redyn.load(name, friction=False))
        return made[name]

    return get


def relative(found, wanted, tolerance=1e-10):
    scale = np.abs(wanted).max()
    np.testing.assert_allclose(found, wanted, rtol=0, atol=tolerance * scale)


@pytest.mark.parametrize("name", [*SMALL, "andrews", "3-rrr", "parallelogram-arm"])
def test_reference_transmission(equations, name):
    eqs = equations(name)
    for state in DATA[name]["states"]:
        relative(eqs.evaluate("transmission", state["q"]), np.array(state["transmission"]))


@pytest.mark.parametrize("name", [*SMALL, pytest.param("andrews", marks=pytest.mark.slow)])
def test_reference_dynamics(equations, name):
    """Reduced inertia, the torque of a motion, the torque to hold still, accelerations and multipliers."""
    eqs = equations(name)
    robot = eqs.robot
    driven, independent = list(robot.model.closure.driven), list(robot.model.closure.independent)
    for state in DATA[name]["states"]:
        q, qd = np.array(state["q"]), np.array(state["qd"])
        M, G = eqs.evaluate("reduced_mass_matrix", q), eqs.evaluate("transmission", q)
        relative(M, np.array(state["reduced_mass_matrix"]))
        torque = eqs.evaluate("reduced_torque", q, qd, state["inverse_qdd"])
        relative(torque, np.array(state["actuated_torque"]), 1e-9)
        if np.any(robot.gravity):
            relative(eqs.evaluate("reduced_gravity_torque", q), np.array(state["hold_still"]), 1e-9)
        rest = eqs.evaluate("reduced_torque", q, qd, np.zeros(len(q)))
        u_dot = np.linalg.solve(M, G.T @ np.array(state["tau"]) - rest)
        qdd = G @ u_dot + eqs.evaluate("transmission_rate", q, qd)
        relative(qdd, np.array(state["qdd"]), 1e-9)
        close(qdd[independent], u_dot)
        assert len(torque) == len(driven)


@pytest.mark.parametrize("name", SMALL)
def test_multipliers_are_what_the_pin_carries(equations, name):
    """As long as those of the reference, which are in the axes of A; and J^T lambda closes the balance."""
    eqs = equations(name)
    for state in DATA[name]["states"]:
        q, qd, qdd, tau = (np.array(state[key]) for key in ("q", "qd", "qdd", "tau"))
        needed = eqs.robot.inverse_dynamics(q, qd, qdd, loops=False) - tau
        values = dict(eqs.values) | dict(zip(eqs.q, q, strict=True)) | dict(zip(eqs.tau, needed, strict=True))
        found = np.array([float(x.subs(values)) for x in eqs.multipliers])
        J = np.array(eqs.loops.J.subs(values), dtype=float)
        relative(J.T @ found, needed, 1e-9)
        wanted = [x for x in state["multipliers"] if x is not None]
        assert np.linalg.norm(found) == pytest.approx(np.linalg.norm(wanted), rel=1e-9)


def test_four_bar_of_the_textbook(equations):
    """The ratios of a four-bar linkage with absolute angles: of the output, and of the coupler."""
    eqs = equations("four-bar")
    t1, t2, t3 = eqs.q
    a1, a2, a3 = sp.symbols("a_1 a_2 a_3")
    output = a1 * sp.sin(t2 + t3 - t1) / (a2 * sp.sin(t3))
    coupler = -a1 * sp.sin(t2 - t1) / (a3 * sp.sin(t3))
    G = eqs.transmission
    assert sp.simplify(G[1, 0] - output) == 0
    assert sp.simplify(G[1, 0] + G[2, 0] - coupler) == 0
    I = {k: sp.Symbol(f"I_{k}zz") + sp.Symbol(f"m_{k}") * sp.Symbol(f"d_{k}x") ** 2 for k in (1, 2, 3)}
    m3, d3 = sp.symbols("m_3 d_3x")
    kinetic = (
        I[1] + (I[2] + m3 * a2**2) * output**2 + I[3] * coupler**2 + 2 * m3 * a2 * d3 * sp.cos(t3) * output * coupler
    )
    assert sp.simplify(eqs.reduced_mass_matrix[0, 0] - kinetic) == 0
    assert eqs.text("reduced_mass_matrix", 1, 1).startswith(
        "I_1zz + m_1*d_1x**2 + (a_1**2*sin(theta_2 + theta_3 - theta_1)**2"
    )
    assert str(eqs.loops.phi[0]) == "a_0_2 - a_1*cos(theta_1) + a_2*cos(theta_2) + a_3*cos(theta_2 + theta_3)"
    assert eqs.loops.names == ["cut.vx", "cut.vy"]


@pytest.mark.parametrize("name", SMALL)
def test_closure_belongs_together(equations, name):
    """J is the derivative of phi, and gamma of J qd, as symbols."""
    eqs = equations(name)
    loops, q, qd = eqs.loops, sp.Matrix(eqs.q), sp.Matrix(eqs.qd)
    assert sp.simplify(loops.phi.jacobian(q) - loops.J) == sp.zeros(*loops.J.shape)
    rate = (loops.J * qd).jacobian(q) * qd
    assert sp.simplify(rate + loops.gamma) == sp.zeros(*loops.gamma.shape)
    J, G = loops.J, eqs.transmission
    assert sp.simplify(J * G) == sp.zeros(J.rows, G.cols)


@pytest.mark.parametrize("name", SMALL)
def test_rows_of_the_robot_at_any_state(equations, name):
    """`loop_error` and `loop_jacobian` are those of the robot, whether or not loops are closed."""
    eqs = equations(name)
    rng = np.random.default_rng(1)
    for _ in range(3):
        q = rng.uniform(-2, 2, eqs.dof)
        close(eqs.evaluate("loop_error", q), eqs.robot.loop_error(q))
        close(eqs.evaluate("loop_jacobian", q), eqs.robot.loop_jacobian(q))


def test_terms_in_the_rates_are_half_the_slope(equations):
    """With one independent rate: (1/2) I' of the closed motion, by differences of the robot's own inertia."""
    eqs = equations("four-bar")
    robot, h = eqs.robot, 1e-5
    here = robot.complete([0.7], [1.3])
    there = [robot.complete([0.7 + s * h], near=here.q).q for s in (1, -1)]
    slope = (robot.mass_matrix(there[0], reduced=True) - robot.mass_matrix(there[1], reduced=True))[0, 0] / (2 * h)
    found = eqs.evaluate("reduced_coriolis_vector", here.q, here.qd)[0]
    assert found == pytest.approx(slope / 2 * 1.3**2, rel=1e-6)


@pytest.mark.parametrize("name", LINKAGES)
@pytest.mark.filterwarnings("ignore:.*initial pose")
def test_linkages_of_every_kind(name):
    """Gears, distances, slots, balls; a plane in any direction; other joints, and more of them, driven."""
    eqs = redyn.derive(redyn.load(LINKAGES[name]), where=PARALLEL.get(name))
    agreement = eqs.check(points=2)
    assert agreement.ok, str(agreement)
    compared = str(agreement)
    assert "the reduced equation and the robot's forward dynamics: equal" in compared
    assert "phi, J and gamma and the robot's rows: equal" in compared
    assert eqs.transmission.shape == (eqs.dof, 1)


@pytest.mark.filterwarnings("ignore:.*initial pose")
def test_a_cut_elsewhere_leaves_the_reduced_inertia():
    """The same linkage, cut at the joint of output and coupler."""
    first = redyn.load(four_bar())
    links = [dict(link) for link in four_bar()["links"]]
    links[2] |= {"parent": "crank", "xyz": [0.2, 0, 0]}  # its far end is where it was, its mass centre mirrored
    links[2] |= {"com": [0.35, -0.02, 0], "joint": {"name": "coupler", "type": "revolute", "initial": 0.9}}
    loop = {
        "name": "pin",
        "between": ["output", "coupler"],
        "joint": "revolute",
        "at": [0.4, 0, 0],
        "meets": [0.45, 0, 0],
    }
    second = redyn.load(four_bar(links=links, loops=[loop]))
    eqs = redyn.derive(first), redyn.derive(second)
    q = first.complete([0.4]).q
    start = [0.4, q[1], 0.5]
    other = second.assemble(start, fixed=["crank", "output"])
    inertias = [e.evaluate("reduced_mass_matrix", state) for e, state in zip(eqs, (q, other), strict=True)]
    close(inertias[0], inertias[1], tolerance=1e-10)


@pytest.mark.filterwarnings("ignore:.*initial pose")
def test_tables_have_loops():
    """Frames of a table: A and B are measured from the far ends of its links."""
    eqs = redyn.derive(redyn.load(DH_FOUR_BAR))
    assert eqs.symbolic.tabled
    polygon = "a_1*sin(theta_1) + a_2*sin(theta_1 + theta_2) + a_3*sin(theta_1 + theta_2 + theta_3)"
    assert str(eqs.loops.phi[1]) == polygon
    assert eqs.check(points=3).ok


def test_options_of_derive(equations):
    numbers = redyn.derive("four-bar", numbers=True)
    plain = equations("four-bar")
    q = numbers.robot.complete([0.9]).q
    close(numbers.evaluate("reduced_mass_matrix", q), plain.evaluate("reduced_mass_matrix", q))
    assert numbers.reduced_mass_matrix.free_symbols <= set(numbers.q)
    equal = redyn.derive("four-bar", where={"a_3": "a", "a_2": "a"})
    assert equal.contradictions == ["a_3"] or equal.contradictions == ["a_2"]
    assert "not compared" in str(equal.check())
    named = redyn.derive("four-bar", where={"a_0_2": "ground"})
    assert sp.Symbol("ground") in named.loops.phi.free_symbols
    assert named.check(points=2).ok


def test_names_of_points():
    """A pin at the end of a link is at a_i; other coordinates of A and B have the number of their loop."""
    eqs = redyn.derive("3-rrr")
    assert {"a_3", "A_2x", "A_2y", "a_5", "a_7"} <= set(eqs.parameters)
    assert "a_2" in redyn.derive("andrews").loops.phi.free_symbols.__str__()
    hoeken = redyn.derive("hoeken")
    assert (hoeken.known["a_3"], hoeken.known["p_x"]) == (0.1152, -0.1152)  # the pin, and the tracer


def test_the_tree_stays_available(equations):
    eqs = equations("four-bar")
    rng = np.random.default_rng(0)
    q, qd, qdd = rng.normal(size=(3, 3))
    close(eqs.evaluate("mass_matrix", q), eqs.robot.tree.mass_matrix(q))
    close(eqs.evaluate("torque", q, qd, qdd), eqs.robot.tree.inverse_dynamics(q, qd, qdd))
    assert r"\lambda_{1}" in eqs.latex()
    assert r"\lambda" not in redyn.derive("two-link").latex()


def test_named_steps_have_closed_loops(equations):
    eqs = equations("five-bar")
    s = random_state(eqs.robot, np.random.default_rng(3))
    values = dict(eqs.values)
    for symbols, numbers in ((eqs.q, s.q), (eqs.qd, s.qd), (eqs.qdd, s.qdd)):
        values |= dict(zip(symbols, numbers, strict=True))
    (tau,) = eqs.steps("inverse_dynamics").evaluate(values)
    close(tau[:, 0], eqs.robot.inverse_dynamics(*s))
    (G,) = eqs.steps("transmission").evaluate(values)
    close(G, eqs.robot.transmission(s.q))
    (tree,) = eqs.steps("inverse_dynamics", loops=False).evaluate(values)
    close(tree[:, 0], eqs.robot.inverse_dynamics(*s, loops=False))
    assert not any("e-150" in str(e.evalf(3)) for _, e in eqs.steps("transmission").assignments)
    with pytest.raises(redyn.InputError, match="expected one of"):
        redyn.derive("two-link").steps("transmission")


def test_what_makes_no_sense_is_refused_in_words(equations):
    tree = redyn.derive("two-link")
    for name in ("transmission", "loop_error", "reduced_torque", "multipliers", "loops"):
        with pytest.raises(redyn.InputError, match="two-link has no loops"):
            getattr(tree, name)
    with pytest.raises(redyn.InputError, match="expected one of mass_matrix"):
        tree.evaluate("transmission", [0, 0])
    with pytest.raises(redyn.InputError, match="no readable closed form"):
        _ = redyn.derive("bricard").transmission
    with pytest.raises(redyn.InputError, match="`reduced_torque` is its equation of motion"):
        _ = equations("four-bar").state_space
    with pytest.raises(
        redyn.InputError, match=r"'barrel1' is universal: .* derives the loops of this robot with numbers"
    ):
        redyn.derive("stewart")
