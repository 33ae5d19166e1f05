"""Laws of the ground: what it does to a point that touches it.

The smooth law has no branches, so recursions trace it: a normal force after Hunt and Crossley, and friction that sticks
except for a slow creep. ReDySim's law, recovered from its own runs, has branches and serves compiled loops.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from redyn.algebra import Scalar


def normal_force(
    gap: Scalar, rate: Scalar, stiffness: Scalar, dissipation: Scalar, sqrt: Callable[[Any], Any]
) -> Scalar:
    """stiffness x+ (1 - dissipation rate)+ at the depth x = -gap, where the gap grows at `rate`.

    x+ = (x + sqrt(x^2 + 1e-24)) / 2: a bare sqrt(x^2) would have no derivative at 0.
    """
    brake = 1 - dissipation * rate
    depth = sqrt(gap * gap + 1e-24) - gap
    return stiffness * (depth * (brake + sqrt(brake * brake + 1e-24)) / 4)


def drag(force: Scalar, square: Scalar, friction: Scalar, slip: Scalar, sqrt: Callable[[Any], Any]) -> Scalar:
    """The friction per unit of velocity, friction * force / sqrt(v^2 + slip^2), given the square of the velocity."""
    return friction * force / sqrt(square + slip * slip)


def redysim(
    depth: float,
    rate: float,
    along: float,
    across: float,
    stiffness: float,
    damping: float,
    sliding: float,
    friction: float,
) -> tuple[float, float, float]:
    """The force along the normal and along two tangents, while `depth` > 0.

    The normal damping acts on the way in only; friction is viscous and limited on each tangent by itself.
    """
    normal = stiffness * depth - damping * min(rate, 0.0)
    limit = friction * normal
    return normal, min(max(-sliding * along, -limit), limit), min(max(-sliding * across, -limit), limit)
