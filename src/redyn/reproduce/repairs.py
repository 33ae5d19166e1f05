"""Two robots that cannot be used as printed, and the evidence: the printed tables are loaded and tried."""

from __future__ import annotations

import numpy as np

from redyn.errors import SingularError
from redyn.reproduce.item import Load, Repair


def magnitudes_of_inertia(load: Load) -> Repair:
    """Table II(ii) of the paper prints negative moments of inertia."""
    robot = load("puma-2003-printed")
    lowest = float(np.linalg.eigvalsh(robot.mass_matrix(robot.neutral())).min())
    return Repair(
        "the PUMA uses the magnitudes of the printed moments of inertia",
        lowest <= 0,
        f"with those of Table II(ii) its inertia matrix is indefinite (smallest eigenvalue {lowest:.3f} at rest)",
    )


def inertia_of_link_6(load: Load) -> Repair:
    """Table 9.5 prints zeros for link 6 of the KUKA."""
    robot = load("kuka-kr5-printed")
    still = np.zeros(robot.dof)
    try:
        robot.forward_dynamics(robot.initial, still, still)
    except SingularError:
        needed = True
    else:
        needed = False
    return Repair(
        "link 6 of the KUKA is given 3.3e-6 kg m² about each axis",
        needed,
        "Table 9.5 prints none, and the acceleration of joint 6 is then undetermined",
    )
