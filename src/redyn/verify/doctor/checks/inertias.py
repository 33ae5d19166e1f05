"""Tensors that no body has."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from redyn.description.physical import NEGLIGIBLE, faults_of, moments_of
from redyn.verify.doctor.estimate import estimate, projected, tensor_repair
from redyn.verify.doctor.finding import Finding, Repair
from redyn.verify.doctor.solid import Rooms
from redyn.verify.doctor.survey import Body, Survey

Array = NDArray[np.float64]

ROUNDING = 0.01  # of the largest moment: what the last digits of a table may be off by


def six(tensor: Array) -> Array:
    """xx xy xz yy yz zz."""
    return tensor[[0, 0, 0, 1, 1, 2], [0, 1, 2, 1, 2, 2]]


def inertias(survey: Survey, rooms: Rooms) -> Iterator[Finding]:
    """Moments that are negative, or larger than the sum of the other two."""
    for body in survey.bodies.values():
        if body.given is None:
            continue
        moments = moments_of(six(body.given))
        negative, uneven = faults_of(moments)
        shown = ", ".join(f"{m:.4g}" for m in moments)
        repairs, right = _repaired(body, rooms)
        line = body.line_of("inertia")
        diagonal = np.diag(body.given)
        if negative and float(diagonal.min()) < 0.0:
            field = f"inertia.{('ixx', 'iyy', 'izz')[int(diagonal.argmin())]}"
            what = f"a moment of inertia is negative ({float(diagonal.min()):g} kg m^2)"
            yield Finding("inertia-negative", "error", "link", body.name, field, what, right, line, repairs)
        elif negative:
            what = f"the tensor is not positive definite: principal moments {shown}; a product of inertia is too large"
            yield Finding("inertia-negative", "error", "link", body.name, "inertia", what, right, line, repairs)
        elif uneven:
            low, middle, high = moments
            excess = (high - low - middle) / high
            what = f"a principal moment exceeds the sum of the other two ({shown}): no body is so"
            slight = excess < ROUNDING or high < 1e3 * NEGLIGIBLE
            if slight:
                what += f"; by {excess:.1g} of it, which may be rounding"
            yield Finding(
                "inertia-triangle",
                "warning" if slight else "error",
                "link",
                body.name,
                "inertia",
                what,
                right,
                line,
                repairs,
            )


def _repaired(body: Body, rooms: Rooms) -> tuple[tuple[Repair, ...], str]:
    solid = rooms.own.get(body.name)
    if solid is not None and solid.volume > 0.0 and body.mass and body.mass > 0.0:
        about = solid.inertia(body.mass)
        shown = ", ".join(f"{m:.3g}" for m in np.linalg.eigvalsh(about))
        right = f"a solid of its shapes and mass would have the principal moments {shown} kg m^2"
        return estimate(body.name, body.mass, solid, "inertia of a solid of its shapes and mass", body), right
    assert body.given is not None
    near = projected(body.given)
    text = ", ".join(f"{m:.3g}" for m in np.linalg.eigvalsh(near))
    return (tensor_repair(body.name, near, "the nearest possible tensor"),), f"the nearest possible moments are {text}"
