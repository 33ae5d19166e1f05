"""What an algorithm has to work with where loops are closed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from redyn.algebra import Arithmetic, Scalar, Wrench
from redyn.dynamics.mechanism import Mechanism

Rows = list[list[Scalar]]
Outputs = list[list[Scalar]]


@dataclass(frozen=True)
class Closed:
    """The robot at a state. All but the mechanism is in the robot's own q, rates and torques."""

    arith: Arithmetic
    mechanism: Mechanism
    values: dict[str, Sequence[Scalar]]
    guarded: bool  # whether results must be exact, or refused; otherwise smooth where loops are singular
    tree: Callable[[], Outputs]  # what the algorithm gives for the tree alone
    inverse: Callable[[], list[Scalar]]  # the inverse dynamics of the tree
    phi: Callable[[], list[Scalar]]  # tau less what gravity, rates, friction and wrenches ask for
    mass_matrix: Callable[[], Rows]
    jacobian: Callable[[], Rows]  # of the frame that is asked about
    slopes: Callable[[Sequence[Scalar]], Sequence[Rows]]  # of the tree's inverse dynamics by q and qd, at accelerations
    wrenches: Callable[[Mapping[int, Wrench]], list[Wrench]]  # of every parent on its child, given more on links
    coordinate_rates: Callable[[Sequence[Scalar]], list[Scalar]]  # of q, for given rates
    over: Callable[[Arithmetic, dict[str, Sequence[Scalar]]], Closed]  # in another arithmetic, at another state
