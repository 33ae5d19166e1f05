"""Closing loops: from a configuration at which they are open to a near one at which they are not.

Far away by Levenberg and Marquardt's method, near by Newton's with the shortest steps, which ends within rounding. Some
joints may be held. The pose that is found belongs to the branch that the start is nearest to, more or less: to stay on
a branch, follow it in small steps from a known pose (`follow`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from redyn.dynamics.task import Task
from redyn.errors import AssemblyError
from redyn.kinematics.linear import pseudo_inverse, solve
from redyn.kinematics.poses import rotation_vectors
from redyn.model import ALONG, Model, configuration

Array = NDArray[np.float64]
Evaluate = Callable[[Task, list[Array]], tuple[Array, ...]]  # a task at N states, as the evaluator answers it

CLOSED = 1e-12  # m, rad: what is closer is closed; rounding is some 1e-16
NEAR = 1e-3  # below, Newton's method converges
LONGEST = 0.5  # rad or m: steps are not longer, so that poses do not jump
LEAST_DAMPING = 1e-10  # share of the diagonal: dependent rows leave the matrix singular without any
MOST = 200  # steps
RANK = 1e-9  # singular values below this share of the largest are zero
STRIDE = 0.1  # rad or m, between poses that are followed
SPREAD, TRIES = 0.7, 8  # of other starts, where the first leads nowhere: rad or m from it, and how many

_ERROR, _POSES, _JACOBIAN = Task("loop_error"), Task("loop_poses"), Task("loop_jacobian")


class Assembler:
    """Closes the loops of a model. `rows` are those to close, all unless given."""

    def __init__(self, model: Model, evaluate: Evaluate, rows: Sequence[int] | None = None) -> None:
        self.model, self.evaluate = model, evaluate
        self.rows = np.arange(len(model.rows)) if rows is None else np.array(rows, dtype=np.int64)
        self.weights = np.ones(model.dof)  # how readily each rate is used: links bend by little
        modes = [i for i, link in enumerate(model.driven) if link.joint.kind == "mode"]
        self.weights[modes] = configuration.spans(model)[modes]

    def jacobian(self, q: Array) -> Array:
        """(N, rows, dof), of the rows to close."""
        return self.evaluate(_JACOBIAN, [q])[0][:, self.rows]

    def residual(self, q: Array) -> Array:
        """(N, rows): the error, but with angles in place of their sines, so that it grows as far as it can."""
        error = self.evaluate(_ERROR, [q])[0].copy()
        if any(row < 3 for loop in self.model.loops for row in loop.rows):
            poses, first = self.evaluate(_POSES, [q])[0], 0
            for k, loop in enumerate(self.model.loops):
                turning = [first + i for i, row in enumerate(loop.rows) if row < 3]
                if turning:
                    error[:, turning] = _angles(poses[:, k, :3, :3], len(turning) == 3)
                first += len(loop.rows)
        return error[:, self.rows]

    def close(self, q: Array, held: Sequence[int] = ()) -> tuple[Array, Array]:
        """Configurations near those given, (N, nq), and how far each is still open; rates that are held stay."""
        q, free = q.copy(), self.weights.copy()
        free[list(held)] = 0.0
        best = self.residual(q)
        damping = np.full(len(q), 1e-3)
        active = np.arange(len(q))
        still = np.zeros(len(q), dtype=np.int64)  # steps in a row that gained nothing
        for _ in range(MOST):
            size = np.abs(best[active]).max(axis=1, initial=0.0)
            active = active[(size > 1e-16) & (still[active] < np.where(size < CLOSED, 2, 12))]
            if not len(active):
                break
            r = best[active]
            J = self.jacobian(q[active]) * free
            near = np.abs(r).max(axis=1) < NEAR
            step = np.empty((len(r), self.model.dof))
            step[near], step[~near] = _shortest(J[near], r[near]), _damped(J[~near], r[~near], damping[active][~near])
            step *= free
            longest = np.abs(step).max(axis=1, initial=0.0)
            step *= np.minimum(1.0, LONGEST / np.maximum(longest, LONGEST))[:, None]
            moved = configuration.integrate(self.model, q[active], step)
            after = self.residual(moved)
            better = np.linalg.norm(after, axis=1) < np.linalg.norm(r, axis=1)
            gained = active[better]
            q[gained], best[gained] = moved[better], after[better]
            little = np.linalg.norm(after, axis=1) > 0.9999 * np.linalg.norm(r, axis=1)
            still[active] = np.where(little, still[active] + 1, 0)
            damping[active] = np.maximum(damping[active] * np.where(better, 0.3, 4.0), LEAST_DAMPING)
        return q, np.abs(best).max(axis=1, initial=0.0)

    def assemble(self, q: Array, held: Sequence[int] = ()) -> Array:
        """`close`, from other starts as well where the given one leads nowhere; AssemblyError where all do."""
        found, gap = self.close(q, held)
        generator = np.random.default_rng(0)
        for _ in range(TRIES):
            left = np.flatnonzero(gap > CLOSED)
            if not len(left):
                return found
            step = generator.uniform(-SPREAD, SPREAD, (len(left), self.model.dof)) * self.weights
            step[:, list(held)] = 0.0
            again, after = self.close(configuration.integrate(self.model, q[left], step), held)
            better = after < gap[left]
            found[left[better]], gap[left[better]] = again[better], after[better]
        row = int(np.argmax(gap))
        if gap[row] > CLOSED:
            raise AssemblyError(self.open_loop(found[row], gap[row]))
        return found

    def open_loop(self, q: Array, gap: float) -> str:
        """Which loop cannot be closed."""
        name, apart = self.widest(q)
        return f"loop {name!r} cannot be closed from there: it stays open by {apart}; check lengths and starting pose"

    def widest(self, q: Array) -> tuple[str, str]:
        """The name of the loop that is open most, and by how much, in words."""
        residual = np.zeros(len(self.model.rows))
        residual[self.rows] = np.abs(self.residual(q[None])[0])
        worst = int(np.argmax(residual))
        loop, row = self.model.rows[worst]
        return loop.name, measured(residual[worst], row, loop.kind == "gear")

    def follow(self, q: Array, values: Array, held: Sequence[int], at: Sequence[int]) -> Array:
        """From a closed configuration to others on the same branch, one after the other: (K, nq).

        `values`, (K, len(at)), are those of the coordinates `at`, whose rates are held.
        """
        path: list[Array] = []
        for row in values:
            gone = row - q[list(at)]
            count = max(1, int(np.ceil(np.abs(gone).max(initial=0.0) / STRIDE)))
            start = q[list(at)].copy()
            for k in range(1, count + 1):
                q = self._step(q, start + gone * (k / count), held, at)
            path.append(q)
        return np.array(path).reshape(len(values), self.model.nq)

    def _step(self, q: Array, target: Array, held: Sequence[int], at: Sequence[int]) -> Array:
        """To near values of the held coordinates, on the same branch: in one stride, or in shorter ones."""
        trouble = ""
        for parts in (1, 4, 16):
            here, begin = q, q[list(at)]
            for k in range(1, parts + 1):
                guess = self._predicted(here, begin + (target - begin) * (k / parts) - here[list(at)], held, at)
                closed, gap = self.close(guess[None], held)
                trouble = self._trouble(guess, closed[0], float(gap[0]))
                if trouble:
                    break
                here = closed[0]
            if not trouble:
                return here
        raise AssemblyError(trouble)

    def _trouble(self, guess: Array, closed: Array, gap: float) -> str:
        """What is wrong with a step along the tangent that was closed again; nothing if it is as expected."""
        name, apart = self.widest(closed)
        if gap > CLOSED:
            return f"loop {name!r} cannot be closed there: it stays open by {apart}; that is out of its reach"
        if _apart(self.model, closed, guess) > 2 * STRIDE:
            return f"loop {name!r}: the pose jumps to another branch there; a singular position is near"
        return ""

    def _predicted(self, q: Array, change: Array, held: Sequence[int], at: Sequence[int]) -> Array:
        """Where the tangent leads while the held coordinates change."""
        J = self.jacobian(q[None])[0]
        rates = np.zeros(self.model.dof)
        rates[list(held)] = change
        others = [i for i in range(self.model.dof) if i not in set(held)]
        if others and len(J):
            found = -pseudo_inverse(J[:, others], RANK) @ (J @ rates)
            longest = float(np.abs(found).max(initial=0.0))
            rates[others] = found * min(1.0, LONGEST / max(longest, LONGEST))
        guess = configuration.integrate(self.model, q[None], rates[None])[0]
        guess[list(at)] = q[list(at)] + change
        return guess


def measured(size: float, row: int, gear: bool = False) -> str:
    """A gap in words: lengths in mm or m, angles in degrees."""
    if gear:
        return f"{size:.3g} rad (or m)"
    if row < 3 or row not in (3, 4, 5, ALONG):
        return f"{np.degrees(size):.3g} deg"
    return f"{1e3 * size:.3g} mm" if size < 0.9995 else f"{size:.3g} m"


def _apart(model: Model, a: Array, b: Array) -> float:
    return float(np.abs(configuration.difference(model, a[None], b[None])).max(initial=0.0))


def _angles(R: Array, whole: bool) -> Array:
    """The rotation from A's axes to B's, or from A's z to B's, as a vector: (N, 3) or its first two components."""
    if whole:
        return rotation_vectors(R)
    z = R[:, :, 2]
    sine = np.hypot(z[:, 0], z[:, 1])
    angle = np.arctan2(sine, z[:, 2])
    with np.errstate(invalid="ignore", divide="ignore"):
        factor = np.where(sine > 1e-12, angle / sine, 1.0)
    found = np.stack([-z[:, 1] * factor, z[:, 0] * factor], axis=1)
    found[(sine <= 1e-12) & (z[:, 2] < 0)] = (np.pi, 0.0)
    return found


def _shortest(J: Array, r: Array) -> Array:
    """The shortest x with J x = -r, as far as there is one."""
    if not J.size:
        return np.zeros((len(J), J.shape[2]))
    return -np.einsum("nij,nj->ni", pseudo_inverse(J, RANK), r)


def _damped(J: Array, r: Array, damping: Array) -> Array:
    """The same with long steps damped: J^T (J J^T + d)^-1 r, or (J^T J + d)^-1 J^T r where that is smaller."""
    if not J.size:
        return np.zeros((len(J), J.shape[2]))
    turned = J.transpose(0, 2, 1)
    wide = J.shape[1] <= J.shape[2]
    square = J @ turned if wide else turned @ J
    scale = np.trace(square, axis1=1, axis2=2) / square.shape[1] + 1e-12
    square += (damping * scale)[:, None, None] * np.eye(square.shape[1])
    if wide:
        return -np.einsum("nij,nj->ni", turned, solve(square, r))
    return -solve(square, np.einsum("nij,nj->ni", turned, r))
