"""What redyn knows of an algorithm: what it takes, what it returns and of which kind that is, how it may be run.

No property has a default, so that none can be forgotten. The algorithms themselves are in the catalogue.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum, auto

from redyn.algebra import Arithmetic, Scalar, Vec3
from redyn.dynamics.closed import Closed
from redyn.dynamics.contact import Ground
from redyn.dynamics.inverse import External
from redyn.model import Frame, Model

Columns = Sequence[Sequence[Scalar]]
Outputs = list[list[Scalar]]
Rows = list[list[Scalar]]
Shape = tuple[int, ...]


@dataclass
class Conditions:
    """What a call may set beside the state: gravity, wrenches from outside, the ground, the frame in question."""

    gravity: Vec3 | None = None
    external: External = ()
    ground: Ground | None = None
    frame: Frame | None = None
    parameters: Sequence[Scalar] = ()  # that the model was made with
    guarded: bool = True  # see Task


class Kind(Enum):
    """What an output is, and so what becomes of it where rates depend on others, qd = G u: see `reduced`.

    The convective kinds and the rates of columns hold terms in G_dot, which vanish where G is constant.
    """

    FORCE = auto()  # generalised forces, one per rate: G^T f
    DRIVING = auto()  # the same as what actuators supply, one per actuator: the shortest of several choices
    CONVECTIVE_FORCE = auto()  # what the rates need while accelerations are zero: G^T (h + M G_dot u)
    SQUARE = auto()  # a matrix from rates to generalised forces: G^T M G
    CONVECTIVE_SQUARE = auto()  # one whose product with the rates is a convective force: G^T (C G + M G_dot)
    COLUMNS = auto()  # a column per rate: J G
    COLUMN_RATES = auto()  # the rate of the Jacobian of the frame that is asked about: J_dot G + J G_dot
    ROWS = auto()  # a row per actuator: G^T Y, as driving forces
    COORDINATES = auto()  # one entry per coordinate: those of the robot's own q
    RATES = auto()  # rates or accelerations: of the independent ones already
    PLAIN = auto()  # whatever the rates are, it is the same


class Divisor(Enum):
    """What an algorithm divides by, and so fails for where that is zero."""

    NONE = auto()
    JOINT_INERTIAS = auto()
    MASS_MATRIX = auto()


@dataclass(frozen=True)
class Output:
    """One result: its name in exported code, its kind, its shape for one state."""

    name: str
    kind: Kind
    shape: Callable[[Model], Shape]


@dataclass(frozen=True)
class Solve:
    """What a solver has to work with where some rates depend on others: the mass matrix G^T M G and the state."""

    arith: Arithmetic
    M: Rows
    values: dict[str, Sequence[Scalar]]
    phi: Callable[[], list[Scalar]]  # tau less what gravity, rates, friction and wrenches ask for
    slopes: Callable[[Sequence[Scalar]], list[Rows]]  # dtau/dq and dtau/dqd at an acceleration
    jacobian: Callable[[], Rows]  # of the frame that is asked about
    ground_forces: Callable[[Sequence[Scalar]], list[Scalar]]  # on wheels, at an acceleration


@dataclass(frozen=True)
class Algorithm:
    """A recursion: the state vectors that it takes, what it returns, flat and row by row, and how it may be run."""

    name: str
    short: str  # a name for people who type it; "" if there is none
    state: tuple[str, ...]
    outputs: tuple[Output, ...]
    run: Callable[[Model, Arithmetic, Columns, Conditions], Outputs]
    options: frozenset[str]  # of gravity, external, ground, payload, frame
    regroup: bool  # whether regrouped inertial parameters give the same result
    divisor: Divisor
    reduced: Callable[[Solve], Outputs] | None  # of those that divide: the same from the mass matrix as a whole
    closed: Callable[[Closed], Outputs] | None  # for robots with loops, guards last; None: as for the tree
    per_pair: int  # operations for every link and link that carries it, about; 0 where a few per link are all

    by = ()  # the state vectors by which it is differentiated: none

    def __post_init__(self) -> None:
        if self.divides == (self.reduced is None):
            raise TypeError(f"{self.name}: `reduced` is for algorithms that divide, and they need it")

    @property
    def base(self) -> Algorithm:
        return self

    @property
    def divides(self) -> bool:
        return self.divisor is not Divisor.NONE


@dataclass(frozen=True)
class Derivative:
    """Derivatives of the first output of an algorithm by vectors of its state; by q they are in the tangent space."""

    base: Algorithm
    by: tuple[str, ...]
    outputs: tuple[Output, ...]
    run: Callable[[Model, Arithmetic, Columns, Conditions], Outputs]
    reduced: Callable[[Solve], Outputs] | None
    closed: Callable[[Closed], Outputs] | None
    per_pair: int

    short = ""
    options = frozenset[str]()

    @property
    def regroup(self) -> bool:
        return self.base.regroup

    @property
    def name(self) -> str:
        return f"{self.base.name}_derivatives"

    @property
    def state(self) -> tuple[str, ...]:
        return self.base.state


@dataclass(frozen=True)
class ParameterDerivative:
    """Derivatives of all outputs of an algorithm by the parameters that are left open."""

    base: Algorithm
    by = ("parameters",)
    short = ""
    reduced = None
    closed = None
    regroup = False  # inertias are made from parameters first
    options = frozenset[str]()

    @property
    def name(self) -> str:
        return f"{self.base.name}_by_parameters"

    @property
    def state(self) -> tuple[str, ...]:
        return self.base.state

    @property
    def outputs(self) -> tuple[Output, ...]:
        def shape(model: Model, output: Output) -> Shape:
            assert model.free is not None
            return (*output.shape(model), len(model.free.names))

        return tuple(
            Output(f"d{output.name}_dparameters", Kind.PLAIN, lambda m, output=output: shape(m, output))
            for output in self.base.outputs
        )

    @property
    def per_pair(self) -> int:
        return 30 + self.base.per_pair

    def run(self, model: Model, arith: Arithmetic, state: Columns, conditions: Conditions) -> Outputs:
        raise TypeError("derivatives by parameters are made by `reduced.run`")


Entry = Algorithm | Derivative | ParameterDerivative


def flat(rows: Sequence[Sequence[Scalar]]) -> list[Scalar]:
    return [entry for row in rows for entry in row]
