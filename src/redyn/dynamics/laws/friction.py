"""Joint friction: viscous, plus Coulomb friction with a smooth change of sign."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from redyn.algebra import Scalar


def friction(qd: Scalar, damping: Scalar, coulomb: Scalar, smoothing: Scalar, sqrt: Callable[[Any], Any]) -> Scalar:
    """The torque that sustains the motion against friction: damping qd + coulomb qd / sqrt(qd^2 + smoothing^2)."""
    return damping * qd + coulomb * (qd / sqrt(qd * qd + smoothing * smoothing))


def friction_slope(
    qd: Scalar, damping: Scalar, coulomb: Scalar, smoothing: Scalar, sqrt: Callable[[Scalar], Scalar]
) -> Scalar:
    """The derivative of the friction by qd: damping + coulomb smoothing^2 / (qd^2 + smoothing^2)^(3/2)."""
    square = smoothing * smoothing
    size = qd * qd + square
    return damping + coulomb * (square / (size * sqrt(size)))
