"""Tutorials and pages of theory, as a reader pastes them: every block runs, and prints what the page shows."""

import operator
import re
from pathlib import Path

import pytest
import typer
from latex2mathml.converter import convert

import redyn
from redyn.cli.main import app
from tutorial_page import blocks, outputs, unlike

DOCS = Path(__file__).parents[2] / "docs"
WORKED = sorted(page for folder in ("tutorials", "theory") for page in (DOCS / folder).glob("*.md"))
WRITTEN = [*WORKED, DOCS / "glossary.md", DOCS / "format.md", DOCS / "benchmarks.md"]
NEEDS = {"identify": ["cvxpy", "clarabel"], "ten_thousand": ["pyarrow", "pandas"]}


def named(page):
    return str(page.relative_to(DOCS))


@pytest.mark.parametrize("page", WORKED, ids=named)
def test_blocks_run_as_pasted(page, tmp_path, monkeypatch):
    for package in ["matplotlib", *NEEDS.get(page.stem, [])]:
        pytest.importorskip(package)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    monkeypatch.chdir(tmp_path)
    for block, printed in outputs(page):
        if block.shown is not None:
            difference = unlike(printed, block.shown)
            assert difference is None, f"{named(page)}:{block.line}: {difference}"


def test_pages_show_what_they_print():
    """No page lost its outputs, and each tutorial and page of theory has some code."""
    for page in WORKED:
        shown = [block.shown for block in blocks(page.read_text("utf-8"))]
        assert page.stem == "index" or any(shown), named(page)
        assert not any(text is not None and not text.strip() for text in shown), named(page)


@pytest.mark.parametrize("page", WRITTEN, ids=named)
def test_links(page):
    """Files exist, and so do the headings that links name."""
    for target, heading in re.findall(r"\]\(([^)#\s]*)#?([^)\s]*)\)", page.read_text("utf-8")):
        if target.startswith(("https://", "http://")):
            continue
        file = page.parent / target if target else page
        assert file.exists(), target
        if heading:
            headings = re.findall(r"^#+ (.*)$", file.read_text("utf-8"), re.MULTILINE)
            anchors = {re.sub(r"[^\w -]", "", text.lower()).replace(" ", "-") for text in headings}
            assert heading in anchors, f"{target}#{heading}"


@pytest.mark.parametrize("page", WRITTEN, ids=named)
def test_formulas_become_mathml(page):
    """As the site shows them: nothing of LaTeX is left over."""
    text = re.sub(r"```.*?```|`[^`]*`", "", page.read_text("utf-8"), flags=re.DOTALL)
    for formula in re.findall(r"\$\$(.*?)\$\$", text, re.DOTALL) + re.findall(r"(?<!\$)\$([^$\n]+)\$(?!\$)", text):
        assert not re.search(r"\\|>&<", convert(formula)), formula


@pytest.mark.parametrize("page", WRITTEN, ids=named)
def test_commands_exist(page):
    """Every command line, with options that it has."""
    commands = typer.main.get_command(app).commands
    text = page.read_text("utf-8")
    lines = [line for block in blocks(text) if block.language == "sh" for line in block.text.splitlines()]
    lines += re.findall(r"^    (redyn .*)$", text, re.MULTILINE)
    lines += re.findall(r"`(redyn \w[^`]*)`", text)
    for line in lines:
        if not line.startswith("redyn "):
            continue
        name = line.split()[1]
        known = {option for p in commands[name].params if p.param_type_name == "option" for option in p.opts}
        used = set(re.findall(r"(?<!\S)--[\w-]+", line.split("#")[0]))
        assert used <= known, line


def test_figures_are_those_of_the_readme():
    """The benchmarks quote: every row of the batches stands in the README, and so does every figure of the rest."""
    text = (DOCS / "benchmarks.md").read_text("utf-8")
    readme = (DOCS.parent / "README.md").read_text("utf-8")
    batches = re.findall(r"^\| .* \(\d+\) \|.*$", text, re.MULTILINE)
    assert len(batches) == 5
    assert all(row in readme for row in batches)
    quoted = text.split("## One state per call")[1].split("## What the figures")[0]
    known = set(re.findall(r"\d+(?:\.\d+)?", readme))
    assert set(re.findall(r"(?<![\w.-])\d+(?:\.\d+)?(?![\w-])", quoted)) <= known


def test_the_glossary_names_things_that_exist():
    robot = redyn.load("two-link")
    text = (DOCS / "glossary.md").read_text("utf-8")
    for name in re.findall(r"`robot\.(\w+)", text):
        assert hasattr(robot, name), name
    for path in re.findall(r"`redyn\.([\w.]+)", text):
        operator.attrgetter(path)(redyn)
    dense = robot.denoc([0.1, 0.2], [0.3, 0.4], [0.5, 0.6])
    for name in re.findall(r"`robot\.denoc\([^)]*\)\.(\w+)", text):
        assert hasattr(dense, name), name
    terms = re.findall(r"^\*\*(.+?)\*\*", text, re.MULTILINE)
    assert len(terms) > 40
    words = [re.sub(r"\W", "", term.lower()) for term in terms]
    assert words == sorted(words)
