"""The versions that pyproject.toml admits. Installing the oldest takes minutes: scripts/lower_bounds.py does it."""

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parents[1] / "scripts"


def script(name):
    spec = importlib.util.spec_from_file_location(name, SCRIPTS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_dependency_has_a_lower_bound():
    lower = script("lower_bounds")
    found = lower.bounds(lower.read_project())
    assert {"numpy", "typer", "trimesh", "cvxpy", "mujoco"} <= set(found)
    assert not [name for name, bound in found.items() if bound is None]


def test_every_dependency_is_tried():
    lower, smoke = script("lower_bounds"), script("smoke")
    assert set(lower.bounds(lower.read_project())) <= set(smoke.PACKAGES.split())


def test_the_constraints_are_what_pip_reads():
    done = subprocess.run(
        [sys.executable, SCRIPTS / "lower_bounds.py", "--print"], capture_output=True, text=True, check=True
    )
    lines = done.stdout.splitlines()
    assert len(lines) > 15
    assert all(re.fullmatch(r"[\w.-]+==[0-9.]+", line) for line in lines)


PROJECT = {
    "name": "robot",
    "dependencies": ["numpy>=1.26", "rich"],
    "optional-dependencies": {"ui": ["nicegui==3.18.0"], "all": ["robot[ui]"], "test": ["pytest", "pin>=3"]},
}


def test_what_users_install_counts():
    lower = script("lower_bounds")
    assert lower.bounds(PROJECT) == {"numpy": "1.26", "rich": None, "nicegui": "3.18.0"}
    assert lower.constraints(PROJECT) == "numpy==1.26\nnicegui==3.18.0\n"
    with pytest.raises(SystemExit, match="numpy<3"):
        lower.bounds(PROJECT | {"dependencies": ["numpy<3"]})


def test_contents_of_a_wheel_are_those_of_the_package():
    release = script("release")
    packed = ["redyn/__init__.py", "redyn/report/page.css", "redyn-1.dist-info/METADATA"]
    licence = "redyn-1.dist-info/licenses/LICENSE"
    assert release.faults_of_wheel([*packed, licence], 1000, packed[:2]) == []
    assert release.faults_of_wheel(packed, 1000, packed[:2]) == ["the licence is missing"]
    assert release.faults_of_wheel([*packed, licence, "tests/x.py"], 10**7, [*packed[:2], "redyn/data.yaml"]) == [
        "redyn/data.yaml is missing",
        "tests/x.py should not be there",
        "10.0 MB are more than 4.0 MB",
    ]
    assert "redyn/description/library/puma.yaml" in release.sources()
