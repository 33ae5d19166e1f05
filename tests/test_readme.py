"""The README, as a reader pastes it: its Python runs from top to bottom, its robot loads, its commands exist."""

import re
from pathlib import Path

import pytest
import typer
import yaml

import redyn
from redyn.cli.main import app

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text("utf-8")


def fenced(language, text=README):
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


def test_python_runs_as_pasted(tmp_path, monkeypatch, capsys):
    """Each block may use what the blocks above it define, and nothing else."""
    monkeypatch.chdir(tmp_path)
    blocks = fenced("python")
    assert len(blocks) == 2
    space: dict = {}
    for block in blocks:
        exec(compile(block, "README.md", "exec"), space)
    assert (tmp_path / "fall.html").stat().st_size > 100_000
    assert "GIM" in capsys.readouterr().out
    assert space["run"].t[-1] == pytest.approx(2.0)


def test_the_guide_to_simulation_runs():
    [block] = fenced("python", (ROOT / "docs/simulation.md").read_text("utf-8"))
    space: dict = {}
    exec(compile(block, "simulation.md", "exec"), space)
    assert space["many"].q.shape[1:] == (1000, 6)


def test_robot_file_loads(tmp_path):
    [text] = fenced("yaml")
    robot = redyn.load(yaml.safe_load(text))
    assert (robot.name, robot.dof, robot.frame_names[-1]) == ("my-arm", 2, "tool")
    path = tmp_path / "arm.yaml"
    path.write_text(text.replace("alpha: 0\n    mass", "alpha: ninety\n    mass"), "utf-8")
    with pytest.raises(redyn.RedynError) as caught:
        redyn.load(path)
    shown = re.search(r"redyn: arm\.yaml: (.*)", README)[1]
    assert str(caught.value).endswith(shown)


def test_commands_exist():
    """Every command of the list, with options that it has."""
    commands = typer.main.get_command(app).commands
    listed = re.findall(r"^    redyn (\w+)(.*)$", README, re.MULTILINE)
    assert len(listed) > 15
    for name, rest in listed:
        known = {option for p in commands[name].params if p.param_type_name == "option" for option in p.opts}
        used = set(re.findall(r"(?<!\S)--[\w-]+", rest.split("; or --")[0]))
        assert used <= known, (name, used)


def test_methods_exist():
    """Every call of the table of methods."""
    table = (ROOT / "docs/methods.md").read_text("utf-8").split("\n\n")[1]
    names = {name for cell in re.findall(r"^\| (.*?) \|", table, re.MULTILINE) for name in re.findall(r"`(\w+)", cell)}
    assert len(names) > 30
    robot = redyn.load("two-link")
    assert [name for name in names if not hasattr(robot, name)] == []
