"""(9.7): twists at the joint origins O_i and at the mass centres C_i, and how one gives the other."""

from __future__ import annotations

import numpy as np

from redyn.dynamics.denoc import Denoc, cross
from redyn.reproduce.check import Check, near
from redyn.reproduce.item import Array, Item, Load, Numbers, Repair, Result, Scene, tidy
from redyn.reproduce.samples import general_chain
from redyn.reproduce.torques import BOOK


def at_origins(view: Denoc) -> Array:
    """t_i^O, (n, 6): the velocity of the point of link i that is at O_i."""
    twists = view.t.reshape(-1, 6).copy()
    twists[:, 3:] -= np.cross(twists[:, :3], view.d)
    return twists


def A(view: Denoc, i: int) -> Array:
    """A_{i,i-1} of chapter 6: the twist at O_{i-1} carried to O_i."""
    step = np.eye(6)
    step[3:, :3] = cross(view.O[i - 2] - view.O[i - 1])
    return step


def P_d(view: Denoc, i: int) -> Array:
    """(9.7c)"""
    P = np.zeros((6, 6))
    P[3:, :3] = -cross(view.d[i - 1])
    return P


def p_d(view: Denoc, i: int, printed: bool = False) -> Array:
    """(9.7c): [0; e x d] if joint i is revolute; the book has it for every joint."""
    moves = view.revolute[i - 1] or printed
    return np.concatenate([np.zeros(3), np.cross(view.e[i - 1], view.d[i - 1]) if moves else np.zeros(3)])


def by_9_7(view: Denoc, i: int, printed: bool = False) -> tuple[Array, Array]:
    """t_i^C by (9.7a) and t_i^O by (9.7b), for i from 2 on."""
    t_O, t_C = at_origins(view), view.t.reshape(-1, 6)
    p_C, rate = view.p[i - 1], float(view.qd[i - 1])
    p_O = p_C - p_d(view, i)  # [e; 0] or [0; e], whichever point is taken
    d = p_d(view, i, printed)
    to_C = (view.B(i, i - 1) + P_d(view, i - 1)) @ t_O[i - 2] + (p_O + d) * rate
    to_O = (A(view, i) - P_d(view, i - 1)) @ t_C[i - 2] + (p_C - d) * rate
    return to_C, to_O


def worst(view: Denoc, printed: bool = False) -> float:
    """The largest difference of (9.7a) and (9.7b) from the twists themselves."""
    t_O, t_C = at_origins(view), view.t.reshape(-1, 6)
    pairs = [by_9_7(view, i, printed) for i in range(2, view.n + 1)]
    return max(
        float(max(np.abs(to_C - t_C[k]).max(), np.abs(to_O - t_O[k]).max())) for k, (to_C, to_O) in enumerate(pairs, 1)
    )


def _conversion(load: Load) -> Result:
    checks: list[Check] = []
    rows: list[list[object]] = []
    rng = np.random.default_rng(8)
    off = 0.0
    for name in ("puma", "stanford", "chain-rrprr"):
        robot = general_chain("rrprr") if name == "chain-rrprr" else load(name)
        q, qd = robot.initial + rng.uniform(-0.5, 0.5, robot.dof), rng.uniform(-1, 1, robot.dof)
        view = robot.denoc(q, qd)
        t_O = at_origins(view)
        origins = np.stack([robot.jacobian(q, link) @ qd for link in robot.link_names])
        motion = robot.link_motion(q, qd, np.zeros(robot.dof))
        of_link = [
            np.cross(w[:3], view.O[k] - pose[:3, 3]) + w[3:]
            for k, (w, pose) in enumerate(zip(origins, motion.pose, strict=True))
        ]
        checks += [
            near(f"{name}: velocities at O_i", t_O[:, 3:], of_link, 1e-12, "the Jacobians of redyn"),
            near(
                f"{name}: (9.7a), (9.7b) with p^d = 0 for prismatic joints",
                worst(view),
                0.0,
                1e-12,
                "the twists",
                against="printed",
            ),
        ]
        off = max(off, worst(view, printed=True))
        rows.extend([name, str(i + 1), *tidy([*t_O[i], *view.t_i(i + 1)[3:]])] for i in range(robot.dof))
    repair = Repair(
        "p_i^d of (9.7c) is zero for a prismatic joint",
        off > 1e-6,
        f"as printed the twists of a general chain (RRPRR) are off by up to {off:.2g} m/s; the Stanford arm does not "
        "show it, because its d_3 is parallel to e_3",
    )
    header = ["robot", "link", "ω x", "ω y", "ω z", "v of O x", "y", "z", "v of C x", "y", "z"]
    robot = load("stanford")
    return Result(
        checks,
        [Numbers(header, rows)],
        scenes=[Scene("the Stanford arm and its frames", robot, robot.initial[None], frames=True)],
        repairs=[repair],
        notes=["redyn's recursions take twists at O_i, its dense view (`robot.denoc`) at C_i, as the book does."],
    )


ITEMS = [Item("eq-9.7", "Twists at joint origins and at mass centres", BOOK + "(9.7a)-(9.7c)", _conversion)]
