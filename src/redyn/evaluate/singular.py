"""Joints that move no inertia: their accelerations are not determined, and the recursion would divide by zero."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

import numpy as np
from numpy.typing import NDArray

from redyn.algebra import MassMatrix, Propagation
from redyn.arithmetic import Arrays
from redyn.dynamics import forward
from redyn.dynamics.task import Task, conditions_of, with_parameters
from redyn.errors import SingularError
from redyn.evaluate.columns import scalars
from redyn.model import Link, Model

Array = NDArray[np.float64]

# Above this share of the whole, a link's own inertia about its joint is enough to tell that the joint is regular.
WEAK_INERTIA = 1e-9


def may_be_singular(model: Model) -> bool:
    """Whether some link has no inertia of its own about its joint, so that m_hat may vanish somewhere.

    m_hat_i is at least p_i^T M_i p_i, for what other links add is never negative.
    """
    if model.reduction is not None:
        return False  # solved from the mass matrix as a whole, where Cholesky's square roots tell
    beams = _beams(model)
    numbers = {id(link): i for i, link in enumerate(model.links, start=1)}
    return not all(_stands(row, beams.get(numbers[id(row[-1])])) for row in model.joints)


def _beams(model: Model) -> dict[int, MassMatrix]:
    """By the link that carries them, the mass matrices of beams while they are straight, about that link's origin."""
    found: dict[int, MassMatrix] = {}
    for first, beam in model.beams:
        carrier = model.links[first].parent
        M = beam.M.to_parent(Propagation(beam.offset, beam.rotations))
        found[carrier] = found[carrier] + M if carrier in found else M
    return found


def _stands(row: tuple[Link, ...], beams: MassMatrix | None) -> bool:
    """Whether a joint, or the modes of a beam, have inertia of their own in every direction."""
    *before, body = row
    if body.joint.kind == "mode":  # mode shapes are independent, and the mass of the beam moves with each
        beam = row[0].beam
        return beam is not None and all(cast(float, beam.TT[k][k]) > 0.0 for k in range(beam.torsion))
    if beams is not None:
        body = replace(body, M=body.M + beams)
    if body.joint.motor:
        return _resists(body)  # and its motor has armature
    return _is_solid(body) if before else _resists(body)


def _resists(link: Link) -> bool:
    """Whether the body of a joint with one rate has inertia of its own about that joint."""
    S, slides = link.M.S, link.joint.kind == "prismatic"
    own = cast(float, link.joint.p.dot(link.M @ link.joint.p) + link.joint.armature)
    size = cast(float, link.M.m if slides else S.xx + S.yy + S.zz)
    return own > WEAK_INERTIA * abs(size)


def _is_solid(link: Link) -> bool:
    """Whether a body has mass and resists turning about any axis through its mass centre, as several rates need."""
    m, h = cast(float, link.M.m), np.array(link.M.h.components(), dtype=np.float64)
    if not m > 0.0:
        return False
    xx, xy, xz, yy, yz, zz = (cast(float, x) for x in link.M.S.components())
    S = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) - np.outer(h, h) / m
    moments = np.linalg.eigvalsh(np.trace(S) * np.eye(3) - S)
    return bool(moments[0] > WEAK_INERTIA * abs(float(xx + yy + zz)))


def require_inertia(model: Model, task: Task, inputs: list[Array]) -> None:
    """Raise if at one of the states some joint moves no inertia; a payload may be what it moves."""
    names = [name for name, _ in task.inputs(model)]
    named = {name: scalars(np.atleast_2d(value)) for name, value in zip(names, inputs, strict=True)}
    working, q = with_parameters(model.over(Arrays()), named), named["q"]
    if task.payload:
        _, working = conditions_of(working, Task(task.algorithm, payload=True), named)
    with np.errstate(all="ignore"):
        inertias = forward.joint_inertias(working, Arrays(), q)
    for link, (m_hat, size) in reversed(list(zip(working.links, inertias, strict=True))):
        small = ~(np.abs(np.asarray(m_hat)) > forward.ZERO_INERTIA * np.abs(np.asarray(size)))
        if np.any(small):
            raise SingularError(
                f"{model.name}: joint {link.joint.name!r} moves no inertia (the articulated inertia about its axis "
                f"is zero), so its acceleration is not determined; give link {link.name!r} inertia about that "
                "axis, or the joint an armature"
            )
