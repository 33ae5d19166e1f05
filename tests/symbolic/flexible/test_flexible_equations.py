"""Equations of links that bend and of elastic gears, against Lagrange, textbooks and the compiled functions."""

import json
import re

import numpy as np
import pytest
import sympy as sp

import redyn
from commands import printed
from redyn.symbolic.chapter import to_html, to_latex, to_notebook, worked_example

x = sp.Symbol
BEAM = {"length": 0.7, "rho_A": 0.4, "EI": [30, 20], "GJ": 12, "rho_Ip": 0.002, "damping_ratio": 0.02}
TIP = {"mass": 0.5, "com": [0.1, 0.02, 0.03], "inertia": [0.01, 0.02, 0.03]}
BODY = {"mass": 1.0, "com": [0.1, 0.2, 0.0], "inertia": [1.0, 1.0, 1.0]}
ROD = {"a": 0.7, "b": 0, "alpha": 0, "mass": 0.1, "com": [0, 0, 0], "inertia": [0.1, 0.1, 0.1]}
STRIP = {"rho_A": 0.4, "EI": 20}


def frames(*links):
    return {"name": "made", "convention": "frames", "gravity": [1, 2, -9], "links": list(links)}


def table(*links):
    return {"name": "made", "convention": "dh", "gravity": [0, -9.81, 1], "links": list(links)}


def bending(modes, joint="revolute", **more):
    return {"name": "a", "joint": {"type": joint}, **BODY, "flexible": {**BEAM, "modes": modes, "tip": TIP}, **more}


def rod(modes, joint="revolute", **more):
    return {"joint": joint, **ROD, **more, "flexible": {**STRIP, "modes": modes}}


ELASTIC = {"type": "revolute", "armature": 0.1, "stiffness": 3, "elastic": {"stiffness": 100, "damping": 0.1}}
SMALL = {
    "up": frames(bending([0, 1, 0], axis=[0, 1, 0])),
    "slides": frames(bending([1, 0, 0], "prismatic", axis=[1, 0, 0])),
    "mast": frames({**bending([1, 0, 1], "fixed", rpy=[0, -1.2, 0.3], xyz=[0.1, 0.2, 0.3]), "mass": 0, "inertia": {}}),
    "panels": frames(
        {"name": "hub", "joint": {"type": "revolute"}, **BODY},
        {"name": "left", "parent": "hub", "joint": {"type": "fixed"}, "rpy": [0, 0, "90 deg"], "xyz": [0, 0.2, 0],
         "flexible": {**BEAM, "modes": [0, 1, 0]}},
        {"name": "right", "parent": "hub", "joint": {"type": "fixed"}, "rpy": [0, 0, "-90 deg"], "xyz": [0, -0.2, 0],
         "flexible": {**BEAM, "modes": [1, 0, 0]}},
    ),
    "gear": table({**rod([1, 0, 0], ELASTIC), "flexible": {**STRIP, "modes": [1, 0, 0], "stiffening": False}}),
}  # fmt: skip
LARGE = {
    "oblique": frames(bending([1, 1, 0], axis=[0.6, 0, 0.8], xyz=[0.1, 0.2, 0.3])),
    "twisting": frames(bending([1, 1, 1], axis=[0, 1, 0])),
    "between": table(
        {"joint": "revolute", "a": 0.1, "b": 0.2, "alpha": "90 deg", **BODY},
        rod([1, 0, 0]),
        {"joint": "revolute", "a": 0.3, "b": 0.1, "alpha": 0, **BODY},
    ),
    "spatial": table(rod([1, 1, 0], alpha="90 deg"), rod([1, 0, 0])),
}


def agrees(robot):
    """Closed forms at random states beside the compiled functions, and every derivation beside the others."""
    eqs = redyn.derive(robot)
    found = eqs.check(points=2)
    assert all(c.equal for c in found.comparisons), found
    rng = np.random.default_rng(4)
    q, qd, qdd = robot.random(rng), *rng.uniform(-1, 1, (2, robot.dof))
    C = eqs.evaluate("coriolis_matrix", q, qd)
    pairs = {
        "mass_matrix": (robot.mass_matrix(q), (q,)),
        "coriolis_matrix": (robot.coriolis_matrix(q, qd, form="christoffel"), (q, qd)),
        "coriolis_vector": (C @ qd, (q, qd)),
        "gravity_torque": (robot.gravity_torque(q), (q,)),
        "spring_torque": (robot.spring_torque(q), (q,)),
        "friction_torque": (robot.friction_torque(qd), (q, qd)),
        "kinetic_energy": (robot.kinetic_energy(q, qd), (q, qd)),
        "potential_energy": (robot.potential_energy(q), (q,)),
        "torque": (robot.inverse_dynamics(q, qd, qdd), (q, qd, qdd)),
    }
    for name, (wanted, state) in pairs.items():
        ours = eqs.evaluate(name, *state)
        np.testing.assert_allclose(ours, wanted, rtol=0, atol=1e-11 * max(1, np.abs(wanted).max()), err_msg=name)
    steps = eqs.steps("inverse_dynamics")
    values = {
        **eqs.values,
        **{s: v for row, at in ((eqs.q, q), (eqs.qd, qd), (eqs.qdd, qdd)) for s, v in zip(row, at, strict=True)},
    }
    np.testing.assert_allclose(np.ravel(steps.evaluate(values)[0]), pairs["torque"][0], rtol=1e-11, atol=1e-11)
    return eqs


@pytest.mark.parametrize("name", ["flexible-beam", "spin-up", "elastic-joint-arm"])
def test_library(name):
    agrees(redyn.load(name))


@pytest.mark.parametrize("name", SMALL)
def test_made_up(name):
    agrees(redyn.load(SMALL[name]))


@pytest.mark.slow
@pytest.mark.parametrize("name", LARGE)
def test_made_up_large(name):
    agrees(redyn.load(LARGE[name]))


@pytest.mark.slow
def test_two_links():
    agrees(redyn.load("flexible-two-link"))


def test_one_link_as_by_hand():
    """Payload on the tip of a beam: T of the hub, of the tip as a particle that turns, and of the beam."""
    eqs = redyn.derive("flexible-beam")
    e, rate = list(map(x, ("e_1", "e_2"))), list(map(x, ("e_dot_1", "e_dot_2")))
    turn, angle = x("theta_dot_1"), x("theta_1")

    def row(letter):
        return [x(f"{letter}_1"), x(f"{letter}_2")]

    def square(letter, a, b):
        return sum(x(f"{letter}_{min(k, l)}{max(k, l)}") * a[k - 1] * b[l - 1] for k in (1, 2) for l in (1, 2))

    def dot(a, b):
        return sum(p * q for p, q in zip(a, b, strict=True))

    along, across = x("L") - square("H", e, e) / 2, dot(row("phi"), e)
    speed = (-square("H", e, rate) - turn * across, dot(row("phi"), rate) + turn * along)
    hub = x("I_hzz") * turn**2
    tip = x("m_p") * dot(speed, speed) + x("I_pzz") * (turn + dot(row("dphi"), rate)) ** 2
    beam = turn**2 * (x("m_b") * x("L") ** 2 / 3 + square("G", e, e) - square("R", e, e))
    beam += 2 * turn * dot(row("W"), rate) + square("G", rate, rate)
    assert sp.expand(2 * eqs.kinetic_energy - hub - tip - beam) == 0
    weight = x("m_p") * along + x("m_b") * x("L") / 2 - square("P", e, e) / 2
    high = weight * sp.sin(angle) + (x("m_p") * across + dot(row("S"), e)) * sp.cos(angle)
    strain = sum(x(f"K_{k}") * e[k - 1] ** 2 / 2 for k in (1, 2))
    assert sp.expand(eqs.potential_energy - x("g") * high - strain) == 0
    assert list(eqs.spring_torque) == [0, x("K_1") * e[0], x("K_2") * e[1]]
    assert list(eqs.friction_torque) == [0, x("D_1") * rate[0], x("D_2") * rate[1]]


def test_numbers_of_constants():
    eqs, beam = redyn.derive("flexible-beam"), redyn.load("flexible-beam").model.beams[0][1]
    known = {str(s): v for s, v in eqs.values.items()}
    assert known["phi_2"] == beam.tip[1]
    assert known["dphi_1"] == beam.slope[0]
    assert known["R_12"] == beam.R[0][1]
    assert known["K_2"] == redyn.load("flexible-beam").model.links[2].joint.stiffness
    assert "J_b" not in known  # of a uniform beam: m_b L^2 / 3
    stations = [{"x": 0, "rho_A": 0.5, "EI": 30}, {"x": 0.7, "rho_A": 0.2, "EI": 10}]
    taper = {"modes": [1, 0, 0], "table": stations}
    tapered = {str(s) for s in redyn.derive(redyn.load(table({**rod([1, 0, 0]), "flexible": taper}))).values}
    assert {"S_b", "J_b"} <= tapered


def test_numbers_and_where():
    """As for any constant: groups, letters and names become numbers, and formulas replace symbols."""
    modes = redyn.derive("flexible-beam", numbers="modes")
    letters = {str(s).split("_")[0] for s in modes.mass_matrix.free_symbols}
    assert letters == {"I", "m", "L", "e"}
    geometry = redyn.derive("flexible-beam", numbers="geometry").mass_matrix.free_symbols
    assert x("L") not in geometry
    assert x("R_11") in geometry
    light = redyn.derive("flexible-beam", where={"m_p": 0, "I_pzz": 0, "H_11": "2*R_11"})
    assert light.mass_matrix[1, 1] == x("G_11")
    assert "m_p" in light.contradictions
    q = [0.3, 0.01, 0.002]
    whole = redyn.derive("flexible-beam", numbers=True)
    assert not whole.mass_matrix.free_symbols - set(whole.q)
    np.testing.assert_allclose(whole.evaluate("mass_matrix", q), redyn.load("flexible-beam").mass_matrix(q), rtol=1e-11)
    with pytest.raises(redyn.InputError, match="unknown parameter 'phi_9'"):
        redyn.derive("flexible-beam", numbers=["phi_9"])


def test_tips_are_the_same_equations():
    eqs = redyn.derive("flexible-beam")
    for name in ("mass_matrix", "coriolis_vector", "gravity_torque", "kinetic_energy"):
        whole = eqs.quantity(name)
        for short, long in zip(eqs.tips.entries(name), whole if hasattr(whole, "shape") else [whole], strict=True):
            assert sp.expand(short.subs(eqs.tips.definitions) - long) == 0
    M = eqs.tips.entries("mass_matrix")
    assert M[4] == x("I_pzz") * x("dphi_1") ** 2 + x("m_p") * (x("phi_1") ** 2 + x("sigma_1") ** 2) + x("G_11")
    bent = redyn.derive(redyn.load(SMALL["up"]))
    angle = bent.tips.definitions[x("epsilon_p")]
    shown = bent.tips.entries("mass_matrix")
    assert any(s.has(sp.cos(x("epsilon_p"))) for s in shown)
    for short, long in zip(shown, bent.mass_matrix, strict=True):
        assert sp.simplify(short.subs(x("epsilon_p"), angle).subs(bent.tips.definitions) - long) == 0


def test_spongs_form():
    """M(q) and h of the rigid arm without motors, J of the motors, and springs between them."""
    eqs, rigid = redyn.derive("elastic-joint-arm"), redyn.derive(redyn.load("elastic-joint-arm").rigid())
    links, motors = [1, 3], [0, 2]
    assert [str(s) for s in eqs.q] == ["theta_m1", "theta_1", "theta_m2", "theta_2"]
    rotors = sp.diag(x("armature_1"), x("armature_2"))
    arm = eqs.mass_matrix.extract(links, links)
    assert sp.simplify(arm - (rigid.mass_matrix - rotors)) == sp.zeros(2, 2)
    assert eqs.mass_matrix.extract(motors, motors) == sp.diag(x("armature_m1"), x("armature_m2"))
    assert eqs.mass_matrix.extract(links, motors) == sp.zeros(2, 2)
    for name in ("coriolis_vector", "gravity_torque"):
        assert list(eqs.quantity(name).extract(links, [0])) == list(rigid.quantity(name))
        assert not any(eqs.quantity(name).extract(motors, [0]))
    for i, link, motor in ((1, 1, 0), (2, 3, 2)):
        twist = x(f"k_g{i}") * (x(f"theta_{i}") - x(f"theta_m{i}"))
        assert sp.expand(eqs.spring_torque[link] - twist) == sp.expand(eqs.spring_torque[motor] + twist) == 0
    assert all(c.equal for c in eqs.check().comparisons)
    assert len(eqs.newton_euler) == 4


def test_refusals():
    """What, why, and what to do instead."""
    with pytest.raises(redyn.InputError, match=r"joint 'base' is free: .*; lock it"):
        redyn.derive("flexible-space-arm")
    locked = redyn.load("flexible-space-arm").lock({"base": None})
    eqs = redyn.derive(locked)
    with pytest.raises(redyn.InputError, match=r"closed forms of 13 coordinates .* steps\('inverse_dynamics'\)"):
        _ = eqs.mass_matrix
    beam = redyn.derive("flexible-beam")
    with pytest.raises(redyn.InputError, match=r"robot\.rigid"):
        _ = beam.linear
    with pytest.raises(redyn.InputError, match=r"robot\.rigid"):
        _ = beam.newton_euler
    with pytest.raises(redyn.InputError, match="rods"):
        redyn.derive("flexible-beam", rods=True)
    for name, words in (("four-bar", r"closed loops .*robot\.rigid"), ("mobile-manipulator", r"wheels .*robot\.rigid")):
        described = redyn.load(name).description.model_dump(exclude_unset=True)
        turning = [link["joint"] for link in described["links"] if link["joint"].get("type") == "revolute"]
        described.pop("independent", None)  # a gear has two rates
        turning[-1] |= {"armature": 0.1, "elastic": {"stiffness": 100}}
        with pytest.raises(redyn.InputError, match=words):
            redyn.derive(redyn.load(described))


@pytest.mark.parametrize("name", ["flexible-beam", "spin-up", "elastic-joint-arm", "flexible-two-link"])
def test_pages(name):
    """Every section in every format, at a given state."""
    eqs = redyn.derive(name)
    count = eqs.dof
    chapter = worked_example(eqs, np.linspace(0.01, 0.02, count), np.zeros(count), np.ones(count))
    page, paper, notebook = to_html(chapter), to_latex(chapter), to_notebook(chapter)
    assert "<td>different" not in page
    assert page.count("<figure>") == 1 + len(eqs.robot.model.beams)
    assert paper.count(r"\begin{tikzpicture}") == page.count("<figure>")
    assert r"\phi_{1}" in paper or not eqs.symbolic.flexible
    assert "\\phi" not in page
    codes = ["".join(cell["source"]) for cell in json.loads(notebook)["cells"] if cell["cell_type"] == "code"]
    scope = {}
    exec(codes[0], scope)
    compared = next(code for code in codes if code.startswith("np.allclose"))
    assert eval(compared, scope)


@pytest.mark.slow
@pytest.mark.parametrize("name", SMALL)
def test_pages_of_made_up_robots(name):
    """Other planes, torsion, clamps, gears and several beams."""
    chapter = worked_example(redyn.derive(redyn.load(SMALL[name])))
    assert "<td>different" not in to_html(chapter)
    assert to_latex(chapter)


@pytest.mark.parametrize("options", [{"numbers": True}, {"where": {"m_p": 1}}, {"where": {"H_11": 0}}])
def test_page_with_numbers_and_replacements(options):
    page = to_latex(worked_example(redyn.derive("flexible-beam", **options)))
    assert "verdict" in page
    assert re.search(r"\d{12}", page) is None  # no numbers of many digits


def test_what_a_page_says():
    page = to_latex(worked_example(redyn.derive("flexible-beam")))
    for words in (
        r"u_y(x, t) = \sum_k \phi_k(x) e_k(t)",
        r"M_{12} = I_{pzz} \phi'_{1} + m_{p} \left(\phi_{1} x_{p} + \sigma_{1} y_{p}\right) + W_{1}",
        r"K^{*}_{11} = K_{1} + \bigl(m_{p} H_{11} L + R_{11} - m_{p} \phi_{1}^{2} - G_{11}\bigr) \dot{\theta}_{1}^{2}",
        "oscillators of their own",
        "equal, symbolically",
    ):
        assert words in page
    spong = to_latex(worked_example(redyn.derive("elastic-joint-arm")))
    assert "Spong's form" in spong


def test_terminal():
    text = printed("equations", "flexible-beam")
    assert "y_p = phi_1*e_1 + phi_2*e_2" in text
    assert "mass_matrix[1,2] = I_pzz*dphi_1 + m_p*(phi_1*x_p + sigma_1*y_p) + W_1" in text
    assert "spring_torque[2] = K_1*e_1" in text
    spring = printed("equations", "elastic-joint-arm", "--q", "0.1, 0.2, 0.3, 0.4")
    assert "spring_torque = [-400, 400, -150, 150]" in spring
    robot = redyn.load("flexible-beam")
    found = json.loads(printed("equations", "flexible-beam", "--json", "--q", "0.3, 0.01, 0.02", "--qd", "1, 2, 3"))
    np.testing.assert_allclose(found["values"]["mass_matrix"], robot.mass_matrix([0.3, 0.01, 0.02]), rtol=1e-11)
    state = [found["values"][name] for name in ("q", "qd", "qdd")]
    np.testing.assert_allclose(found["values"]["tau"], robot.inverse_dynamics(*state), rtol=1e-11)
    assert found["mass_matrix"][1][1]["text"].endswith("G_11")
    assert json.loads(printed("equations", "flexible-beam", "--json", "--q", "0.3"))["values"]["q"] == [0.3, 0, 0]
    assert "inverse dynamics of 6 coordinates in" in printed("equations", "flexible-two-link")
    error = printed("equations", "flexible-space-arm", code=2)
    assert "joint 'base' is free" in error
    assert len(error.strip().splitlines()) == 1
