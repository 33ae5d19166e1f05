"""Worked examples: pages, papers and notebooks that hold together, are right and need nothing from outside."""

import json
import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import nbformat
import numpy as np
import pytest
from typer.testing import CliRunner

import redyn
from browser import PATIENCE, listen
from known_robots import first_joints
from random_robots import close, random_tree
from redyn.cli.main import app
from redyn.symbolic.chapter import to_html, to_latex, to_notebook, worked_example
from redyn.symbolic.chapter.blocks import Columns, Equation, Fold, Note, Table, Text, spelled, word
from redyn.symbolic.chapter.labels import ROOM
from redyn.symbolic.chapter.others import numbers_by_three
from redyn.symbolic.chapter.setting import Context, example_state
from redyn.symbolic.chapter.sketch import seen_along, sketch
from redyn.symbolic.chapter.solving import inward, outward

HOSTILE = r"</math><img src=x onerror=alert(1)> \input{/etc/passwd} $x$ %`*_"
ROBOTS = {
    "one-link": lambda: redyn.load("one-link"),
    "two-link": lambda: redyn.load("two-link"),
    "point-mass": lambda: redyn.load("point-mass"),
    "lagrange-pointing": lambda: redyn.load("lagrange-pointing"),
    "newton-euler-rp": lambda: redyn.load("newton-euler-rp"),
    "stanford-3": lambda: first_joints("stanford", 3),
    "puma": lambda: redyn.load("puma"),
    "kuka-kr5-printed": lambda: redyn.load("kuka-kr5-printed"),
    "tree": lambda: redyn.load(random_tree(5, 6)),
}


@pytest.fixture(scope="module")
def chapters():
    made = {}

    def chapter(name):
        if name not in made:
            made[name] = worked_example(redyn.derive(ROBOTS[name]()))
        return made[name]

    return chapter


def flat(blocks):
    for block in blocks:
        yield block
        if isinstance(block, Columns):
            for _, inner in block.columns:
                yield from flat(inner)
        if isinstance(block, Fold):
            yield from flat(block.blocks)


def formulas(chapter):
    """Every formula of a chapter, as LaTeX."""
    for block in flat(chapter.blocks):
        if isinstance(block, Equation):
            yield from map(spelled, block.rows)
        texts = [block.text] if isinstance(block, Text | Note) else []
        if isinstance(block, Table):
            texts = [cell for row in (block.header, *block.rows) for cell in row]
        for text in texts:
            assert text.count("$") % 2 == 0, text
            yield from map(spelled, text.split("$")[1::2])


COMMANDS = """mathbf boldsymbol dot ddot tilde hat frac tfrac left right bigl bigr begin end times quad qquad text
    theta alpha beta gamma delta tau omega Omega psi mu eta varphi phi sin cos sum le ldots cdot partial mathrm mathit
    sqrt pi textstyle ; , \\ bar in xi ne { }"""


@pytest.mark.parametrize("name", ROBOTS)
@pytest.mark.slow
def test_formulas_are_well_formed(chapters, name):
    count = 0
    for latex in formulas(chapters(name)):
        count += 1
        assert latex.count("{") == latex.count("}"), latex
        assert latex.count(r"\left") == latex.count(r"\right"), latex
        environments = re.findall(r"\\(begin|end)\{(\w+)\}", latex)
        assert all(kind == "bmatrix" for _, kind in environments)
        assert Counter(e for e, _ in environments)["begin"] == Counter(e for e, _ in environments)["end"]
        unknown = set(re.findall(r"\\([a-zA-Z]+|.)", latex)) - {*COMMANDS.split(), " "}
        assert not unknown, (unknown, latex)
        assert not re.search(r"nan|inf\b|zoo|\x01", latex), latex
    assert count > 50


@pytest.mark.parametrize("name", ROBOTS)
def test_pages(chapters, name):
    page = to_html(chapters(name))
    assert page.count("<math") == page.count("</math>") > 50
    assert page.count("<aside>") == page.count("</aside>")
    addresses = set(re.findall(r"https?://[^\s\"'<]+", page))
    assert addresses <= {"http://www.w3.org/1998/Math/MathML"}  # a name, never fetched
    assert "<script" not in page
    assert "merror" not in page
    assert not re.search(r"\\(mathbf|boldsymbol|frac|b\{|g\{)", page)


@pytest.mark.parametrize("name", ROBOTS)
def test_papers(chapters, name):
    text = to_latex(chapters(name))
    opened: list[str] = []
    for which, environment in re.findall(r"\\(begin|end)\{([\w*]+)\}", text):
        if which == "begin":
            opened.append(environment)
        else:
            assert opened.pop() == environment
    assert not opened
    bare = re.sub(r"\\[\\{}$%&#_]", "", text)  # without escaped signs
    assert bare.count("{") == bare.count("}")
    assert bare.count("$") % 2 == 0
    assert text.isascii() or all(ord(c) < 0x180 for c in text)
    assert not re.search(r"(?<!\\)[%#]", text.split("\\begin{document}")[1])  # would swallow what follows
    for environment in ("equation*", "aligned", "tabular", "minipage", "bmatrix"):
        assert f"\\begin{{{environment}}}" in text


@pytest.mark.parametrize("name", ROBOTS)
def test_papers_set_matrices_apart(chapters, name):
    """Rows of a table or a formula with matrices in them have room between."""
    text = to_latex(chapters(name))
    for tabular in re.findall(r"\\begin\{tabular\}.*?\\end\{tabular\}", text, re.DOTALL):
        if r"\begin{bmatrix}" in tabular:
            rows = tabular.split("\\midrule")[1].split("\\bottomrule")[0].strip().splitlines()
            assert all(row.endswith(r"\\ \addlinespace[8pt]") for row in rows[:-1]), rows
    for block in re.findall(r"\\begin\{aligned\}.*?\\end\{aligned\}", text, re.DOTALL):
        if r"\begin{bmatrix}" in block:
            assert not re.search(r"\\\\\n", block)
            assert "\\end{bmatrix} \\begin{bmatrix}" not in block


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no pdflatex on the PATH: not compiled")
@pytest.mark.parametrize("name", ["newton-euler-rp", "tree"])
def test_papers_compile(chapters, name, tmp_path):
    """Without a complaint, and with nothing beyond the margin."""
    (tmp_path / "paper.tex").write_text(to_latex(chapters(name)), "utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper.tex"]
    made = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, errors="replace", timeout=600)
    assert made.returncode == 0, made.stdout[-2000:]
    log = (tmp_path / "paper.log").read_text("utf-8", "replace")
    assert "Overfull" not in log
    assert "undefined" not in log


@pytest.mark.slow
@pytest.mark.parametrize("name", ["one-link", "two-link", "newton-euler-rp", "puma", "tree"])
def test_notebooks_run(chapters, name):
    text = to_notebook(chapters(name))
    book = nbformat.reads(text, as_version=4)
    nbformat.validate(book)
    space: dict = {}
    ran = 0
    for cell in book.cells:
        if cell.cell_type == "code":
            *before, last = cell.source.splitlines()
            exec("\n".join(before), space)
            if re.match(r"^[\w.]+ = |^import", last):
                exec(last, space)
            else:
                value = eval(last, space)
                if "allclose" in last:
                    assert value
            ran += 1
    assert ran >= 4
    assert space["eqs"].check(points=1).ok
    markdown = "\n".join(cell.source for cell in book.cells if cell.cell_type == "markdown")
    assert markdown.count("$$") % 2 == 0
    assert to_notebook(chapters(name)) == text


def test_options_reach_the_notebook():
    eqs = redyn.derive("two-link", where={"a_1": "l"}, rods=True)
    book = nbformat.reads(to_notebook(worked_example(eqs)), as_version=4)
    space: dict = {}
    exec(book.cells[1].source if book.cells[1].cell_type == "code" else book.cells[0].source, space)
    assert space["eqs"].mass_matrix == eqs.mass_matrix


def test_symbols_without_a_value():
    """The page, its notebook and the comparison go on with the robot's own numbers, and say so."""
    eqs = redyn.derive("two-link", where={"a_1": "l*k"})
    assert eqs.valueless == ["k", "l"]
    assert str(eqs.check()).endswith("not compared: the robot determines no value for k, l")
    chapter = worked_example(eqs)
    assert "determines no value for $k$, $l$" in notes(chapter)
    space: dict = {}
    for cell in nbformat.reads(to_notebook(chapter), as_version=4).cells:
        if cell.cell_type == "code":
            exec(cell.source, space)
    close(at_example(eqs).torque, eqs.robot.inverse_dynamics(*example_state(eqs, None, None, None)))


@pytest.mark.slow
def test_numbers_follow_the_formulas():
    """Table 9.2 rounds an inertia: with rods, both formulas and numbers of the page are those of rods."""
    eqs = redyn.derive("three-link", rods=True)
    at = at_example(eqs)
    close(at.view.GIM, eqs.evaluate("mass_matrix", at.q))
    close(at.torque, eqs.evaluate("torque", at.q, at.qd, at.qdd))
    assert np.abs(at.view.GIM - eqs.robot.mass_matrix(at.q)).max() > 1e-6
    chapter = worked_example(eqs)
    assert "differ from those in the robot's file" in notes(chapter)
    assert "np.allclose" not in to_notebook(chapter)


def at_example(eqs):
    return Context(eqs, *example_state(eqs, None, None, None))


@pytest.mark.parametrize("name", ["newton-euler-rp", "puma", "tree", "two-link"])
def test_sketches(name):
    """Every link is drawn from its joint to those that it carries, and no label covers another."""
    at = at_example(redyn.derive(ROBOTS[name]()))
    drawing = sketch(at)
    joints = [m.at for m in drawing.marks if m.kind in ("revolute", "prismatic")]
    strokes = [(s.points[0], s.points[-1]) for s in drawing.strokes if s.kind in ("link", "slide")]
    axes, _ = seen_along(at)
    for i, body in enumerate(at.bodies, start=1):
        here, below = axes @ at.view.O[i - 1], axes @ at.view.O[body.parent - 1]
        assert min(np.hypot(*(here - p)) for p in joints) < 1e-12
        if body.parent and np.linalg.norm(at.view.O[i - 1] - at.view.O[body.parent - 1]) > 1e-9:
            ends = [max(np.hypot(*(below - a)), np.hypot(*(here - b))) for a, b in strokes]
            assert min(ends) < 1e-12, i
    labels = [m for m in drawing.marks if m.kind == "label"]
    points = np.array([p for s in drawing.strokes for p in s.points])
    scale = min(np.array(ROOM) / np.maximum(np.ptp(points, axis=0), 1e-9))
    for k, one in enumerate(labels):
        for other in labels[k + 1 :]:
            apart = np.abs(np.subtract(one.at, other.at)) * scale
            assert apart[0] > 8 or apart[1] > 12, (one, other)
    assert {f"O_{{{i}}}" for i in range(1, at.n + 1)} <= {part for m in labels for part in m.label.split(", ")}


def test_names_from_files_are_no_markup():
    description = redyn.load("two-link").description.model_dump(exclude_none=True)
    description |= {"name": HOSTILE, "source": HOSTILE, "defects": [HOSTILE]}
    chapter = worked_example(redyn.derive(redyn.load(description)))
    page, paper, book = to_html(chapter), to_latex(chapter), to_notebook(chapter)
    assert "<img" not in page
    assert r"\input" not in paper
    markdown = "".join(c.source for c in nbformat.reads(book, as_version=4).cells if c.cell_type == "markdown")
    assert "<img" not in markdown
    assert word("a$b\\c<d>") == "a\ue000b\\c<d>"  # a dollar sign that begins no formula; writers escape the rest
    assert r"\textbackslash{}input\{/etc/passwd\}" in paper
    assert "&lt;/math&gt;&lt;img src=x onerror=alert(1)&gt;" in page


def notes(chapter):
    return " ".join(block.text for block in flat(chapter.blocks) if isinstance(block, Note))


def test_errata_are_named_where_they_bite(chapters):
    assert "(9.16d)" in notes(chapters("stanford-3"))
    assert "(9.16d)" not in notes(chapters("two-link"))
    assert "(9.23d)" in notes(chapters("one-link"))
    assert r"\g{Omega}\b{N}_d$ vanishes" in notes(chapters("two-link"))
    assert "vanishes" not in notes(chapters("puma"))
    assert "(9.16k)" in notes(chapters("puma"))
    assert "(9.16k)" not in notes(chapters("two-link"))
    assert "(9.41a)" in notes(chapters("two-link"))
    assert "(9.41a)" not in notes(chapters("one-link"))
    assert "(17)" in notes(chapters("point-mass"))
    assert "forward dynamics is not determined" in notes(chapters("kuka-kr5-printed"))
    assert r"-\tau_2$" in notes(chapters("two-link"))


@pytest.mark.parametrize("name", ["two-link", "stanford-3", "puma", "tree"])
def test_numbers_of_the_page(name):
    """The traced recursions end where the kernels do."""
    eqs = redyn.derive(ROBOTS[name]())
    rng = np.random.default_rng(3)
    q, qd, qdd = (rng.uniform(-1, 1, eqs.dof) for _ in range(3))
    at = Context(eqs, q, qd, qdd)
    wanted = eqs.robot.inverse_dynamics(q, qd, qdd)
    for torque in (at.torque, *numbers_by_three(at)):
        close(torque, wanted, 100)
    _, phi_tilde = inward(at, at.view.GIM @ qdd)
    close(outward(at, phi_tilde, at.view.psi), qdd, np.linalg.cond(at.view.GIM))


def test_chosen_state_is_used():
    chapter = worked_example(redyn.derive("one-link"), np.array([0.123456]), np.array([0.5]), np.array([0.25]))
    assert "0.12346" in to_html(chapter)


# --- the command --------------------------------------------------------------------------------------------------


def run(*arguments):
    return CliRunner().invoke(app, ["equations", *map(str, arguments)])


def test_command_prints(tmp_path):
    result = run("two-link")
    assert result.exit_code == 0
    assert "coriolis_matrix[1,2] = -1/2*m_2*a_1*a_2*s2*theta_dot_12" in result.output
    assert "tau_6 = " in run("puma").output
    data = json.loads(run("two-link", "--json").output)
    assert data["mass_matrix"][1][1] == {"text": "1/3*m_2*a_2**2", "latex": r"\frac{1}{3} m_{2} a_{2}^{2}"}
    assert json.loads(run("puma", "--json").output)["steps"][-1][0] == "tau_6"
    assert "l_1" in run("two-link", "--where", "a_1=l_1").output
    assert "mass_matrix[2,2] = 1/3\n" in run("two-link", "--number", "all").output


def test_command_prints_friction():
    """On the terminal and in JSON; robots without friction say nothing of it."""
    text = run("point-mass").output
    assert "gravity_torque + friction_torque = tau" in text
    assert "friction_torque[1] = damping_1*theta_dot_1" in text
    assert "friction" not in run("two-link").output
    entry = json.loads(run("point-mass", "--json").output)["friction_torque"]
    assert entry == [[{"text": "damping_1*theta_dot_1", "latex": r"\mathit{damping}_{1} \dot{\theta}_{1}"}]]
    assert json.loads(run("two-link", "--json").output)["friction_torque"][0][0]["text"] == "0"


def test_command_explains_what_it_abbreviates():
    assert "c12 is cos(theta_1 + theta_2), s12 its sine, theta_dot_12" in run("two-link").output
    assert run("newton-euler-rp").output.endswith("c1 is cos(theta_1), s1 its sine\n")  # there is no theta_2


@pytest.mark.parametrize("robot", ["two-link", "point-mass", "gripper", "stanford"])
@pytest.mark.slow
def test_command_shows_numbers_at_a_state(robot):
    loaded = redyn.load(robot)
    rng = np.random.default_rng(1)
    q, qd, qdd = (rng.uniform(-1, 1, loaded.dof).round(3) for _ in range(3))
    state = [part for name, v in (("--q", q), ("--qd", qd), ("--qdd", qdd)) for part in (name, ", ".join(map(str, v)))]
    values = json.loads(run(robot, *state, "--json").output)["values"]
    assert (values["q"], values["qd"], values["qdd"]) == (q.tolist(), qd.tolist(), qdd.tolist())
    close(values["mass_matrix"], loaded.mass_matrix(q))
    close(values["coriolis_matrix"], loaded.coriolis_matrix(q, qd))
    close(values["gravity_torque"], loaded.gravity_torque(q))
    close(values["friction_torque"], loaded.friction_torque(qd))
    close(values["tau"], loaded.inverse_dynamics(q, qd, qdd))
    text = run(robot, *state).output
    assert f"at q = [{', '.join(f'{x:g}' for x in q)}], qd" in text
    assert re.search(r"^tau = \[" + re.escape(f"{values['tau'][0]:.6g}"), text, re.MULTILINE)
    assert not re.search(r"e-1[5-9]|e-2\d|-0\b(?!\.)", text.split("at q")[1])
    assert "at q" not in run(robot).output


def test_what_has_no_closed_form_is_refused_in_words():
    result = run("flexible-space-arm")
    assert str(result.exception) == (
        "joint 'base' is free: symbolic equations support revolute and prismatic joints only; lock it (robot.lock), or "
        "use the robot's own functions, which need no closed form"
    )


def test_command_writes(tmp_path):
    files = [tmp_path / name for name in ("a.html", "a.tex", "a.ipynb")]
    result = run("one-link", "--html", files[0], "--latex", files[1], "--notebook", files[2], "--q", "30 deg")
    assert result.exit_code == 0
    assert files[0].read_text().startswith("<!doctype html>")
    assert "\n\\documentclass" in files[1].read_text()
    assert nbformat.read(files[2], as_version=4).cells


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["two-link", "--where", "a_1"], "expected NAME=FORMULA"),
        (["two-link", "--number", "colour"], "unknown parameter 'colour'"),
        (["two-link", "--q", "1 2 3", "--html", "x.html"], "q: expected 2 numbers"),
        (["two-link", "--q", "1 2 3"], "q: expected 2 numbers"),
        (["puma", "--qdd", "1 2"], "qdd: expected 6 numbers"),
        (["nowhere"], "nowhere"),
    ],
)
def test_command_says_what_is_wrong(arguments, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = run(*arguments)
    assert isinstance(result.exception, redyn.RedynError)
    assert message in str(result.exception)
    assert not list(tmp_path.iterdir())


# --- in a browser ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["two-link", "newton-euler-rp", "tree"])
def test_page_in_a_browser(browser, chapters, tmp_path, name):
    path = tmp_path / "page.html"
    path.write_text(to_html(chapters(name)), "utf-8")
    page = browser.new_page(viewport={"width": 1000, "height": 900})
    page.set_default_timeout(PATIENCE)
    complaints = listen(page, path.as_uri())
    page.goto(path.as_uri())
    empty = page.evaluate(
        "[...document.querySelectorAll('math')].filter(m => m.getBoundingClientRect().width < 3).length"
    )
    cut = page.evaluate(
        "[...document.querySelectorAll('.lines')].filter(e => e.scrollWidth > e.clientWidth + 1).length"
    )
    wide = page.evaluate("document.documentElement.scrollWidth > window.innerWidth")
    assert complaints == []
    assert (empty, cut, wide) == (0, 0, False)


def test_examples_of_the_documentation():
    text = (Path(__file__).parents[2] / "docs" / "equations.md").read_text("utf-8")
    space: dict = {}
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert len(blocks) == 7
    count = 0
    for block in blocks:
        exec(block, space)
        shown = re.findall(r"print\(((?:eqs|redyn\.derive\(.*?\))\.(?:text|latex)\(.*?\))\) +# (.*)", block)
        assert [eval(asked, space) for asked, _ in shown] == [answer for _, answer in shown]
        count += len(shown)
    assert count == 11
