"""The three-link arm of Table 9.2 by the explicit equations (9.42): a solution of Exercise 9.11, with NumPy alone."""

import numpy as np

m1, m2, m3 = 0.5, 0.4, 0.3
a1, a2, a3 = 0.3, 0.25, 0.22
g = 9.81


def inertia(q):
    """I of (9.42b)."""
    c2, c3, c23 = np.cos(q[1]), np.cos(q[2]), np.cos(q[1] + q[2])
    i33 = m3 * a3**2 / 3
    i23 = i33 + m3 * a2 * a3 * c3 / 2
    i22 = i33 + m2 * a2**2 / 3 + m3 * (a2**2 + a2 * a3 * c3)
    i13 = i33 + m3 * a3 * (a2 * c3 + a1 * c23) / 2
    i12 = i22 + (m2 / 2 + m3) * a1 * a2 * c2 + m3 * a1 * a3 * c23 / 2
    i11 = m1 * a1**2 / 3 + m2 * a2**2 / 3 + i33 + m2 * a1**2 + m3 * (a1**2 + a2**2)
    i11 += (m2 + 2 * m3) * a1 * a2 * c2 + m3 * a3 * (a2 * c3 + a1 * c23)
    return np.array([[i11, i12, i13], [i12, i22, i23], [i13, i23, i33]])


def convective(q, qd):
    """C of (9.42c) times the rates."""
    s2, s3, s23 = np.sin(q[1]), np.sin(q[2]), np.sin(q[1] + q[2])
    w1, w2, w3 = qd
    w12, w123 = w1 + w2, w1 + w2 + w3
    k2 = m2 * a1 * a2 * s2 + m3 * (2 * a1 * a2 * s2 + a1 * a3 * s23)
    k3 = m3 * (a1 * a3 * s23 + a2 * a3 * s3)
    k = m3 * a2 * a3 * s3
    C = np.array(
        [
            [-k2 * w2 - k3 * w3, -k2 * w12 - k3 * w3, -k3 * w123],
            [k2 * w1 - k * w3, -k * w3, -k * w123],
            [k3 * w1 + k * w2, k * w12, 0],
        ]
    )
    return C @ qd / 2


def weights(q):
    """tau^g of (9.42d): what gravity contributes, negative while the arm points along x."""
    c1, c12, c123 = np.cos(q[0]), np.cos(q[0] + q[1]), np.cos(q.sum())
    third = -m3 * a3 * c123 / 2
    second = third - (m2 / 2 + m3) * a2 * c12
    return g * np.array([second - (m1 / 2 + m2 + m3) * a1 * c1, second, third])


def torque(q, qd, qdd):
    """(9.42a), solved for the torques of the actuators."""
    return inertia(q) @ qdd + convective(q, qd) - weights(q)


def acceleration(q, qd, tau):
    """(9.42a), solved for the accelerations."""
    return np.linalg.solve(inertia(q), tau + weights(q) - convective(q, qd))


def cycloid(stop, t, T=10.0):
    """(9.36), from zero: angle, rate and acceleration of a joint."""
    w = 2 * np.pi / T
    return stop / T * (t - np.sin(w * t) / w), stop / T * (1 - np.cos(w * t)), stop / T * w * np.sin(w * t)


def table(stop, t):
    """Torques while all joints turn to `stop` in 10 s: one row per instant."""
    return np.array([torque(*(np.full(3, x) for x in cycloid(stop, instant))) for instant in t])
