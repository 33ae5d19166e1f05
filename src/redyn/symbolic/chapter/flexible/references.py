"""What the sections on flexible robots follow."""

from __future__ import annotations

LINKS, MODES, STIFFENING = "[1]", "[2]", "[3]"
OF_BEAMS = (
    "[1] A. Mohan and S. K. Saha: A recursive, numerically stable, and efficient simulation algorithm for serial "
    "robots with flexible links. Multibody System Dynamics 21, 2009, 1-35.",
    "[2] A. De Luca and B. Siciliano: Closed-form dynamic model of planar multilink lightweight robots. IEEE "
    "Transactions on Systems, Man, and Cybernetics 21(4), 1991, 826-839.",
    "[3] T. R. Kane, R. R. Ryan and A. K. Banerjee: Dynamics of a cantilever beam attached to a moving base. Journal "
    "of Guidance, Control, and Dynamics 10(2), 1987, 139-151.",
)
OF_GEARS = (
    "M. W. Spong: Modeling and control of elastic joint robots. ASME Journal of Dynamic Systems, Measurement, and "
    "Control 109(4), 1987, 310-319.",
)


def listed(beams: bool, gears: bool) -> list[str]:
    """Those that a page cites, numbered."""
    found = list(OF_BEAMS) if beams else []
    return found + [f"[{len(found) + 1}] {reference}" for reference in OF_GEARS if gears]


def spong(beams: bool) -> str:
    return f"[{len(OF_BEAMS) + 1 if beams else 1}]"
