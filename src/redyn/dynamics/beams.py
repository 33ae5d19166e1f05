"""Flexible links: what bending makes of the way from root to tip, of the mass of a beam and of the forces on its modes.

A beam is a row of links in the model, one for each elastic coordinate, all with the axes of its tip. The first has the
whole propagation B(e), from the link that carries the beam to the tip; each has the motion vector p_k(e) of the tip for
a unit rate of its own. So twists, poses and Jacobians are those of any chain: t_tip = B t + sum p_k e_k-dot. What is
new is the mass between root and tip, which moves with the root and with the modes. Its matrix is

    [ M      C_k  ]     M of the beam as it is bent, taken as rigid; C_k the momentum of a unit rate of mode k;
    [ C_k^T  E_kl ]     E constant.

Every particle at r accelerates by a + A r + 2 omega x u-dot + u-ddot, with a, A and omega of the root and u the
deflection. The integrals over the beam are constants times amplitudes (see model.beam). Gravity is an upward
acceleration of the world, as everywhere, so that weight stiffens a beam that hangs and softens one that stands.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from redyn.algebra import (
    Arithmetic,
    MassMatrix,
    Mat3,
    Propagation,
    Rotation,
    RotationX,
    RotationY,
    RotationZ,
    Scalar,
    Sym3,
    Twist,
    Vec3,
    Wrench,
    dot,
    is_zero,
)
from redyn.model import Beam


@dataclass(slots=True)
class RootMotion:
    """How the root of a beam moves, in its own axes: as LinkState has it for a link."""

    omega: Vec3
    t_dot: Twist
    A: Mat3


@dataclass(slots=True)
class Bent(Propagation):
    """A beam at its elastic coordinates: B, from the axes of the link that carries it to those of its tip, and p.

    M and C are about the origin and in the axes of the link that carries the beam.
    """

    beam: Beam = field(kw_only=True)
    p: tuple[Twist, ...] = field(kw_only=True)  # of every mode, in the axes of the tip
    M: MassMatrix = field(kw_only=True)
    C: tuple[Wrench, ...] = field(kw_only=True)
    E: list[list[Scalar]] = field(kw_only=True)
    shape: Shape = field(kw_only=True)

    def tip_twist(self, t: Twist, rates: Sequence[Scalar]) -> Twist:
        """t of the tip, given that of the carrier."""
        found = self @ t
        for p_k, rate in zip(self.p, rates, strict=True):
            found = found + p_k * rate  # (9.32)
        return found

    def momentum(self, t: Twist, rates: Sequence[Scalar]) -> Wrench:
        """Of the mass of the beam, given the twist of the carrier."""
        found = self.M @ t
        for C_k, rate in zip(self.C, rates, strict=True):
            found = found + C_k * rate
        return found

    def twice_energy(self, t: Twist, rates: Sequence[Scalar], arith: Arithmetic) -> Scalar:
        """Twice the kinetic energy of that mass."""
        total = t.dot(self.M @ t)
        for rate, C_k, row in zip(rates, self.C, self.E, strict=True):
            total = total + rate * (t.dot(C_k) * arith.const(2.0) + dot(row, rates, arith))
        return total


def bent(beam: Beam, e: Sequence[Scalar], arith: Arithmetic) -> Bent:
    """The beam at elastic coordinates e."""
    shape = Shape(beam, e, arith)
    root = shape.root
    offset, rotations = shape.tip, shape.turns
    M, C = shape.mass_matrix(), shape.momenta()
    if root is not None:
        offset, rotations = root.offset + root.to_parent(offset), (*root.rotations, *rotations)
        M, C = M.to_parent(root), [root.T @ C_k for C_k in C]
    p, E = tuple(shape.motions()), modal_inertia(beam, arith)
    return Bent(offset, rotations, beam=beam, p=p, M=M, C=tuple(C), E=E, shape=shape)


def modal_inertia(beam: Beam, arith: Arithmetic) -> list[list[Scalar]]:
    """E: modes in different planes have none in common, nor have bending and torsion."""
    zero, count = arith.const(0.0), beam.bending
    rows = [[beam.G[k][l] if beam.same_plane(k, l) else zero for l in range(count)] for k in range(count)]
    none = [zero] * beam.torsion
    return [*([*row, *none] for row in rows), *([*[zero] * count, *row] for row in beam.TT)]


class Shape:
    """A bent beam in the axes of its root, and the integrals over it."""

    def __init__(self, beam: Beam, e: Sequence[Scalar], arith: Arithmetic) -> None:
        self.beam, self.arith, self.zero = beam, arith, arith.const(0.0)
        self.e = e[: beam.bending]
        self.leaning, self.sagging, self.shortening = (self._times(rows, self.e) for rows in (beam.H, beam.P, beam.R))
        self.angles = (*self._by_plane(beam.slope, self.e), dot(beam.twist, e[beam.bending :], arith))
        y, z = self._by_plane(beam.tip, self.e)
        self.tip = Vec3(beam.length - arith.const(0.5) * dot(self.e, self.leaning, arith), y, z)
        self.turns = tuple(self._turns())
        # Of every bending mode: the integrals of dr/de_k dm, and of phi_k r dm.
        self.forces = [self._deflection(k, -self.sagging[k], beam.S[k]) for k in range(beam.bending)]
        self.moments = [Vec3(beam.W[k], *self._by_plane(beam.G[k], self.e)) for k in range(beam.bending)]

    @property
    def root(self) -> Propagation | None:
        """From the carrier's axes to the root's; None where they are the same."""
        beam = self.beam
        if not beam.rotations and all(is_zero(x) for x in beam.offset.components()):
            return None
        return Propagation(beam.offset, beam.rotations)

    def _times(self, rows: Sequence[Sequence[Scalar]], x: Sequence[Scalar]) -> list[Scalar]:
        return [dot(row, x, self.arith) for row in rows]

    def _by_plane(self, factors: Sequence[Scalar], x: Sequence[Scalar]) -> tuple[Scalar, Scalar]:
        """The sums over bending modes along y and along z."""
        y = self.beam.along_y
        return dot(factors[:y], x[:y], self.arith), dot(factors[y:], x[y:], self.arith)

    def _deflection(self, k: int, along: Scalar, across: Scalar) -> Vec3:
        """A vector with a part along the beam, and one along y or z, as mode k bends."""
        return Vec3(along, across, self.zero) if k < self.beam.along_y else Vec3(along, self.zero, across)

    # --- the tip -----------------------------------------------------------------------------------------------

    def _turns(self) -> list[Rotation]:
        """Rz(u_y') Ry(-u_z') Rx(chi), as far as there are such modes."""
        beam, found = self.beam, list[Rotation]()
        about_z, about_y, about_x = self.angles
        if beam.along_y:
            s, c = self.arith.sincos(about_z)
            found.append(RotationZ(c, s))
        if beam.along_z:
            s, c = self.arith.sincos(about_y)
            found.append(RotationY(c, -s))
        if beam.torsion:
            s, c = self.arith.sincos(about_x)
            found.append(RotationX(c, s))
        return found

    def to_tip(self, v: Vec3) -> Vec3:
        """From the axes of the root to those of the tip."""
        for turn in self.turns:
            v = turn.to_child(v)
        return v

    def axes(self) -> tuple[Vec3, Vec3, Vec3]:
        """The axes about which the tip turns as u_y', u_z' and chi grow, in its own axes: later rotations move them."""
        zero, one = self.zero, self.arith.const(1.0)
        about_z, about_y = Vec3(zero, zero, one), Vec3(zero, -one, zero)
        for turn in self.turns:
            if isinstance(turn, RotationY):
                about_z = turn.to_child(about_z)
            if isinstance(turn, RotationX):
                about_z, about_y = turn.to_child(about_z), turn.to_child(about_y)
        return about_z, about_y, Vec3(one, zero, zero)

    def motions(self) -> list[Twist]:
        """The motion vector of the tip for each mode."""
        beam, (about_z, about_y, about_x) = self.beam, self.axes()
        found: list[Twist] = []
        for k, (phi, slope) in enumerate(zip(beam.tip, beam.slope, strict=True)):
            axis = about_z if k < beam.along_y else about_y
            found.append(Twist(axis * slope, self.to_tip(self._deflection(k, -self.leaning[k], phi))))
        still = Vec3(self.zero, self.zero, self.zero)
        return [*found, *(Twist(about_x * twist, still) for twist in beam.twist)]

    def tip_convective(self, omega: Vec3, rates: Sequence[Scalar]) -> Twist:
        """What the rates alone make of the twist rate of the tip, in its axes; omega is that of the root."""
        beam, e_dot = self.beam, rates[: self.beam.bending]
        speeds = (*self._by_plane(beam.slope, e_dot), dot(beam.twist, rates[beam.bending :], self.arith))
        about_z, about_y, about_x = (axis * speed for axis, speed in zip(self.axes(), speeds, strict=True))
        bending = about_z + about_y
        ang = self.to_tip(omega).cross(bending + about_x) + about_z.cross(about_y) + bending.cross(about_x)
        moving = Vec3(-dot(self.leaning, e_dot, self.arith), *self._by_plane(beam.tip, e_dot))
        drawing = -dot(self._times(beam.H, e_dot), e_dot, self.arith)  # as the beam grows shorter
        return Twist(ang, self.to_tip(omega.cross(moving + moving) + Vec3(drawing, self.zero, self.zero)))

    # --- the mass in between -------------------------------------------------------------------------------------

    def mass_matrix(self) -> MassMatrix:
        """Of the bent beam about its root."""
        straight, (y, z) = self.beam.M, self._weighted(self.e)
        S, half = straight.S, self.arith.const(0.5)
        h = Vec3(
            straight.h.x - half * dot(self.sagging, self.e, self.arith),
            *self._by_plane(self.beam.S, self.e),
        )
        shorter = dot(self.shortening, self.e, self.arith)
        return MassMatrix(straight.m, h, Sym3(S.xx - shorter, y.x, z.x, S.yy + y.y, y.z, S.zz + z.z))

    def _weighted(self, x: Sequence[Scalar]) -> tuple[Vec3, Vec3]:
        """The rows y and z of the integral of u r^T dm for amplitudes x, or of their rates."""
        rows = [moment * x_k for moment, x_k in zip(self.moments, x, strict=True)]
        still, y = Vec3(self.zero, self.zero, self.zero), self.beam.along_y
        return sum(rows[:y], still), sum(rows[y:], still)

    def momenta(self) -> list[Wrench]:
        """C_k about the root: the integral of r x phi_k dm and of dr/de_k dm."""
        zero, found = self.zero, list[Wrench]()
        for k, (m, force) in enumerate(zip(self.moments, self.forces, strict=True)):
            moment = Vec3(-m.z, zero, m.x) if k < self.beam.along_y else Vec3(m.y, -m.x, zero)
            found.append(Wrench(moment, force))
        return [*found, *(Wrench(Vec3(T, zero, zero), Vec3(zero, zero, zero)) for T in self.beam.T)]

    def inertia(
        self, root: RootMotion, rates: Sequence[Scalar], accelerations: Sequence[Scalar]
    ) -> tuple[Wrench, list[Scalar]]:
        """The wrench at the root and the modal forces that the motion of the beam needs."""
        beam, arith, zero, count = self.beam, self.arith, self.zero, self.beam.bending
        omega, A, a = root.omega, root.A, root.t_dot.lin
        e_dot, e_ddot = rates[:count], accelerations[:count]
        spin, spin_rate = (dot(beam.T, x[count:], arith) for x in (rates, accelerations))
        W_dot = self._outer(e_dot)
        coriolis = omega * (W_dot.x.x + W_dot.y.y + W_dot.z.z) - W_dot @ omega
        drawing = -dot(self._times(beam.P, e_dot), e_dot, arith)
        w = self.mass_matrix().inertia_wrench(A, a)
        moment = w.moment + _axial(self._outer(e_ddot)) + coriolis + coriolis
        moment = moment + Vec3(spin_rate, omega.z * spin, -(omega.y * spin))
        moving = self._forced(e_dot)
        force = w.force + self._forced(e_ddot) + omega.cross(moving + moving) + Vec3(drawing, zero, zero)
        modal: list[Scalar] = []
        for k in range(count):
            row = A.y if k < beam.along_y else A.z
            need = self.forces[k].dot(a) + row.dot(self.moments[k]) - A.x.x * self.shortening[k]
            modal.append(need + self._between_modes(k, omega.x, e_dot, e_ddot))
        twisted = self._times(beam.TT, accelerations[count:])
        modal += [own + T * root.t_dot.ang.x for own, T in zip(twisted, beam.T, strict=True)]
        return Wrench(moment, force), modal

    def _between_modes(self, k: int, spin: Scalar, e_dot: Sequence[Scalar], e_ddot: Sequence[Scalar]) -> Scalar:
        """Modes in the same plane share their accelerations; in a beam that spins, others push each other sideways."""
        y, along_y = (self._by_plane(self.beam.G[k], x) for x in (e_ddot, e_dot)), k < self.beam.along_y
        (own_y, own_z), (across_y, across_z) = y
        return own_y - spin * (across_z + across_z) if along_y else own_z + spin * (across_y + across_y)

    def _outer(self, rates: Sequence[Scalar]) -> Mat3:
        """The integral of u-dot r^T dm, that of the foreshortening with it."""
        y, z = self._weighted(rates)
        return Mat3(Vec3(-dot(self.shortening, rates, self.arith), self.zero, self.zero), y, z)

    def _forced(self, rates: Sequence[Scalar]) -> Vec3:
        """The integral of u-dot dm, but for what is quadratic in rates."""
        forces = [force * rate for force, rate in zip(self.forces, rates, strict=True)]
        return sum(forces, Vec3(self.zero, self.zero, self.zero))


def _axial(X: Mat3) -> Vec3:
    """The sum of r x a, for X the sum of a r^T."""
    return Vec3(X.z.y - X.y.z, X.x.z - X.z.x, X.y.x - X.x.y)
