"""What the documents point to exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links(document):
    for target in re.findall(r"\]\(([^)#\s]+)", document.read_text("utf-8")):
        if not target.startswith(("https://", "http://")):
            assert (document.parent / target).exists(), target


@pytest.mark.parametrize("name", ["CONTRIBUTING.md", "docs/architecture.md"])
def test_files_and_folders_that_are_named(name):
    """Whoever follows the instructions finds what they speak of."""
    named = re.findall(r"`((?:[a-z_0-9]+/)+[a-z_0-9]*(?:\.[a-z]+)?|[a-z_0-9]+\.py)`", (ROOT / name).read_text("utf-8"))
    assert len(named) > 8
    for path in named:
        places = [ROOT / path, ROOT / "src/redyn" / path, *(ROOT / "src/redyn").glob(f"*/{path}")]
        places += (ROOT / "src/redyn").glob(f"*/*/{path}")
        assert any(place.exists() for place in places), path


@pytest.mark.parametrize("name", ["CITATION.cff", ".pre-commit-config.yaml", ".github/workflows/test.yml"])
def test_files_for_other_tools_can_be_read(name):
    assert isinstance(yaml.safe_load((ROOT / name).read_text("utf-8")), dict)


def test_the_guide_to_loops_runs():
    """Its robot file and its Python."""
    import redyn

    text = (ROOT / "docs" / "loops.md").read_text("utf-8")
    (robot_file,) = re.findall(r"```yaml\n(.*?)```", text, re.DOTALL)
    robot = redyn.load(yaml.safe_load(robot_file))
    assert robot.mobility == 1
    (program,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    names: dict[str, object] = {}
    exec(program, names)
    assert abs(names["run"].loop_error).max() < 1e-15


def test_the_page_of_robots_has_them_all():
    import redyn

    text = (ROOT / "docs" / "robots.md").read_text("utf-8")
    rows = dict(re.findall(r"^\| `([^`]+)`[^|]* \| ([^|]+?) \|", text, re.MULTILINE))
    assert set(rows) == set(redyn.library())
    for entry in redyn.gallery("industrial"):
        assert float(rows[entry.name].removesuffix(", quoted")) == pytest.approx(1000 * entry.reach)
