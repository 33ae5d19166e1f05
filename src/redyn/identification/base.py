"""Base parameters: the combinations of inertial parameters that torques depend on.

Columns of the regressor that are zero or linearly dependent cannot be told apart by any motion. They are found
numerically: the regressor at random states, its rank by singular values, and a QR decomposition that takes the columns
in an order that keeps moments of inertia and groups masses with them, as textbooks do by hand.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from redyn.errors import InputError, warn
from redyn.robot import Robot
from redyn.words import counted

Array = NDArray[np.float64]

KINDS = ("m", "mx", "my", "mz", "Ixx", "Ixy", "Iyy", "Ixz", "Iyz", "Izz")  # of a link, as `robot.parameters` has them
DRIVES = ("damping", "coulomb", "armature")
# In the order in which columns are kept: later ones are grouped with earlier ones.
PREFERRED = ("Izz", "Ixx", "Ixy", "Ixz", "Iyz", "mx", "my", *DRIVES, "Iyy", "mz", "m")
ZERO = 1e-12  # relative to the largest singular value, with columns of unit length: rounding
UNCLEAR = 1e-9  # a singular value between the two may be either


def parameter_names(robot: Robot, friction: bool = False, armature: bool = False) -> list[str]:
    """Names of `robot.all_parameters`: m1, mx1, ... Izz1, m2 ... by the number of the link, then the drives.

    >>> import redyn
    >>> parameter_names(redyn.load("one-link"), friction=True)[-4:]
    ['Iyz1', 'Izz1', 'damping1', 'coulomb1']
    """
    links = [f"{kind}{i}" for i in range(1, len(robot.link_names) + 1) for kind in KINDS]
    wanted = [*(DRIVES[:2] if friction else ()), *(DRIVES[2:] if armature else ())]
    return links + [f"{kind}{i}" for kind in wanted for i in range(1, robot.dof + 1)]


@dataclass(frozen=True)
class BaseParameters:
    """beta = matrix @ parameters, and regressor(...)[..., columns] @ beta is the torque."""

    robot: Robot
    friction: bool
    armature: bool
    names: list[str]  # of all parameters
    columns: NDArray[np.intp]  # indices of the parameters that are kept
    matrix: Array  # (count, all parameters): a unit column for every kept one, and what is grouped with it
    unidentifiable: list[str]  # parameters that no torque depends on

    @property
    def count(self) -> int:
        return len(self.columns)

    @property
    def values(self) -> Array:
        """The base parameters of the robot itself."""
        parameters = self.robot.all_parameters(self.friction, self.armature)
        sums, sizes = self.matrix @ parameters, np.abs(self.matrix) @ np.abs(parameters)
        return np.where(np.abs(sums) > 1e-14 * sizes, sums, 0.0)  # terms that cancel leave rounding

    @property
    def groupings(self) -> list[str]:
        """Each base parameter as a sum, such as `Izz1 + 0.49 m2`."""
        return [self._grouping(row, int(kept)) for row, kept in zip(self.matrix, self.columns, strict=True)]

    def _grouping(self, row: Array, kept: int) -> str:
        text = self.names[kept]
        for k in np.flatnonzero(row):
            if k != kept:
                size = f"{abs(row[k]):.6g}"
                text += f" {'-' if row[k] < 0 else '+'} {'' if size == '1' else size + ' '}{self.names[k]}"
        return text

    def regressor(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, gravity: ArrayLike | None = None) -> Array:
        """(dof, count), with N in front for a batch."""
        return self.robot.regressor(q, qd, qdd, gravity, self.friction, self.armature)[..., self.columns]

    def express(self, combination: Mapping[str, float]) -> Array | None:
        """A combination of parameters as coefficients of the base ones; None if torques do not determine it.

        >>> import redyn
        >>> base = base_parameters(redyn.load("lagrange-two-link"))
        >>> base.express({"Izz1": 1.0, "m2": 0.7**2, "Izz2": 1.0}).round(9).tolist()   # beta_1 of the slides
        [0.0, 0.0, 1.0, 0.0, 0.0, 1.0]
        >>> base.express({"m1": 1.0}) is None
        True
        """
        wanted = np.zeros(len(self.names))
        for name, factor in combination.items():
            if name not in self.names:
                raise InputError(f"no parameter is called {name!r}; they are {', '.join(self.names[:12])} ...")
            wanted[self.names.index(name)] = factor
        kept = wanted[self.columns]  # every other row of the matrix has a zero there
        near = 1e-8 * max(1.0, float(np.abs(wanted).max()))
        return kept if np.abs(kept @ self.matrix - wanted).max() <= near else None

    def __str__(self) -> str:
        lines = [f"{self.robot.name}: {counted(self.count, 'base parameter')} of {len(self.names)}"]
        lines += [
            f"  beta{k} = {text} = {value:.6g}"
            for k, (text, value) in enumerate(zip(self.groupings, self.values, strict=True), start=1)
        ]
        if self.unidentifiable:
            lines.append(f"no torque depends on {', '.join(self.unidentifiable)}")
        return "\n".join(lines)


def base_parameters(
    robot: Robot,
    friction: bool = False,
    armature: bool = False,
    gravity: ArrayLike | None = None,
    seed: int = 0,
) -> BaseParameters:
    """The identifiable combinations of a robot's parameters; `print` them.

    >>> import redyn
    >>> print(base_parameters(redyn.load("lagrange-two-link")))
    lagrange-two-link: 6 base parameters of 20
      beta1 = mx1 + 0.7 m2 = 1.085
      beta2 = my1 = 0
      beta3 = Izz1 + 0.49 m2 = 0.653333
      beta4 = mx2 = 0.225
      beta5 = my2 = 0
      beta6 = Izz2 = 0.075
    no torque depends on m1, mz1, Ixx1, Ixy1, Iyy1, Ixz1, Iyz1, mz2, Ixx2, Ixy2, Iyy2, Ixz2, Iyz2
    """
    if robot.loops:
        raise InputError(
            f"identification: {robot.name} has closed loops, which tie its joints together; only trees are supported "
            "(robot.tree is its tree)"
        )
    names = parameter_names(robot, friction, armature)
    rng = np.random.default_rng(seed)
    states = max(40, -(-4 * len(names) // robot.dof))
    q = np.array([robot.random(rng) for _ in range(states)])
    qd, qdd = rng.uniform(-3, 3, (2, states, robot.dof))
    Y = robot.regressor(q, qd, qdd, gravity, friction, armature).reshape(-1, len(names))
    lengths = np.linalg.norm(Y, axis=0)
    acting = lengths > ZERO * max(float(lengths.max(initial=0.0)), 1e-300)
    scaled = Y[:, acting] / lengths[acting]
    rank = _rank(robot, scaled)
    kept = _kept([name for name, acts in zip(names, acting, strict=True) if acts], scaled, rank)
    columns = np.flatnonzero(acting)[kept]
    matrix = np.zeros((len(columns), len(names)))
    others = np.setdiff1d(np.flatnonzero(acting), columns)
    matrix[np.arange(len(columns)), columns] = 1.0
    if len(others):
        shares = np.asarray(np.linalg.lstsq(scaled[:, kept], Y[:, others], rcond=None)[0], dtype=np.float64)
        K = shares / lengths[columns][:, None]
        size = np.abs(K * lengths[columns][:, None] / lengths[others])  # relative to the columns: free of units
        matrix[:, others] = np.where(size > 1e-8, K, 0.0)
    idle = [name for name, acts in zip(names, acting, strict=True) if not acts]
    return BaseParameters(robot, friction, armature, names, columns, matrix, idle)


def _rank(robot: Robot, scaled: Array) -> int:
    if not scaled.size:
        return 0
    values = np.linalg.svd(scaled, compute_uv=False)
    share = values / values[0]
    if ((share > ZERO) & (share < UNCLEAR)).any():
        warn(
            f"{robot.name}: the number of base parameters is not clear: the singular values of its regressor show no "
            "gap; parameters that hardly act may count or not"
        )
    return int((share > ZERO).sum())


def _kept(names: list[str], scaled: Array, rank: int) -> NDArray[np.intp]:
    """The first `rank` independent columns in the preferred order."""
    order = sorted(range(len(names)), key=lambda k: PREFERRED.index(names[k].rstrip("0123456789")))
    R = np.linalg.qr(scaled[:, order], mode="r")
    independent = np.abs(np.diag(R)) > 1e-9
    if independent.sum() != rank:  # nearly dependent columns: let pivoting decide
        from scipy.linalg import qr  # pyright: ignore[reportMissingTypeStubs, reportUnknownVariableType]

        pivots = qr(scaled, mode="r", pivoting=True)[-1]  # pyright: ignore[reportUnknownVariableType]
        return np.sort(np.asarray(pivots[:rank], dtype=np.intp))
    return np.sort(np.array(order, dtype=np.intp)[independent])
