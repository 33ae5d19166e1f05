"""The examples of the gallery: short, with a title and a picture, and changed ones run.

All of them run when the site is built, which takes minutes. ./docs/build then records what ran in
docs/gallery/ran.json; here those run that differ from the record.
"""

import ast
import functools
import importlib
import inspect
import json
import sys
from pathlib import Path

import pytest

import redyn

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs" / "_extensions"))

from examples import GALLERY, RECORD, SECTIONS, digest  # noqa: E402

SCRIPTS = sorted(GALLERY.rglob("*.py"))
NAMES = [path.relative_to(GALLERY).as_posix() for path in SCRIPTS]
RAN = json.loads(RECORD.read_text("utf-8"))
CHANGED = [path for path, name in zip(SCRIPTS, NAMES, strict=True) if RAN.get(name) != digest(path)]


def test_the_record_lists_all():
    """Others would be examples that never ran; ./docs/build writes it."""
    assert sorted(RAN) == NAMES
    assert len(NAMES) >= 30


def test_sections():
    folders = {path.parent.name for path in SCRIPTS}
    assert folders == {*SECTIONS}
    assert all((GALLERY / folder / "GALLERY_HEADER.rst").is_file() for folder in SECTIONS)


@pytest.mark.parametrize("path", SCRIPTS, ids=NAMES)
def test_form(path):
    """A title, a description, a picture, few lines; and what is used of redyn exists."""
    tree = ast.parse(path.read_text("utf-8"), str(path))
    title, underline, blank, *said = (ast.get_docstring(tree) or "").split("\n")
    assert (len(title), set(underline), blank) == (len(underline), {"="}, "")
    assert len("".join(said)) > 40
    first = next(node.lineno for node in tree.body if not isinstance(node, ast.Expr | ast.Import | ast.ImportFrom))
    assert len(path.read_text("utf-8").splitlines()) - first < 45
    assert ast.unparse(tree.body[-1]) == "plt.show()"
    for name in used(tree):
        functools.reduce(reach, name.split(".")[1:], redyn)


def used(tree):
    """Names that begin with redyn: redyn.trajectory.cycloidal, and what is imported from it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            name = ast.unparse(node)
            if name.startswith("redyn.") and all(part.isidentifier() for part in name.split(".")):
                yield name
        elif isinstance(node, ast.ImportFrom) and str(node.module).startswith("redyn"):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def reach(thing, name):
    """An attribute, or a module that is not imported yet."""
    if not hasattr(thing, name) and inspect.ismodule(thing):
        return importlib.import_module(f"{thing.__name__}.{name}")
    return getattr(thing, name)


@pytest.mark.parametrize("path", CHANGED, ids=lambda path: path.stem)
def test_changed_examples_run(path, monkeypatch, tmp_path):
    plt = pytest.importorskip("matplotlib.pyplot")
    monkeypatch.setattr("matplotlib.pyplot.show", lambda: None)
    monkeypatch.chdir(tmp_path)
    plt.switch_backend("Agg")
    try:
        exec(compile(path.read_text("utf-8"), str(path), "exec"), {"__name__": "__main__"})
        assert plt.get_fignums()
    finally:
        plt.close("all")
