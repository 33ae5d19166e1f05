"""From a specification and numbers of samples to the states and parameters of these samples.

Names of what varies are those of `Robot.free` (`link2.mass`, `*.inertia`, `gravity`), and `q.joint1`, `qd.joint1`,
`qdd.joint1`, `tau.joint1`, `stop.joint1` for entries of vectors, or a vector's name for all of them (but quaternions).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Literal, cast

import numpy as np
from numpy.typing import NDArray

from redyn.description.parameters import free_parameters
from redyn.description.physical import parameter_faults
from redyn.dynamics.catalogue import ALGORITHMS
from redyn.errors import InputError, RedynError
from redyn.model.build import ordered
from redyn.robot import FreeRobot, Robot
from redyn.sweep.distributions import Distribution, Grid, Rotation
from redyn.sweep.plan import VECTORS, Call, Inverse, Simulate, Spec
from redyn.sweep.sobol import sobol_points
from redyn.sweep.uniforms import uniforms
from redyn.words import counted, suggestion

Array = NDArray[np.float64]
Vector = Literal["q", "qd", "qdd", "tau", "stop", "parameters"]

QUATERNION = 4


@dataclass(frozen=True)
class Column:
    """One varied number: its name in tables, where it goes, and which draw it has."""

    name: str
    vector: Vector
    place: int
    nominal: float


@dataclass(frozen=True)
class Variation:
    """One distribution with the numbers that it varies, and where its draws begin; of a grid, which digit it is."""

    name: str
    distribution: Distribution
    columns: tuple[Column, ...]
    first: int
    quasi: bool

    @property
    def draws(self) -> int:
        each = self.distribution.draws
        return (
            each if self.distribution.together or isinstance(self.distribution, Rotation) else each * len(self.columns)
        )


@dataclass(frozen=True)
class Samples:
    """Of N samples: vectors of shape (N, width), parameters (N, P) of a robot that has some open, and the columns."""

    numbers: range
    vectors: dict[str, Array]
    parameters: Array | None
    columns: dict[str, Array]

    def part(self, rows: slice) -> Samples:
        """Some of them."""
        return Samples(
            self.numbers[rows],
            {name: a[rows] for name, a in self.vectors.items()},
            None if self.parameters is None else self.parameters[rows],
            {name: a[rows] for name, a in self.columns.items()},
        )

    def __len__(self) -> int:
        return len(self.numbers)


class Sampler:
    """Draws samples of a specification; made once, for it resolves names and loads the robot."""

    def __init__(self, plan: Spec, robot: Robot) -> None:
        """`robot` has no open parameters; `self.robot` has those that vary."""
        self.plan = plan
        self.base = _base(plan, robot)
        found, names = list[tuple[str, list[Column]]](), list[str]()
        for name in plan.vary:
            head, _, rest = name.partition(".")
            columns = _entries(plan, robot, head, rest, self.base) if head in VECTORS else _parameters(robot, name)
            found.append((name, columns))
            names += [column.name for column in columns if column.vector == "parameters"]
        self._refuse_twice(found)
        self.robot = robot.free(*names) if names else robot
        free = self.robot.parameter_names if isinstance(self.robot, FreeRobot) else ()
        places = {name: k for k, name in enumerate(free)}
        self.variations, used = list[Variation](), {False: 0, True: 0}
        for name, columns in found:
            distribution = plan.vary[name]
            quasi = distribution.quasi or (plan.sampling == "sobol" and distribution.draws > 0)
            kept = tuple(
                Column(c.name, c.vector, places[c.name], c.nominal) if c.vector == "parameters" else c for c in columns
            )
            self.variations.append(Variation(name, distribution, kept, used[quasi], quasi))
            used[quasi] += self.variations[-1].draws
        self._draws = used
        self.combinations = self._combinations()

    @property
    def column_names(self) -> list[str]:
        """What varies, in the order of the specification."""
        return [column.name for variation in self.variations for column in variation.columns]

    @staticmethod
    def _refuse_twice(found: Sequence[tuple[str, list[Column]]]) -> None:
        owners: dict[str, str] = {}
        for name, columns in found:
            for column in columns:
                if column.name in owners:
                    raise InputError(
                        f"vary: {owners[column.name]!r} and {name!r} both vary {column.name}; let one of them do so"
                    )
                owners[column.name] = name

    def _combinations(self) -> int:
        total = 1
        for variation in self.variations:
            if isinstance(variation.distribution, Grid):
                each = len(variation.distribution.values)
                total *= each if variation.distribution.together else each ** len(variation.columns)
        if self.plan.samples % total:
            raise InputError(
                f"samples: the grids have {counted(total, 'combination')}; give a multiple of that, got "
                f"{self.plan.samples}"
            )
        return total

    def draw(self, numbers: range) -> Samples:
        """The samples with these numbers, each the same whichever others are drawn with it."""
        first, count = numbers.start, len(numbers)
        sources = {
            False: uniforms(self.plan.seed, first, count, self._draws[False]),
            True: sobol_points(self.plan.seed, self._draws[True], first, count)
            if self._draws[True]
            else np.empty((count, 0)),
        }
        vectors = {name: np.tile(row, (count, 1)) for name, row in self.base.items()}
        parameters = None
        if isinstance(self.robot, FreeRobot):
            parameters = np.tile(self.robot.nominal_parameters, (count, 1))
            vectors["parameters"] = parameters
        columns: dict[str, Array] = {}
        index, weight = np.arange(first, first + count, dtype=np.int64) % self.combinations, self.combinations
        for variation in self.variations:
            u = sources[variation.quasi][:, variation.first : variation.first + variation.draws]
            if isinstance(variation.distribution, Rotation):
                nominal = np.array([column.nominal for column in variation.columns])
                values = list(variation.distribution.turned(u, nominal).T)
            elif isinstance(variation.distribution, Grid):
                size, digits = len(variation.distribution.values), list[Array]()
                for _ in range(1 if variation.distribution.together else len(variation.columns)):
                    weight //= size
                    digits.append(variation.distribution.at((index // weight % size).astype(np.float64)))
                values = digits * len(variation.columns) if variation.distribution.together else digits
            else:
                drawn = [variation.distribution.at(np.ascontiguousarray(u[:, k])) for k in range(u.shape[1])]
                values = drawn * len(variation.columns) if variation.distribution.together else drawn
            for column, value in zip(variation.columns, values, strict=True):
                placed = value
                if not isinstance(variation.distribution, Rotation):
                    placed = variation.distribution.placed(value, column.nominal)
                vectors[column.vector][:, column.place] = columns[column.name] = placed
        vectors.pop("parameters", None)
        return Samples(numbers, vectors, parameters, columns)

    def impossible(self, samples: Samples) -> dict[int, str]:
        """By row, why no robot has such parameters."""
        found: dict[int, str] = {}
        if samples.parameters is None or self.plan.load.allow_unphysical:
            return found
        assert isinstance(self.robot, FreeRobot)
        free, values = self.robot.free_parameters, samples.parameters
        for _, _, rows in parameter_faults(self.robot.description, free, values):
            for row in np.flatnonzero(rows):  # of this row alone: the wording may depend on others
                faults = parameter_faults(self.robot.description, free, values[row : row + 1])
                found.setdefault(int(row), next(f"{name} {why}" for name, why, bad in faults if bad[0]))
        return found

    def closed(self, samples: Samples) -> Samples:
        """With loops closed where the configuration varies, and rates that they allow."""
        robot = self.robot
        if not robot.model.loops:
            return samples
        names = [column.name for v in self.variations for column in v.columns]
        held = [name.partition(".")[2] for name in names if name.startswith("q.")]
        vectors = dict(samples.vectors)
        if held:  # row by row: how often Newton's method steps may depend on the other rows of a batch
            vectors["q"] = np.array([robot.assemble(q, fixed=held) for q in vectors["q"]])
        if any(name.startswith("qd.") for name in names):
            independent = [robot.velocity_names.index(name) for name in robot.independent]
            G = robot.transmission(vectors["q"])
            rates = np.zeros_like(vectors["qd"])
            for k, place in enumerate(independent):
                rates = rates + G[:, :, k] * vectors["qd"][:, place, None]
            vectors["qd"] = rates
        return Samples(samples.numbers, vectors, samples.parameters, samples.columns)


def _base(plan: Spec, robot: Robot) -> dict[str, Array]:
    """The vectors where nothing varies: those of `fixed`, the robot's initial configuration, zeros."""
    n, m = robot.dof, len(robot.torque_names)
    found = {"q": robot.initial, "qd": np.zeros(n), "qdd": np.zeros(n), "tau": np.zeros(m)}
    for name, values in plan.fixed.items():
        width = len(found[name])
        if len(values) not in (1, width):
            raise InputError(f"fixed.{name}: expected {counted(width, 'number')}, got {len(values)}")
        found[name] = np.full(width, values[0]) if len(values) == 1 else np.array(values)
    found["q"] = robot.configuration("fixed.q", found["q"])
    if isinstance(plan.run, Inverse):
        stop = np.array(plan.run.stop, ndmin=1)
        if len(stop) not in (1, robot.nq):
            raise InputError(f"run.inverse.stop: expected {counted(robot.nq, 'number')}, got {len(stop)}")
        found["stop"] = np.full(robot.nq, stop[0]) if len(stop) == 1 else stop
    return found


def _used(plan: Spec) -> tuple[str, ...]:
    """The vectors that a run takes."""
    if isinstance(plan.run, Simulate):
        return "q", "qd", "tau"
    if isinstance(plan.run, Inverse):
        return "q", "stop"
    if isinstance(plan.run, Call):
        if plan.run.name in ALGORITHMS:
            return ALGORITHMS[plan.run.name].state
        if plan.run.name == "frequencies":
            return ("q",)
    return "q", "qd", "qdd", "tau"


def _entries(plan: Spec, robot: Robot, head: str, rest: str, base: dict[str, Array]) -> list[Column]:
    """What `q`, `q.joint1` or `q.base` stands for."""
    vector, used = cast(Vector, head), _used(plan)
    if vector not in used:
        raise InputError(f"vary: {head!r} plays no part in such a run, which takes {', '.join(used)} and parameters")
    labels = {"q": robot.coordinate_names, "stop": robot.coordinate_names, "tau": robot.torque_names}
    names = labels.get(head, robot.velocity_names)
    turning = (
        {k + j for k in robot.model.quaternions for j in range(QUATERNION)} if head in ("q", "stop") else set[int]()
    )
    name = f"{head}.{rest}" if rest else head
    given = plan.vary[name]
    if isinstance(given, Rotation):
        starts = [k for k in robot.model.quaternions if not rest or names[k].rpartition(".")[0] == rest]
        if len(starts) != 1 or head != "q":
            raise InputError(f"vary: {name!r}: a rotation is for the orientation of one joint, such as q.base")
        chosen = list(range(starts[0], starts[0] + QUATERNION))
    else:
        chosen = [k for k, own in enumerate(names) if not rest or fnmatchcase(own, rest)]
        if not chosen:
            raise InputError(f"vary: {name!r} stands for nothing in {head}{suggestion(rest, names)}")
        if rest and turning & set(chosen) and "*" not in rest:
            joint = rest.rpartition(".")[0]
            raise InputError(f"vary: {name!r} is part of a quaternion; vary q.{joint} with a rotation instead")
        chosen = [k for k in chosen if k not in turning]
    if head == "qd" and robot.model.loops:
        wrong = next((names[k] for k in chosen if names[k] not in robot.independent), None)
        if wrong is not None:
            raise InputError(
                f"vary: qd.{wrong} follows from others through the loops; vary {', '.join(robot.independent)}"
            )
    return [Column(f"{head}.{names[k]}", vector, k, float(base[head][k])) for k in chosen]


def _parameters(robot: Robot, name: str) -> list[Column]:
    try:
        found = free_parameters(robot.description, [name], ordered(robot.description.links))
    except RedynError as error:
        raise InputError(f"vary: {str(error).removeprefix('free: ')}") from None
    return [Column(p.name, "parameters", 0, p.nominal) for p in found]
