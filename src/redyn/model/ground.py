"""What may touch the ground, and the forms of ground for which kernels are made.

The numbers of a ground (stiffness, friction, height, normal ...) are inputs of kernels, so that new values need no new
kernel; its form, and the expression of a height, are compiled.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from redyn.algebra import Vec3

# level: against a constant direction; plane: with any normal; surface: a height over two directions;
# given: the wrenches themselves are inputs, made by a law with branches
GroundKind = Literal["level", "plane", "surface", "given"]

LAW = 4  # numbers of the smooth law: stiffness, dissipation, friction, slip
STEP = 5  # numbers of a step: where it is, its rise, its width, cosine and sine of its direction
WRENCH = 6


@dataclass(frozen=True, slots=True)
class ContactPoint:
    """A sphere on a link, or a point where its radius is 0."""

    name: str
    link: int  # from 1
    at: Vec3  # its centre in the axes of the link
    radius: float


@dataclass(frozen=True)
class GroundForm:
    """What of a ground is compiled."""

    kind: GroundKind
    up: tuple[float, float, float] = (0.0, 0.0, 1.0)  # in world axes; of a surface along an axis
    expression: tuple[Any, ...] | None = None  # see description.heights
    steps: int = 0

    def width(self, contacts: int) -> int:
        """How many numbers a kernel takes: those of the law, then those of the shape."""
        if self.kind == "given":
            return WRENCH * contacts
        return LAW + {"level": 1, "plane": 4, "surface": 3 + STEP * self.steps}[self.kind]

    @property
    def horizontal(self) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
        """The directions of x and y of a height, which make a right-handed frame with `up`."""
        x, y, z = self.up
        if abs(z) >= max(abs(x), abs(y)):
            return (1.0, 0.0, 0.0), (0.0, z, 0.0)
        return ((0.0, 0.0, 1.0), (y, 0.0, 0.0)) if abs(y) >= abs(x) else ((0.0, 1.0, 0.0), (0.0, 0.0, x))
