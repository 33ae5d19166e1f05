"""Physically consistent parameters: the pseudo-inertia of every link positive definite, drives not negative.

The pseudo-inertia P = [[S, mc], [mc^T, m]] (S: second moments) is positive definite exactly if some distribution of
mass has these parameters; a semidefinite program finds the best of them (CVXPY, Clarabel). Each P is written as L Z L^T
with L L^T the pseudo-inertia of the robot's file, so that Z is near the identity whatever the size of the link, and
what the torques do not determine stays near the file.
"""

from __future__ import annotations

import importlib
import warnings
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from redyn.algebra import MassMatrix, Sym3, Vec3
from redyn.errors import MissingExtraError, RedynError, warn
from redyn.identification.base import KINDS
from redyn.identification.fit import Fit

Array = NDArray[np.float64]

PULL = 1e-3  # weight of the file's values, against 1 for a standard deviation of the fit
THINNEST = 1e-4  # least pseudo-inertia, relative to the file's: no link becomes thinner or lighter
FINEST = 1e6  # largest entry of the weighted equations; 1,000 rows of torques with 1 % of noise have some 3,000
FALLBACK_MASS, FALLBACK_SIZE = 1.0, 0.1  # kg and m: the start for links without mass in the file


def pseudo_inertia(ten: Array) -> Array:
    """The pseudo-inertia from m, mc, Ixx, Ixy, Iyy, Ixz, Iyz, Izz.

    >>> pseudo_inertia(np.array([2.0, 0, 0, 0, 1, 0, 1, 0, 0, 1.0])).diagonal().tolist()
    [0.5, 0.5, 0.5, 2.0]
    """
    M = MassMatrix.of_parameters(ten.tolist())
    xx, xy, xz, yy, yz, zz = M.S.components()
    x, y, z = M.h.components()
    return np.array([[xx, xy, xz, x], [xy, yy, yz, y], [xz, yz, zz, z], [x, y, z, M.m]], dtype=np.float64)


def ten_numbers(P: Array) -> Array:
    """The inverse of `pseudo_inertia`."""
    (xx, xy, xz, x), (_, yy, yz, y), (_, _, zz, z), (_, _, _, m) = P.tolist()
    return np.array(MassMatrix(m, Vec3(x, y, z), Sym3(xx, xy, xz, yy, yz, zz)).parameters(), dtype=np.float64)


def physical_parameters(fit: Fit) -> Array:
    """All parameters of the robot, physically consistent, that explain the torques best."""
    try:
        cp = cast(Any, importlib.import_module("cvxpy"))
        importlib.import_module("clarabel")
    except ImportError:
        raise MissingExtraError("cvxpy and clarabel", "identify", "The physically consistent fit") from None
    robot, base = fit.base.robot, fit.base
    links = len(robot.link_names)
    roots = [_root(ten) for ten in robot.parameters.reshape(links, len(KINDS))]
    maps = [_from_Z(L) for L in roots]
    effect = fit.factor @ base.matrix  # the weighted equations over all parameters
    Z = [cp.Variable((4, 4), symmetric=True) for _ in range(links)]
    found = 0
    for i, (variable, T) in enumerate(zip(Z, maps, strict=True)):
        found = found + (effect[:, 10 * i : 10 * (i + 1)] @ T) @ cp.vec(variable, order="F")
    constraints = [variable >> THINNEST * np.eye(4) for variable in Z]
    pulls = [cp.sum_squares(variable - np.eye(4)) for variable in Z]
    scale = _drive_scale(fit, links)
    drives = cp.Variable(len(scale), nonneg=True) if len(scale) else None
    if drives is not None:
        found = found + (effect[:, 10 * links :] * scale) @ drives
        pulls.append(cp.sum_squares(drives - robot.all_parameters(base.friction, base.armature)[10 * links :] / scale))
    # Simulated torques without noise would demand more digits than the solver has.
    finest = max(1.0, float(np.abs(fit.right).max()) / FINEST)
    problem = cp.Problem(cp.Minimize(cp.sum_squares((found - fit.right) / finest) + PULL * sum(pulls)), constraints)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # of cvxpy about its solver; ours is below
            problem.solve(solver="CLARABEL")
    except cp.error.SolverError as error:
        raise RedynError(f"the physically consistent fit failed: {error}") from None
    if problem.status not in ("optimal", "optimal_inaccurate"):
        raise RedynError(f"the physically consistent fit failed: the solver says {problem.status}")
    if problem.status == "optimal_inaccurate":
        warn(
            "the physically consistent fit is less accurate than usual: the motion hardly shows some parameters, or "
            "the torques contradict the robot's file; see the condition number and the intervals"
        )
    tens = [ten_numbers(L @ np.asarray(v.value) @ L.T) for L, v in zip(roots, Z, strict=True)]
    rest = np.zeros(0) if drives is None else np.maximum(np.asarray(drives.value), 0.0) * scale
    return np.concatenate([*tens, np.where(rest > 1e-9 * scale, rest, 0.0)])


def _root(ten: Array) -> Array:
    """L with L L^T the pseudo-inertia of the file, made definite for rods, points and links without mass."""
    P = pseudo_inertia(ten)
    if P[3, 3] <= 0:
        P = np.diag([FALLBACK_MASS * FALLBACK_SIZE**2] * 3 + [FALLBACK_MASS])
    least = P[3, 3] * max(1e-4 * float(np.trace(P[:3, :3])) / P[3, 3], 1e-6)  # a hundredth of its size, or 1 mm
    centre = P[:3, 3] / P[3, 3]
    about = P[:3, :3] - P[3, 3] * np.outer(centre, centre)
    values, axes = np.linalg.eigh((about + about.T) / 2)
    definite = (axes * np.maximum(values, least)) @ axes.T + P[3, 3] * np.outer(centre, centre)
    P = np.block([[definite, P[:3, 3:]], [P[3:, :]]])
    return np.asarray(np.linalg.cholesky((P + P.T) / 2), dtype=np.float64)


def _from_Z(L: Array) -> Array:
    """(10, 16): the parameters of a link from the entries of its Z, column by column."""
    columns: list[Array] = []
    for k in range(16):
        unit = np.zeros(16)
        unit[k] = 1.0
        Z = unit.reshape(4, 4, order="F")
        columns.append(ten_numbers(L @ ((Z + Z.T) / 2) @ L.T))
    return np.stack(columns, axis=1)


def _drive_scale(fit: Fit, links: int) -> Array:
    """Likely sizes of the drive parameters: from the unconstrained fit or the file, else a standard deviation."""
    base, robot = fit.base, fit.base.robot
    prior = robot.all_parameters(base.friction, base.armature)[10 * links :]
    scale = np.maximum(np.abs(prior), 1e-6)
    for k in np.flatnonzero((base.columns >= 10 * links) & np.isfinite(fit.deviations)):
        i = int(base.columns[k]) - 10 * links
        scale[i] = max(scale[i], abs(float(fit.values[k])), float(fit.deviations[k]))
    return scale
