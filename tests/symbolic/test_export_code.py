"""Exported C and Python, compiled and run as a stranger would, beside the robot's own results."""

import ctypes
import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import redyn
from commands import printed
from random_robots import random_state, random_tree
from redyn.dynamics.task import Task
from redyn.symbolic.export import SHORT, c, export_c, export_python
from redyn.symbolic.export.functions import functions, identifier
from redyn.symbolic.export.straight import Syntax, straight

CC = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
needs_compiler = pytest.mark.skipif(CC is None, reason="no C compiler (cc, gcc, clang) on this machine")
STRICT = ["-Wall", "-Wextra", "-pedantic", "-std=c99", "-Werror"]
ALL = "inverse,forward,mass,coriolis,gravity,friction,kinematics,jacobian,regressor,inverse_dynamics_derivatives"


def compiled(files, folder, *options):
    program = folder / "selftest"
    built = subprocess.run(
        [CC, *STRICT, *options, *map(str, files[1:]), "-lm", "-o", str(program)], capture_output=True, text=True
    )
    assert built.returncode == 0, built.stderr[:2000]
    return program


def shared(files, folder):
    library = folder / "robot.so"
    subprocess.run([CC, *STRICT, "-O1", "-shared", "-fPIC", str(files[1]), "-lm", "-o", str(library)], check=True)
    return ctypes.CDLL(str(library))


def call(function, inputs, width, real=ctypes.c_double):
    out = (real * width)()
    function(*((real * len(x))(*x) for x in inputs), out)
    return np.array(out)


@needs_compiler
def test_c_has_the_springs(tmp_path):
    description = redyn.load("two-link").description
    spring = {"stiffness": 5.0, "rest": 0.3}
    links = [k.model_copy(update={"joint": k.joint.model_copy(update=spring)}) for k in description.links]
    robot = redyn.Robot(description.model_copy(update={"links": links}))
    library = shared(export_c(robot, "inverse,forward,springs", tmp_path, name="arm"), tmp_path)
    q, qd, x = np.random.default_rng(0).uniform(-1, 1, (3, 2))
    for name, state, expected in (
        ("inverse_dynamics", (q, qd, x), robot.inverse_dynamics(q, qd, x)),
        ("forward_dynamics", (q, qd, x), robot.forward_dynamics(q, qd, x)),
        ("spring_torque", (q,), 5 * (q - 0.3)),
    ):
        np.testing.assert_allclose(call(getattr(library, f"arm_{name}"), state, 2), expected, rtol=0, atol=1e-12)


@pytest.mark.slow
@needs_compiler
@settings(max_examples=6)
@given(seed=st.integers(0, 10**9), n=st.integers(1, 7), part=st.sampled_from([2000, 40]))
def test_c_gives_what_the_robot_gives(tmp_path_factory, seed, n, part):
    """Whole or in parts, on states that the self-test has not seen."""
    folder = tmp_path_factory.mktemp("c")
    robot = redyn.load(random_tree(seed, n))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(c, "PART", part)
        library = shared(export_c(robot, "inverse,forward,mass", folder, name="arm"), folder)
    q, qd, qdd = random_state(robot, seed)
    tau = call(library.arm_inverse_dynamics, (q, qd, qdd), robot.dof)
    expected = robot.inverse_dynamics(q, qd, qdd)
    scale = max(1.0, np.abs(expected).max())
    np.testing.assert_allclose(tau, expected, rtol=0, atol=1e-11 * scale)
    M = robot.mass_matrix(q)
    found = call(library.arm_mass_matrix, (q,), robot.dof**2).reshape(M.shape)
    np.testing.assert_allclose(found, M, rtol=0, atol=1e-11 * max(1.0, np.abs(M).max()))
    back = call(library.arm_forward_dynamics, (q, qd, tau), robot.dof)
    limit = 1e-11 * max(1.0, np.abs(qdd).max()) * np.linalg.cond(M)
    np.testing.assert_allclose(back, robot.forward_dynamics(q, qd, tau), rtol=0, atol=limit)


@pytest.mark.slow
@needs_compiler
@pytest.mark.parametrize(("name", "real"), [("stanford", "double"), ("kuka-kr5", "float")])
def test_self_test_agrees_without_a_warning(tmp_path, name, real):
    files = export_c(redyn.load(name), ALL, tmp_path, real=real)
    program = compiled(files, tmp_path, "-O1", "-Wconversion", "-Wshadow", "-Wmissing-prototypes")
    result = subprocess.run([program], capture_output=True, text=True)
    assert result.returncode == 0, result.stdout
    assert result.stdout.splitlines()[-1] == "all agree"
    assert result.stdout.count("ok ") == 5 * 11  # states, and outputs of ten functions


@needs_compiler
def test_self_test_finds_a_changed_constant_and_a_result_that_is_no_number(tmp_path):
    files = export_c(redyn.load("puma"), "inverse", tmp_path)
    source = files[1].read_text()
    number = re.search(r"\d\.\d{6,}", source).group()
    for wrong in (f"{float(number) * (1 + 1e-6)!r}", "(0.0 / 0.0)"):
        files[1].write_text(source.replace(number, wrong, 1))
        result = subprocess.run([compiled(files, tmp_path, "-w")], capture_output=True, text=True)
        assert result.returncode == 1
        assert "FAILED" in result.stdout


@needs_compiler
def test_arguments_on_request(tmp_path):
    robot = redyn.load("puma")
    given = {"gravity": True, "payload": True, "external": ["link6", "link3"]}
    files = export_c(robot, "inverse,mass", tmp_path, **given)
    assert "external_link6[6]" in files[0].read_text()
    assert subprocess.run([compiled(files, tmp_path)], capture_output=True).returncode == 0
    library = shared(files, tmp_path)
    q, qd, qdd = random_state(robot, 3)
    pull, push = [0.1, -9.0, 2.0], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    body = [0.5, 0.01, 0.02, 0.03, 0.01, 0.0, 0.01, 0.0, 0.0, 0.01]
    expected = robot.inverse_dynamics(q, qd, qdd, gravity=pull, payload=body, external={"link6": push, "link3": push})
    found = call(library.puma_inverse_dynamics, (q, qd, qdd, pull, push, push, body), 6)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-11 * np.abs(expected).max())


@needs_compiler
@pytest.mark.parametrize("name", ['a */ b ??/ "x" \\', "手臂", "3 axes\u2028", "-", "double", "x" * 200, "__init__"])
def test_odd_names(tmp_path, name):
    data = random_tree(5, 3) | {"name": name}
    data["links"][0]["joint"]["name"] = "*/ int main(void) { \\"
    data["links"][1]["joint"]["name"] = '"""); import os'
    robot = redyn.load(data)
    files = export_c(robot, "inverse", tmp_path)
    assert subprocess.run([compiled(files, tmp_path)], capture_output=True).returncode == 0
    [module] = export_python(robot, "inverse", tmp_path)
    assert subprocess.run([sys.executable, str(module)], capture_output=True).returncode == 0


def test_identifiers():
    assert identifier("kuka-kr5") == "kuka_kr5"
    assert identifier("") == "robot"
    made = functions(redyn.load("puma"), "inverse", external=["link1", "link2"])[0]
    assert [a.name for a in made.inputs] == ["q", "qd", "qdd", "external_link1", "external_link2"]


@pytest.mark.slow
def test_source_holds_no_state_and_allocates_nothing(tmp_path):
    header, source, _ = export_c(redyn.load("puma"), ALL, tmp_path)
    text = source.read_text()
    assert set(re.findall(r"#include (.*)", text)) == {'"puma.h"', "<math.h>"}
    assert not re.search(r"alloc|free\(|\bstatic (?!void)", text)
    count = redyn.load("puma").operation_count("inverse_dynamics")
    assert f"{count.multiplications} multiplications, {count.additions} additions" in header.read_text()


def test_the_page_runs():
    page = Path(__file__).parents[2] / "docs" / "export.md"
    names = {}
    for block in re.findall(r"```python\n(.*?)```", page.read_text("utf-8"), re.DOTALL):
        exec(compile(block, str(page), "exec"), names)
    assert names["selftest"].name == "puma_selftest.c"
    assert names["module"].is_file()


def test_literals_read_back():
    rng = np.random.default_rng(0)
    values = [*(rng.normal(size=200) * 10.0 ** rng.integers(-30, 30, 200)), 0.0, -0.0, 1e-300, 5e-324, 1e22, 2.0**53]
    for x in values:
        assert float(c.literal(x, "double")) == x
        text = c.literal(x, "float")
        single = np.float32(x)
        assert text.endswith("f")
        assert "." in text
        assert np.float32(text[:-1]) == (single if abs(single) >= np.finfo(np.float32).tiny else 0)
    with pytest.raises(redyn.InputError, match="is out of the range of float"):
        c.literal(1e60, "float")


def test_parts_hold_every_value_and_use_places_again():
    robot = redyn.chain(12)
    program = functions(robot, "forward")[0].program
    syntax = Syntax(repr, str, ["q", "qd", "tau"])
    state = random_state(robot, 0)
    names = {"q": state[0], "qd": state[1], "tau": state[2], "sin": np.sin, "cos": np.cos, "sqrt": np.sqrt}
    [expected] = program.interpret([x[None] for x in state])
    for size in (None, 1, 17, 500):
        source = straight(program, syntax, size)
        found, w = np.full(12, np.nan), np.full(max(1, source.slots), np.nan)
        for part in source.parts:
            local = names | {"w": w}
            for name, text in part.local:
                local[name] = eval(text, {}, local)
            kept = [(slot, eval(text, {}, local)) for slot, text in part.kept]
            for number, text in part.results:
                found[number] = eval(text, {}, local)
            for slot, value in kept:
                w[slot] = value
        assert (found == expected[0]).all(), size  # the same operations in the same order
        if size == 17:
            assert source.slots < len(program.ops) / 5


@pytest.mark.slow
@settings(max_examples=8)
@given(seed=st.integers(0, 10**9), n=st.integers(1, 6))
def test_python_gives_what_the_robot_gives(tmp_path_factory, seed, n):
    robot = redyn.load(random_tree(seed, n))
    [path] = export_python(
        robot, "inverse,forward,inverse_dynamics_derivatives,kinetic_energy", tmp_path_factory.mktemp("py")
    )
    module = runpy.run_path(str(path))
    for batch in ((), (7,)):
        q, qd, qdd = random_state(robot, seed, batch)
        tau = robot.inverse_dynamics(q, qd, qdd)
        scale = max(1.0, np.abs(tau).max())
        np.testing.assert_allclose(module["inverse_dynamics"](q, qd, qdd), tau, rtol=0, atol=1e-11 * scale)
        by_q, by_qd = robot.inverse_dynamics_derivatives(q, qd, qdd)
        found = module["inverse_dynamics_derivatives"](q, qd, qdd)
        scale = max(1.0, np.abs(by_q).max(), np.abs(by_qd).max())
        np.testing.assert_allclose(found[0], by_q, rtol=0, atol=1e-11 * scale)
        np.testing.assert_allclose(found[1], by_qd, rtol=0, atol=1e-11 * scale)
        energy = robot.kinetic_energy(q, qd)
        assert np.shape(module["kinetic_energy"](q, qd)) == np.shape(energy)
        np.testing.assert_allclose(module["kinetic_energy"](q, qd), energy, rtol=1e-11)
    with pytest.raises(ValueError, match="q: expected shape"):
        module["inverse_dynamics"](np.zeros(n + 7), qd, qdd)


def test_python_runs_without_numpy(tmp_path):
    [path] = export_python(redyn.load("puma"), ALL, tmp_path)
    blocked = (
        f"import sys, runpy; sys.modules['numpy'] = None; m = runpy.run_path({str(path)!r})\n"
        "assert m['numpy'] is None and isinstance(m['mass_matrix']([0.0] * 6)[5], list)\n"
        "raise SystemExit(0 if m['self_test']() else 1)"
    )
    result = subprocess.run([sys.executable, "-c", blocked], capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "all agree" in result.stdout


def test_mistakes(tmp_path):
    robot = redyn.load("puma")
    with pytest.raises(redyn.InputError, match="did you mean 'inverse'"):
        export_c(robot, "invers", tmp_path)
    with pytest.raises(redyn.InputError, match="name at least one"):
        export_python(robot, [], tmp_path)
    with pytest.raises(redyn.InputError, match="has no frame"):
        export_c(robot, "inverse", tmp_path, external=["hand"])
    with pytest.raises(redyn.InputError, match="expected double or float"):
        export_c(robot, "inverse", tmp_path, real="half")
    with pytest.raises(redyn.SingularError):
        export_c(redyn.load("kuka-kr5-printed"), "forward", tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(redyn.RedynError, match="is not a folder"):
        export_c(robot, "inverse", tmp_path / "file")
    assert SHORT["mass"] == "mass_matrix"
    assert Task("mass_matrix").inputs(robot.model) == [("q", 6)]


@needs_compiler
@pytest.mark.parametrize("name", ["flexible-beam", "elastic-joint-arm"])
def test_links_that_bend_and_gears_that_give(tmp_path, name):
    robot = redyn.load(name)
    what = "inverse,forward,mass,coriolis,gravity,friction,springs,kinematics,jacobian,driven"
    files = export_c(robot, what, tmp_path, name="arm")
    program = compiled(files, tmp_path)
    assert "all agree" in subprocess.run([program], capture_output=True, text=True, check=True).stdout
    q, qd, x = robot.random(1), *np.random.default_rng(1).uniform(-1, 1, (2, robot.dof))
    module = runpy.run_path(str(export_python(robot, "inverse,forward", tmp_path, name="arm")[0]))
    for method in ("inverse_dynamics", "forward_dynamics"):
        wanted = getattr(robot, method)(q, qd, x)
        np.testing.assert_allclose(module[method](q, qd, x), wanted, rtol=1e-9, atol=1e-9)


@needs_compiler
def test_command_line(tmp_path):
    printed("export", "three-link", "--what", "inverse,mass", "--out", tmp_path, "--real", "float")
    assert {p.name for p in tmp_path.iterdir()} == {"three_link.h", "three_link.c", "three_link_selftest.c"}
    printed("export", "three-link", "--lang", "python", "--out", tmp_path / "py")
    assert (tmp_path / "py" / "three_link.py").is_file()
    for bad, words in (
        (["--lang", "rust"], "expected c, python, js or ros2"),
        (["--what", "dance"], "no algorithm is called 'dance'"),
        (["--lang", "python", "--real", "float"], "numbers of Python and JavaScript are doubles"),
    ):
        error = printed("export", "puma", "--out", tmp_path, *bad, code=2)
        assert words in error
        assert len(error.strip().splitlines()) == 1
