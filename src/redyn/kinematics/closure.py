"""What the loops of a robot come down to: which rows are enough, how many rates are left, and which are independent.

Found once, at some closed configurations. A planar mechanism in space has rows that are constant combinations of
others: they are left out, whatever plane it lies in. Where the rows that are left are still dependent at every
configuration, each time in another way, the robot moves only because its lengths are what they are (Bricard).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
import scipy.linalg  # pyright: ignore[reportMissingTypeStubs]
from numpy.typing import NDArray

from redyn.description.schema import WORLD, RobotDescription
from redyn.dynamics.task import Task
from redyn.errors import AssemblyError
from redyn.evaluate import uncompiled
from redyn.kinematics.assembly import CLOSED, Assembler, Evaluate, measured
from redyn.kinematics.linear import ZERO, null_space, pseudo_inverse, random_direction, smallest_value
from redyn.kinematics.linear import rank as rank_of
from redyn.model import Closure, Model, configuration

Array = NDArray[np.float64]

VISITED, ROUNDS, TRIES = 12, 3, 6  # closed configurations, in so many steps from the first, each tried so often
STEP = 0.3  # rad or m between them, about
NOISE = 1e-12  # of a row, beside the size of the robot: rounding
MISFIT = 1e-4  # rad or m: a file written with few digits may be as far from closed, in rows that are left out


@dataclass(frozen=True)
class Analysis:
    """A model with its closure, the initial configuration with its loops closed, and what is to be said about it."""

    model: Model
    initial: Array
    notes: tuple[str, ...] = ()
    failure: str = ""  # why the loops cannot be closed; the model has no closure then


def analyse(model: Model, description: RobotDescription, initial: Array) -> Analysis:
    """The closure of a model with loops, from its initial configuration."""
    assembler = Assembler(model, _uncompiled(model))
    notes: list[str] = []
    apart = float(np.abs(assembler.residual(initial[None])).max(initial=0.0))
    try:
        q, misfit = (initial, 0.0) if apart < CLOSED else _closed(assembler, initial)
    except AssemblyError as error:
        return Analysis(model, initial, failure=str(error))
    if apart > max(1e-6, 2 * misfit):
        name, how_far = assembler.widest(initial)
        notes.append(f"the initial pose leaves loop {name!r} open by {how_far}; a closed one near it is taken")
    states = _visited(assembler, q, misfit)
    J = assembler.jacobian(states)
    zero = max(ZERO, 30 * misfit)
    rows, undetermined = _rows(J, zero, max(NOISE * max(_size(model), 1e-6), 30 * misfit))
    ranks = [rank_of(matrix[list(rows)], zero) for matrix in J]
    rank = max(ranks, default=0)
    if misfit > CLOSED:
        kept = Assembler(model, _uncompiled(model), rows)
        q, gap = (x[0] for x in kept.close(q[None]))
        if gap > CLOSED:
            name, how_far = assembler.widest(q)
            return Analysis(model, initial, failure=f"loop {name!r} cannot be closed: it stays open by {how_far}")
        notes.append(
            f"the loops fit to {measured(misfit, 3)} (or {measured(misfit, 0)}) only; what no joint can correct is "
            "taken as zero"
        )
    generic = J[[k for k, r in enumerate(ranks) if r == rank]][:, list(rows)]
    driven = _driven(model, description)
    modes = [i for i, link in enumerate(model.driven) if link.joint.kind == "mode"]
    independent = _independent(generic * assembler.weights, model.dof, rank, driven, modes)
    dependent = [i for i in range(model.dof) if i not in independent]
    closure = Closure(
        rows,
        undetermined,
        rank,
        independent,
        tuple(driven),
        weights=_weights(model, states, J[:, list(rows)]),
        regular=float(np.median([smallest_value(matrix[:, dependent]) for matrix in generic])),
    )
    return Analysis(replace(model, closure=closure), q, tuple(notes))


def _uncompiled(given: Model) -> Evaluate:
    model = replace(given, free=None)  # at its nominal numbers

    def evaluate(task: Task, inputs: list[Array]) -> tuple[Array, ...]:
        with np.errstate(all="ignore"):
            found = uncompiled.run(model, task, inputs, lambda *_: ())
        shapes = task.shapes(model)
        return tuple(a.reshape(len(inputs[0]), *shape) for a, shape in zip(found, shapes, strict=True))

    return evaluate


def _closed(assembler: Assembler, initial: Array) -> tuple[Array, float]:
    """A closed configuration near the initial one, and how far it stays open where no joint can help."""
    try:
        return assembler.assemble(initial[None])[0], 0.0
    except AssemblyError:
        found, gap = assembler.close(initial[None])
        if gap[0] > MISFIT:
            raise
        return found[0], float(gap[0])


def _visited(assembler: Assembler, q: Array, misfit: float) -> Array:
    """Closed configurations around one: along the directions in which the robot can move, closed again each time.

    Several at once, each some steps away from the first; a step that cannot be closed is tried again, shorter.
    """
    model, generator = assembler.model, np.random.default_rng(1)
    zero, found = max(ZERO, 30 * misfit), [q[None]]
    here = np.repeat(q[None], VISITED // ROUNDS, axis=0)
    for _ in range(ROUNDS):
        step = STEP
        free = [null_space(J * assembler.weights, zero) for J in assembler.jacobian(here)]
        if not any(directions.shape[1] for directions in free):
            return q[None]
        for _ in range(TRIES):
            moves = np.array([random_direction(directions, step, generator) for directions in free]) * assembler.weights
            there, gap = assembler.close(configuration.integrate(model, here, moves))
            closed = gap <= max(CLOSED, 10 * misfit)
            if closed.any():
                here = np.where(closed[:, None], there, here)
                found.append(there[closed])
                break
            step *= 0.3
    return np.concatenate(found)


def _scaled(J: Array, least: float) -> Array:
    """Rows side by side for all configurations, each of length 1 where it is more than rounding: (rows, N dof)."""
    S = J.transpose(1, 0, 2).reshape(J.shape[1], -1)
    length = np.linalg.norm(S, axis=1, keepdims=True)
    return np.where(length > least, S / np.maximum(length, 1e-300), 0.0)


def _size(model: Model) -> float:
    """About how large the robot is: the farthest that a joint, or a frame of a loop, is from the link's own origin."""
    points = [link.joint.offset for link in model.links]
    points += [frame.pose.o for loop in model.loops for frame in (loop.A, loop.B)]
    return max(abs(cast(float, x)) for point in points for x in point.components())


def _rows(J: Array, zero: float, least: float) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Rows of which all others are constant combinations; and those whose multipliers are not determined."""
    S = _scaled(J, least)
    if not S.size:
        return (), ()
    rank = rank_of(S, zero)
    order = np.asarray(cast(Any, scipy.linalg).qr(S.T, mode="r", pivoting=True)[1])
    kept = tuple(sorted(int(k) for k in order[:rank]))
    null = null_space(S.T, zero)
    loose = tuple(int(k) for k in np.flatnonzero(np.linalg.norm(null, axis=1) > 1e-6))
    return kept, loose


def _weights(model: Model, states: Array, J: Array) -> tuple[float, ...]:
    """The diagonal of J M^-1 J^T, in the middle of what it is at some configurations."""
    M = _uncompiled(model)(Task("mass_matrix"), [states])[0]
    own = np.einsum("nij,njk,nik->ni", J, pseudo_inverse(M, 1e-15), J)
    return tuple(float(x) if x > 0.0 else 1.0 for x in np.median(own, axis=0))


def _driven(model: Model, description: RobotDescription) -> list[int]:
    """The rates with actuators, and those of a free base, in the order of qd."""
    base = [str(k.joint.name) for k in description.links if k.joint.type == "free" and k.parent == WORLD]
    names = {*base, *(description.actuated or [])}
    return [i for i, link in enumerate(model.driven) if link.joint.actuated and link.joint.name in names]


def _independent(J: Array, dof: int, rank: int, driven: Sequence[int], modes: Sequence[int]) -> tuple[int, ...]:
    """As many rates as the robot is mobile: driven ones as far as they are independent, then modes, then others."""
    count = dof - rank
    chosen: list[int] = []
    if not count:
        return ()
    free = [np.asarray(np.linalg.svd(matrix)[2], dtype=np.float64)[-count:].T for matrix in J]
    for candidates in (driven, modes, [i for i in range(dof) if i not in driven]):
        chosen = _spanning(free, chosen, candidates, count)
    return tuple(sorted(chosen))


def _spanning(free: list[Array], chosen: list[int], candidates: Sequence[int], count: int) -> list[int]:
    """Rates added one by one, each the one that depends least on those before, at most configurations."""
    chosen = list(chosen)
    while len(chosen) < count:
        worth = {i: _median_share(free, [*chosen, i]) for i in candidates if i not in chosen}
        best = max(worth, key=lambda i: worth[i], default=-1)
        if best < 0 or worth[best] < 1e-5:
            break
        chosen.append(best)
    return chosen


def _median_share(free: list[Array], rates: list[int]) -> float:
    return float(np.median([_least_share(directions[rates]) for directions in free]))


def _least_share(rows: Array) -> float:
    """The smallest singular value beside the largest."""
    values = np.linalg.svd(rows, compute_uv=False)
    return float(values[-1]) / max(float(values[0]), 1e-300) if float(values[0]) > 1e-9 else 0.0
