"""The state-space note: the equations (16)-(19) of a point mass on a link, as printed and corrected."""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, sin

import numpy as np

from redyn.reproduce.check import near
from redyn.reproduce.item import Array, Curve, Item, Load, Numbers, Panel, Repair, Result
from redyn.reproduce.verified import verified
from redyn.robot import External

TIGHT = 1e-12


@dataclass(frozen=True)
class Note:
    """Its symbols; f is the force of the arm on its environment, gravity points along +Y."""

    m: float
    l: float
    b: float
    g: float
    fx: float
    fy: float

    def torque(self, th: float, thd: float, thdd: float, damping: float) -> float:
        """(16), and (17) with the damping torque with the given sign."""
        c, s = cos(th), sin(th)
        pull = c * self.l * self.fy - s * self.l * self.fx
        return pull + self.m * self.l**2 * thdd + damping * thd - self.m * self.l * self.g * c

    def acceleration(self, th: float, thd: float, damping: float) -> float:
        """(18), and (19) where the damping is left out."""
        return -self.torque(th, thd, 0.0, damping) / (self.m * self.l**2)

    def taylor_steps(self, th: float, thd: float, h: float, count: int, damping: float) -> Array:
        """The discrete state space equation (6), (19): angle after each step."""
        angles = [th]
        for _ in range(count):
            thdd = self.acceleration(th, thd, damping)
            th, thd = th + h * thd + h * h / 2 * thdd, thd + h * thdd  # (5)
            angles.append(th)
        return np.array(angles)


def _equations(load: Load) -> Result:
    e = verified("point-mass")
    note = Note(*(e[k] for k in ("m", "l", "b", "g", "fx", "fy")))
    th, thd, thdd, b = e["theta"], e["thetadot"], 0.7, note.b
    robot = load("point-mass")
    on_tip: External = {"tip": -np.array([0, 0, 0, note.fx, note.fy, 0.0])}  # the force on the tip is the reaction
    tau = float(robot.inverse_dynamics([th], [thd], [thdd], external=on_tip)[0])
    free = float(robot.forward_dynamics([th], [thd], [0.0], external=on_tip)[0])
    equations = {
        "(16), torque without damping": (tau - b * thd, note.torque(th, thd, thdd, 0.0)),
        "(17) with +b, torque": (tau, note.torque(th, thd, thdd, b)),
        "(18), acceleration": (free, note.acceleration(th, thd, b)),
    }
    printed_torque, printed_acceleration = note.torque(th, thd, thdd, -b), note.acceleration(th, thd, 0.0)
    printed = {
        "(17) as printed, torque": (tau, printed_torque),
        "(19) as printed, acceleration": (free, printed_acceleration),
    }
    checks = [
        *(near(what, *pair, TIGHT, "the note", against="printed") for what, pair in equations.items()),
        near("acceleration", free, e["thdd_eq18_as_printed"], 1e-9),
    ]
    repairs = [
        Repair(
            "the damping in (17) has a plus sign",
            abs(tau - printed_torque) > 1e-6,
            f"as printed it is off by {abs(tau - printed_torque):.2g} Nm and contradicts (18)",
        ),
        Repair(
            "(19) keeps the damping",
            abs(free - printed_acceleration) > 1e-6,
            f"without it the acceleration is off by {abs(free - printed_acceleration):.2g} rad/s²",
        ),
    ]
    rows = [[what, x, y, x - y] for what, (x, y) in (equations | printed).items()]
    h, count = 0.01, 200
    times = np.linspace(0.0, h * count, count + 1)
    with_damping, without = (note.taylor_steps(th, thd, h, count, damping) for damping in (b, 0.0))
    panel = Panel(
        "angle (rad), steps of 0.01 s",
        times,
        [Curve("(19) corrected", with_damping), Curve("(19) as printed", without, dashed=True)],
    )
    return Result(
        checks,
        [
            Numbers(["equation", "redyn", "closed form", "difference"], rows),
            Numbers(["t", "corrected", "printed"], np.column_stack([times, with_damping, without]).tolist(), "steps"),
        ],
        panels=[panel],
        repairs=repairs,
        notes=[
            "Gravity acts along +Y: (10) sets the base acceleration to -g Y. The force of (12) is exerted by the "
            "arm on its environment; it does not act on the tip.",
            "The steps of (5) are second-order Taylor steps rather than Euler's.",
        ],
    )


ITEMS = [
    Item(
        "note-state-space",
        "State-space equations of a point mass on a link",
        "Derivation of the Equation of Motion of a Rigid-link Robot Manipulator (note)",
        _equations,
    )
]
