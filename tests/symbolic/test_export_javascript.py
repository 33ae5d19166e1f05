"""Exported JavaScript, run in Node beside the robot's own results."""

import re
import subprocess

import numpy as np
import pytest

import redyn
from commands import printed
from node import NODE, needs_node, run
from random_robots import random_state, random_tree
from redyn.symbolic.export import export_javascript, javascript

ALL = "inverse,forward,mass,coriolis,gravity,friction,kinematics,jacobian,kinetic_energy,inverse_dynamics_derivatives"


@needs_node
@pytest.mark.parametrize(("seed", "part"), [(3, 1500), (8, 40)])
def test_results_are_those_of_the_robot(tmp_path, seed, part, monkeypatch):
    """Whole or in parts, on states and parameters that the self-test has not seen."""
    monkeypatch.setattr(javascript, "PART", part)
    robot = redyn.load(random_tree(seed, 6)).free("*.mass", "*.com", "gravity")
    names = ["inverse_dynamics", "forward_dynamics", "mass_matrix"]
    export_javascript(robot, names, tmp_path, name="arm")
    states = [random_state(robot, seed + k) for k in range(4)]
    rng = np.random.default_rng(seed)
    nominal = robot.nominal_parameters
    rows = nominal * rng.uniform(0.8, 1.2, (4, len(nominal)))
    script = """
    import * as arm from "./arm.mjs";
    console.log(JSON.stringify(given.map(([q, qd, x, p]) => [
      arm.inverse_dynamics(q, qd, x, p), arm.forward_dynamics(q, qd, x, p),
      arm.mass_matrix(q, p), arm.mass_matrix(q)])));
    """
    given = [[*(x.tolist() for x in state), p.tolist()] for state, p in zip(states, rows, strict=True)]
    for (q, qd, x), p, (tau, qdd, M, nominal_M) in zip(states, rows, run(tmp_path, script, given), strict=True):
        expected = robot.inverse_dynamics(q, qd, x, parameters=p)
        np.testing.assert_allclose(tau, expected, rtol=0, atol=1e-11 * max(1.0, np.abs(expected).max()))
        mass = robot.mass_matrix(q, parameters=p)
        np.testing.assert_allclose(M, mass, rtol=0, atol=1e-11 * max(1.0, np.abs(mass).max()))
        np.testing.assert_allclose(nominal_M, robot.mass_matrix(q), rtol=0, atol=1e-11 * max(1.0, np.abs(mass).max()))
        limit = 1e-11 * max(1.0, np.abs(qdd).max()) * np.linalg.cond(mass)
        np.testing.assert_allclose(qdd, robot.forward_dynamics(q, qd, x, parameters=p), rtol=0, atol=limit)


@needs_node
def test_self_test_agrees_and_finds_a_changed_constant(tmp_path):
    [file] = export_javascript(redyn.load("stanford"), ALL, tmp_path)
    result = subprocess.run([NODE, file], capture_output=True, text=True)
    assert result.returncode == 0, result.stdout
    assert result.stdout.splitlines()[-1] == "all agree"
    assert result.stdout.count("ok ") == 5 * 10
    text = file.read_text()
    operations = text.index("function inverse_dynamics_into")
    number = re.compile(r"\d\.\d{4,}").search(text, operations)
    for wrong in (f"{float(number.group()) * (1 + 1e-6)!r}", "NaN"):
        file.write_text(text[: number.start()] + wrong + text[number.end() :])
        result = subprocess.run([NODE, file], capture_output=True, text=True)
        assert result.returncode == 1
        assert "FAILED inverse_dynamics" in result.stdout


@needs_node
def test_wrong_arguments_are_refused(tmp_path):
    export_javascript(redyn.load("two-link").free("*.mass"), "mass, kinetic_energy", tmp_path, name="arm")
    script = """
    import * as arm from "./arm.mjs";
    const said = (call) => { try { return call(); } catch (error) { return error.message; } };
    console.log(JSON.stringify([
      said(() => arm.mass_matrix([1])), said(() => arm.mass_matrix([1, NaN])), said(() => arm.mass_matrix()),
      said(() => arm.mass_matrix([1, 2], [1])), arm.kinetic_energy([0, 0], [1, 0]), arm.parameter_names]));
    """
    few, odd, none, parameters, energy, names = run(tmp_path, script)
    assert few == "mass_matrix: q: expected 2 numbers, got 1"
    assert odd == "mass_matrix: q: expected finite numbers"
    assert none == "mass_matrix: q: expected 2 numbers, got undefined"
    assert parameters == "mass_matrix: parameters: expected 2 numbers, got 1"
    assert energy == pytest.approx(4 / 3)
    assert names == ["link1.mass", "link2.mass"]


def test_command_line(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = printed("export", "two-link", "--lang", "js", "--what", "mass", "--free", "*.mass, link2.a")
    assert "to check: node two_link.mjs" in text
    assert "link1.mass 1, link2.mass 1, link2.a 1" in (tmp_path / "two_link.mjs").read_text()
