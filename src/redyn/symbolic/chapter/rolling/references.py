"""What the sections on wheels follow."""

from __future__ import annotations

SAHA, ANGELES, CHAPLYGIN = "[1]", "[2]", "[3]"
REFERENCES = (
    "[1] S. K. Saha and J. Angeles: Dynamics of nonholonomic mechanical systems using a natural orthogonal complement. "
    "ASME Journal of Applied Mechanics 58(1), 1991, 238-243.",
    "[2] J. Angeles and S. K. Lee: The formulation of dynamical equations of holonomic mechanical systems using a "
    "natural orthogonal complement. ASME Journal of Applied Mechanics 55(1), 1988, 243-244.",
    "[3] S. A. Chaplygin: On the theory of motion of nonholonomic systems. The reducing-multiplier theorem. "
    "Matematicheskii Sbornik 28(2), 1911, 303-314; in English in Regular and Chaotic Dynamics 13(4), 2008, 369-376.",
)
