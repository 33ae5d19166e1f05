"""Equations of robots on wheels against textbooks, verified numbers and the compiled functions."""

import json

import numpy as np
import pytest
import sympy as sp
from typer.testing import CliRunner

import redyn
from random_robots import close
from redyn.cli.main import app
from redyn.symbolic.chapter import to_html, to_latex, to_notebook, worked_example
from redyn.symbolic.rolling.euler import euler_disk, free_state
from vehicles import GOLDEN, described

SMALL = ["differential-drive", "chaplygin-sleigh", "rolling-disk"]
LIBRARY = [*SMALL, "agv", "car", "mecanum", "omni"]
x = sp.Symbol


def same(a, b):
    return sp.simplify(sp.sympify(a) - sp.sympify(b)) == 0


@pytest.mark.parametrize("name", LIBRARY)
def test_equations_are_those_of_the_robot(name):
    found = redyn.derive(name).check(points=3)
    assert found.ok
    assert all(c.equal for c in found.comparisons)
    assert len(found.comparisons) == 10 + (name == "rolling-disk")


@pytest.mark.parametrize(("name", "key"), [("agv", "agv"), ("car", "car"), ("mecanum", "mec")])
def test_verified_numbers(name, key):
    """The car with rates that are singular at 90 degrees of its steering: there the determinant depends on q."""
    chosen = GOLDEN["robots"][key]["independent"]
    with_notes = pytest.warns(redyn.RedynWarning) if name == "car" else None
    if with_notes is None:
        robot = redyn.load(described(key, independent=chosen))
    else:
        with with_notes:
            robot = redyn.load(described(key, independent=chosen))
    eqs = redyn.derive(robot)
    assert eqs.rolling.constant == (name != "car")
    for case in GOLDEN["cases"][key]:
        q, u = case["q"], case["u"]
        close(eqs.evaluate("transmission", q) @ u, case["qd"])
        close(eqs.evaluate("reduced_mass_matrix", q), case["Mu"])
        close(eqs.evaluate("reduced_coriolis_vector", q, u), case["bias"])


def test_sleigh_as_chaplygin_has_it():
    """m (v_dot - d omega^2) = 0 and (I + m d^2) omega_dot + m d v omega = 0."""
    eqs = redyn.derive("chaplygin-sleigh")
    m, d, I, v, w, psi = map(x, ("m", "d_x", "I_zz", "v_x", "psi_dot", "psi"))
    v_dot, w_dot = eqs.u_dot
    assert same(eqs.reduced_torque[0], m * (v_dot - d * w**2))
    assert same(eqs.reduced_torque[1], (I + m * d**2) * w_dot + m * d * v * w)
    assert eqs.constraints == sp.Matrix([[-sp.sin(psi), sp.cos(psi), 0]])
    assert eqs.transmission == sp.Matrix([[sp.cos(psi), 0], [sp.sin(psi), 0], [0, 1]])


def test_differential_drive_of_textbooks():
    """In v and omega: (m + 2 I_w / R^2) v_dot - m_p d omega^2 and (I + 2 b^2 I_w / R^2) omega_dot + m_p d v omega."""
    eqs = redyn.derive("differential-drive")
    R, b, d, mp, mw, Iw, It, Iz = map(x, ("R", "b", "d_1x", "m_1", "m_w", "I_w", "I_wt", "I_1zz"))
    v, w, v_dot, w_dot = map(x, ("v", "w", "v_dot", "w_dot"))
    wheels = {eqs.u[0]: (v - b * w) / R, eqs.u[1]: (v + b * w) / R}
    wheels |= {eqs.u_dot[0]: (v_dot - b * w_dot) / R, eqs.u_dot[1]: (v_dot + b * w_dot) / R}
    left, right = (e.subs(wheels) for e in eqs.reduced_torque)
    mass, inertia = mp + 2 * mw + 2 * Iw / R**2, Iz + mp * d**2 + 2 * (It + mw * b**2) + 2 * b**2 * Iw / R**2
    assert same((left + right) / R, mass * v_dot - mp * d * w**2)
    assert same((right - left) * b / R, inertia * w_dot + mp * d * v * w)


def test_disk_rolls_steadily_as_verified():
    eqs = redyn.derive("rolling-disk")
    assert [str(s) for s in eqs.q] == ["x", "y", "z", "psi", "theta", "phi"]
    for case in GOLDEN["rolling_disk"]["steady"]:
        q = [0.0, 0.0, 0.3 * np.sin(case["theta"]), 0.4, case["theta"], 0.9]
        u = [case["psd"], 0.0, case["phd"]]
        needed = eqs.evaluate("reduced_torque", q, u, [0.0, 0.0, 0.0])
        np.testing.assert_allclose(needed, 0.0, atol=1e-11)


def test_free_disk_and_eulers_angles():
    """The verified start in both coordinates."""
    given = GOLDEN["rolling_disk"]
    start = given["start"]
    e = given["euler"][0]
    q = np.array([e[0], e[1], given["state0"][2], start["psi"], start["theta"], 0.0])
    at, omega = free_state(q, np.array([start["psd"], start["thd"], start["phd"]]))
    np.testing.assert_allclose(np.concatenate([at, omega]), given["state0"], atol=1e-12)
    robot = euler_disk(redyn.load("rolling-disk"))
    rates = robot.rates(q, [start["psd"], start["thd"], start["phd"]])
    np.testing.assert_allclose(rates[:2], e[5:7], rtol=1e-12)


def test_multipliers_are_forces_of_the_ground():
    """Of a disk that stands still: its weight. Of a drive that turns: what holds its mass in the curve."""
    disk = redyn.derive("rolling-disk")
    m, g = x("m"), x("g")
    weight = disk.multipliers.subs(dict(zip(disk.rolling.forces, disk.gravity_torque, strict=True)))
    assert list(weight) == [0, 0, m * g]
    eqs, robot = redyn.derive("differential-drive"), redyn.load("differential-drive")
    q, u = np.array([0, 0, 0.7, 0, 0]), np.array([2.0, 3.0])
    qdd = robot.forward_dynamics(q, u, [0.5, 0.2])
    tree = robot.tree.inverse_dynamics(q, robot.rates(q, u), _whole(eqs, q, u, qdd))
    tree[3:] -= [0.5, 0.2]
    numbers = {**dict(zip(eqs.rolling.forces, tree, strict=True)), **dict(zip(eqs.q, q, strict=True)), **eqs.values}
    found = dict(zip(eqs.rolling.row_names, (float(e.subs(numbers)) for e in eqs.multipliers), strict=True))
    forces = robot.rolling_forces(q, u, [0.5, 0.2])
    ahead, left = np.array([np.cos(0.7), np.sin(0.7), 0]), np.array([-np.sin(0.7), np.cos(0.7), 0])
    assert found["left.heading"] == pytest.approx(forces["left"] @ ahead)
    assert found["right.heading"] == pytest.approx(forces["right"] @ ahead)
    assert found["left.lateral"] == pytest.approx((forces["left"] + forces["right"]) @ left)


def _whole(eqs, q, u, u_dot):
    return eqs.evaluate("transmission", q) @ u_dot + eqs.evaluate("transmission_rate", q, u)


def test_constants_can_be_numbers_or_formulas():
    eqs = redyn.derive("differential-drive", numbers=["geometry"])
    assert eqs.transmission[2, 0] == sp.Rational(-1, 4)
    eqs = redyn.derive("differential-drive", where={"b": "R"})
    assert eqs.transmission[2, 0] == sp.Rational(-1, 2)
    assert eqs.contradictions == ["b"]
    assert eqs.check().ok


def test_unbalanced_wheels_turn_the_inertia():
    """A wheel whose mass centre is off its axle has constants of its own, and M depends on its angle."""
    data = redyn.load("differential-drive").description.model_dump(exclude_unset=True)
    data["links"][1]["com"] = [0.02, 0.0, 0.01]
    eqs = redyn.derive(redyn.load(data))
    assert eqs.mass_matrix.has(x("phi_1"))
    assert not eqs.mass_matrix.has(x("phi_2"))
    assert eqs.check(points=2).ok


@pytest.mark.parametrize("name", SMALL)
def test_pages(name):
    """In all three forms, with every section, and no formula that failed."""
    chapter = worked_example(redyn.derive(name))
    page = to_html(chapter)
    for title in (
        "Rolling without slip",
        "Independent rates",
        "The reduced equation of motion",
        "Forces of the ground",
    ):
        assert title in page
    assert "different at" not in page
    assert to_latex(chapter).count(r"\begin{") == to_latex(chapter).count(r"\end{")
    cells = json.loads(to_notebook(chapter))["cells"]
    space = {}
    for cell in cells:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), space)
    assert space["eqs"].name == name


def run(*arguments):
    return CliRunner().invoke(app, ["equations", *map(str, arguments)])


def test_on_the_terminal():
    text = run("differential-drive").output.splitlines()
    assert text[0] == "differential-drive: 5 coordinates (x, y, psi, phi_1, phi_2), 2 independent rates"
    for line in ("S_31 = -(R)/(2*b)", "A_13 = -b", "gamma_x = (R**2*sin(psi)*(phi_dot_1**2 - phi_dot_2**2))/(4*b)"):
        assert line in text
    assert run("rolling-disk").exit_code == 0


def test_numbers_at_a_state():
    found = run("car", "--q", "0, 0, 0.5, 0, 0.3, 0", "--qd", "2, 0.1", "--qdd", "0, 0", "--json")
    values, robot = json.loads(found.output)["values"], redyn.load("car")
    q, u = np.array(values["q"]), np.array(values["u"])
    np.testing.assert_allclose(values["qd"], robot.rates(q, u), atol=1e-12)
    np.testing.assert_allclose(values["tau"], robot.inverse_dynamics(q, u, [0, 0]), atol=1e-12)
    np.testing.assert_allclose(np.array(values["A"]) @ values["qd"], 0.0, atol=1e-12)
    assert "expected 2 numbers" in str(run("car", "--qd", "1, 2, 3").exception)


def test_what_has_no_closed_form():
    data = redyn.load("rolling-disk").description.model_dump(exclude_unset=True)
    arm = {"name": "arm", "parent": "disk", "joint": "revolute", "mass": 1, "com": [0, 0, 0], "inertia": [1, 1, 1]}
    data["links"].append(arm)
    data["independent"] = None
    with pytest.raises(redyn.InputError, match=r"'body' is free: .* planar, revolute and prismatic joints only"):
        redyn.derive(redyn.load(data))
    tilted = redyn.load("differential-drive").description.model_dump(exclude_unset=True)
    mast = {"parent": "platform", "joint": {"name": "mast", "type": "revolute"}, "axis": [0, 1, 1]}
    tilted["links"].append(arm | mast)
    tilted["independent"] = None
    with pytest.raises(redyn.InputError, match=r"'mast': .* need axes along x, y or z of the frame"):
        redyn.derive(redyn.load(tilted))
