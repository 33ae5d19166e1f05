"""Inertial parameters moved from tip to base, so that most of them become zeros.

A revolute joint cannot tell the mass of its link, its first moment along the axis, or its second moment along the
axis, from the same quantities rigidly attached to the parent: they are symmetric about the axis that the joint turns
about. A prismatic joint cannot tell second moments. Joints that turn about a point keep what they have. Moving them to
the parent leaves every torque as it was (to rounding) and spares a fifth of the arithmetic. What is left is not a
physical body any more: energies, momenta and joint wrenches need the original.
"""

from __future__ import annotations

from dataclasses import replace

from redyn.algebra import MassMatrix, Scalar, Sym3, Vec3
from redyn.arithmetic import Floats
from redyn.model.model import Link, Model

NOISE = 1e-13  # relative to the largest entry: what rounding leaves where a zero belongs


def regrouped(model: Model) -> Model:
    """The same torques from fewer numbers."""
    masses = [link.M for link in model.links]
    for i in reversed(range(model.n)):
        link = model.links[i]
        if not link.joint.single or link.joint.kind in ("helical", "mode"):
            continue
        kept, moved = _split(link, masses[i])
        masses[i] = kept
        if link.parent:
            at_zero = link.joint.propagation([0.0], Floats())
            masses[link.parent - 1] = masses[link.parent - 1] + moved.to_parent(at_zero)
    return replace(model, links=tuple(replace(k, M=_clean(M)) for k, M in zip(model.links, masses, strict=True)))


def _split(link: Link, M: MassMatrix) -> tuple[MassMatrix, MassMatrix]:
    """What the joint can tell, and what the parent may as well carry."""
    h, S = M.h, M.S
    if link.joint.kind == "revolute":
        return (
            MassMatrix(0.0, Vec3(h.x, h.y, 0.0), Sym3(S.xx, S.xy, S.xz, S.yy, S.yz, 0.0)),
            MassMatrix(M.m, Vec3(0.0, 0.0, h.z), Sym3(0.0, 0.0, 0.0, 0.0, 0.0, S.zz)),
        )
    zero = Sym3(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    return MassMatrix(M.m, h, zero), MassMatrix(0.0, Vec3(0.0, 0.0, 0.0), S)


def _clean(M: MassMatrix) -> MassMatrix:
    def cleaned(values: tuple[Scalar, ...]) -> list[Scalar]:
        numbers = [abs(value) for value in values if isinstance(value, int | float)]  # others are not known yet
        least = NOISE * max(numbers) if len(numbers) == len(values) else 0.0
        return [0.0 if isinstance(x, int | float) and abs(x) < least else x for x in values]

    return MassMatrix(M.m, Vec3(*cleaned(M.h.components())), Sym3(*cleaned(M.S.components())))
