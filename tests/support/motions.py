"""What is demanded of every motion."""

import numpy as np


def is_derivative(motion, tolerance=1e-4):
    """qd and qdd are the slopes of q and qd: central differences, away from the knots where qdd may jump."""
    T = motion.duration
    t = np.linspace(0.013, 0.987, 41) * T
    step = 1e-5 * T
    knots = getattr(motion, "knots", np.array([0.0, T]))
    t = t[(np.abs(t[:, None] - knots) > 2 * step).all(axis=1)]
    (q_a, qd_a, _), (q_b, qd_b, _) = motion(t - step), motion(t + step)
    _, qd, qdd = motion(t)
    scale = 1 + np.abs(motion(np.linspace(0, T, 50))[2]).max() * max(T, 1)
    np.testing.assert_allclose((q_b - q_a) / (2 * step), qd, atol=tolerance * scale)
    np.testing.assert_allclose((qd_b - qd_a) / (2 * step), qdd, atol=tolerance * scale)
