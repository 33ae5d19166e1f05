"""Errata of the printed equations, listed where they change a number for this robot, with the size of the error.

Every note checks first whether the printed formula applies to this robot, and then whether it gives another number at
the state of the example; if not, there is no note.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from redyn.symbolic.chapter import printed
from redyn.symbolic.chapter.blocks import Note, number
from redyn.symbolic.chapter.setting import Context

Array = NDArray[np.float64]
_TITLE = "Erratum"
_NOISE = 1e-9  # relative; less is rounding


def _size(difference: Array) -> str:
    return f"${number(float(np.abs(difference).max()))}$"


def _same(found: Array | float, right: Array | float) -> bool:
    scale = float(np.abs(right).max())
    return float(np.abs(np.subtract(found, right)).max()) <= _NOISE * max(scale, 1e-9)


def composite_sum(at: Context) -> Note | None:
    """(9.11c) sums composite matrices instead of those of single links."""
    view = at.view
    if not at.serial:
        return None
    summed = printed.composite_sum(view)
    if _same(summed, view.M_tilde_i[0]):
        return None
    return Note(
        _TITLE,
        "(9.11c) gives the same matrix as a sum, but prints $\\tilde{\\b{M}}_k$ in it instead of $\\b{M}_k$, so "
        "that outer links are counted more than once. Here $\\tilde{\\b{M}}_1$ would be off by up to "
        f"{_size(summed - view.M_tilde_i[0])}.",
    )


def composite_inertia(at: Context) -> Note | None:
    """(9.14c) ends in delta_tilde_{i+1} instead of delta_tilde_i; (9.28b) has m_2 twice."""
    view = at.view
    if not at.serial:
        return None
    I = printed.composite_inertia(view)
    if _same(I[0], view.I_tilde[0]):
        return None
    wrong = _size(I[0] - view.I_tilde[0])
    more = " (9.28b), its case of two links, multiplies by $m_2$ a second time." if at.rods and at.n == 2 else ""
    return Note(
        _TITLE,
        "The last term of (9.14c) must contain $\\tilde{\\g{delta}}_i$, as in (9.13c), not "
        f"$\\tilde{{\\g{{delta}}}}_{{i+1}}$: here $\\tilde{{\\b{{I}}}}_1$ would be off by up to {wrong} kg m².{more}",
    )


def corner_of_two_links(at: Context) -> Note | None:
    """The middle of (9.29) omits the first moment; its result is correct."""
    if not (at.rods and at.n == 2):
        return None
    view = at.view
    short, right = printed.corner_of_two_links(view), float(view.GIM[0, 0])
    if _same(short, right):
        return None
    return Note(
        _TITLE,
        "The middle of (9.29) is $\\b{e}_1^T \\tilde{\\b{I}}_1 \\b{e}_1 + \\tilde{m}_1 "
        "\\b{d}_1^T \\b{d}_1$, without the terms in $\\tilde{\\g{delta}}_1$: "
        f"${number(short)}$ instead of ${number(right)}$ here. The result is correct.",
    )


def mci_index(at: Context) -> Note | None:
    """(9.16k) prints H_{j+1,i} for i <= j instead of (9.16e)'s H_{j+1,j}."""
    view = at.view
    if not at.serial:
        return None
    C = printed.mci(view)
    if _same(C, view.MCI):
        return None
    return Note(
        _TITLE,
        "For $i \\le j$ the book prints $\\tilde{\\b{H}}_{j+1,i}$ in (9.16k); the second index must be $j$, as in "
        "(9.16e) and "
        f"in the line above. As printed, $\\b{{C}}$ would be off by up to {_size(C - view.MCI)} and the torques "
        f"by up to {_size((C - view.MCI) @ at.qd)} Nm at the state of the example.",
    )


def prismatic_rate(at: Context) -> Note | None:
    """(9.16d): the rate of d lacks e b_dot if joint i is prismatic."""
    if not at.prismatic:
        return None
    view = at.view
    torque = printed.lost_torque(view)
    if _same(view.tau + torque, view.tau):
        return None
    return Note(
        _TITLE,
        "After (9.16d) the text takes $\\dot{\\b{d}}_i = \\g{omega}_i \\times \\b{d}_i$. A prismatic joint also "
        "lengthens $\\b{d}_i$, at the rate $\\b{e}_i \\dot{b}_i$; without it half of the Coriolis acceleration is "
        f"missing. Here the torques would be off by up to {_size(torque)} (Nm or N).",
    )


def omega_claim(at: Context) -> Note | None:
    """For planar arms the text calls Omega N_d zero."""
    if not at.planar_arm or at.n < 2:
        return None
    view = at.view
    term = printed.planar_term(view)
    if _same(term, 0.0):
        return None
    return Note(
        _TITLE,
        "For planar arms the text says that $\\g{Omega}\\b{N}_d$ vanishes. The axes are constant, but $\\b{e}_i "
        "\\times \\b{d}_i$ is not. Here $\\b{p}_1^T \\b{B}_{21}^T \\tilde{\\b{M}}_2 "
        f"\\g{{Omega}}_2 \\b{{p}}_2 = {number(term)}$, while $c_{{12}} = {number(float(view.MCI[0, 1]))}$.",
    )


def rod_inertia(at: Context) -> Note | None:
    """(9.23d) has sines and cosines of the tensor exchanged."""
    if not (at.rods and at.n == 1):
        return None
    return Note(
        _TITLE,
        "(9.23d) rotates the tensor of the rod into frame 1 with $c^2$ and $s^2$ exchanged and the wrong sign of "
        "$sc$: a rod along $X$ ($\\theta = 0$) has no inertia about $X$. The element about $Z$, the only one used, "
        "is right.",
    )


def solving_psi(right: Array, as_printed: Array) -> Note | None:
    """(9.41a) prints psi_hat instead of psi."""
    if _same(as_printed, right):
        return None
    return Note(
        _TITLE,
        "(9.41a) prints $\\hat{\\g{psi}}_i$; it must be $\\g{psi}_i$, as in (14) of the 2003 paper. As printed the "
        f"accelerations would be off by up to {_size(right - as_printed)} rad/s² (or m/s²).",
    )


def free_body_reaction(at: Context) -> Note | None:
    """The slides' equation of link 1 lacks -tau_2."""
    if not at.planar_arm or at.n != 2 or _same(float(at.torque[1]), 0.0):
        return None
    return Note(
        "Erratum of the slides on robot dynamics",
        "The moment equation of link 1 omits the reaction of actuator 2, $-\\tau_2$ "
        f"(${number(-float(at.torque[1]))}$ Nm here), and in that of link 2 the moment of $R_y$ has the wrong sign.",
    )


def damping_sign(at: Context) -> Note | None:
    """The note's (17) has -b theta_dot; its (19) has none."""
    if not at.planar_arm or at.n != 1 or at.bodies[0].damping == 0 or _same(float(at.friction[0]), 0.0):
        return None
    return Note(
        "Erratum of the note on rigid-link manipulators",
        "Its (17) subtracts the damping torque from the actuator torque, contrary to its own (18), and (19) omits "
        f"it. Here that is ${number(float(at.friction[0]))}$ Nm.",
    )
