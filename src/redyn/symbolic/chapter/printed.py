"""What formulas of the book give at a state if they are used as printed, where they err: numbers from the dense view.

The notes of a worked example and the page of errata take them from here.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from redyn.dynamics.denoc import Denoc, cross

Array = NDArray[np.float64]


def composite_sum(view: Denoc) -> Array:
    """M_tilde_1 by (9.11c), which sums composite matrices instead of those of single links."""
    outer = (view.B(k, 1).T @ view.M_tilde_i[k - 1] @ view.B(k, 1) for k in range(2, view.n + 1))
    return view.M_i[0] + sum(outer, np.zeros((6, 6)))


def composite_inertia(view: Denoc) -> Array:
    """I_tilde of every composite body by (9.14c), which ends in delta_tilde_{i+1} instead of delta_tilde_i."""
    I = view.I_i.copy()
    for i in range(view.n - 1, 0, -1):
        c, outer = view.c(i + 1, i), cross(view.delta_tilde[i])
        I[i - 1] += I[i] - outer @ cross(c) - cross(c) @ outer
    return I


def corner_of_two_links(view: Denoc) -> float:
    """The middle of (9.29), which omits the first moment."""
    e, d = view.e[0], view.d[0]
    return float(e @ view.I_tilde[0] @ e + view.m_tilde[0] * d @ d)


def mci(view: Denoc) -> Array:
    """C by (9.16k), with H_{j+1,i} for i <= j instead of (9.16e)'s H_{j+1,j}."""
    C = view.MCI.copy()
    for i in range(1, view.n + 1):
        for j in range(i, view.n):
            swap = view.B(j + 1, i).T @ (view.H_tilde(j + 1, i) - view.H_tilde(j + 1, j))
            C[i - 1, j - 1] += float(view.p[i - 1] @ swap @ view.p[j - 1])
    return C


def lost_torque(view: Denoc) -> Array:
    """Torques that are missing with (9.16d), because its rate of d lacks e b_dot of prismatic joints."""
    lost = np.zeros((view.n, 6))  # of every twist rate
    for i in range(1, view.n + 1):
        j = int(view.parent[i - 1])
        if j:
            lost[i - 1] = view.B(i, j) @ lost[j - 1]
            if not view.revolute[i - 1]:
                lost[i - 1, 3:] += np.cross(view.omega[j - 1], view.e[i - 1] * view.qd[i - 1])
    return view.N.T @ view.M @ lost.ravel()


def planar_term(view: Denoc) -> float:
    """The term p_1^T B_21^T M_tilde_2 Omega_2 p_2, which the text says vanishes for planar arms."""
    return float(view.p[0] @ view.B(2, 1).T @ view.M_tilde_i[1] @ view.Omega_i[1] @ view.p[1])
