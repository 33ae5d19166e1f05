"""The tests themselves: ./test, run on stand-ins that write down how they were called, and where tests stand."""

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
STAND_IN = '#!/bin/sh\nprintf "%s" "$(basename "$0")" >> "$CALLS"; printf " <%s>" "$@" >> "$CALLS"; echo >> "$CALLS"\n'
EVERYTHING = "python <-m> <pytest> <-n> <2> <--dist> <loadfile> <--no-loadscope-reorder>"

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs bash")


@pytest.fixture
def run(tmp_path, monkeypatch):
    """./test with these arguments, in a folder where nothing is to be installed: the commands it ran."""
    shutil.copy(ROOT / "test", tmp_path)
    shutil.copytree(ROOT / "scripts", tmp_path / "scripts")
    for name in ("pyproject.toml", "README.md", "src/redyn/__init__.py", "src/redyn/robot/robot.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    for name in ("pip", "python", "ruff", "pyright", "lint-imports"):
        stand_in(tmp_path / ".venv" / "test" / "bin" / name)
    stand_in(tmp_path / "path" / "chromium")
    monkeypatch.setenv("PATH", str(tmp_path / "path"), prepend=os.pathsep)
    monkeypatch.setenv("CALLS", str(tmp_path / "calls"))

    def run(*arguments):
        (tmp_path / "calls").unlink(missing_ok=True)
        done = subprocess.run([tmp_path / "test", *arguments], capture_output=True, text=True, cwd="/", check=False)
        return done.returncode, (tmp_path / "calls").read_text().splitlines()

    return run


def stand_in(path, script=STAND_IN):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(script)
    path.chmod(0o755)


def test_everything(run):
    code, calls = run()
    assert code == 0
    lint = ["ruff <check> <.>", "ruff <format> <--check> <.>"]
    types = ["pyright <--pythonpath> <.venv/test/bin/python>"]
    assert calls[0] == "python <-c> <>"  # whether the environment works
    assert calls[1].startswith("pip <install>")
    assert calls[1].endswith("<-e> <.[test]>")
    assert calls[2:] == [*lint, *types, "lint-imports <>", EVERYTHING]


def test_quick(run):
    code, calls = run("--quick")
    assert code == 0
    assert [call.split()[0] for call in calls[2:]] == ["ruff", "ruff", "lint-imports", "python"]
    assert calls[-1] == f"{EVERYTHING} <-m> <not slow and not browser>"


@pytest.mark.parametrize("before", [True, False])
def test_other_arguments_go_to_pytest(run, before):
    others = ["tests/kernels", "-k", "one or two"]
    _, calls = run(*(["--quick"] if before else []), *others, *([] if before else ["--quick"]))
    assert calls[-1] == f"{EVERYTHING} <tests/kernels> <-k> <one or two> <-m> <not slow and not browser>"
    _, calls = run("-x")
    assert calls[-1] == f"{EVERYTHING} <-x>"


def test_nothing_is_installed_twice(run, tmp_path):
    def installs():
        return [call for call in run()[1] if call.startswith("pip")]

    assert installs()
    assert not installs()
    (tmp_path / "src" / "redyn" / "robot.py").write_text("changed")  # the source is used where it is
    assert not installs()
    (tmp_path / "pyproject.toml").write_text("changed")
    assert installs()


@pytest.mark.parametrize("name", ["ruff", "pyright", "lint-imports"])
def test_what_fails_ends_it(run, tmp_path, name):
    stand_in(tmp_path / ".venv" / "test" / "bin" / name, STAND_IN + "exit 3\n")
    code, calls = run()
    assert code == 3
    assert calls[-1].startswith(name)


def test_the_public_run_is_this_one():
    lines = (ROOT / ".ci" / "run").read_text().splitlines()
    assert lines == ["#!/usr/bin/env bash", "set -euo pipefail", 'cd "$(dirname "$0")/.."', "exec ./test"]


def is_quick(function):
    """Whether ./test --quick runs it."""
    marks = [ast.unparse(decorator) for decorator in function.decorator_list]
    return "pytest.mark.slow" not in marks and "browser" not in [argument.arg for argument in function.args.args]


def test_tests_mirror_the_packages():
    """Each package has its folder, with tests that ./test --quick runs as well; tests/docs is of docs."""
    source = ROOT / "src" / "redyn"
    packages = {path.parent.name for path in source.glob("*/__init__.py")}
    folders = {path.name for path in (ROOT / "tests").iterdir() if any(path.glob("test_*.py"))}
    assert packages <= folders <= packages | {path.stem for path in source.glob("*.py")} | {"docs"}
    for folder in folders:
        trees = [ast.parse(path.read_text("utf-8")) for path in (ROOT / "tests" / folder).glob("test_*.py")]
        functions = [node for tree in trees for node in tree.body if isinstance(node, ast.FunctionDef)]
        assert any(is_quick(f) for f in functions if f.name.startswith("test_")), folder
