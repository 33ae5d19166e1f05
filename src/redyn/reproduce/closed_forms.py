"""Equations of motion that the book prints in closed form, for slender rods: an independent reference."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from redyn.reproduce.item import Array
from redyn.robot import Robot


class Terms(NamedTuple):
    """I, C and the gravity term of I qdd + C qd + gravity = tau at N states: (N, n, n), (N, n, n), (N, n)."""

    inertia: Array
    coriolis: Array
    gravity: Array

    def torque(self, qd: Array, qdd: Array) -> Array:
        return (self.inertia @ qdd[..., None] + self.coriolis @ qd[..., None])[..., 0] + self.gravity

    def acceleration(self, qd: Array, tau: Array) -> Array:
        rest = tau - (self.coriolis @ qd[..., None])[..., 0] - self.gravity
        return np.asarray(np.linalg.solve(self.inertia, rest[..., None])[..., 0], dtype=np.float64)


def rods(robot: Robot) -> Robot:
    """The same links as slender rods, each with m a^2 / 12 about its middle; Table 9.2 rounds this for link 2."""
    description = robot.description
    links = [
        link.model_copy(update={"inertia": (0.0, 0.0, 0.0, spin, 0.0, spin)})
        for link in description.links
        for spin in [(link.mass or 0.0) * (link.a or 0.0) ** 2 / 12]
    ]
    return Robot(description.model_copy(update={"links": links}))


def masses_and_lengths(robot: Robot) -> tuple[list[float], list[float]]:
    links = robot.description.links
    return [link.mass or 0.0 for link in links], [link.a or 0.0 for link in links]


def two_link(m: list[float], a: list[float], q: Array, qd: Array, g: float = 9.81) -> Terms:
    """(9.27), (9.29), (9.30) and the weights of two rods in the X-Y plane, gravity along -Y."""
    (m1, m2), (a1, a2) = m, a
    c2, s2 = np.cos(q[..., 1]), np.sin(q[..., 1])
    c1, c12 = np.cos(q[..., 0]), np.cos(q[..., 0] + q[..., 1])
    w1, w2 = qd[..., 0], qd[..., 1]
    i22 = m2 * a2**2 / 3 + 0 * c2  # (9.27a)
    i21 = i22 + m2 * a1 * a2 * c2 / 2  # (9.27d)
    i11 = (m1 * a1**2 + m2 * a2**2) / 3 + m2 * a1**2 + m2 * a1 * a2 * c2  # (9.29)
    half = m2 * a1 * a2 * s2 / 2
    inertia = _matrix([[i11, i21], [i21, i22]])
    coriolis = _matrix([[-half * w2, -half * (w1 + w2)], [half * w1, 0 * w1]])  # (9.30a-d)
    outer = g * m2 * a2 * c12 / 2
    return Terms(inertia, coriolis, np.stack([g * (m1 / 2 + m2) * a1 * c1 + outer, outer], axis=-1))


def three_link(m: list[float], a: list[float], q: Array, qd: Array, g: float = 9.81) -> Terms:
    """(9.42b)-(9.42d); the book's tau^g is the torque of the weights, the negative of the actuators'."""
    (m1, m2, m3), (a1, a2, a3) = m, a
    q1, q2, q3 = (q[..., i] for i in range(3))
    w1, w2, w3 = (qd[..., i] for i in range(3))
    c2, c3, c23 = np.cos(q2), np.cos(q3), np.cos(q2 + q3)
    s2, s3, s23 = np.sin(q2), np.sin(q3), np.sin(q2 + q3)
    c1, c12, c123 = np.cos(q1), np.cos(q1 + q2), np.cos(q1 + q2 + q3)
    w12, w123 = w1 + w2, w1 + w2 + w3
    i11 = (m1 * a1**2 + m2 * a2**2 + m3 * a3**2) / 3 + m2 * a1**2 + m3 * (a1**2 + a2**2)
    i11 = i11 + (m2 + 2 * m3) * a1 * a2 * c2 + m3 * a3 * (a2 * c3 + a1 * c23)
    i12 = (m2 * a2**2 + m3 * a3**2) / 3 + m3 * a2**2 + (m2 * a2 / 2 + m3 * a2) * a1 * c2
    i12 = i12 + m3 * a3 * (2 * a2 * c3 + a1 * c23) / 2
    i13 = m3 * a3**2 / 3 + m3 * a3 * (a2 * c3 + a1 * c23) / 2
    i22 = (m2 * a2**2 + m3 * a3**2) / 3 + m3 * (a2**2 + a2 * a3 * c3)
    i23 = m3 * a3**2 / 3 + m3 * a2 * a3 * c3 / 2
    i33 = m3 * a3**2 / 3 + 0 * c3
    inertia = _matrix([[i11, i12, i13], [i12, i22, i23], [i13, i23, i33]])  # (9.42b)
    k = m2 * a1 * a2 * s2 + m3 * (2 * a1 * a2 * s2 + a1 * a3 * s23)
    j = m3 * (a1 * a3 * s23 + a2 * a3 * s3)
    p = m3 * a2 * a3 * s3
    coriolis = _matrix(
        [
            [-(k * w2 + j * w3) / 2, -(k * w12 + j * w3) / 2, -j * w123 / 2],
            [(k * w1 - p * w3) / 2, -p * w3 / 2, -p * w123 / 2],
            [(j * w1 + p * w2) / 2, p * w12 / 2, 0 * p],
        ]
    )  # (9.42c)
    t3 = -m3 * a3 * c123
    t2 = -m2 * a2 * c12 - 2 * m3 * (a2 * c12 + a3 * c123 / 2)
    t1 = -m1 * a1 * c1 - 2 * m2 * (a1 * c1 + a2 * c12 / 2) - 2 * m3 * (a1 * c1 + a2 * c12 + a3 * c123 / 2)
    return Terms(inertia, coriolis, -g / 2 * np.stack([t1, t2, t3], axis=-1))  # (9.42d)


def _matrix(rows: list[list[Array]]) -> Array:
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)
