"""The documentation site, as far as it can be tested without building it: links, spelling, contents, reference."""

import importlib
import inspect
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import redyn

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
sys.path.insert(0, str(DOCS / "_extensions"))

import commands_page  # noqa: E402
import contents  # noqa: E402
import offline  # noqa: E402

MADE = ("_build", "_generated")  # by ./docs/build
PAGES = sorted(
    [*ROOT.glob("*.md"), *(p for p in DOCS.rglob("*.md") if p.relative_to(DOCS).parts[0] not in MADE)],
)
NOTEBOOKS = sorted(p for p in DOCS.rglob("*.ipynb") if p.relative_to(DOCS).parts[0] not in MADE)


def markdown(path):
    """The text of a page or of the cells of a notebook, without code."""
    text = path.read_text("utf-8")
    if path.suffix == ".ipynb":
        cells = json.loads(text)["cells"]
        text = "\n\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    text = re.sub(r"^ {0,3}(`{3,}|~{3,}).*?^ {0,3}\1", "", text, flags=re.DOTALL | re.MULTILINE)
    return re.sub(r"`[^`\n]*`", lambda code: code[0].replace("](", "] ("), text)


def slug(heading):
    """The anchor that hosts of repositories and MyST make of a heading.

    >>> slug("How fast: `redyn bench`, 2 ways")
    'how-fast-redyn-bench-2-ways'
    """
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading.replace("`", "").replace("*", "")).strip().lower()
    return re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")


def anchors(path):
    text, found = markdown(path), []
    for heading in re.findall(r"^#{1,6} +(.+?) *#*$", text, re.MULTILINE):
        name = slug(heading)
        again = sum(re.fullmatch(re.escape(name) + r"(-\d+)?", other) is not None for other in found)
        found.append(f"{name}-{again}" if again else name)
    return {
        *found,
        *re.findall(r"<a (?:id|name)=\"([^\"]+)\"", text),
        *re.findall(r"^\(([\w-]+)\)=$", text, re.MULTILINE),
    }


@pytest.mark.parametrize("page", [*PAGES, *NOTEBOOKS], ids=lambda path: path.relative_to(ROOT).as_posix())
def test_links_and_their_anchors(page):
    for target in re.findall(r"\]\(<?([^)\s>]+)>?\)", markdown(page)):
        name, _, anchor = target.partition("#")
        if re.match(r"[a-z]+:", name):
            continue
        path = (page.parent / name).resolve() if name else page
        assert path.exists(), target
        if anchor and path.suffix in (".md", ".ipynb"):
            assert anchor in anchors(path), target


def test_every_page_is_in_the_contents():
    """A page that nothing lists could only be found by searching."""
    listed = set(re.findall(r"^/(.+)$", contents.contents(), re.MULTILINE))
    indexed = {name for name in listed if name.endswith("/index") and (DOCS / f"{name}.md").exists()}
    while indexed:  # folders in folders
        below = {page for index in indexed for page in contents.pages(index.removesuffix("/index"))}
        listed |= below
        indexed = {name for name in below if name.endswith("/index")}
    names = {p.relative_to(DOCS).with_suffix("").as_posix() for p in [*PAGES, *NOTEBOOKS] if p.is_relative_to(DOCS)}
    assert names - listed == {"index"}
    assert "conventions" in listed


def test_links_that_leave_the_documents_have_pages(tmp_path):
    text = "[a](../CONTRIBUTING.md#set-up) [b](../README.md) [c](https://a.org) [d](loops.md#use) [e](#use)"
    assert contents.resolved(text, DOCS / "x.md", DOCS / "x.md") == (
        "[a](_generated/project/contributing.md#set-up) [b](index.md) [c](https://a.org) [d](loops.md#use) [e](#use)"
    )


def test_spelling():
    pytest.importorskip("codespell_lib")
    names = (
        "reacher,datas,statics,sucessor,droppin"  # a task; of Pinocchio; forces at rest; as URDF+ spells it; an event
    )
    kinds = ("*.py", "*.md", "*.rst", "*.yaml", "*.ipynb")
    files = [p for kind in kinds for folder in (DOCS, ROOT / "src") for p in folder.rglob(kind)]
    files = [p for p in files if not {*MADE, "__pycache__"} & {*p.parts}] + [*ROOT.glob("*.md")]
    told = ["--ignore-words-list", names, "--ignore-regex", r"[A-Za-z0-9+/=]{80,}"]  # pictures in notebooks
    command = [sys.executable, "-m", "codespell_lib", *told, *map(str, files)]
    said = subprocess.run(command, capture_output=True, text=True, check=False)
    assert said.stdout == ""
    assert said.returncode == 0, said.stderr


def test_the_reference_has_every_public_name():
    text = "\n".join(path.read_text("utf-8") for path in (DOCS / "reference").glob("*.rst"))
    whole = set(re.findall(r"automodule:: (\S+)", text))
    modules = {name: f"redyn.{name}" for name in redyn.__all__ if inspect.ismodule(getattr(redyn, name))}
    for name in redyn.__all__:
        if name in modules:
            module = importlib.import_module(getattr(redyn, name).__name__)
            assert module.__name__ in whole or f"{module.__name__}." in text, name
        else:
            assert re.search(rf"auto(function|class|exception):: {name}$", text, re.MULTILINE), name
    controllers = importlib.import_module("redyn.simulation.controllers")
    for name in controllers.__all__:
        assert f"autofunction:: {name}\n" in text, name


def test_the_page_of_commands():
    """Every command with its options, of which some are known."""
    text = commands_page.page()
    assert "\n## redyn torque\n" in text
    assert "--cycloid START STOP" in text
    assert "$ redyn page two-link --out arm.html" in text
    assert (
        len(re.findall(r"^## redyn ", text, re.MULTILINE)) == len(re.findall(r"^\| \[`redyn", text, re.MULTILINE)) > 20
    )


def test_what_needs_a_network_is_seen():
    assert offline.loads(b"<link rel='stylesheet' href='//fonts.example/x.css'>")
    assert offline.loads(b"@import 'https://a.org/x.css'; a { background: url(https://a.org/x.png) }")
    assert offline.loads(b'<img alt="" src="https://a.org/x.png">')
    assert offline.loads(b'<a href="https://a.org"><img src="x.png"></a><link rel="next" href="https://a.org">') == []
