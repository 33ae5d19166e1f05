"""Derivation of the Equation of Motion of a Rigid-link Robot Manipulator (note on state space)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from redyn.reproduce.errata.erratum import Erratum, Finding, Measure, compared, number, said
from redyn.reproduce.item import Load
from redyn.reproduce.point_mass import Note
from redyn.reproduce.point_mass_steps import THDD, outward_and_inward, steps, two_masses
from redyn.reproduce.verified import verified
from redyn.robot import External

KEYS = ("m", "l", "b", "g", "fx", "fy")


def _note() -> tuple[Note, float, float]:
    e = verified("point-mass")
    return Note(*(e[k] for k in KEYS)), e["theta"], e["thetadot"]


def _on_tip(sign: float) -> External:
    e = verified("point-mass")
    return {"tip": sign * np.array([0, 0, 0, e["fx"], e["fy"], 0.0])}


def _gravity(load: Load) -> Sequence[Finding]:
    note, th, thd = _note()
    robot = load("point-mass")
    down, up = (
        float(robot.inverse_dynamics([th], [thd], [THDD], gravity=[0, y * note.g, 0], external=_on_tip(-1.0))[0])
        for y in (1.0, -1.0)
    )
    mine = note.torque(th, thd, THDD, note.b)
    text = f"with Y upwards the torque by (16) is off by {number(abs(mine - up))} Nm"
    return [said(text, abs(mine - up) > 1e-6, abs(mine - down) < 1e-9)]


def _force(load: Load) -> Sequence[Finding]:
    note, th, thd = _note()
    robot = load("point-mass")
    mine = note.torque(th, thd, THDD, note.b)
    acts, exerted = (
        float(robot.inverse_dynamics([th], [thd], [THDD], external=_on_tip(sign))[0]) for sign in (1.0, -1.0)
    )
    text = f"as a force on the tip the torque by (16) is off by {number(abs(mine - acts))} Nm"
    return [said(text, abs(mine - acts) > 1e-6, abs(mine - exerted) < 1e-9)]


def _damping(acceleration: bool) -> Measure:
    def measure(load: Load) -> Sequence[Finding]:
        note, th, thd = _note()
        robot = load("point-mass")
        if acceleration:
            found = float(robot.forward_dynamics([th], [thd], [0.0], external=_on_tip(-1.0))[0])
            return [compared("", note.acceleration(th, thd, 0.0), note.acceleration(th, thd, note.b), found, "rad/s²")]
        found = float(robot.inverse_dynamics([th], [thd], [THDD], external=_on_tip(-1.0))[0])
        return [compared("", note.torque(th, thd, THDD, -note.b), note.torque(th, thd, THDD, note.b), found, "Nm")]

    return measure


def _tip_force(load: Load) -> Sequence[Finding]:
    note, th, thd = _note()
    found = float(load("point-mass").forward_dynamics([th], [thd], [0.0], external=_on_tip(-1.0))[0])
    flipped = Note(note.m, note.l, note.b, note.g, -note.fx, -note.fy)
    pair = (flipped.acceleration(th, thd, note.b), note.acceleration(th, thd, note.b))
    return [compared("", *pair, found, "rad/s²")]


def _squared(load: Load) -> Sequence[Finding]:
    e = verified("point-mass")
    robot = load("point-mass")
    wrench = robot.joint_wrenches([e["theta"]], [e["thetadot"]], [THDD], external=_on_tip(-1.0))[0]
    found = compared("", steps(e, squared=False).f, steps(e).f, wrench[3:], "N in the force along the link")
    return [said(f"{found.effect}; the torque does not change", found.wrong, found.right)]


def _outward(_: Load) -> Sequence[Finding]:
    e = verified("point-mass")
    q, qd, qdd = np.array([0.4, 0.7]), np.array([1.2, -0.5]), np.array([0.3, 0.9])
    wrong, right = (outward_and_inward(e, q, qd, qdd, literal) for literal in (True, False))
    tau = two_masses(e["m"], e["l"]).inverse_dynamics(q, qd, qdd)
    found = compared("two such links", wrong, right, tau, "Nm")
    return [said(f"none for one link; {found.effect}", found.wrong, found.right)]


ERRATA = [
    Erratum(
        "(10)",
        "wrong numbers",
        "${}^0\\dot v_0 = -g\\hat Y_0$ for gravity",
        "this is gravity along $+Y$; with $Y$ upwards it is $+g\\hat Y_0$, and the sign of $g$ in (16)-(19) changes",
        "inverse dynamics with gravity along $+Y$ and $-Y$",
        _gravity,
    ),
    Erratum(
        "(12)",
        "wrong numbers",
        "$\\mathbf{f}$ acts on the end effector",
        "(16)-(19) hold for the force that the arm exerts on its environment; for a force on the tip both terms "
        "change sign",
        "inverse dynamics with both forces",
        _force,
    ),
    Erratum(
        "(17)",
        "wrong numbers",
        "$-b\\dot\\theta$",
        "$+b\\dot\\theta$, as (18) has it on the other side",
        "inverse dynamics of the damped arm",
        _damping(False),
    ),
    Erratum(
        "(19)",
        "wrong numbers",
        "no damping",
        "$-\\frac{b}{m l^2}\\dot\\theta$ inside the parentheses",
        "forward dynamics of the damped arm",
        _damping(True),
    ),
    Erratum(
        "(4), line 1",
        "wrong numbers",
        "$+B(\\Theta) f$",
        "$-B(\\Theta) f$, as in its second line",
        "forward dynamics with the force",
        _tip_force,
    ),
    Erratum(
        "(13)",
        "wrong numbers",
        "$-l_1\\dot\\theta_1$ in ${}^1\\dot v_{C_1}$ and $m_1$ times that in ${}^1F_1$",
        "$-l_1\\dot\\theta_1^2$",
        "force in the joint (`redyn reproduce note-iterations`)",
        _squared,
    ),
    Erratum(
        "(1), line 3",
        "wrong in some cases",
        "${}^i\\omega_i \\times ({}^i\\dot\\omega_i \\times {}^iP_{i+1})$",
        "${}^i\\omega_i \\times ({}^i\\omega_i \\times {}^iP_{i+1})$",
        "inverse dynamics of two such links",
        _outward,
    ),
    Erratum("(5)", "slip", "forward Euler method", "a second-order Taylor step"),
    Erratum("(1)", "slip", "$i: 0 \\to n$", "$i: 0 \\to n - 1$; the inward loop runs from $n$ to 1"),
]
