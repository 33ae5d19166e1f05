"""The dense view: the book's matrices, written out, in world axes and at the mass centres.

For reading beside the page and as an oracle of the recursions, not for speed. Methods take the book's link numbers,
from 1; arrays such as `M_tilde_i` hold link i at index i - 1. In a tree, "the next link" of the text becomes "each
child", and B_ij is zero unless link j carries link i.

Corrections to the text: c_ij = C_j - C_i for any i and j, not only neighbours; d_dot has the term e b_dot of a
prismatic joint; the sum of (9.11c) is over M_k; (9.14c) ends in delta_tilde_i; (9.16k) has H_{j+1,j} for i <= j.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import cast

import numpy as np
from numpy.typing import NDArray

from redyn.algebra import Mat3, Sym3, Vec3
from redyn.arithmetic import Floats
from redyn.dynamics.kinematics import poses, propagations
from redyn.errors import SingularError
from redyn.model import Model

Array = NDArray[np.float64]


def cross(v: Array) -> Array:
    """The cross-product tensor v x 1."""
    x, y, z = v
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def _array(v: Vec3 | Mat3 | Sym3) -> Array:
    if isinstance(v, Vec3):
        return np.array(v.components(), dtype=np.float64)
    rows = v.full() if isinstance(v, Sym3) else v
    return np.array([_array(rows.x), _array(rows.y), _array(rows.z)])


@dataclass(frozen=True)
class EliminationStep:
    """A step of the reverse Gaussian elimination: L_k = E_k L_{k+1} (Saha 2003 (20)-(24))."""

    k: int
    alpha: Array
    E: Array
    L: Array


class Denoc:
    """Everything between (9.1) and (9.41) at one state."""

    def __init__(self, model: Model, q: Array, qd: Array, qdd: Array, gravity: Array) -> None:
        self.model, self.q, self.qd, self.qdd, self.gravity = model, q, qd, qdd, gravity
        self.n = n = model.dof
        arith = Floats()
        placed = poses(model, arith, propagations(model, arith, cast("list[float]", q.tolist())))
        R = [_array(pose.R) for pose in placed]
        o = [_array(pose.o) for pose in placed]
        links = list(enumerate(model.links, start=1))
        self.parent = np.array([link.parent for link in model.links])
        self.revolute = np.array([link.joint.kind == "revolute" for link in model.links])
        self.armature = np.array([link.joint.armature for link in model.links], dtype=np.float64)
        self.m = np.array([link.M.m for link in model.links], dtype=np.float64)
        self.O = np.array([o[k.parent] + R[k.parent] @ _array(k.socket) for _, k in links])  # joint origins O_i
        self.C = np.array([o[i] + R[i] @ _array(k.com) for i, k in links])  # mass centres C_i
        self.e = np.array([R[i][:, 2] for i, _ in links])  # unit vectors along the joints
        self.d = self.C - self.O  # from O_i to C_i
        self.r = np.array([self._far_end(i, R, o) - self.C[i - 1] for i, _ in links])  # from C_i to O_{i+1}
        self.I_i = np.array([R[i] @ self._inertia(i) @ R[i].T for i, _ in links])  # about C_i
        zero = np.zeros((3, 3))
        self.M_i = np.array(
            [np.block([[I, zero], [zero, m * np.eye(3)]]) for I, m in zip(self.I_i, self.m, strict=True)]
        )  # (9.2b)
        self.p = np.array(
            [
                np.concatenate([e, np.cross(e, d)]) if turns else np.concatenate([np.zeros(3), e])
                for e, d, turns in zip(self.e, self.d, self.revolute, strict=True)
            ]
        )  # (9.4d), (9.5b)
        self.N_l = self._blocks(self.B)  # (9.6b)
        self.N_d = np.zeros((6 * n, n))
        for i in range(n):
            self.N_d[6 * i : 6 * i + 6, i] = self.p[i]  # (9.6b)
        self.N = self.N_l @ self.N_d  # (9.6a)
        self.t = self.N @ qd  # (9.6a), all twists in one column; t_i gives one link's
        self.omega = self.t.reshape(n, 6)[:, :3]
        self.M = self._diagonal(self.M_i)  # (9.3b)
        self.W_i = np.array([np.block([[cross(w), zero], [zero, zero]]) for w in self.omega])  # (9.2b)
        self.W = self._diagonal(self.W_i)  # (9.3b)
        self.Omega_i = np.array([np.block([[cross(w), zero], [zero, cross(w)]]) for w in self.omega])
        self.Omega = self._diagonal(self.Omega_i)  # after (9.10b)
        self.N_l_dot = self._blocks(self.B_dot)
        self.N_d_dot = self.Omega @ self.N_d
        self.N_dot = self.N_l_dot @ self.N_d + self.N_l @ self.N_d_dot
        self.t_dot = self.N @ qdd + self.N_dot @ qd  # after (9.10a)
        self.GIM = self.N.T @ self.M @ self.N + np.diag(self.armature)  # (9.11a), rotors added
        self.MCI = self.N.T @ (self.M @ self.N_dot + self.W @ self.M @ self.N)  # (9.16a)
        self.VCI = self.MCI @ qd  # (9.17)

    def _far_end(self, i: int, R: list[Array], o: list[Array]) -> Array:
        """O_{i+1}: the origin of the first child's joint, or, at a tip, of the last frame named on the link."""
        for child in self.model.links:
            if child.parent == i:
                return o[i] + R[i] @ _array(child.socket)
        last = [frame for frame in self.model.frames.values() if frame.link == i][-1]
        return o[i] + R[i] @ _array(last.pose.o)

    def _inertia(self, i: int) -> Array:
        link = self.model.links[i - 1]
        S_C = _array(link.M.S) - np.outer(_array(link.M.h), _array(link.com))
        return np.trace(S_C) * np.eye(3) - S_C

    def _diagonal(self, blocks: Array) -> Array:
        full = np.zeros((6 * self.n, 6 * self.n))
        for i, block in enumerate(blocks):
            full[6 * i : 6 * i + 6, 6 * i : 6 * i + 6] = block
        return full

    def _blocks(self, entry: Callable[[int, int], Array]) -> Array:
        rows = [[entry(i, j) for j in range(1, self.n + 1)] for i in range(1, self.n + 1)]
        return np.block(rows)

    def carries(self, j: int, i: int) -> bool:
        """Whether link j is link i or lies between it and the base."""
        return j in self.model.path(i)

    def children(self, i: int) -> list[int]:
        return [k for k, parent in enumerate(self.parent, start=1) if parent == i]

    # --- kinematics -------------------------------------------------------------------------------------------

    def c(self, i: int, j: int) -> Array:
        """c_ij, from C_i to C_j; -d_i - r_j where joint i is the first on link j."""
        return self.C[j - 1] - self.C[i - 1]

    def B(self, i: int, j: int) -> Array:
        """The twist-propagation matrix B_ij (9.4d); zero unless link j carries link i."""
        if not self.carries(j, i):
            return np.zeros((6, 6))
        B = np.eye(6)
        B[3:, :3] = cross(self.c(i, j))
        return B

    def t_i(self, i: int) -> Array:
        return self.t[6 * i - 6 : 6 * i]

    def B_dot(self, i: int, j: int) -> Array:
        """(9.16d), from the velocities of the two mass centres, which hold e b_dot already."""
        B_dot = np.zeros((6, 6))
        if self.carries(j, i):
            B_dot[3:, :3] = cross(self.t_i(j)[3:] - self.t_i(i)[3:])
        return B_dot

    # --- composite bodies -------------------------------------------------------------------------------------

    @cached_property
    def M_tilde_i(self) -> Array:
        """Mass matrices of the composite bodies (9.11d)."""
        M_tilde = self.M_i.copy()
        for i in range(self.n, 0, -1):
            j = self.parent[i - 1]
            if j:
                B = self.B(i, j)
                M_tilde[j - 1] += B.T @ M_tilde[i - 1] @ B
        return M_tilde

    @cached_property
    def _composite(self) -> tuple[Array, Array, Array]:
        m, delta, I = self.m.copy(), np.zeros((self.n, 3)), self.I_i.copy()
        for i in range(self.n, 0, -1):
            j = self.parent[i - 1]
            if j:
                c = self.c(i, j)
                moved = m[i - 1] * c + delta[i - 1]  # (9.14b); c_{i+1,i} runs from C_{i+1} to C_i
                I[j - 1] += I[i - 1] - cross(delta[i - 1]) @ cross(c) - cross(c) @ cross(moved)  # (9.14c)
                m[j - 1] += m[i - 1]  # (9.14a)
                delta[j - 1] += moved
        return m, delta, I

    @property
    def m_tilde(self) -> Array:
        """(9.14a)"""
        return self._composite[0]

    @property
    def delta_tilde(self) -> Array:
        """(9.14b): the first moment of composite body i about C_i, with the sign of (9.12c)."""
        return self._composite[1]

    @property
    def I_tilde(self) -> Array:
        """(9.14c), with delta_tilde_i in its last term."""
        return self._composite[2]

    @cached_property
    def M_tilde(self) -> Array:
        """N_l^T M N_l (9.11b)."""
        return self.N_l.T @ self.M @ self.N_l

    def gim_element(self, i: int, j: int) -> float:
        """i_ij = p_i^T M_tilde_i B_ij p_j (9.15b)."""
        if not self.carries(j, i):
            return self.gim_element(j, i) if self.carries(i, j) else 0.0
        rotor = self.armature[i - 1] if i == j else 0.0
        return float(self.p[i - 1] @ self.M_tilde_i[i - 1] @ self.B(i, j) @ self.p[j - 1] + rotor)

    # --- convective inertia -----------------------------------------------------------------------------------

    @cached_property
    def M_tilde_l(self) -> Array:
        """N_l^T M N_l_dot (9.16c)."""
        return self.N_l.T @ self.M @ self.N_l_dot

    @cached_property
    def M_tilde_omega(self) -> Array:
        """M_tilde Omega (9.16g)."""
        return self.M_tilde @ self.Omega

    @cached_property
    def M_tilde_e(self) -> Array:
        """N_l^T W M N_l (9.16h); not symmetric, whatever (9.16i) prints."""
        return self.N_l.T @ self.W @ self.M @ self.N_l

    @cached_property
    def M_prime_i(self) -> Array:
        """W_i M_i, under (9.16j)."""
        return self.W_i @ self.M_i

    @cached_property
    def M_tilde_prime_i(self) -> Array:
        """(9.16j)"""
        M = self.M_prime_i.copy()
        for i in range(self.n, 0, -1):
            j = self.parent[i - 1]
            if j:
                B = self.B(i, j)
                M[j - 1] += B.T @ M[i - 1] @ B
        return M

    def H_tilde(self, i: int, j: int) -> Array:
        """H_tilde_ij = M_tilde_i B_ij_dot + B_{i+1,i}^T H_tilde_{i+1,i}, under (9.16e)."""
        H = self.M_tilde_i[i - 1] @ self.B_dot(i, j)
        for k in self.children(i):
            H = H + self.B(k, i).T @ self.H_tilde(k, i)
        return H

    def mci_element(self, i: int, j: int) -> float:
        """c_ij by (9.16k), corrected."""
        if self.carries(i, j):
            middle = self.B(j, i).T @ (self.M_tilde_i[j - 1] @ self.Omega_i[j - 1] + self.M_tilde_prime_i[j - 1])
            for k in self.children(j):
                middle = middle + self.B(k, i).T @ self.H_tilde(k, j)
        elif self.carries(j, i):
            B = self.B(i, j)
            middle = self.H_tilde(i, j) + self.M_tilde_i[i - 1] @ B @ self.Omega_i[j - 1]
            middle = middle + self.M_tilde_prime_i[i - 1] @ B
        else:
            return 0.0
        return float(self.p[i - 1] @ middle @ self.p[j - 1])

    @cached_property
    def t_prime(self) -> Array:
        """The twist rate while qdd = 0 (9.17)."""
        return (self.N_l_dot + self.N_l @ self.Omega) @ self.N_d @ self.qd

    @cached_property
    def w_prime(self) -> Array:
        """M t' + M' t, under (9.17)."""
        return self.M @ self.t_prime + self.W @ self.M @ self.t

    @cached_property
    def w_tilde_prime(self) -> Array:
        """N_l^T w' (9.18a)."""
        return self.N_l.T @ self.w_prime

    # --- forces -----------------------------------------------------------------------------------------------

    @cached_property
    def w(self) -> Array:
        """The resultant wrench on every link: M t_dot + W M t (9.3a)."""
        return self.M @ self.t_dot + self.W @ self.M @ self.t

    @cached_property
    def w_gravity(self) -> Array:
        """Weight of every link, at its mass centre."""
        return np.concatenate([np.concatenate([np.zeros(3), m * self.gravity]) for m in self.m])

    @cached_property
    def tau(self) -> Array:
        """What the joints transmit along their axes, for this motion in this gravity; friction and rotors apart."""
        return self.N.T @ (self.w - self.w_gravity)

    @cached_property
    def w_E(self) -> Array:
        """External wrenches (9.8): weights, and each actuator pushing its link and its parent."""
        w_E = self.w_gravity.copy()
        for i in range(1, self.n + 1):
            e, tau, O = self.e[i - 1], self.tau[i - 1], self.O[i - 1]
            for link, sign in ((i, 1.0), (int(self.parent[i - 1]), -1.0)):
                if link:
                    moment = e if self.revolute[i - 1] else np.cross(O - self.C[link - 1], e)
                    force = np.zeros(3) if self.revolute[i - 1] else e
                    w_E[6 * link - 6 : 6 * link] += sign * tau * np.concatenate([moment, force])
        return w_E

    @cached_property
    def w_tilde_E(self) -> Array:
        """N_l^T w^E (9.20)."""
        return self.N_l.T @ self.w_E

    @cached_property
    def w_C(self) -> Array:
        """Constraint wrenches (9.8); N^T w^C = 0 (9.9b)."""
        return self.w - self.w_E

    # --- U D U^T ----------------------------------------------------------------------------------------------

    @cached_property
    def _articulated(self) -> dict[str, Array]:
        n = self.n
        M_hat, M_bar = self.M_i.copy(), np.zeros((n, 6, 6))
        psi_hat, psi, m_hat = np.zeros((n, 6)), np.zeros((n, 6)), np.zeros(n)
        for i in range(n, 0, -1):
            k = i - 1
            psi_hat[k] = M_hat[k] @ self.p[k]  # (9.39c)
            m_hat[k] = self.p[k] @ psi_hat[k] + self.armature[k]  # (9.39c)
            turning, sliding = np.trace(M_hat[k][:3, :3]), np.trace(M_hat[k][3:, 3:])
            # About O_i, not C_i: a point mass on its own axis has no moment there either, but for rounding.
            size = turning + sliding * self.d[k] @ self.d[k] if self.revolute[k] else sliding
            if abs(m_hat[k]) <= 1e-13 * size:
                raise SingularError(f"joint {self.model.links[k].joint.name!r} moves no inertia: m_hat_{i} is zero")
            psi[k] = psi_hat[k] / m_hat[k]  # (9.39c)
            M_bar[k] = M_hat[k] - np.outer(psi_hat[k], psi[k])  # (9.39d)
            j = self.parent[k]
            if j:
                B = self.B(i, j)
                M_hat[j - 1] += B.T @ M_bar[k] @ B  # (9.39d)
        return {"M_hat": M_hat, "M_bar": M_bar, "psi_hat": psi_hat, "psi": psi, "m_hat": m_hat}

    @property
    def M_hat_i(self) -> Array:
        """Articulated-body inertias (9.39d)."""
        return self._articulated["M_hat"]

    @property
    def M_bar_i(self) -> Array:
        """(9.39d)"""
        return self._articulated["M_bar"]

    @property
    def psi_hat(self) -> Array:
        """(9.39c)"""
        return self._articulated["psi_hat"]

    @property
    def psi(self) -> Array:
        """(9.39c)"""
        return self._articulated["psi"]

    @property
    def m_hat(self) -> Array:
        """The diagonal of D (9.39c)."""
        return self._articulated["m_hat"]

    def alpha(self, i: int, k: int) -> float:
        """alpha_ik = p_i^T B_ki^T psi_k (Saha 2003 (25)-(27)): the entry of U above the diagonal."""
        return float(self.p[i - 1] @ self.B(k, i).T @ self.psi[k - 1])

    @cached_property
    def elimination(self) -> list[EliminationStep]:
        """The reverse Gaussian elimination of the GIM, from column n to column 2 (Saha 2003, Appendix B)."""
        steps: list[EliminationStep] = []
        L = self.GIM
        for k in range(self.n, 1, -1):
            alpha = np.zeros(self.n)
            alpha[: k - 1] = [self.alpha(i, k) for i in range(1, k)]
            E = np.eye(self.n)
            E[:, k - 1] -= alpha  # (20), (23)
            L = E @ L  # (24)
            steps.append(EliminationStep(k, alpha, E, L))
        return steps

    @cached_property
    def U(self) -> Array:
        """The inverse of E_2 ... E_n, whose columns are the alpha_k (Saha 2003 (9))."""
        U = np.eye(self.n)
        for step in self.elimination:
            U[:, step.k - 1] += step.alpha
        return U

    @property
    def D(self) -> Array:
        """(Saha 2003 (10))"""
        return self.m_hat

    # --- print ------------------------------------------------------------------------------------------------

    def __str__(self) -> str:
        with np.printoptions(precision=5, suppress=True, linewidth=118):
            return "\n".join(self._lines())

    def _lines(self) -> list[str]:
        lines = [f"DeNOC view of {self.model.name}: world axes, twists at the mass centres"]
        lines += [f"  {name:<5}= {value}" for name, value in (("q", self.q), ("qd", self.qd), ("qdd", self.qdd))]
        for i in range(1, self.n + 1):
            k = i - 1
            link = self.model.links[k]
            on = f"on link {link.parent}" if link.parent else "on the base"
            lines += ["", f"link {i} ({link.name}), {link.joint.kind} {on}"]
            rows: list[tuple[str, object]] = [
                ("e_i", self.e[k]),
                ("d_i", self.d[k]),
                ("r_i", self.r[k]),
                ("p_i", self.p[k]),
                ("t_i", self.t_i(i)),
                ("t_dot_i", self.t_dot[6 * k : 6 * i]),
                ("m~_i", self.m_tilde[k]),
                ("delta~_i", self.delta_tilde[k]),
                ("w^C_i", self.w_C[6 * k : 6 * i]),
            ]
            if link.parent:
                rows.insert(3, ("c_ij", self.c(i, link.parent)))
            lines += [f"  {name:<9}= {value}" for name, value in rows]
        for name, matrix in (("GIM  I = N^T M N", self.GIM), ("MCI  C", self.MCI), ("VCI  h = C qd", self.VCI)):
            lines += ["", name, str(matrix)]
        try:
            lines += ["", "U  with I = U D U^T", str(self.U), "", "D = diag(m^_i)", str(self.D)]
        except SingularError as error:
            lines += ["", f"U D U^T: {error}"]
        return lines
