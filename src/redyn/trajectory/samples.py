"""Motions given by samples, such as a recording or the output of `redyn torque --csv`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from redyn.errors import InputError
from redyn.kinematics.loops import actuated_slots
from redyn.trajectory.cubic import cubic_powers
from redyn.trajectory.guided import Guided, completed
from redyn.trajectory.motion import Array, representable
from redyn.trajectory.piecewise import Piecewise, polynomials
from redyn.trajectory.quintic import quintic_powers
from redyn.trajectory.spline import knots, through
from redyn.trajectory.table import read_table
from redyn.words import counted

if TYPE_CHECKING:
    from redyn.robot import Robot


def samples(times: ArrayLike, q: ArrayLike, qd: ArrayLike | None = None, qdd: ArrayLike | None = None) -> Piecewise:
    """Through samples, (K, n) each, at `times`, (K,), which start at 0.

    With rates the pieces are cubics, with accelerations too they are quintics; without, a cubic (not-a-knot) spline
    determines the rates, and its ends are not at rest.

    >>> motion = samples([0.0, 1.0, 2.0], [[0.0], [1.0], [4.0]])
    >>> motion(1.5)[0].round(12).tolist()
    [2.25]
    """
    if qdd is not None and qd is None:
        raise InputError("samples: accelerations without rates; give qd too")
    t, values = knots("samples", times, q)
    given = [values, *(knots("samples", t, x)[1] for x in (qd, qdd) if x is not None)]
    if any(x.shape != values.shape for x in given):
        raise InputError(f"samples: q, qd and qdd must be equally shaped, got {', '.join(str(x.shape) for x in given)}")
    if len(given) == 1:
        return representable("samples", through(t, values, "not-a-knot"))
    h = np.diff(t)[:, None]
    ends_of_pieces = [end for k, x in enumerate(given) for end in (x[:-1] * h**k, x[1:] * h**k)]
    powers = cubic_powers(*ends_of_pieces) if len(given) == 2 else quintic_powers(*ends_of_pieces)
    return representable("samples", polynomials(t, *powers))


def closed_samples(
    robot: Robot, times: ArrayLike, q_a: ArrayLike, qd_a: ArrayLike | None = None, qdd_a: ArrayLike | None = None
) -> Guided:
    """The motion of a robot with closed loops, through samples of its actuated joints: the others follow.

    For the arguments see `samples`; the columns are in the order of `robot.actuated`.

    >>> import redyn
    >>> robot = redyn.load("four-bar")
    >>> motion = closed_samples(robot, [0.0, 1.0, 2.0], [[0.0], [0.5], [1.5]])
    >>> q, qd, qdd = motion(1.0)
    >>> round(float(q[0]), 12), bool(abs(robot.loop_error(q)).max() < 1e-12)
    (0.5, True)
    """
    law, count = samples(times, q_a, qd_a, qdd_a), len(actuated_slots(robot)[0])
    if law.dof != count:
        given = counted(law.dof, "column")
        raise InputError(f"closed_samples: expected {counted(count, 'column')}, one per actuated joint, got {given}")
    return completed("closed_samples", robot, law, robot.complete(law(0.0)[0]).q)


def from_csv(path: str | Path, joints: Sequence[str] | None = None) -> Piecewise:
    """The motion in a CSV file: columns t, q_<joint> and, if they are there for every joint, qd_ and qdd_<joint>.

    `joints` selects and orders the joints (give `robot.joint_names`); the default is the order of the file. Other
    columns are ignored. The first row becomes time 0.
    """
    times, columns = read_table(path)
    names = [name[2:] for name in columns if name.startswith("q_")] if joints is None else list(joints)
    missing = [f"q_{name}" for name in names if f"q_{name}" not in columns]
    if missing or not names:
        found = ", ".join(list(columns)[:12]) or "none"
        raise InputError(
            f"{path}: no column {missing[0] if missing else 'q_<joint>'}; the columns besides t are: {found}"
        )
    if len(times) < 2:
        raise InputError(f"{path}: a motion needs at least two rows")
    q = np.stack([columns[f"q_{name}"] for name in names], axis=1)
    qd = _columns(path, columns, "qd", names)
    qdd = _columns(path, columns, "qdd", names) if qd is not None else None
    return samples(times - times[0], q, qd, qdd)


def _columns(path: str | Path, columns: dict[str, Array], kind: str, names: Sequence[str]) -> Array | None:
    """All joints' columns of one kind, or None if there are none."""
    present = [name for name in names if f"{kind}_{name}" in columns]
    if not present:
        return None
    if len(present) < len(names):
        lacking = next(name for name in names if name not in present)
        raise InputError(f"{path}: there is a column {kind}_{present[0]} but none {kind}_{lacking}")
    return np.stack([columns[f"{kind}_{name}"] for name in names], axis=1)
