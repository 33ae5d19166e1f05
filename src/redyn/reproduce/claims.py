"""Claims of section 9.4: recursive accelerations are smoother, integrate faster, and are numerically stable."""

from __future__ import annotations

from typing import Any, NamedTuple, cast

import numpy as np

from redyn.algebra import Vec3
from redyn.arithmetic import Arrays
from redyn.dynamics.forward import solve
from redyn.dynamics.inertia import cholesky_solve, mass_matrix
from redyn.dynamics.inverse import inverse_dynamics
from redyn.reproduce.check import Check, statement, within
from redyn.reproduce.falls import whole
from redyn.reproduce.item import Array, Curve, Item, Load, Numbers, Panel, Result
from redyn.reproduce.torques import BOOK
from redyn.robot import Robot, chain
from redyn.simulation import simulate

LENGTHS = (2, 6, 10, 20, 40)
TOLERANCE = 1e-8
EPSILON = float(np.finfo(np.float64).eps)


class Effort(NamedTuple):
    """How an integration went: accepted steps, evaluations, and how far it ends from a tight one."""

    steps: int
    evaluations: int
    error: float


def _fall(robot: Robot, dynamics: str, tolerance: float, duration: float) -> tuple[Array, int, int]:
    still = np.zeros(robot.dof)
    run = whole(
        simulate(
            robot,
            robot.initial,
            still,
            duration,
            method="dopri5",
            dynamics=dynamics,
            rtol=tolerance,
            atol=tolerance,
            step=duration,
            sample=duration / 20,
        )
    )
    return run.q[-1], run.steps, run.evaluations


def _effort(robot: Robot, duration: float) -> dict[str, Effort]:
    reference, _, _ = _fall(robot, "recursive", 1e-12, duration)
    found: dict[str, Effort] = {}
    for dynamics in ("recursive", "cholesky"):
        end, steps, evaluations = _fall(robot, dynamics, TOLERANCE, duration)
        found[dynamics] = Effort(steps, evaluations, float(np.abs(end - reference).max()))
    return found


def solutions(robot: Robot, q: Array, phi: Array) -> dict[str, Array]:
    """x with I x = phi at N states by the recursion and by Cholesky: the same code as in kernels, on NumPy arrays."""
    arith, model = Arrays(), robot.model
    columns, forces = (list[Any](x.T) for x in np.broadcast_arrays(q, phi))
    recursive = cast("list[Any]", solve(model, arith, columns, forces))
    factored = cast("list[Any]", cholesky_solve(arith, mass_matrix(model, arith, columns), forces))
    return {"recursive": np.stack(recursive, axis=1), "cholesky": np.stack(factored, axis=1)}


def roughness(robot: Robot) -> dict[str, float]:
    """How far accelerations jump from state to state, in units of rounding: the deviation of second differences.

    The states are so close that the curvature of the true accelerations is far below rounding.
    """
    rng = np.random.default_rng(7)
    q, phi = (rng.uniform(-1, 1, robot.dof) for _ in range(2))
    along = np.linspace(0.0, 1e-9, 201)[:, None] * rng.uniform(-1, 1, robot.dof)
    return {
        name: float(np.std(np.diff(x, 2, axis=0)) / np.abs(x).max()) / EPSILON
        for name, x in solutions(robot, q + along, phi).items()
    }


def _smooth(load: Load) -> Result:
    """The same integrator on both kinds of forward dynamics."""
    rows: list[list[object]] = []
    checks: list[Check] = []
    same = True
    most = 0.0
    for name, duration in (("three-link", 1.0), ("puma", 2.0), ("stanford", 1.0)):
        robot = load(name)
        found = _effort(robot, duration)
        rows.extend([robot.name, str(robot.dof), how, *effort] for how, effort in found.items())
        one, two = found["recursive"], found["cholesky"]
        same = same and abs(one.evaluations - two.evaluations) <= 0.02 * two.evaluations
        most = max(most, one.error, two.error)
    lengths = np.array(LENGTHS, dtype=np.float64)
    found = [roughness(chain(n, seed=1)) for n in LENGTHS]
    jumps = {method: [one[method] for one in found] for method in ("recursive", "cholesky")}
    curves = [Curve(f"log10, {name}", np.log10(kept), name == "cholesky") for name, kept in jumps.items()]
    rows.extend(
        [f"chain-{n}", str(n), f"{method}, jumps in units of rounding", "", "", jumps[method][k]]
        for k, n in enumerate(LENGTHS)
        for method in jumps
    )
    fewer = all(a < b for a, b in zip(jumps["recursive"], jumps["cholesky"], strict=True))
    checks = [
        within("positions at the end of falls by both", most, 1e-5, "those by a tolerance of 1e-12 (rad or m)"),
        statement(
            "integration of recursive accelerations needs fewer evaluations than of those by Cholesky",
            not same,
            "the same number within 2 % on all three robots: see the table",
            "both give the same accelerations up to rounding, which is far below the tolerance; the recursion is "
            "faster in one evaluation, for long robots",
        ),
        statement(
            "recursive accelerations are smoother functions of the state",
            fewer,
            "jumps between neighbouring states, in units of rounding, for n = "
            + ", ".join(
                f"{int(n)}: {a:.0f} and {b:.0f} (Cholesky)" for n, a, b in zip(lengths, *jumps.values(), strict=True)
            ),
            "" if fewer else "the jumps of both are rounding errors of similar size",
        ),
    ]
    header = ["robot", "joints", "forward dynamics", "steps", "evaluations", "error at the end"]
    panel = Panel("jumps of the accelerations, in units of rounding (log10)", lengths, curves, x_label="joints")
    note = (
        f"Free falls with dopri5 and a tolerance of {TOLERANCE:.0e}; only the tolerance limits the steps. The claim "
        "goes back to Ascher, Pai and Cloutier (1997), who compare formulations that differ in more than rounding."
    )
    return Result(checks, [Numbers(header, rows)], panels=[panel], notes=[note])


def errors(robot: Robot) -> tuple[dict[str, float], float]:
    """Errors of accelerations that are known, and the condition number of the inertia matrix."""
    rng = np.random.default_rng(9)
    q, wanted = (rng.uniform(-1, 1, (20, robot.dof)) for _ in range(2))
    arith, still = Arrays(), list[Any](np.zeros((robot.dof, 20)))
    columns, rates = (list[Any](x.T) for x in (q, wanted))
    none = Vec3(arith.const(0.0), arith.const(0.0), arith.const(0.0))
    phi = cast("list[Any]", inverse_dynamics(robot.model, arith, columns, still, rates, none))
    found = solutions(robot, q, np.stack([np.broadcast_to(x, 20) for x in phi], axis=1))
    rows = cast("list[list[Any]]", mass_matrix(robot.model, arith, columns))
    I = np.stack([np.stack([np.broadcast_to(x, 20) for x in row], axis=1) for row in rows], axis=1)
    return {name: float(np.abs(x - wanted).max()) for name, x in found.items()}, float(np.linalg.cond(I).max())


def _stable(_: Load) -> Result:
    found = [errors(chain(n, seed=1)) for n in LENGTHS]
    conditions = np.array([condition for _, condition in found])
    by = {method: np.array([one[method] for one, _ in found]) for method in ("recursive", "cholesky")}
    worst = float((by["recursive"] / (EPSILON * conditions)).max())
    ratio = by["recursive"] / by["cholesky"]
    checks = [
        statement(
            "the recursive algorithm is numerically stable",
            worst < 10,
            f"its errors stay below {worst:.2g} times rounding times the condition number of the inertia matrix, up to "
            f"n = {LENGTHS[-1]}; they are {ratio.min():.2g} to {ratio.max():.2g} times those of Cholesky",
        )
    ]
    rows: list[list[object]] = [
        [str(n), *(float(x[k]) / EPSILON for x in by.values()), float(conditions[k])] for k, n in enumerate(LENGTHS)
    ]
    curves = [
        *(Curve(f"error, {name}", np.log10(kept), name == "cholesky") for name, kept in by.items()),
        Curve("rounding times condition number", np.log10(EPSILON * conditions)),
    ]
    lengths = np.array(LENGTHS, dtype=np.float64)
    return Result(
        checks,
        [Numbers(["joints", "error in units of rounding, recursive", "Cholesky", "condition number"], rows)],
        panels=[Panel("errors of the accelerations (log10, rad/s²)", lengths, curves, x_label="joints")],
        notes=[
            "Robots in general position, 20 states each; φ by inverse dynamics of known accelerations. No method is "
            "better than the condition number allows, and it is the same for both."
        ],
    )


ITEMS = [
    Item("claim-smoothness", "Are recursive accelerations smoother?", BOOK + "sections 9.4.1, 9.4.2", _smooth),
    Item("claim-stability", "Is the recursion numerically stable?", BOOK + "introduction, section 9.4.1", _stable),
]
