"""Arms of six joints whose inverse kinematics has a closed form, recognised by their axes at the zero configuration.

With S_i the axis of joint i there, the pose of a frame is exp(S_1 q_1) ... exp(S_6 q_6) home. Two families are solved:

- three joints in a row turn about axes that meet in a point, such as a spherical wrist (Pieper 1968);
- three joints in a row turn about parallel axes, such as those of a UR5 (Hawkins 2013).

The motion P of these three keeps the point, or the planes normal to the axes. The three other joints, those after the
three moved by G = pose home^-1, make a motion E with E P = G: it takes the point, or a plane, to where G takes it. This
holds wherever the three are in the arm. E has up to four solutions, and P = E^-1 G two for each.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import Any, Literal, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from redyn.kinematics.elimination import plane_to_plane, point_to_point
from redyn.kinematics.linear import rank
from redyn.kinematics.robot_like import RobotLike
from redyn.kinematics.subproblems import NEAR, Line, Plane, meeting_point, planar, wrist
from redyn.model.frames import inverse

Array = NDArray[np.float64]
Family = Literal["wrist", "parallel"]

SHIFTS = np.array([sign * k for k in range(1, 9) for sign in (1, -1)]) * (np.pi / 8)  # of free joints
STARTS = 300  # positions of three joints from which the nearest point is looked for

ORDER: tuple[tuple[Family, int], ...] = (
    ("wrist", 3),
    ("parallel", 1),
    ("wrist", 0),
    ("parallel", 2),
    ("parallel", 0),
    ("parallel", 3),
    ("wrist", 2),
    ("wrist", 1),
)  # which of the three joints in a row are tried first: the index of the first of them


class Branch(NamedTuple):
    """Values of the arm's joints, and the indices of those that may have any other value, with the rest adjusted."""

    q: Array
    free: tuple[int, ...]


@dataclass(frozen=True)
class ClosedForm:
    """An arm of one of the two families. `joints` are the indices of its joints in q."""

    joints: tuple[int, ...]
    lines: tuple[Line, ...]
    home: Array
    size: float
    family: Family
    first: int  # of the three joints in a row
    centre: Array  # where their axes meet, or a unit vector along them

    @property
    def three(self) -> range:
        return range(self.first, self.first + 3)

    @property
    def others(self) -> list[int]:
        """Those after the three, then those before."""
        return [*range(self.first + 3, 6), *range(self.first)]

    def solve(self, pose: Array, near: Array) -> list[Branch]:
        """All branches, approximate where the axes meet or are parallel only nearly.

        Free joints stay at their value of `near` if there is a solution with it, else at another.
        """
        G = pose @ inverse(self.home)
        found, stuck = self._branches(G, near)
        for shift in SHIFTS:
            if not stuck:
                break
            more, stuck = self._branches(G, near + shift)
            found += [branch for branch in more if branch.free]
        return found

    def _branches(self, G: Array, near: Array) -> tuple[list[Branch], bool]:
        """Those with free joints at `near`, and whether some free joint cannot be there."""
        outer = self._outer(G)
        inner = [self.lines[i] for i in self.three]
        near_outer, near_inner = [float(near[i]) for i in self.others], [float(near[i]) for i in self.three]
        if self.family == "wrist":
            goal = G[:3, :3] @ self.centre + G[:3, 3]
            triples = point_to_point(outer, self.centre, goal, self.size, near_outer)
        else:
            plane = Plane(self.centre, 0.0)
            triples = plane_to_plane(outer, plane, plane.moved(G), self.size, near_outer)
        found, stuck = list[Branch](), False
        for triple in triples:
            E = reduce(np.matmul, [line.motion(q) for line, q in zip(outer, triple.q, strict=True)])
            P = inverse(E) @ G
            if self.family == "wrist":
                rests = wrist([line.direction for line in inner], P[:3, :3], near_inner)
            else:
                rests = planar(inner, P, self.size, near_inner)
            stuck |= bool(triple.free) and not rests
            for rest in rests:
                q = np.empty(6)
                q[self.others], q[list(self.three)] = triple.q, rest.q
                free = sorted([self.others[k] for k in triple.free] + [self.three[k] for k in rest.free])
                found.append(Branch(q, tuple(free)))
        return found, stuck

    def _outer(self, G: Array) -> list[Line]:
        return [self.lines[i].moved(G) if i > self.first else self.lines[i] for i in self.others]

    def missed(self, pose: Array) -> float:
        """How far the point where the axes meet stays from where the pose needs it, in metres."""
        from scipy.optimize import minimize  # pyright: ignore[reportMissingTypeStubs, reportUnknownVariableType]

        G = pose @ inverse(self.home)
        outer = self._outer(G)
        goal = G[:3, :3] @ self.centre + G[:3, 3]

        def distance(q: Array) -> float:
            E = reduce(np.matmul, [line.motion(x) for line, x in zip(outer, q, strict=True)])
            return float(np.linalg.norm(E[:3, :3] @ self.centre + E[:3, 3] - goal))

        starts = np.random.default_rng(0).uniform(-np.pi, np.pi, (STARTS, 3))
        best = starts[np.argsort([distance(q) for q in starts])[:3]]
        found: list[Any] = [minimize(distance, q, method="Nelder-Mead", options={"xatol": 1e-7}) for q in best]
        return min(float(result.fun) for result in found)


_known: WeakKeyDictionary[RobotLike, dict[str, ClosedForm | None]] = WeakKeyDictionary()


def closed_form(robot: RobotLike, frame: str) -> ClosedForm | None:
    """The closed form for a frame of a robot; None if it has none of ours. Found once.

    >>> import redyn
    >>> found = closed_form(redyn.load("puma"), "link6")
    >>> found.family, found.first
    ('wrist', 3)
    """
    known = _known.setdefault(robot, {})
    if frame not in known:
        known[frame] = _recognised(robot, frame)
    return known[frame]


def _recognised(robot: RobotLike, frame: str) -> ClosedForm | None:
    model = robot.model
    joints = tuple(model.moved_by(model.frames[frame].link))
    if len(joints) != 6 or model.loops or model.nq != model.dof:
        return None
    rest = np.zeros(robot.dof)
    home = robot.forward_kinematics(rest, frame)
    lines = [_line(column, home[:3, 3]) for column in robot.jacobian(rest, frame)[:, joints].T]
    size = max(float(np.linalg.norm(line.point - home[:3, 3])) for line in lines) or 1.0
    if not _describes(robot, frame, joints, lines, home, size):
        return None
    for family, first in ORDER:
        three = lines[first : first + 3]
        others = [*lines[first + 3 :], *lines[:first]]
        if any(line.slides for line in three) or (family == "parallel" and any(line.slides for line in others)):
            continue
        centre = _centre(family, three, size)
        if centre is not None:
            return ClosedForm(joints, tuple(lines), home, size, family, first, centre)
    return None


def _line(column: Array, tip: Array) -> Line:
    """The axis of a joint from its column of the Jacobian, at the tip."""
    omega, v = column[:3], column[3:]
    if np.linalg.norm(omega) < 0.5:
        return Line(tip, v / np.linalg.norm(v), slides=True)
    return Line(tip + np.cross(omega, v), omega)


def _describes(
    robot: RobotLike, frame: str, joints: tuple[int, ...], lines: list[Line], home: Array, size: float
) -> bool:
    """Whether the axes are all there is: neither helical nor coupled joints; and the arm is not always singular."""
    rng = np.random.default_rng(0)
    q = np.zeros((3, robot.dof))
    q[:, joints] = rng.uniform(-1.0, 1.0, (3, 6))
    ranks = [rank(J) for J in robot.jacobian(q, frame)[:, :, joints]]
    made = [reduce(np.matmul, [k.motion(x) for k, x in zip(lines, row[list(joints)], strict=True)]) @ home for row in q]
    return max(ranks) == 6 and bool(
        np.abs(np.array(made) - robot.forward_kinematics(q, frame)).max() < 1e-9 * (1 + size)
    )


def _centre(family: Family, three: list[Line], size: float) -> Array | None:
    turns = [float(np.linalg.norm(np.cross(three[k].direction, three[k + 1].direction))) for k in (0, 1)]
    if family == "wrist":
        return meeting_point(three, NEAR * size) if min(turns) > NEAR else None
    gaps = [np.cross(three[k].direction, three[k + 1].point - three[k].point) for k in (0, 1)]
    apart = min(float(np.linalg.norm(gap)) for gap in gaps) > NEAR * size
    return three[0].direction if max(turns) < NEAR and apart else None
