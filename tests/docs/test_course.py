"""The course: notebooks run, their questions can be answered, and the solutions of the book's exercises are right."""

import ast
import importlib.util
import json
import re
import shlex
import shutil
import sys
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest

import redyn
from answers import own, spoilt
from commands import command
from redyn.exercises import Verdict

ROOT = Path(__file__).resolve().parents[2]
COURSE = ROOT / "docs" / "course"
NOTEBOOKS = sorted(COURSE.glob("*.ipynb"))
SHEETS = sorted((COURSE / "questions").glob("*.yaml"))
SOLUTIONS = COURSE / "solutions"
PAGES = sorted(COURSE.rglob("*.md"))


def source(cell):
    return "".join(cell["source"])


def cells(path, kind):
    return [source(cell) for cell in json.loads(path.read_text("utf-8"))["cells"] if cell["cell_type"] == kind]


def clean(text):
    spec = importlib.util.spec_from_file_location("clean_notebooks", ROOT / "scripts" / "clean_notebooks.py")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    return script.clean(text)


def run(program, names):
    """A cell as Jupyter runs it: what its last line gives is shown."""
    tree = ast.parse(program)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "cell", "exec"), names)
    return None if last is None else eval(compile(ast.Expression(last.value), "cell", "eval"), names)


def test_the_notebooks_are_there():
    stems = [path.stem for path in NOTEBOOKS]
    assert [stem[:2] for stem in stems] == [f"{k:02}" for k in range(1, 8)]
    assert [path.stem for path in SHEETS] == stems


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_are_kept_without_outputs(path):
    text = path.read_text("utf-8")
    assert clean(text) == text, "run scripts/clean_notebooks.py"
    book = json.loads(text)
    assert 20 <= len(book["cells"]) <= 40
    assert source(book["cells"][0]).startswith(f"# {int(path.stem[:2])}. ")
    assert all(cell["outputs"] == [] for cell in book["cells"] if cell["cell_type"] == "code")


def test_cleaning_removes_outputs_and_nothing_else():
    text = NOTEBOOKS[0].read_text("utf-8")
    book = json.loads(text)
    for cell in book["cells"]:
        cell["metadata"] = {"scrolled": True}
        if cell["cell_type"] == "code":
            cell["execution_count"] = 7
            cell["outputs"] = [{"name": "stdout", "output_type": "stream", "text": ["42\n"]}]
    book["metadata"]["language_info"] = {"name": "python", "version": "3.99"}
    assert clean(json.dumps(book)) == text


CHECKS = {  # what the last cells of each notebook have found
    "01_denoc": lambda x: np.allclose(x["actuators"], x["robot"].inverse_dynamics(x["q"], x["qd"], x["qdd"])),
    "02_gim_mci": lambda x: np.allclose(x["h"], x["robot"].coriolis_vector(x["q"], x["qd"])),
    "03_inverse": lambda x: np.allclose(
        x["with_push"], x["arm"].gravity_torque(x["q0"]) - x["arm"].jacobian(x["q0"]).T @ x["push"]
    ),
    "04_forward": lambda x: x["worst"] < 1e-12 and np.abs(x["run"].energy.balance).max() < 1e-6,
    "05_newton_euler": lambda x: x["worst"] < 5.1e-5,
    "06_lagrange": lambda x: np.abs(x["fitted"] - x["beta"]).max() < 0.05 and np.abs(x["momentum"][:, 3:]).max() < 1e-6,
    "07_state_space": lambda x: abs(x["steps"](0.0, 0.0, 0.002, 1.0) - x["exact"].q[-1, 0]) < 0.01,
}


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_run(path, tmp_path, monkeypatch, capsys):
    mpl.use("Agg")
    import matplotlib.pyplot as plt

    shutil.copytree(COURSE / "questions", tmp_path / "questions")
    monkeypatch.chdir(tmp_path)
    options = np.get_printoptions()
    names = {}
    try:
        shown = [run(program, names) for program in cells(path, "code")]
        assert all(axes.has_data() for k in plt.get_fignums() for axes in plt.figure(k).axes)
    finally:
        np.set_printoptions(**options)
        plt.close("all")
    assert "False" not in capsys.readouterr().out  # comparisons that they print
    assert CHECKS[path.stem](names)
    verdicts = [value for value in shown if isinstance(value, Verdict)]
    assert {verdict.message for verdict in verdicts} == {"not answered yet"}
    assert all(value._repr_latex_() for value in shown if isinstance(value, redyn.Equations))
    assert any(isinstance(value, redyn.exercises.Exercise) for value in shown)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_question_is_asked_where_it_belongs(path):
    text = "\n".join(cells(path, "code"))
    assert f'"questions/{path.stem}.yaml"' in text
    asked = re.findall(r'sheet\.check\([^,]+, "(\w+)"\)', text)
    sheet = redyn.exercises.load(COURSE / "questions" / f"{path.stem}.yaml")
    assert sorted(asked) == sorted(question.name for question in sheet.questions)


@pytest.mark.parametrize("path", SHEETS, ids=lambda path: path.stem)
def test_right_and_wrong_answers_are_told_apart(path):
    for question in redyn.exercises.load(path).questions:
        assert question.hints
        assert question.check(own(question)).right, question.name
        assert not question.check(spoilt(question)).right, question.name


@pytest.mark.parametrize("name", [f"9.{k}" for k in range(1, 16)])
def test_solutions_are_right(name, tmp_path, monkeypatch):
    """Their programs run, and the command at the end is accepted and answers every question."""
    text = (SOLUTIONS / f"{name}.md").read_text("utf-8")
    exercise = redyn.exercises.load(name)
    assert text.startswith(f"# {name} {exercise.title}\n")
    shutil.copy(SOLUTIONS / "three_link.py", tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    try:
        for program in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
            exec(program, {})
    finally:
        sys.modules.pop("three_link", None)
    (line,) = re.findall(r"```sh\n(.*?)```", text, re.DOTALL)
    program, *arguments = shlex.split(line.replace("\\\n", " "))
    assert (program, *arguments[:2]) == ("redyn", "check", name)
    assert {answer.split("=")[0] for answer in arguments[2:]} == {question.name for question in exercise.questions}
    done = command(*arguments)
    assert done.code == 0, done.out + done.err
    assert done.out.count(": right") == len(exercise.questions)


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(COURSE)))
def test_links(page):
    for target in re.findall(r"\]\(([^)#\s]+)", page.read_text("utf-8")):
        assert target.startswith("https://") or (page.parent / target).exists(), target


def test_commands_of_the_plan(monkeypatch):
    """Those that need no file of somebody else."""
    monkeypatch.chdir(COURSE)
    lines = re.findall(
        r"^    (redyn check (?:9\.6|questions/).*?)(?:   |$)", (COURSE / "index.md").read_text("utf-8"), re.MULTILINE
    )
    assert len(lines) == 2
    for line in lines:
        done = command(*shlex.split(line)[1:])
        assert (done.code, done.err) == (0, ""), done.out


def test_the_plan_names_everything():
    """Each notebook, each sheet of questions and each exercise has its place."""
    plan = (COURSE / "index.md").read_text("utf-8")
    assert all(f"({path.name})" in plan for path in NOTEBOOKS)
    rows = [row.split("|") for row in plan.split("## Plan")[1].split("\n## ")[0].splitlines() if row.startswith("| ")]
    planned = " ".join(row[4] for row in rows)
    exercises = {int(k) for k in re.findall(r"\b9\.(\d+)\b", planned)}
    exercises |= {k for a, b in re.findall(r"\b9\.(\d+) to 9\.(\d+)", planned) for k in range(int(a), int(b) + 1)}
    assert exercises == set(range(1, 16))
    listed = re.findall(
        r"^\| \[(9\.\d+)\]\(\1\.md\) \| (.*) \|$", (SOLUTIONS / "index.md").read_text("utf-8"), re.MULTILINE
    )
    assert listed == [(name, redyn.exercises.load(name).title) for name in redyn.exercises.names()]
