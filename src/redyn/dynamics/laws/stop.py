"""A joint stop: a spring and a damper beyond the limits of a joint."""

from __future__ import annotations


def stop(q: float, qd: float, low: float, high: float, stiffness: float, damping: float) -> float:
    """The torque on the joint. It pushes back and never pulls: a fast rebound loses contact early."""
    if q > high:
        return min(0.0, -stiffness * (q - high) - damping * qd)
    if q < low:
        return max(0.0, -stiffness * (q - low) - damping * qd)
    return 0.0
