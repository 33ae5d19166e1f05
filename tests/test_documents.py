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


def test_the_guide_to_wheels_runs(tmp_path, monkeypatch, capsys):
    """Its robot file and its blocks of Python, one after the other, with the numbers that it prints."""
    import numpy as np

    monkeypatch.chdir(tmp_path)
    text = (ROOT / "docs" / "wheels.md").read_text("utf-8")
    (robot_file,) = re.findall(r"```yaml\n(.*?)```", text, re.DOTALL)
    (tmp_path / "my-robot.yaml").write_text(robot_file, "utf-8")
    names: dict[str, object] = {}
    for program in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
        exec(program, names)
    parked, beside, (driven, moved) = (
        [float(x) for x in re.findall(r"[-+.\de]+", line)] for line in capsys.readouterr().out.splitlines()
    )
    np.testing.assert_allclose(parked, names["goal"], atol=2e-4)
    assert beside[0] < 0.015
    assert driven > 0.35
    assert moved < 1e-8
    np.testing.assert_allclose(names["slide"].q[-1, :3], [1, 1, np.pi], atol=1e-8)
    assert (tmp_path / "parked.html").stat().st_size > 100_000


def test_the_guide_to_walking_runs(tmp_path, monkeypatch):
    """Its Python: the biped walks its stride."""
    text = (ROOT / "docs" / "walking.md").read_text("utf-8")
    (program,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    exec(program, names)
    assert names["walked"] == pytest.approx(0.4, rel=0.04)
    assert (tmp_path / "biped.html").is_file()


def test_the_guide_to_the_ground_runs(tmp_path, monkeypatch, capsys):
    text = (ROOT / "docs" / "ground.md").read_text("utf-8")
    (robot_file,) = re.findall(r"```yaml\n(.*?)```", text, re.DOTALL)
    (tmp_path / "monopod.yaml").write_text(robot_file, "utf-8")
    monkeypatch.chdir(tmp_path)
    (program,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    names: dict[str, object] = {}
    exec(program, names)
    assert "9 contacts: foot, trunk.1" in capsys.readouterr().out
    assert abs(names["run"].energy.balance).max() < 1e-5
    assert names["contacts"].normal_forces[:, 0].max() > 9.4 * 9.81


def test_the_guide_to_exercises_runs(tmp_path, capsys):
    """Its Python, and its exercise: the answers by hand."""
    import numpy as np

    import redyn

    text = (ROOT / "docs" / "exercises.md").read_text("utf-8")
    (program,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    exec(program, {})
    assert "False the terms with g are wrong, the others are right" in capsys.readouterr().out
    path = tmp_path / "pendulum.yaml"
    (file,) = re.findall(r"```yaml\n(.*?)```", text, re.DOTALL)
    path.write_text(file, "utf-8")
    exercise = redyn.exercises.load(path)
    t = np.linspace(0, 2, 51)
    turn = np.pi / 4 * (t - np.sin(np.pi * t) / np.pi)
    torque = 2 * 0.8**2 / 3 * np.pi**2 / 4 * np.sin(np.pi * t) + 2 * 9.81 * 0.4 * np.cos(turn)
    for name, answer in {
        "hold": f"{2 * 9.81 * 0.4 / 2} Nm",
        "tau": "1/3 m1 a1^2 theta_ddot1 + 1/2 m1 g a1 c1",
        "torques": {"t": t, "tau_joint1": torque},
        "period": "it stays",
    }.items():
        assert exercise.check(answer, name).right, name
    (swing,) = exercise.question("swing")._expected({})[0]
    energy = 2 * 0.8**2 / 6 * redyn.simulate(exercise.robot, [0], [0], 0.3).qd[-1, 0] ** 2
    assert energy == pytest.approx(-2 * 9.81 * 0.4 * np.sin(swing), rel=1e-6)


def test_the_guide_to_kinematics_runs(tmp_path, monkeypatch):
    """Its blocks of Python, one after the other."""
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "docs" / "kinematics.md").read_text("utf-8")
    names: dict[str, object] = {}
    for program in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
        exec(program, names)
    assert names["found"].solutions.shape == (8, 6)
    assert names["found"].how == "closed form: the axes of joint4, joint5, joint6 meet in a point"
    assert names["at"].singular == ("wrist: joint4, joint6",)
    assert (tmp_path / "taught.csv").read_text("utf-8").startswith("t,q_joint1")


def test_the_page_of_robots_has_them_all():
    import redyn

    text = (ROOT / "docs" / "robots.md").read_text("utf-8")
    rows = dict(re.findall(r"^\| `([^`]+)`[^|]* \| ([^|]+?) \|", text, re.MULTILINE))
    assert set(rows) == set(redyn.library())
    for entry in redyn.gallery("industrial"):
        assert float(rows[entry.name].removesuffix(", quoted")) == pytest.approx(1000 * entry.reach)


def test_the_guide_to_flexible_links_runs(tmp_path, monkeypatch, capsys):
    """Its robot file and its blocks of Python, one after the other, with the numbers that it prints."""
    text = (ROOT / "docs" / "flexible.md").read_text("utf-8")
    robot_file = re.findall(r"```yaml\n(.*?)```", text, re.DOTALL)[0]
    (tmp_path / "boom.yaml").write_text(robot_file, "utf-8")
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for program in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
        exec(program, names)
    first, second = (float(line) for line in capsys.readouterr().out.splitlines()[-2:])
    assert first < 1e-9
    assert second == pytest.approx(0.032, abs=0.001)
    assert abs(names["run"].q[:, [0, 3]][-1] - [1.2, 0.4]).max() < 1e-6
    assert (tmp_path / "boom.html").stat().st_size > 100_000


def test_the_guide_to_free_parameters_runs(tmp_path, monkeypatch):
    """Its Python: the band holds the nominal torques, lengths are found again, and the best arm is one."""
    import matplotlib as mpl
    import numpy as np

    mpl.use("Agg")
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "docs" / "parameters.md").read_text("utf-8")
    names: dict[str, object] = {}
    for program in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
        exec(program, names)
    nominal = names["robot"].inverse_dynamics(names["q"], names["qd"], names["qdd"])[:, 1]
    assert ((names["low"] < nominal) & (nominal < names["high"])).all()
    share = names["tau"][:, :, 1].std(axis=0) / names["spread"][:, 1]
    np.testing.assert_allclose(share, 1.0, atol=0.1)
    assert (tmp_path / "band.png").is_file()
    assert names["worst"] == "link3.mass"
    assert abs(names["fit"].x - names["true"]).max() < 1e-4
    best = names["best"]
    assert best.success
    assert abs(names["reach"](best.x)).max() < 1e-6
    value, slope = names["torque"](best.x)
    assert value < 0.8 * names["torque"](names["start"])[0]
    for k in range(10):
        step = 1e-6 * np.eye(10)[k]
        numeric = (names["torque"](best.x + step)[0] - names["torque"](best.x - step)[0]) / 2e-6
        assert abs(numeric - slope[k]) < 1e-3 * max(1.0, abs(slope).max())


def test_the_guide_to_sweeps_runs(tmp_path, monkeypatch, capsys):
    """Its specification, by the command line, and its Python."""
    pytest.importorskip("pyarrow")
    import redyn
    from commands import printed

    monkeypatch.chdir(tmp_path)
    text = (ROOT / "docs" / "scale.md").read_text("utf-8")
    (specification,) = re.findall(r"```yaml\n(.*?)```", text, re.DOTALL)
    (tmp_path / "puma.yaml").write_text(specification, "utf-8")
    printed("sweep", "puma.yaml", "--out", "results", "--report", "puma.html")
    result = redyn.sweep.open("results")
    assert result.complete
    assert result.failures() == {}
    (program,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    names: dict[str, object] = {}
    exec(program, names)
    assert names["frame"].shape[0] == 4000
    assert capsys.readouterr().out.splitlines()[-1].startswith(("stop.", "link", "shoulder", "upper", "fore", "wrist"))
    assert (tmp_path / "ur5e-sweep.html").stat().st_size > 50_000


def blocks(name, part):
    """The blocks of Python of one section of a page."""
    text = (ROOT / "docs" / name).read_text("utf-8").split(f"\n## {part}\n")[1].split("\n## ")[0]
    return re.findall(r"```python\n(.*?)```", text, re.DOTALL)


@pytest.mark.slow
def test_the_example_for_jax_runs(capsys):
    jax = pytest.importorskip("jax")
    before, names = jax.config.jax_enable_x64, {}
    try:
        (program,) = blocks("jax_torch.md", "JAX")
        exec(program, names)
        assert names["after"] < 0.8 * names["before"]
        assert capsys.readouterr().out.strip() in program
    finally:
        jax.config.update("jax_enable_x64", before)


@pytest.mark.slow
def test_the_examples_for_torch_run():
    torch = pytest.importorskip("torch")
    threads, names = torch.get_num_threads(), {}
    torch.set_num_threads(1)  # several would wait for each other, busily
    try:
        fit, train = blocks("jax_torch.md", "PyTorch")
        exec(fit, names)
        assert names["error"] < 0.1
        exec(train, names)
        assert names["after"] < 0.3 * names["before"]
    finally:
        torch.set_num_threads(threads)


def test_the_page_on_doctor_lists_every_finding(tmp_path, monkeypatch, capsys):
    """Each code of the checks, and no other; its Python runs."""
    from faults import ARM, FAULTS

    text = (ROOT / "docs" / "doctor.md").read_text("utf-8")
    table = text.split("## Findings")[1]
    sources = "\n".join(file.read_text("utf-8") for file in (ROOT / "src/redyn/verify/doctor").rglob("*.py"))
    made = set(re.findall(r"(?:Finding|say|_finding)\(\s*\"([a-z-]+)\"", sources))
    made |= {"joint-unnamed", "link-unnamed", "mesh-missing", "mesh-unread"}  # whose names are put together
    assert {*re.findall(r"`([a-z-]+)`", table)} - {"actuated"} == made
    (program,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    (tmp_path / "arm.urdf").write_text(FAULTS["negative mass"].change(ARM), "utf-8")
    monkeypatch.chdir(tmp_path)
    exec(program, {})
    assert capsys.readouterr().out.startswith("mass-negative upper mass 17 ")
    assert (tmp_path / "arm.html").stat().st_size > 100_000
