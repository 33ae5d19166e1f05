"""redyn demo: the book's robots along the book's trajectories, checked and plotted; then a free fall."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.console import Console

from redyn import files
from redyn.cli.options import Force, bold, plain_console, working
from redyn.words import counted


def demo(
    out: Annotated[Path, typer.Option(help="Folder for the output.")] = Path("demo-output"),
    force: Force = False,
) -> None:
    """Inverse dynamics of the book's robots along cycloidal motions, and a free fall, with checks and pictures.

    Example: redyn demo --out pictures
    """
    from redyn.report.figures import torque_figure
    from redyn.robot import load
    from redyn.trajectory import cycloidal

    console = plain_console(soft_wrap=True)
    files.folder(out)
    stanford_stop = [np.pi / 3, -5 * np.pi / 6, 0.735, np.pi / 3, 5 * np.pi / 6, 5 * np.pi / 6]
    for name, where, stop in (
        ("puma", "Example 9.5", [np.pi] * 6),
        ("stanford", "Example 9.6", stanford_stop),
        ("kuka-kr5", "Example 9.7", [np.pi / 3] * 6),
    ):
        robot = load(name)
        motion = cycloidal(robot.initial, stop, 10.0)
        t = np.linspace(0.0, 10.0, 401)
        q, qd, qdd = motion(t)
        tau = robot.inverse_dynamics(q, qd, qdd)
        back = robot.forward_dynamics(q, qd, tau)
        total = robot.kinetic_energy(q, qd) + robot.potential_energy(q)
        power = (tau * qd).sum(axis=1)
        work = np.concatenate([[0.0], np.cumsum((power[1:] + power[:-1]) / 2 * np.diff(t))])
        drift = np.abs(total - total[0] - work).max() / max(np.ptp(total), 1e-12)
        U, D = robot.udu(q)
        factors = np.abs(U @ (D[:, :, None] * np.swapaxes(U, 1, 2)) - robot.mass_matrix(q)).max()
        console.print(bold(name, f" ({where}), {counted(robot.dof, 'joint')}, {counted(len(t), 'instant')}"))
        console.print(f"  largest torques        {'  '.join(f'{x:.3g}' for x in np.abs(tau).max(axis=0))}")
        console.print(f"  FD(ID) returns qdd to  {np.abs(back - qdd).max():.1e} rad/s^2")
        console.print(f"  U D U^T equals GIM to  {factors:.1e}")
        console.print(f"  energy - work          {drift:.1e} of the energy exchanged (trapezoidal sums)")
        picture = torque_figure(
            robot, t, q, tau, out / f"{name}.png", f"{name}: {where}, cycloidal motion in 10 s", force
        )
        console.print(f"  picture                {picture}\n")
    robot = load("puma")
    q, qd, x = np.random.default_rng(0).uniform(-2, 2, (3, 500_000, 6))
    for name in ("inverse_dynamics", "forward_dynamics"):
        method = getattr(robot, name)
        method(q, qd, x)  # compiles now, or loads from disk
        start = time.perf_counter()
        method(q, qd, x)
        took = time.perf_counter() - start
        console.print(f"{name} of {len(q):,} states: {took * 1e3:.1f} ms, {took / len(q) * 1e9:.0f} ns each")
    report = _fall(console, out, force)
    console.print(f"\nOpen {report.resolve()} in a browser: the free fall of the KUKA KR-5 in 3D, with plots.")
    console.print(
        "Next: redyn list;  redyn show puma;  redyn simulate puma --html fall.html;  redyn reproduce;  redyn bench"
    )


def _fall(console: Console, out: Path, force: bool) -> Path:
    """Example 9.11: free fall of the KUKA KR-5, as an animated page."""
    from redyn.robot import load
    from redyn.simulation import simulate

    robot = load("kuka-kr5")
    with working("compiling the integrator (once on this machine)"):
        simulate(robot, robot.initial, robot.neutral(), 1e-6)
    start = time.perf_counter()
    run = simulate(robot, robot.initial, robot.neutral(), 3.0, rtol=1e-10, atol=1e-12)
    took = time.perf_counter() - start
    energy = run.energy
    drift = float(np.abs(energy.balance).max() / np.ptp(energy.kinetic))
    title = f" in free fall for {run.t[-1]:g} s (Example 9.11), {run.method}, rtol 1e-10"
    console.print(bold("\nkuka-kr5", title))
    console.print(
        f"  {counted(run.steps, 'step')} in {took * 1e3:.1f} ms; energy conserved to {drift:.1e} of that exchanged"
    )
    touched = ", ".join(f"{a} and {b}" for a, b in run.clearance.touched)
    console.print(f"  links that collide (modelled as capsules): {touched}")
    return run.html(out / "kuka-kr5-fall.html", force)
