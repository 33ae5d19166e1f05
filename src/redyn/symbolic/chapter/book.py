"""Numbers of the book's equations: the general ones, and those of its worked examples if the robot is one of them.

Example 9.1 is one slender rod, Example 9.3 two and (9.42) three, one after the other in the X-Y plane.
"""

from __future__ import annotations

from redyn.symbolic.chapter.setting import Context

_GIM = {1: {(1, 1): "(9.23f)"}, 2: {(2, 2): "(9.27a)", (2, 1): "(9.27d)", (1, 1): "(9.29)"}}
_MCI = {
    1: {(1, 1): "(9.24a)"},
    2: {(2, 2): "(9.30a)", (2, 1): "(9.30b)", (1, 2): "(9.30c)", (1, 1): "(9.30d)"},
}
_VCI = {2: {2: "(9.31a)", 1: "(9.31b)"}}


def gim_tag(at: Context, i: int, j: int) -> str:
    if at.rods and at.n == 3:
        return "(9.42b)"
    return _GIM.get(at.n, {}).get((i, j), "(9.15b)") if at.rods else "(9.15b)"


def mci_tag(at: Context, i: int, j: int) -> str:
    if at.rods and at.n == 3:
        return "(9.42c)"
    return _MCI.get(at.n, {}).get((i, j), "(9.16k)") if at.rods else "(9.16k)"


def vci_tag(at: Context, i: int) -> str:
    return _VCI.get(at.n, {}).get(i, "(9.19b)") if at.rods else "(9.19b)"


def gravity_tag(at: Context) -> str:
    """(9.24c) has gravity along X, (9.42d) along -Y; both print the torque of the weights, the negative of ours."""
    g = at.eqs.symbolic.gravity
    along_x = bool(g[0].could_extract_minus_sign() is False and g[0] != 0 and g[1] == g[2] == 0)
    against_y = bool(g[1].could_extract_minus_sign() and g[0] == g[2] == 0)
    if at.rods and at.n == 1 and along_x:
        return "(9.24c)"
    return "(9.42d)" if at.rods and at.n == 3 and against_y else "(9.21b)"


def composite_tag(at: Context, i: int, part: str) -> str:
    """`part` is a, b or c: mass, first moment, inertia of composite body i."""
    return "(9.28b)" if at.rods and at.n == 2 and i == 1 else f"(9.14{part})"
