"""Robots of example-robot-data and robot_descriptions, by name and without downloads."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import redyn
from redyn.description import gallery
from redyn.description.meshes import mesh_path
from redyn.description.packages import package_file, package_robots, robots_folder

pytestmark = pytest.mark.filterwarnings("ignore::redyn.RedynWarning")

ARM = """<robot name="arm">
  <link name="base"/>
  <link name="tip">
    <inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <joint name="turn" type="continuous"><parent link="base"/><child link="tip"/></joint>
</robot>
"""
MODULE = """
from os import getenv as _getenv
from os import path as _path
from ._cache import clone_to_cache as _clone_to_cache
REPOSITORY_PATH: str = _clone_to_cache("some-arms", commit=_getenv("ROBOT_DESCRIPTION_COMMIT", None))
PACKAGE_PATH: str = _path.join(REPOSITORY_PATH, "robots", "arm")
"""
REPOSITORIES = """
raise RuntimeError("this module is read, not run")
REPOSITORIES = {"some-arms": Repository(url="https://example.org/a.git", commit="0", cache_path="some_arms")}
"""


@pytest.fixture
def descriptions(tmp_path, monkeypatch):
    """A package that would clone when one of its modules is imported, and the cache of a user."""
    package = tmp_path / "site" / "robot_descriptions"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "_repositories.py").write_text(REPOSITORIES)
    (package / "arm_description.py").write_text(f'{MODULE}URDF_PATH: str = _path.join(PACKAGE_PATH, "arm.urdf")\n')
    (package / "other_description.py").write_text(f'{MODULE}URDF_PATH = _path.join(PACKAGE_PATH, "other.urdf")\n')
    (package / "macro_description.py").write_text(f'{MODULE}XACRO_PATH = _path.join(PACKAGE_PATH, "arm.xacro")\n')
    (package / "made_description.py").write_text(f"{MODULE}URDF_PATH = make(PACKAGE_PATH)\n")
    stored = tmp_path / "cache" / "some_arms" / "robots" / "arm"
    stored.mkdir(parents=True)
    (stored / "arm.urdf").write_text(ARM)
    monkeypatch.syspath_prepend(package.parent)
    monkeypatch.setenv("ROBOT_DESCRIPTIONS_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("ROBOT_DESCRIPTION_COMMIT", raising=False)
    return stored


def test_robots_of_the_cache(descriptions):
    assert redyn.load("robot_descriptions:arm_description").name == "arm"
    assert redyn.load("robot_descriptions:arm").name == "arm"
    listed = [name for name in package_robots() if name.startswith("robot_descriptions:")]
    assert listed == ["robot_descriptions:arm_description"]
    assert [entry.title for entry in gallery("robot_descriptions")] == ["arm description"]
    assert not any(name.startswith("robot_descriptions.") for name in sys.modules)


def test_xacro_of_the_cache(descriptions):
    """With the arguments that the package gives it, and ours before those."""
    pytest.importorskip("xacro")
    package = descriptions.parents[3] / "site" / "robot_descriptions" / "macro_description.py"
    package.write_text(package.read_text() + 'XACRO_ARGS = {\n    "tip": "hand",\n}\n')
    space = 'xmlns:xacro="http://www.ros.org/wiki/xacro" '
    (descriptions / "arm.xacro").write_text(ARM.replace("<robot ", f"<robot {space}").replace('"tip"', '"$(arg tip)"'))
    assert redyn.load("robot_descriptions:macro").link_names == ["hand"]
    assert redyn.load("robot_descriptions:macro", arguments={"tip": "foot"}).link_names == ["foot"]
    assert redyn.doctor("robot_descriptions:macro", programs=False).robot is not None


def test_a_commit_has_a_cache_of_its_own(descriptions, monkeypatch):
    monkeypatch.setenv("ROBOT_DESCRIPTION_COMMIT", "abc")
    with pytest.raises(redyn.DescriptionError, match=r"not in the cache .*some_arms-abc.some_arms"):
        redyn.load("robot_descriptions:arm")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("other", r"not in the cache of robot_descriptions \(.*other.urdf\); import robot_descriptions.other_desc"),
        ("amr", "robot_descriptions has no such robot; did you mean 'arm_description'"),
        ("macro", r"not in the cache of robot_descriptions \(.*arm.xacro\)"),
        ("made", "made by a program such as xacro, which is not run"),
        ("../arm", "robot_descriptions has no such robot"),
    ],
)
def test_what_the_cache_does_not_hold(descriptions, name, message):
    with pytest.raises(redyn.DescriptionError, match=message):
        redyn.load(f"robot_descriptions:{name}")


def test_without_the_packages(monkeypatch):
    monkeypatch.setattr("redyn.description.packages.robots_folder", lambda: None)
    monkeypatch.setattr("redyn.description.packages._root", lambda: None)
    assert package_robots() == []
    with pytest.raises(redyn.DescriptionError, match="pip install example-robot-data"):
        redyn.load("example-robot-data:ur5")
    with pytest.raises(redyn.DescriptionError, match="pip install robot_descriptions"):
        redyn.load("robot_descriptions:panda")
    assert package_file("arm.yaml") is None
    assert package_file("C:/arm.yaml") is None


needs_examples = pytest.mark.skipif(robots_folder() is None, reason="example-robot-data is not installed")


@needs_examples
def test_example_robots_have_their_meshes():
    robot = redyn.load("example-robot-data:ur5")
    assert robot.dof == 6
    shapes = [shape for link in robot.description.links for shape in link.visual if shape.type == "mesh"]
    assert len(shapes) == 7
    assert all(mesh_path(robot.description, shape).is_file() for shape in shapes)


@needs_examples
def test_example_robots_by_any_of_their_names():
    for name, file in {"ur5": "ur5_robot", "hyq": "hyq_no_sensors", "anymal_b": "anymal", "panda": "panda"}.items():
        path = package_file(f"example-robot-data:{name}")
        assert isinstance(path, Path)
        assert path.stem == file
    names = {entry.name for entry in gallery("example-robot-data")}
    assert {"example-robot-data:ur5", "example-robot-data:talos_reduced"} <= names
    assert len(names) > 50
    with pytest.raises(redyn.DescriptionError, match="has no such robot; did you mean 'ur5'"):
        redyn.load("example-robot-data:ur55")
