"""redyn equations, export and count of robots with closed loops."""

import json
import shutil
import subprocess

import numpy as np
import pytest
from typer.testing import CliRunner

import redyn
from commands import printed
from redyn.cli.main import app
from redyn.dynamics.catalogue import LOOP_ALGORITHMS
from redyn.symbolic.export import export_c, export_python

needs_compiler = pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler on the PATH")


def run(*arguments):
    return CliRunner().invoke(app, ["equations", *map(str, arguments)])


def test_equations_on_the_terminal():
    text = run("four-bar").output
    assert text.startswith("four-bar: 3 joints, 1 loop, mobility 1\ncut: cut (revolute, crank to coupler)\n")
    for line in (
        "phi_1 = a_0_2 + a_2*c2 + a_3*c23 - a_1*c1",
        "J_12 = -a_2*s2 - a_3*s23",
        "G_21 = (a_1*sin(theta_2 + theta_3 - theta_1))/(a_2*s3)",
        "nu_2 = (c23*Gamma_1 + s23*Gamma_2)/(a_2*s3)",
        "reduced_gravity_torque[1] = g*(m_1*d_1x*c1 + m_3*d_3x*c23*(G_21 + G_31) + c2*(m_2*d_2x + m_3*a_2)*G_21)",
        "c23 is cos(theta_2 + theta_3), s23 its sine, theta_dot_23 is theta_dot_2 + theta_dot_3",
    ):
        assert line in text.splitlines()
    assert "at this state" not in text


def test_other_joints_can_be_driven():
    text = run("four-bar", "--actuated", "output").output
    assert "independent rates u: output" in text
    assert "G_12 = (a_2*s3)/(a_1*sin(theta_2 + theta_3 - theta_1))" in text.splitlines()


def test_numbers_at_a_state():
    text = run("four-bar", "--q", "30 deg", "--qd", "2", "--qdd", "0").output
    robot = redyn.load("four-bar")
    q, qd, qdd = robot.complete([np.pi / 6], [2.0], [0.0])
    tau = robot.inverse_dynamics(q, qd, qdd)
    assert f"tau = [{tau[0]:.6g}, 0, 0]" in text
    assert f"reduced_mass_matrix = [[{robot.mass_matrix(q, reduced=True)[0, 0]:.6g}]]" in text
    whole = run("four-bar", "--q", ", ".join(map(repr, q.tolist())), "--json").output
    values = json.loads(whole)["values"]
    np.testing.assert_allclose(values["q"], q)
    np.testing.assert_allclose(values["G"], robot.transmission(q))
    J = np.array(values["J"])
    np.testing.assert_allclose(J @ values["qd"], 0.0, atol=1e-12)
    np.testing.assert_allclose(J @ values["qdd"], values["Gamma"], atol=1e-12)


@pytest.mark.parametrize("name", ["stewart", "delta", "bricard", "3-rrr"])
def test_json_of_large_ones(name):
    found = json.loads(run(name, "--json").output)
    assert found["mobility"] == redyn.load(name).mobility
    assert ("values" in found) == (name in ("stewart", "delta"))
    assert ("steps" in found) == (name == "bricard")
    assert ("transmission" in found) == (name == "3-rrr")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--q", "0, 2.5, 2.3"], "loop 'cut' is open by 21.8 mm"),
        (["--q", "1, 2"], "q: expected 1 number for the actuated joints (crank), or 3 for all joints, got 2"),
        (["--qd", "1, 2, 3"], "qd: these do not keep the loops closed"),
    ],
)
def test_states_that_are_wrong(arguments, message):
    result = run("four-bar", *arguments)
    assert isinstance(result.exception, redyn.RedynError)
    assert message in str(result.exception)


def test_robots_without_symbols():
    text = run("delta").output
    assert "symbolic equations support revolute and prismatic joints only: of this robot there are numbers" in text
    assert "\nG = [[" in text
    with pytest.raises(redyn.InputError, match="derives the loops of this robot with numbers"):
        raise run("delta", "--number", "mass").exception


def test_pages_are_written(tmp_path):
    files = [tmp_path / name for name in ("a.html", "a.tex", "a.ipynb")]
    result = run("slider-crank", "--html", files[0], "--latex", files[1], "--notebook", files[2])
    assert result.exit_code == 0
    assert all(path.stat().st_size > 20_000 for path in files)


# --- export and counts -----------------------------------------------------------------------------------------------

MANY = ["inverse", "forward", "gravity", "mass", "joint_wrenches", *(k for k in LOOP_ALGORITHMS if k != "row_wrenches")]


def all_agree(files, folder, *options):
    program = folder / "selftest"
    command = ["cc", "-std=c99", "-O1", "-Wall", "-Wextra", "-pedantic", "-Werror", *options]
    subprocess.run([*command, *map(str, files[1:]), "-lm", "-o", str(program)], check=True, capture_output=True)
    return subprocess.run([str(program)], capture_output=True, text=True, check=False).stdout


@needs_compiler
@pytest.mark.parametrize(
    ("name", "real"),
    [("four-bar", "double"), ("slider-crank", "float"), pytest.param("andrews", "double", marks=pytest.mark.slow)],
)
def test_c_agrees_at_closed_states(tmp_path, name, real):
    robot = redyn.load(name)
    files = export_c(robot, MANY, tmp_path, real=real)
    header = files[0].read_text()
    assert "must keep them closed" in header
    assert "guard" not in header.lower()
    assert all_agree(files, tmp_path).endswith("all agree\n")


def test_python_agrees_at_closed_states(tmp_path):
    import runpy

    robot = redyn.load("five-bar")
    (path,) = export_python(robot, [*MANY, "inverse_dynamics_derivatives"], tmp_path)
    module = runpy.run_path(str(path))
    assert module["self_test"]()
    s = robot.complete([2.2, 0.9], [0.5, -0.3], [1.0, 2.0])
    np.testing.assert_allclose(module["inverse_dynamics"](*s), robot.inverse_dynamics(*s), rtol=1e-10)
    np.testing.assert_allclose(module["transmission"](s.q), robot.transmission(s.q), rtol=1e-10, atol=1e-12)
    opened = s.q + 0.01
    np.testing.assert_allclose(module["loop_error"](opened), robot.loop_error(opened), atol=1e-14)
    for _ in range(4):
        opened, _ = module["projection"](opened, s.qd)
    assert np.abs(robot.loop_error(opened)).max() < 1e-12


@needs_compiler
def test_a_wrong_constant_is_found(tmp_path):
    """The self-test would notice if the code were of another mechanism."""
    files = export_c(redyn.load("four-bar"), "transmission", tmp_path)
    source = files[1].read_text()
    assert "0.13" in source
    files[1].write_text(source.replace("0.13", "0.131"))
    assert "FAILED" in all_agree(files, tmp_path)


def test_what_cannot_be_exported(tmp_path):
    for name in LOOP_ALGORITHMS:
        with pytest.raises(redyn.InputError, match=f"what: {name} is for robots with closed loops; puma has none"):
            export_c(redyn.load("puma"), name, tmp_path)
    with pytest.raises(redyn.InputError, match="no row has a multiplier of its own"):
        export_python(redyn.load("bricard"), "loop_multipliers", tmp_path)
    with pytest.raises(redyn.InputError, match="float has too few digits"):
        export_c(redyn.load("bricard"), "forward", tmp_path, real="float")
    with pytest.raises(redyn.InputError, match="transmission is for robots with closed loops; two-link has none"):
        redyn.load("two-link").operation_count("transmission")


def test_counts():
    text = printed("count", "four-bar")
    assert "transmission" in text
    assert "the tree alone" in text
    found = json.loads(printed("count", "five-bar", "--json"))
    robot = redyn.load("five-bar")
    assert found["counts"]["transmission"] == robot.operation_count("transmission")._asdict()
    assert found["tree"]["inverse_dynamics"] == robot.tree.operation_count("inverse_dynamics")._asdict()
    assert robot.operation_count("inverse_dynamics_derivatives").multiplications > 0
