"""Mass matrices of rigid, composite and articulated bodies.

A rigid body is held by its mass m, its first moment h and its second moments S = integral r r^T dm about the
joint origin: ten numbers in which every formula is linear. The inertia tensor is tr(S) 1 - S.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from redyn.algebra.scalar import Scalar
from redyn.algebra.spatial import Propagation, Twist, Wrench
from redyn.algebra.vectors import Mat3, Sym3, Vec3, cross_matrix, outer, symmetric_product


@dataclass(slots=True)
class MassMatrix:
    """M_i of a rigid body (9.2b), or M_tilde_i of a composite one (9.11d), about the joint origin."""

    m: Scalar
    h: Vec3
    S: Sym3

    @staticmethod
    def of_parameters(numbers: Sequence[Scalar]) -> MassMatrix:
        """From the ten inertial parameters m, mc (3), Ixx, Ixy, Iyy, Ixz, Iyz, Izz about the origin."""
        m, hx, hy, hz, xx, xy, yy, xz, yz, zz = numbers
        half = (xx + yy + zz) / 2
        return MassMatrix(m, Vec3(hx, hy, hz), Sym3(half - xx, -xy, -xz, half - yy, -yz, half - zz))

    def parameters(self) -> tuple[Scalar, ...]:
        """The ten numbers of `of_parameters`."""
        I = self.S.map_trace()
        return self.m, *self.h.components(), I.xx, I.xy, I.yy, I.xz, I.yz, I.zz

    def __add__(self, other: MassMatrix) -> MassMatrix:
        return MassMatrix(self.m + other.m, self.h + other.h, self.S + other.S)

    def __matmul__(self, t: Twist) -> Wrench:
        """The momentum M t."""
        return Wrench(
            self.S.map_trace() @ t.ang + self.h.cross(t.lin),
            t.lin * self.m + t.ang.cross(self.h),
        )

    def inertia_wrench(self, A: Mat3, a: Vec3) -> Wrench:
        """The wrench of (9.33), taken at the joint origin, for its acceleration a and the acceleration matrix A.

        Every particle at r accelerates by a + A r, so the force is m a + A h, and the moment, the integral of
        r x (a + A r), is h x a plus the axial vector of A S - (A S)^T: both terms of (9.1a) in one product.
        """
        S, h = self.S, self.h
        moment = Vec3(
            S.xy * A.z.x - S.xz * A.y.x + S.yz * (A.z.z - A.y.y) + S.yy * A.z.y - S.zz * A.y.z,
            S.xz * (A.x.x - A.z.z) + S.yz * A.x.y - S.xx * A.z.x - S.xy * A.z.y + S.zz * A.x.z,
            S.xx * A.y.x - S.yy * A.x.y + S.xy * (A.y.y - A.x.x) + S.xz * A.y.z - S.yz * A.x.z,
        )
        return Wrench(moment + h.cross(a), a * self.m + A @ h)

    def moved(self, offset: Vec3) -> MassMatrix:
        """The same body about an origin from which the present one is seen at `offset`."""
        h = self.h + offset * self.m
        # S + h p^T + p h^T + m p p^T, with half of the last term hidden in each of the others.
        return MassMatrix(self.m, h, self.S + symmetric_product(self.h + offset * (self.m / 2), offset))

    def rotated(self, R: Mat3) -> MassMatrix:
        """The same body in axes in which the present ones are the columns of R."""
        S = R.times(self.S.full()).times(R.T)
        return MassMatrix(self.m, R @ self.h, Sym3(S.x.x, S.x.y, S.x.z, S.y.y, S.y.z, S.z.z))

    def to_parent(self, B: Propagation) -> MassMatrix:
        """B^T M B of (9.11d)."""
        body = self
        if B.slide is not None:
            body = body.moved(B.slide)
        h, S = body.h, body.S
        for rotation in reversed(B.rotations):
            h, S = rotation.to_parent(h), rotation.symmetric_to_parent(S)
        return MassMatrix(body.m, h, S).moved(B.offset)


@dataclass(slots=True)
class ConvectiveMatrix:
    """The 6x6 matrix [[E, 0], [k x 1, 0]] that gathers the convective terms of a body (M', H of (9.16)).

    Rotation alone makes convective terms, so the right half is always zero.
    """

    E: Mat3
    k: Vec3

    def __add__(self, other: ConvectiveMatrix) -> ConvectiveMatrix:
        return ConvectiveMatrix(self.E + other.E, self.k + other.k)

    def __matmul__(self, t: Twist) -> Wrench:
        return Wrench(self.E @ t.ang, self.k.cross(t.ang))

    def transpose_apply(self, t: Twist) -> Vec3:
        """The angular half of the row t^T [[E, 0], [k x 1, 0]]; the linear half is zero."""
        return self.E.T @ t.ang + t.lin.cross(self.k)


@dataclass(slots=True)
class ArticulatedInertia:
    """M_hat_i, the articulated-body inertia: [[I, F^T], [F, G]], 21 numbers (Saha 2003 (16))."""

    I: Sym3
    F: Mat3
    G: Sym3

    def __add__(self, other: ArticulatedInertia) -> ArticulatedInertia:
        return ArticulatedInertia(self.I + other.I, self.F + other.F, self.G + other.G)

    def __matmul__(self, t: Twist) -> Wrench:
        return Wrench(self.I @ t.ang + self.F.T @ t.lin, self.F @ t.ang + self.G @ t.lin)

    @staticmethod
    def of_rigid(M: MassMatrix, zero: Scalar) -> ArticulatedInertia:
        return ArticulatedInertia(M.S.map_trace(), cross_matrix(-M.h, zero), Sym3(M.m, zero, zero, M.m, zero, M.m))

    def moved(self, offset: Vec3) -> ArticulatedInertia:
        """About an origin from which the present one is seen at `offset`."""
        p, F, G = offset, self.F, self.G.full()
        F_new = Mat3(F.x + p.cross(G.x), F.y + p.cross(G.y), F.z + p.cross(G.z))
        old, new = F.T, F_new.T
        x, y, z = p.cross(old.x), p.cross(old.y), p.cross(old.z)
        u, v, w = p.cross(new.x), p.cross(new.y), p.cross(new.z)
        shift = Sym3(x.x + u.x, x.y + v.x, x.z + w.x, y.y + v.y, y.z + w.y, z.z + w.z)
        return ArticulatedInertia(self.I + shift, F_new, self.G)

    def to_parent(self, B: Propagation) -> ArticulatedInertia:
        """B^T M_bar B of (9.39d)."""
        body = self
        if B.slide is not None:
            body = body.moved(B.slide)
        I, F, G = body.I, body.F, body.G
        for rotation in reversed(B.rotations):
            I = rotation.symmetric_to_parent(I)
            F, G = rotation.matrix_to_parent(F), rotation.symmetric_to_parent(G)
        return ArticulatedInertia(I, F, G).moved(B.offset)

    def less_dyad(self, psi_hat: Wrench, psi: Wrench) -> ArticulatedInertia:
        """M_hat - psi_hat psi^T (9.39d)."""
        n, f, u, v = psi_hat.moment, psi_hat.force, psi.moment, psi.force
        I, G = self.I, self.G
        return ArticulatedInertia(
            Sym3(
                I.xx - n.x * u.x,
                I.xy - n.x * u.y,
                I.xz - n.x * u.z,
                I.yy - n.y * u.y,
                I.yz - n.y * u.z,
                I.zz - n.z * u.z,
            ),
            self.F - outer(f, u),
            Sym3(
                G.xx - f.x * v.x,
                G.xy - f.x * v.y,
                G.xz - f.x * v.z,
                G.yy - f.y * v.y,
                G.yz - f.y * v.z,
                G.zz - f.z * v.z,
            ),
        )
