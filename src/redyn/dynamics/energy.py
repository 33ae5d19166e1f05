"""Energies, the mass centre and the momentum of the whole robot."""

from __future__ import annotations

from collections.abc import Sequence

from redyn.algebra import Arithmetic, Scalar, Vec3, Wrench
from redyn.dynamics.beams import Bent
from redyn.dynamics.kinematics import propagations, twists, zero_vector
from redyn.dynamics.passive import stored_energy
from redyn.model import Model


def kinetic_energy(model: Model, arith: Arithmetic, q: Sequence[Scalar], qd: Sequence[Scalar]) -> Scalar:
    """T = t^T M t / 2 (Exercise 9.8); the rotors' share is armature qd^2 / 2."""
    B = propagations(model, arith, q)
    t = twists(model, arith, B, qd)
    twice = arith.const(0.0)
    for i, (link, B_ij, t_i, qd_i) in enumerate(zip(model.links, B, t[1:], qd, strict=True)):
        twice = twice + t_i.dot(link.M @ t_i) + link.joint.armature * (qd_i * qd_i)
        if isinstance(B_ij, Bent):
            twice = twice + B_ij.twice_energy(t[link.parent], qd[i : i + B_ij.beam.modes], arith)
    return arith.const(0.5) * twice


def first_moment(model: Model, arith: Arithmetic, q: Sequence[Scalar]) -> tuple[Scalar, Vec3]:
    """Mass of the robot's moving part and its first moment about the world's origin, in world axes."""
    B = propagations(model, arith, q)
    m = [link.M.m for link in model.links]
    h = [link.M.h for link in model.links]
    total, moment = arith.const(0.0), zero_vector(arith)
    for i in reversed(range(model.n)):
        B_ij = B[i]
        own = h[i] if B_ij.slide is None else h[i] + B_ij.slide * m[i]
        mass, on_parent = m[i], B_ij.to_parent(own) + B_ij.offset * m[i]
        if isinstance(B_ij, Bent):
            mass, on_parent = mass + B_ij.M.m, on_parent + B_ij.M.h
        j = model.links[i].parent
        if j:
            m[j - 1], h[j - 1] = m[j - 1] + mass, h[j - 1] + on_parent  # (9.14a, b)
        else:
            total, moment = total + mass, moment + on_parent
    return total, moment


def potential_energy(model: Model, arith: Arithmetic, q: Sequence[Scalar], gravity: Vec3 | None = None) -> Scalar:
    """-m g . c, zero with the mass centre at the world's origin, and the energy that springs store."""
    _, h = first_moment(model, arith, q)
    return -(model.gravity if gravity is None else gravity).dot(h) + stored_energy(model, arith, q)


def com(model: Model, arith: Arithmetic, q: Sequence[Scalar]) -> Vec3:
    """The mass centre of all moving links."""
    m, h = first_moment(model, arith, q)
    return Vec3(h.x / m, h.y / m, h.z / m)


def momentum(model: Model, arith: Arithmetic, q: Sequence[Scalar], qd: Sequence[Scalar]) -> Wrench:
    """Angular momentum about the world's origin and linear momentum, in world axes."""
    B = propagations(model, arith, q)
    t = twists(model, arith, B, qd)
    carried = [link.M @ t_i for link, t_i in zip(model.links, t[1:], strict=True)]
    total = Wrench(zero_vector(arith), zero_vector(arith))
    for i in reversed(range(model.n)):
        j, B_ij = model.links[i].parent, B[i]
        on_parent = B_ij.T @ carried[i]
        if isinstance(B_ij, Bent):
            on_parent = on_parent + B_ij.momentum(t[j], qd[i : i + B_ij.beam.modes])
        if j:
            carried[j - 1] = carried[j - 1] + on_parent
        else:
            total = total + on_parent
    return total
