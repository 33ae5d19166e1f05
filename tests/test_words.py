"""What users read: numbers with their nouns, public names, plain sentences."""

import ast
import pydoc
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import redyn

SOURCES = Path(redyn.__file__).parent
NOUNS = {
    "joints", "states", "links", "steps", "samples", "numbers", "rows",
    "columns", "kernels", "constants", "instants", "motions", "velocities", "operations",
    "parameters", "evaluations", "lines", "values", "lanes", "cores", "terms",
    "frames", "points",
}  # fmt: skip


def bare_plurals(path):
    """Places where a number that may be one stands before a plural. A constant such as MOST_FILES is never one."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if not isinstance(node, ast.JoinedStr):
            continue
        for value, text in zip(node.values, node.values[1:], strict=False):
            if isinstance(value, ast.FormattedValue) and isinstance(text, ast.Constant):
                named = isinstance(value.value, ast.Name) and value.value.id.isupper()
                counts = isinstance(value.value, ast.Name | ast.Attribute | ast.Subscript | ast.BinOp) or (
                    isinstance(value.value, ast.Call) and getattr(value.value.func, "id", "") in ("len", "int")
                )
                word = re.match(r" (?:moving |base |joint |short )?(\w+)", text.value)
                if counts and not named and word and word[1] in NOUNS:
                    yield f"{path.relative_to(SOURCES)}:{node.lineno}: {word[0].strip()}"


KNOWN_MANY = {  # numbers that cannot be one there
    "symbolic/closed.py": "terms",  # beyond a limit
    "symbolic/tree.py": "joints",  # beyond four
    "symbolic/chapter/loops/cut.py": "rows",  # of which some depend on others
    "symbolic/chapter/loops/closure.py": "rows",
    "simulation/batch.py": "motions",  # of several
    "reproduce/complexity.py": "operations",
    "cli/demo.py": "states",
    "studio/opening.py": "values links",  # beyond a limit
    "studio/forms.py": "rows",
    "studio/code.py": "numbers",
    "studio/pins.py": "rows",  # beyond a limit
    "studio/work.py": "rows",
    "studio/panels/equations.py": "joints",
    "description/fields.py": "numbers",  # of vectors: three, or six
    "description/ground_fields.py": "rows",  # of a grid: two or more
}


def test_numbers_have_their_nouns():
    found = [place for path in SOURCES.rglob("*.py") for place in bare_plurals(path)]
    unknown = [p for p in found if p.rsplit(" ", 1)[1] not in KNOWN_MANY.get(p.split(":")[0], "").split()]
    assert unknown == []


@pytest.mark.slow
def test_one_joint_is_one_joint():
    robot = redyn.load("one-link")
    assert robot.size == "1 joint"
    assert redyn.load("planar-biped").size == "7 joints, 9 velocities"
    assert repr(redyn.derive(robot)).startswith("<Equations of 'one-link': 1 joint, 3 constants>")
    for call, message in (
        (lambda: robot.mass_matrix([0.0, 1.0]), "q: expected 1 number, one per joint"),
        (lambda: robot.integrate([0.0, 1.0], [0.0]), r"q: expected 1 number, one per joint \(joint1\): shape \(1,\)"),
        (lambda: redyn.simulate(robot, [0.0, 0.0], [0.0], 1.0), "q: expected 1 number for the joints"),
        (lambda: redyn.derive(robot).evaluate("mass_matrix", [0, 0]), "expected 1 number, one per joint"),
    ):
        with pytest.raises(redyn.InputError, match=message):
            call()
    still = redyn.simulate(robot, np.zeros(1), np.zeros(1), 0.01, method="euler", step=0.01, sample=0.01)
    assert "2 samples, euler, 1 step>" in repr(still)


def test_public_names_are_listed():
    """Also those that are imported when first used; nothing else."""
    names = [name for name in dir(redyn) if not name.startswith("__")]
    assert names == sorted(redyn.__all__)
    assert all(hasattr(redyn, name) for name in names)
    code = "import redyn, sys; print(dir(redyn), 'numpy' in sys.modules)"
    fresh = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert "'simulate_batch'" in fresh
    assert fresh.endswith("False\n")  # asking for names imports nothing


def test_help_shows_them():
    text = pydoc.render_doc(redyn, renderer=pydoc.plaintext)
    for shown in ("class Robot(", "class Equations(", "class Run(", " derive(", " simulate(", " load(", " library("):
        assert shown in text, shown


MENDED = (  # what users could not be expected to understand
    r"leaves the house|has bitten|Short letters|error of the page|told apart\.|what the torques do alone"
    r"|How far they agree|against verified ones|\blose it|For programs|revolute and prismatic ones can be"
    r"|falls of the seeds|right to eleven digits|vouch for|cares where|not used for longest|robot can tell"
)


def test_mended_sentences_stay_mended():
    wrong = re.compile(MENDED)
    root = SOURCES.parent.parent
    files = [*SOURCES.rglob("*.py"), *root.glob("docs/**/*.md"), root / "README.md"]
    found = [f"{path.name}: {match[0]}" for path in files for match in wrong.finditer(path.read_text("utf-8"))]
    assert found == []
