"""The reference of robot files has every field of the schema, and no other; its defaults and its examples are right."""

import re
from pathlib import Path
from typing import get_args

import pytest
import yaml

import redyn
from redyn.description import flexible_fields, ground_fields, schema
from redyn.description.fields import Strict
from redyn.description.numbers import parse_number

PAGE = (Path(__file__).parents[2] / "docs" / "format.md").read_text("utf-8")
SECTIONS: dict[str, type[Strict]] = {
    "The robot": schema.RobotDescription,
    "A link": schema.LinkDescription,
    "A joint": schema.JointDescription,
    "A mimic rule": schema.MimicDescription,
    "An elastic gear": flexible_fields.ElasticDescription,
    "A shape": schema.Shape,
    "A loop": schema.LoopDescription,
    "A frame of a loop": schema.PlacedFrame,
    "What rolls": schema.RollingDescription,
    "The ground": ground_fields.GroundDescription,
    "A step": ground_fields.StepDescription,
    "A grid": ground_fields.GridDescription,
    "A contact": ground_fields.ContactDescription,
    "A flexible link": flexible_fields.FlexibleDescription,
    "A station": flexible_fields.StationDescription,
    "A load": flexible_fields.LoadDescription,
    "A rigid body": flexible_fields.RigidDescription,
    "The reach": schema.ReachDescription,
}


def rows(section):
    """Field, unit, default and meaning of each row of a section's table."""
    [text] = re.findall(rf"^##+ {section}$(.*?)(?=^##+ |\Z)", PAGE, re.DOTALL | re.MULTILINE)
    return re.findall(r"^\| `(\w+)` \| (.*?) ?\| (.*?) ?\| (.*?) ?\|$", text, re.MULTILINE)


def models(of=schema.RobotDescription, seen=None):
    """Every model of the schema that a robot file may hold."""
    seen = set() if seen is None else seen
    if isinstance(of, type) and issubclass(of, Strict) and of not in seen:
        seen.add(of)
        for field in of.model_fields.values():
            models(field.annotation, seen)
    for part in get_args(of):
        models(part, seen)
    return seen


def test_every_part_has_its_section():
    assert set(SECTIONS.values()) == models()
    assert set(re.findall(r"^##+ (.*)$", PAGE, re.MULTILINE)) == set(SECTIONS)


@pytest.mark.parametrize("section", SECTIONS)
def test_fields_are_those_of_the_schema(section):
    assert sorted(row[0] for row in rows(section)) == sorted(SECTIONS[section].model_fields)


@pytest.mark.parametrize("section", SECTIONS)
def test_defaults_are_those_of_the_schema(section):
    for name, _, default, _ in rows(section):
        field = SECTIONS[section].model_fields[name]
        assert (default == "required") <= field.is_required(), name
        assert field.is_required() <= default.startswith("required"), name
        value = field.default
        if isinstance(value, bool):
            assert default == str(value).lower(), name
        elif isinstance(value, float):
            assert parse_number(default) == value, name
        elif isinstance(value, tuple):
            shown = default if name == "inertia" else default.strip("`")
            assert yaml.safe_load(shown) == (0 if name == "inertia" else list(value)), name
        elif isinstance(value, str):
            assert default == f"`{value}`", name


@pytest.mark.parametrize(
    ("section", "field", "kinds"),
    [
        ("The robot", "convention", schema.Convention),
        ("A joint", "type", schema.JointType),
        ("A loop", "joint", schema.LoopType),
        ("A shape", "type", schema.ShapeType),
        ("The ground", "law", ground_fields.Law),
    ],
)
def test_choices_are_complete(section, field, kinds):
    meaning = next(row[3] for row in rows(section) if row[0] == field)
    assert set(get_args(kinds)) <= set(re.findall(r"`([\w-]+)`", meaning))


def test_the_first_example_loads():
    example = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)[0]
    robot = redyn.load(yaml.safe_load(example))
    assert (robot.dof, robot.frame_names[-1]) == (2, "tool")


def test_the_other_examples_are_valid():
    parts = [yaml.safe_load(text) for text in re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)[1:]]
    assert [next(iter(part)) for part in parts] == ["loops", "rolling", "flexible"]
    for loop in parts[0]["loops"]:
        schema.LoopDescription.model_validate(loop)
    for wheel in parts[1]["rolling"]:
        schema.RollingDescription.model_validate(wheel)
    flexible_fields.FlexibleDescription.model_validate(parts[2]["flexible"])


ROD = {"joint": "revolute", "a": 1, "b": 0, "alpha": 0, "mass": 1, "com": [0, 0, 0], "inertia": [0, 1, 1]}


def test_names_and_parents_that_a_file_leaves_out():
    robot = redyn.load({"name": "plain", "convention": "dh", "links": [ROD, ROD]})
    assert (robot.link_names, robot.joint_names) == (["link1", "link2"], ["joint1", "joint2"])
    assert [link.parent for link in robot.description.links] == ["world", "link1"]


@pytest.mark.parametrize("field", ["a", "b", "alpha", "mass", "com", "inertia"])
def test_what_a_link_requires(field):
    row = next(row for row in rows("A link") if row[0] == field)
    assert row[2].startswith("required")
    link = {key: value for key, value in ROD.items() if key != field}
    with pytest.raises(redyn.DescriptionError, match=rf"links\[0\].{field}: missing"):
        redyn.load({"name": "plain", "convention": "dh", "links": [link]})
