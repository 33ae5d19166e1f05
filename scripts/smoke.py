"""A short try of all that redyn does with the packages it builds on. Run by scripts/lower_bounds.py.

It asks whether each package is new enough, not whether redyn is right: that is for the tests.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable
from importlib import metadata
from pathlib import Path

import numpy as np

import redyn

PACKAGES = """numpy scipy casadi llvmlite numba sympy latex2mathml nbformat pydantic pyyaml typer rich matplotlib plotly
nicegui trimesh pycollada cvxpy clarabel mujoco xacro click jax
distributed pyarrow pandas gymnasium"""
ARM = """<mujoco><worldbody><body><joint axis="0 1 0" armature="0.1"/><geom type="capsule" size="0.1 0.5"/>
<body pos="0 0 1"><joint axis="1 0 0"/><geom size="0.2"/></body></body></worldbody></mujoco>"""
DRAWN = """<robot name="drawn"><link name="base"/><link name="arm"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
<visual><geometry><mesh filename="box.{}"/></geometry></visual></link>
<joint name="turn" type="continuous"><parent link="base"/><child link="arm"/></joint></robot>"""


def dynamics(folder: Path) -> None:
    robot = redyn.load("puma")
    q, qd, qdd = np.random.default_rng(0).uniform(-1, 1, (3, 100, 6))
    tau = robot.inverse_dynamics(q, qd, qdd)
    assert np.allclose(robot.forward_dynamics(q, qd, tau), qdd)
    assert np.allclose(robot.forward_dynamics(q[0], qd[0], tau[0]), qdd[0])
    robot.forward_dynamics_derivatives(q, qd, tau)
    robot.linearize(q[0], qd[0], tau[0], step=0.01)
    robot.inverse_kinematics(robot.forward_kinematics(q[0]))
    robot.casadi("forward_dynamics")
    long = redyn.chain(200)
    long.inverse_dynamics(long.neutral(), np.ones(200), np.ones(200))
    again = redyn.load(_saved(robot.to_yaml(), folder / "puma.yaml"))
    assert np.allclose(again.inverse_dynamics(q, qd, qdd), tau)
    free = redyn.load("dual-arm-satellite")
    free.forward_dynamics(free.neutral(), np.zeros(free.dof), np.zeros(free.dof))


def simulation(folder: Path) -> None:
    robot = redyn.load("three-link")
    for method in ("rkf45", "rk4", "radau", "lsoda"):
        run = redyn.simulate(robot, np.zeros(3), np.zeros(3), 0.5, method=method)
        assert abs(run.energy.balance).max() < 1e-2
    run.to_csv(folder / "run.csv")
    run.html(folder / "run.html")
    run.plot()
    redyn.simulate_batch(robot, np.zeros((8, 3)), np.zeros((8, 3)), 0.1)
    motion = redyn.trajectory.cycloidal(np.zeros(3), np.ones(3), 1.0)
    law = redyn.control.computed_torque(robot, motion, kp=100, kd=20)
    assert abs(redyn.simulate(robot, np.zeros(3), np.zeros(3), 1.0, torque=law).q[-1] - 1).max() < 1e-4


def equations(folder: Path) -> None:
    redyn.derive("two-link").latex("mass_matrix")
    _command("equations", "two-link", "--html", folder / "eq.html", "--notebook", folder / "eq.ipynb")


def meshes(folder: Path) -> None:
    import trimesh

    for kind in ("stl", "obj", "glb", "dae"):
        content = trimesh.creation.box().export(file_type=kind)
        (folder / f"box.{kind}").write_bytes(content.encode() if isinstance(content, str) else content)
        robot = redyn.load(_saved(DRAWN.format(kind), folder / "drawn.urdf"))
        redyn.simulate(robot, [0.0], [1.0], 0.1).html(folder / f"{kind}.html")


def identification(folder: Path) -> None:
    from redyn.identification import exciting_motion, identify, recording

    robot = redyn.load("two-link")
    t = np.linspace(0, 5, 501)
    q, qd, qdd = exciting_motion(robot, duration=5.0, tries=2, steps=1)(t)
    found = identify(robot, recording(robot, t, q, robot.inverse_dynamics(q, qd, qdd)))
    found.figure(folder / "check.png")


def mjcf(folder: Path) -> None:
    robot = redyn.load(_saved(ARM, folder / "arm.xml"))
    assert robot.mass_matrix(np.zeros(2)).shape == (2, 2)
    assert "agrees" in _command("verify", folder / "arm.xml", "--states", "3")


def inside_jax(folder: Path) -> None:
    import jax

    jax.config.update("jax_enable_x64", True)
    f = redyn.jax.functions(redyn.load("puma"))
    q, qd, qdd = np.random.default_rng(0).uniform(-1, 1, (3, 100, 6))
    tau = f.inverse_dynamics(q, qd, qdd)
    assert np.allclose(f.forward_dynamics(q, qd, tau), qdd)
    assert np.allclose(jax.vmap(jax.grad(f.potential_energy))(q), f.gravity_torque(q))
    jax.hessian(lambda q: jax.numpy.sum(f.forward_dynamics(q, qd[0], tau[0]) ** 2))(q[0])


def sweeps(folder: Path) -> None:
    plan = {"robot": "two-link", "samples": 20, "shard": 5, "vary": {"*.mass": {"uniform": [1, 2]}}}
    plan |= {"run": {"call": "mass_matrix"}}
    alone = redyn.sweep.run(plan, folder / "alone").to_pandas()
    assert alone.equals(redyn.sweep.run(plan, folder / "cluster", dask="local").to_pandas())


def environments(folder: Path) -> None:
    import gymnasium

    import redyn.gym  # noqa: F401

    many = gymnasium.make_vec("redyn/Pendulum-v0", num_envs=8, vectorization_mode="vector_entry_point")
    many.reset(seed=0)
    many.step(many.action_space.sample())


def studio(folder: Path) -> None:
    import redyn.studio.app  # noqa: F401


def commands(folder: Path) -> None:
    from redyn.cli.main import app

    listed = _command("--help")
    for name in (str(command.name) for command in app.registered_commands):
        assert name in listed, name
        assert "--help" in _command(name, "--help"), name
    assert "Missing argument" in _run("show").stderr
    assert "puma" in _command("list")
    assert "joint6" in _command("show", "puma", "--no-floating-base", "--trust", "files")
    assert "joint2" in _command("torque", "puma", "--q", "0, pi/4, -30 deg, 0, 0, 0")
    _command("simulate", "two-link", "--duration", "0.2", "--html", folder / "fall.html", "--csv", folder / "fall.csv")
    _command("count", "two-link")
    _command("export", "two-link", "--lang", "python", "--out", folder / "code")


def xacro(folder: Path) -> None:
    text = DRAWN.format("stl").replace("<robot ", '<robot xmlns:xacro="http://www.ros.org/wiki/xacro" ')
    file = _saved(text.replace('mass value="1"', 'mass value="${1 + 1}"'), folder / "drawn.urdf.xacro")
    assert redyn.load(file).description.links[1].mass == 2.0


def _saved(text: str, path: Path) -> Path:
    path.write_text(text, "utf-8")
    return path


def _run(*words: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-I", "-m", "redyn", *map(str, words)], capture_output=True, text=True)


def _command(*words: object) -> str:
    done = _run(*words)
    if done.returncode:
        raise RuntimeError(f"redyn {words[0]} ended with {done.returncode}: {done.stderr[-2000:]}")
    return done.stdout


STEPS: tuple[Callable[[Path], None], ...] = (
    *(dynamics, simulation, equations, meshes, identification, mjcf, xacro),
    *(inside_jax, sweeps, environments, studio, commands),
)


def main() -> None:
    print(
        f"Python {sys.version.split()[0]};", ", ".join(f"{name} {metadata.version(name)}" for name in PACKAGES.split())
    )
    with tempfile.TemporaryDirectory() as folder:
        for step in STEPS:
            print(f"{step.__name__} ...", end=" ", flush=True)
            step(Path(folder))
            print("works")


if __name__ == "__main__":
    main()
