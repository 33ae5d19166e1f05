"""Three joints that take a point to a point, or a plane to a plane: two are eliminated, as in Pieper 1968.

What is left is an equation in the third joint, of degree four in general; of degree two if the axes of the first two
meet or are parallel.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from redyn.kinematics.sliding import point_to_point_sliding
from redyn.kinematics.subproblems import FREE, NEAR, Array, Curve, Line, Plane, Triple, cross, orbit, square_of, turn

Thing = TypeVar("Thing")


@dataclass(frozen=True)
class Pair:
    """Two joints A and B that turn, and the common normal of their lines: b_foot = a_foot + length n, m = b x n.

    A direction a is (a . b) b + sine m.
    """

    a: Line
    b: Line
    a_foot: Array
    b_foot: Array
    n: Array
    length: float
    sine: float
    size: float  # of the arm

    @staticmethod
    def of(a: Line, b: Line, size: float) -> Pair:
        across, gap = cross(a.direction, b.direction), b.point - a.point
        sine = float(np.linalg.norm(across))
        if sine < NEAR:
            gap = gap - (gap @ a.direction) * a.direction
            length = float(np.linalg.norm(gap))
            normal = gap / length if length > 0.0 else np.zeros(3)
            return Pair(a, b, a.point, a.point + gap, normal, length, 0.0, size)
        n = across / sine
        a_foot = a.point + float(cross(gap, b.direction) @ across) / sine**2 * a.direction
        b_foot = b.point + float(cross(gap, a.direction) @ across) / sine**2 * b.direction
        return Pair(a, b, a_foot, b_foot, n, float(gap @ n), float(a.direction @ cross(b.direction, n)), size)

    @property
    def meets(self) -> bool:
        return abs(self.length) < NEAR * self.size

    @property
    def parallel(self) -> bool:
        return abs(self.sine) < NEAR

    @property
    def merit(self) -> float:
        """As the pair to eliminate: 2 if it is simple, 0 if it cannot be, else how clearly the lines are skew."""
        if self.a.slides or self.b.slides or (self.meets and self.parallel):
            return 0.0
        return 2.0 if self.meets or self.parallel else min(abs(self.length) / self.size, abs(self.sine), 1.0)

    def eliminated(
        self, curve: Curve, u: Array, square: Array, alpha: Array, height: float, scale: float, near: Sequence[float]
    ) -> Iterator[tuple[float, float, tuple[int, ...]]]:
        """q_b, q_c and the free ones of them, such that v = R_b u(q_c) has length (n . v) = alpha and a . v = height.

        With X = n . v and Y = m . v this is length X = alpha, sine Y = height - (a . b)(b . u) =: beta, and
        X^2 + Y^2 = |u|^2 - (b . u)^2. If the lines meet (length 0) or are parallel (sine 0), the first or the second
        is an equation for q_c alone, and the third leaves a sign. `scale` is the usual size of u.
        """
        along = u @ self.b.direction
        beta = -float(self.a.direction @ self.b.direction) * along
        beta[0] += height

        def ends(roots: Sequence[float], free: tuple[int, ...] = ()) -> Iterator[tuple[float, float, tuple[int, ...]]]:
            for q_c in roots:
                at = curve.at(u, q_c)
                u_n, u_m = float(self.n @ at), float(cross(self.b.direction, self.n) @ at)
                radius = float(np.hypot(u_n, u_m))
                if radius < 1e-8 * scale:  # on the line B
                    yield near[1], q_c, (1, *free)
                    continue
                X = None if self.meets else float(curve.at(alpha, q_c)) / self.length
                Y = None if self.parallel else float(curve.at(beta, q_c)) / self.sine
                for x, y in _on_circle(X, Y, radius, scale):
                    yield float(np.arctan2(u_n * y - u_m * x, u_n * x + u_m * y)), q_c, free

        if not (self.meets or self.parallel):
            unit = self.sine / scale
            terms = [((unit / self.length) ** 2, alpha, alpha), (scale**-2, beta, beta), (unit**2, along, along)]
            yield from ends(curve.zeros(-square * unit**2, terms))
            return
        equation, size = (alpha, scale * self.size) if self.meets else (beta, scale)
        if np.abs(equation).max() > FREE * size:
            yield from ends(curve.simple_zeros(equation, size))
            return
        for q_c in near[2] + np.arange(8) * (np.pi / 4):  # free within some range
            found = list(ends([float(q_c)], (2,)))
            if found:
                yield from found
                return


Solve = Callable[[Sequence[Line], Thing, Thing, float, Sequence[float]], list[Triple]]


def point_to_point(
    lines: Sequence[Line], start: Array, goal: Array, size: float, near: Sequence[float]
) -> list[Triple]:
    """Values of three joints A, B, C with A(q_a) B(q_b) C(q_c) start = goal; a free joint keeps its value of `near`."""
    slides = [line.slides for line in lines]
    if slides[1] or sum(slides) > 1:
        return point_to_point_sliding(lines, start, goal, size, near)
    return _from_better_end(_point_to_point, lines, start, goal, size, near)


def plane_to_plane(
    lines: Sequence[Line], start: Plane, goal: Plane, size: float, near: Sequence[float]
) -> list[Triple]:
    """Values with which three joints that turn take a plane to another; the dual of `point_to_point`."""
    return _from_better_end(_plane_to_plane, lines, start, goal, size, near)


def _from_better_end(
    solve: Solve[Thing], lines: Sequence[Line], start: Thing, goal: Thing, size: float, near: Sequence[float]
) -> list[Triple]:
    """By elimination of A and B, or of C and B in the inverse problem, whichever is simpler."""
    forward, backward = _merits(lines, size)
    if forward >= backward:
        return solve(lines, start, goal, size, near)
    found = solve([line.reversed() for line in lines[::-1]], goal, start, size, near[::-1])
    return [Triple((q[2], q[1], q[0]), tuple(sorted(2 - k for k in free))) for q, free in found]


def _merits(lines: Sequence[Line], size: float) -> tuple[float, float]:
    a, b, c = lines
    return Pair.of(a, b, size).merit, Pair.of(c, b, size).merit


def _point_to_point(
    lines: Sequence[Line], start: Array, goal: Array, size: float, near: Sequence[float]
) -> list[Triple]:
    """x = B C start has the distance of the goal from the foot on A, and its height along A."""
    a, b, c = lines
    pair = Pair.of(a, b, size)
    curve, u = orbit(c, start)
    u[0] -= pair.b_foot
    square, arm = square_of(curve, u), goal - pair.a_foot
    alpha = -square / 2
    alpha[0] += (arm @ arm - pair.length**2) / 2
    found: list[Triple] = []
    for q_b, q_c, free in pair.eliminated(curve, u, square, alpha, float(a.direction @ arm), size, near):
        x = pair.b_foot + b.rotation(q_b) @ curve.at(u, q_c)
        q_a, distance = turn(a.direction, x - pair.a_foot, arm)
        any_a = distance < FREE * size
        found.append(Triple((near[0] if any_a else q_a, q_b, q_c), (0, *free) if any_a else free))
    return found


def _plane_to_plane(
    lines: Sequence[Line], start: Plane, goal: Plane, size: float, near: Sequence[float]
) -> list[Triple]:
    """While A turns, the plane keeps its distance from the foot on A, and its angle with A."""
    a, b, c = lines
    pair = Pair.of(a, b, size)
    curve, u = orbit(Line(np.zeros(3), c.direction), start.direction)
    alpha = u @ (pair.b_foot - c.point)
    alpha[0] += start.direction @ c.point - start.height - (goal.direction @ pair.a_foot - goal.height)
    height = float(a.direction @ goal.direction)
    found: list[Triple] = []
    for q_b, q_c, free in pair.eliminated(curve, u, square_of(curve, u), alpha, height, 1.0, near):
        q_a, distance = turn(a.direction, b.rotation(q_b) @ curve.at(u, q_c), goal.direction)
        any_a = distance < FREE
        found.append(Triple((near[0] if any_a else q_a, q_b, q_c), (0, *free) if any_a else free))
    return found


def _on_circle(X: float | None, Y: float | None, radius: float, scale: float) -> list[tuple[float, float]]:
    """X and Y on the circle of that radius, where one of them may be unknown."""
    if X is not None and Y is not None:
        return [(X, Y)]
    known = X if Y is None else Y
    if known is None or abs(known) > radius + NEAR * scale:
        return []
    other = float(np.sqrt(max(0.0, radius**2 - known**2)))
    return [(known, z) if Y is None else (z, known) for z in (other, -other)]
