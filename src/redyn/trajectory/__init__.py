"""Motions in time: `motion(t)` gives q, qd, qdd for a number t, (n,) each, or for N times, (N, n) each.

If a robot's q holds quaternions, motions between two of its configurations need it as `robot=`; q then has nq
entries, qd and qdd dof. So do motions of robots with closed loops: the law is that of the actuated joints, and the
others follow.
"""

from redyn.trajectory.cubic import cubic
from redyn.trajectory.cycloidal import Cycloidal, cycloidal
from redyn.trajectory.gait import Gait
from redyn.trajectory.geodesic import Geodesic
from redyn.trajectory.guided import Guided
from redyn.trajectory.line import Line, line
from redyn.trajectory.motion import Motion, Violation
from redyn.trajectory.piecewise import Piecewise
from redyn.trajectory.quintic import quintic
from redyn.trajectory.samples import closed_samples, from_csv, samples
from redyn.trajectory.screw import circle, screw
from redyn.trajectory.spline import spline
from redyn.trajectory.table import Table, read_table
from redyn.trajectory.taught import Point, Taught, taught
from redyn.trajectory.time_optimal import TimeOptimal, time_optimal
from redyn.trajectory.trapezoidal import trapezoidal
from redyn.trajectory.trot import redysim_trot
from redyn.trajectory.walk import Steps, body_shift, walk

__all__ = [
    "Cycloidal",
    "Gait",
    "Geodesic",
    "Guided",
    "Line",
    "Motion",
    "Piecewise",
    "Point",
    "Steps",
    "Table",
    "Taught",
    "TimeOptimal",
    "Violation",
    "body_shift",
    "circle",
    "closed_samples",
    "cubic",
    "cycloidal",
    "from_csv",
    "line",
    "quintic",
    "read_table",
    "redysim_trot",
    "samples",
    "screw",
    "spline",
    "taught",
    "time_optimal",
    "trapezoidal",
    "walk",
]
