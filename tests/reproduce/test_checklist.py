"""The checklist of the sources: its counts are right, and whatever it names exists."""

import re
import shlex
from pathlib import Path

import pytest
import typer

import redyn
from redyn.cli.main import app
from redyn.dynamics.denoc import Denoc
from redyn.reproduce.registry import ITEMS
from redyn.robot import Robot

PAGE = Path(__file__).resolve().parents[2] / "docs" / "checklist.md"
TEXT = PAGE.read_text("utf-8")
ROWS = [
    [cell.strip() for cell in line.strip("|\n").split("|")] for line in re.findall(r"^\| \d.*$", TEXT, re.MULTILINE)
]
COMMANDS = sorted(set(re.findall(r"`redyn ([^`]+)`", TEXT)))
GROUP = typer.main.get_command(app)


def test_every_item_once():
    assert [int(row[0]) for row in ROWS] == list(range(1, 179))
    assert {len(row) for row in ROWS} == {5}
    assert all(cell for row in ROWS for cell in row)


def test_the_heading_counts_what_the_table_says():
    counts = {status: sum(row[3] == status for row in ROWS) for status in ("works", "partly", "no")}
    assert sum(counts.values()) == len(ROWS)
    (heading,) = re.findall(r"(\d+) items of [^:]+: (\d+) work, (\d+) partly, (\d+) does? not", TEXT)
    assert [int(x) for x in heading] == [len(ROWS), *counts.values()]


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_can_be_given(command):
    """The subcommand exists and takes these arguments; robots, items and exercises by name exist too."""
    name, *arguments = shlex.split(command)
    if name.startswith("reproduce NAME") or "NAME" in arguments:
        return
    found = GROUP.commands[name]  # type: ignore[attr-defined]
    found.make_context(name, list(arguments))
    first = arguments[0] if arguments else ""
    if name == "reproduce":
        assert set(arguments) <= set(ITEMS)
    elif name == "check":
        assert first in redyn.exercises.names()
    elif first and not first.startswith("-") and "." not in first:
        assert first in redyn.library() or re.fullmatch(r"chain-\d+", first)


def test_methods_and_attributes_exist():
    """Of robots, and of the dense view."""
    robot = redyn.load("two-link")
    view = robot.denoc([0.1, 0.2])
    cited = set(re.findall(r"`(?:robot\.)?([a-z_]+)(?:\([^`]*\))?`", TEXT))
    unknown = {x for x in cited if not hasattr(Robot, x) and not hasattr(view, x)}
    assert unknown <= {"frames", "denoc", "force", "moment"}, unknown  # a convention; fields of `link_motion`
    for name in re.findall(r"`denoc\.(\w+)", TEXT):
        assert hasattr(Denoc, name) or hasattr(view, name), name


def test_no_robot_or_file_of_somebody_else_is_named():
    assert not re.search(r"/work|seed|/home", TEXT)
