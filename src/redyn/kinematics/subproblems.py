"""Subproblems of closed-form inverse kinematics that have one or two solutions, and what they are made of.

A joint is a line: it turns about it, or slides along it. One rotation, and one harmonic equation, are the subproblems
of Paden 1985 (after Kahan); a wrist and three parallel joints are solved by them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

NEAR = 1e-6  # sines, and lengths as a share of the arm's size, below which lines meet or are parallel
FREE = 5e-11  # the same of a point on an axis, which no rotation about it moves
ON_UNIT_CIRCLE = 1e-5  # of roots: rounding moves double ones by the square root of its size


def cross(u: Array, v: Array) -> Array:
    """Of two vectors: a tenth of the time of `np.cross`, where half of the whole would go."""
    (a, b, c), (x, y, z) = u.tolist(), v.tolist()
    return np.array([b * z - c * y, c * x - a * z, a * y - b * x])


@dataclass(frozen=True)
class Line:
    """The axis of a joint: a point of it, its direction, and whether the joint slides along it."""

    point: Array
    direction: Array
    slides: bool = False

    def moved(self, T: Array) -> Line:
        """Where a 4x4 pose takes it."""
        return Line(T[:3, :3] @ self.point + T[:3, 3], T[:3, :3] @ self.direction, self.slides)

    def reversed(self) -> Line:
        """The joint whose motion is the inverse."""
        return Line(self.point, -self.direction, self.slides)

    def rotation(self, q: float) -> Array:
        """3x3; the identity for a slide."""
        if self.slides:
            return np.eye(3)
        x, y, z = self.direction
        K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
        return np.eye(3) + np.sin(q) * K + (1.0 - np.cos(q)) * (K @ K)

    def motion(self, q: float) -> Array:
        """4x4."""
        T = np.eye(4)
        if self.slides:
            T[:3, 3] = q * self.direction
        else:
            T[:3, :3] = self.rotation(q)
            T[:3, 3] = self.point - T[:3, :3] @ self.point
        return T


class Plane(NamedTuple):
    """The points x with direction . x = height, and its direction."""

    direction: Array
    height: float

    def moved(self, T: Array) -> Plane:
        direction = T[:3, :3] @ self.direction
        return Plane(direction, self.height + float(direction @ T[:3, 3]))


class Triple(NamedTuple):
    """Values of three joints in a row, and which of them (0, 1, 2) may have any other value."""

    q: tuple[float, float, float]
    free: tuple[int, ...]


class Curve(NamedTuple):
    """Functions f0 + f1 cos q + f2 sin q of an angle, or f0 + f1 q + f2 q^2 of a length, by their coefficients."""

    slides: bool

    def at(self, f: Array, q: float) -> Array:
        """The value at q of coefficients (3,), or of several vectors' (3, n)."""
        basis = [1.0, q, q * q] if self.slides else [1.0, np.cos(q), np.sin(q)]
        return np.array(basis) @ f

    def zeros(self, total: Array, products: Sequence[tuple[float, Array, Array]] = ()) -> list[float]:
        """Where `total` plus the sum of weight f g over the products is zero; none if that is everywhere."""
        powers = np.zeros(5, dtype=np.complex128)
        powers[: 3 if self.slides else 5] += self._powers(total) if self.slides else np.pad(self._powers(total), 1)
        for weight, f, g in products:
            powers += weight * np.convolve(self._powers(f), self._powers(g))
        largest = float(np.abs(powers).max())
        if largest == 0.0:
            return []
        powers[np.abs(powers) < 1e-13 * largest] = 0.0
        z = np.roots(powers[::-1])
        if self.slides:
            near = np.abs(z.imag) < ON_UNIT_CIRCLE * np.maximum(1.0, np.abs(z.real))
            return [float(x) for x in z[near].real]
        return [float(x) for x in np.angle(z[np.abs(np.abs(z) - 1.0) < ON_UNIT_CIRCLE])]

    def simple_zeros(self, f: Array, size: float) -> list[float]:
        """Where one function is zero; an angle twice if its two zeros coincide."""
        return self.zeros(f) if self.slides else harmonic(f, size)

    def _powers(self, f: Array) -> NDArray[np.complex128]:
        """Coefficients of q^0, q^1, q^2; for an angle, of z^-1, z^0, z^1 with z = exp(i q)."""
        if self.slides:
            return f.astype(np.complex128)
        half = (f[1] - 1j * f[2]) / 2
        return np.array([np.conj(half), f[0], half])


def turn(axis: Array, u: Array, v: Array) -> tuple[float, float]:
    """The angle about `axis` from u to v, and the distance of v from it: if zero, any angle does.

    >>> z, x, y = np.eye(3)[[2, 0, 1]]
    >>> turn(z, x, y)[0] == np.pi / 2
    True
    """
    cosine = float(u @ v - (axis @ u) * (axis @ v))
    sine = float(cross(axis, u) @ v)
    return float(np.arctan2(sine, cosine)), float(np.linalg.norm(cross(axis, v)))


def harmonic(f: Array, size: float) -> list[float]:
    """The angles with f0 + f1 cos q + f2 sin q = 0: two, or one twice, or none. `size` is that of usual coefficients.

    >>> [round(q, 3) for q in harmonic(np.array([-0.5, 1.0, 0.0]), 1.0)]
    [1.047, -1.047]
    """
    amplitude = float(np.hypot(f[1], f[2]))
    if amplitude < FREE * size or abs(f[0]) > amplitude + NEAR * size:
        return []
    phase, half = float(np.arctan2(f[2], f[1])), float(np.arccos(np.clip(-f[0] / amplitude, -1.0, 1.0)))
    return [phase + half, phase - half]


def meeting_point(lines: Sequence[Line], tolerance: float) -> Array | None:
    """The point that lines share to a tolerance in metres, in the sense of least squares; None if there is none."""
    across = [np.eye(3) - np.outer(k.direction, k.direction) for k in lines]
    A = sum(across, np.zeros((3, 3)))
    if np.linalg.cond(A) > 1e10:
        return None
    point = np.linalg.solve(A, sum((P @ k.point for P, k in zip(across, lines, strict=True)), np.zeros(3)))
    off = [float(np.linalg.norm(P @ (point - k.point))) for P, k in zip(across, lines, strict=True)]
    return np.asarray(point, dtype=np.float64) if max(off) < tolerance else None


def orbit(line: Line, start: Array) -> tuple[Curve, Array]:
    """How a point moves with a joint, as coefficients (3, 3)."""
    if line.slides:
        return Curve(True), np.array([start, line.direction, np.zeros(3)])
    arm = start - line.point
    along = (arm @ line.direction) * line.direction
    return Curve(False), np.array([line.point + along, arm - along, cross(line.direction, arm)])


def square_of(curve: Curve, u: Array) -> Array:
    """The coefficients of |u|^2."""
    if curve.slides:
        return np.array([u[0] @ u[0], 2 * u[0] @ u[1], u[1] @ u[1]])
    return np.array([u[0] @ u[0] + u[1] @ u[1], 2 * u[0] @ u[1], 2 * u[0] @ u[2]])


def wrist(axes: Sequence[Array], R: Array, near: Sequence[float]) -> list[Triple]:
    """Angles about three axes whose rotations in turn make R; two triples at most.

    >>> z, y = np.eye(3)[[2, 1]]
    >>> len(wrist([z, y, z], Line(np.zeros(3), y).rotation(0.3), [0.0] * 3)[0].free)
    0
    """
    first, second, third = axes
    inner, outer = float(second @ third) * second, third
    f = np.array([first @ inner - first @ (R @ third), first @ (outer - inner), first @ cross(second, outer)])
    found: list[Triple] = []
    for q2 in harmonic(f, 1.0):
        R2 = Line(np.zeros(3), second).rotation(q2)
        q1, distance = turn(first, R2 @ third, R @ third)
        free = distance < FREE
        q1 = near[0] if free else q1
        rest = (Line(np.zeros(3), first).rotation(q1) @ R2).T @ R
        across = second - (second @ third) * third
        q3, _ = turn(third, across, rest @ across)
        found.append(Triple((q1, q2, q3), (0, 2) if free else ()))
    return found


def planar(lines: Sequence[Line], T: Array, size: float, near: Sequence[float]) -> list[Triple]:
    """Angles of three parallel joints whose motions in turn make T, a motion across their axes; two triples at most."""
    a, b, c = lines
    d = a.direction
    flat = np.eye(3) - np.outer(d, d)
    target = flat @ (T[:3, :3] @ c.point + T[:3, 3] - a.point)
    curve, u = orbit(b, c.point)
    u = (u - np.outer([1.0, 0.0, 0.0], a.point)) @ flat
    f = square_of(curve, u)
    f[0] -= target @ target
    signs = [float(np.sign(d @ k.direction)) for k in lines]
    across = cross(d, np.eye(3)[int(np.argmin(np.abs(d)))])
    total, _ = turn(d, across, T[:3, :3] @ across)
    found: list[Triple] = []
    for q_b in harmonic(f, size * size):
        q_a, distance = turn(d, curve.at(u, q_b), target)
        free = distance < FREE * size
        q_a = near[0] if free else q_a
        q_c = signs[2] * (total - q_a - signs[1] * q_b)
        found.append(Triple((q_a, q_b, q_c), (0, 2) if free else ()))
    return found
