"""ReDySim's quadruped: a second of its trot on a ground of springs and dampers, by computed torque.

ReDySim (legged robots) comes with the table, the motion of the joints (InvDyn/trajectory.m) and the result of its
forward dynamics (ForDyn/statevar.dat and envar.dat). Its law of the ground is in an encrypted file; `law: redysim` was
found from the result: see "redysim_quadruped" of tests/data/golden_contact.json, which also has the run with this law
around Pinocchio's dynamics.
"""

from __future__ import annotations

import numpy as np

from redyn.reproduce.check import near, within
from redyn.reproduce.item import Array, Curve, Item, Load, Panel, Result, series
from redyn.reproduce.torques import scene
from redyn.robot import Robot
from redyn.simulation import simulate
from redyn.simulation.controllers import legged
from redyn.trajectory import redysim_trot

SOURCE = "ReDySim, legged robots (GUI, 001d838), ForDyn"
KP, KD = 49.0, 14.0
INSTANTS = [k / 10 for k in range(11)]
# x y z (m) and the angles (rad) of Rz Rx Ry, every 0.1 s: statevar.dat
BASE = [
    [0.0, 0.5, -0.15, 0.0, 0.0, 0.0],
    [0.001226901, 0.4982108, -0.09503933, -0.002595256, -0.001417641, 1.413501e-05],
    [0.005006202, 0.4964303, -0.06038254, -0.01026805, -0.00531981, -5.160104e-06],
    [0.01007189, 0.4948282, -0.03795525, -0.02043942, -0.01034823, -8.627779e-05],
    [0.01468476, 0.4934542, -0.02187181, -0.02960818, -0.01474101, -0.0001999114],
    [0.01698698, 0.4923859, -0.007553897, -0.03403927, -0.01665283, -0.0002536447],
    [0.01556183, 0.4916243, 0.008639246, -0.03092683, -0.01475046, -0.0001680419],
    [0.009436094, 0.4909084, 0.03011036, -0.01835528, -0.008118029, 2.883639e-05],
    [-0.003147371, 0.489509, 0.06132878, 0.007231364, 0.00503215, 0.0001295062],
    [-0.007003194, 0.4931635, 0.09375464, 0.0124001, -9.162492e-05, 0.0001190482],
    [-3.428332e-06, 0.4984817, 0.1396685, -0.001038682, 0.0007640192, 4.656487e-05],
]
# The same with the law that was found from it, around Pinocchio's dynamics.
INDEPENDENT = [
    [0.0, 0.5, -0.15, 0.0, 0.0, 0.0],
    [
        0.0012380273317957075,
        0.4982190280718036,
        -0.09505850673955238,
        -0.0026184908517615374,
        -0.001429486036196098,
        1.3859871546788543e-05,
    ],
    [
        0.005034062285553418,
        0.4964372784088048,
        -0.06041044588703659,
        -0.010324957574580736,
        -0.0053484719227810725,
        -5.712032745990132e-06,
    ],
    [
        0.010121041046308113,
        0.4948335231301458,
        -0.037994044844382645,
        -0.020539354994201793,
        -0.010398332097972647,
        -8.75748440717474e-05,
    ],
    [
        0.014762597279618449,
        0.4934577263229278,
        -0.021925116199625425,
        -0.029766181680764645,
        -0.01482000412117707,
        -0.00020254343677413,
    ],
    [
        0.017104912415831165,
        0.4923878292937141,
        -0.007627525305210008,
        -0.03427850637214781,
        -0.01677227617901154,
        -0.00025802551900076337,
    ],
    [
        0.015738159937415636,
        0.4916265230196486,
        0.008536256008402996,
        -0.031284453754051894,
        -0.014928893387669041,
        -0.0001738982420388878,
    ],
    [
        0.009697583967896667,
        0.4909169537153189,
        0.02996472900553372,
        -0.018885470460048764,
        -0.00838253060303904,
        2.3714703087635564e-05,
    ],
    [
        -0.002760561995020069,
        0.4895405862068259,
        0.061121270024617674,
        0.0064455748339881935,
        0.004640187087470382,
        0.0001324900525961434,
    ],
    [
        -0.006735546505640384,
        0.4932345484513139,
        0.09414220635480833,
        0.012590699206775096,
        -9.585752896142349e-05,
        0.00011315568490308833,
    ],
    [
        0.00016766794935413034,
        0.4984666854640143,
        0.14018226378945453,
        -0.0007798443299518322,
        0.0006842558229416232,
        0.00011011470662742347,
    ],
]
# Potential, kinetic, given back by the actuators, their sum with the last, lost to the ground (J): envar.dat
ENERGIES = [
    [39.24, 1.628523, 0.0, 40.86852, 0.0],
    [38.76638, 0.8860361, 1.012193, 40.86841, 0.2038102],
    [38.65124, 0.8842687, 0.9373776, 40.86841, 0.3955199],
    [38.90365, 1.034291, 0.3559916, 40.86844, 0.5745015],
    [39.50987, 1.075848, -0.4560282, 40.86845, 0.7387583],
    [40.24807, 0.8723362, -1.133991, 40.86855, 0.882135],
    [40.64446, 0.6003934, -1.378912, 40.86856, 1.002619],
    [40.33785, 0.5849775, -1.165512, 40.86856, 1.111242],
    [39.37186, 0.9043443, -0.6271175, 40.86849, 1.219412],
    [39.04304, 0.598251, -1.742884, 40.86849, 2.970087],
    [39.05701, 1.495753, -3.129895, 40.86852, 3.445648],
]
LANDED = 0.85  # s: from here on the energies differ by when the feet landed


def angles(robot: Robot, q: Array) -> Array:
    """Of the trunk, (N, 3), with R = Rz Rx Ry."""
    R = robot.forward_kinematics(q, "trunk")[:, :3, :3]
    turns = np.arctan2(-R[:, 0, 1], R[:, 1, 1]), np.arcsin(R[:, 2, 1]), np.arctan2(-R[:, 2, 0], R[:, 2, 2])
    return np.stack(turns, axis=1)


def _trot(load: Load) -> Result:
    robot = load("quadruped")
    q, qd, _ = redysim_trot(0.0)
    torque = legged(robot, redysim_trot, KP, KD)
    run = simulate(robot, q, qd, INSTANTS[-1], torque, ground=True, sample=0.01, rtol=1e-7, progress=False)
    every = slice(None, None, 10)
    base = np.concatenate([run.q[:, :3], angles(robot, run.q)], axis=1)
    found, theirs = base[every], np.array(BASE)
    energy = run.energy
    energies = np.stack(
        [
            energy.potential,
            energy.kinetic,
            -energy.actuators,
            energy.total - energy.actuators - energy.ground,
            -energy.ground,
        ],
        axis=1,
    )[every]
    before = np.array(INSTANTS) < LANDED
    off = np.abs(energies - np.array(ENERGIES))
    checks = [
        within(
            "position of the base over 1 s (m)",
            float(np.abs(found - theirs)[:, :3].max()),
            6e-4,
            "ReDySim's",
            against="printed",
        ),
        within(
            "angles of the base (rad)", float(np.abs(found - theirs)[:, 3:].max()), 1e-3, "ReDySim's", against="printed"
        ),
        near("the same law around Pinocchio", found, INDEPENDENT, 2e-6),
        within("energies until the feet land (J)", float(off[before].max()), 0.01, "ReDySim's", against="printed"),
        within("energies afterwards (J)", float(off.max()), 0.2, "ReDySim's", against="printed"),
        within("sum of all energies (J)", float(off[:, 3].max()), 2e-4, "ReDySim's", against="printed"),
        within("energy balance (J)", float(np.abs(energy.balance).max()), 1e-6, "zero"),
    ]
    names = ("x (m)", "y, up (m)", "z, ahead (m)", "about z (rad)", "about x (rad)", "about y (rad)")
    panels = [
        Panel(
            name,
            run.t,
            [
                Curve("redyn", base[:, k]),
                Curve("ReDySim, every 0.1 s", np.interp(run.t, INSTANTS, theirs[:, k]), dashed=True),
            ],
        )
        for k, name in enumerate(names)
    ]
    return Result(
        checks,
        [series(run.t, ["x", "y", "z", "turn_z", "turn_x", "turn_y"], base=base)],
        panels=panels,
        scenes=[scene(robot, run.q, "a step of the trot")],
        notes=[
            "The feet in the air land at about 0.85 s. What ReDySim's integration makes of that differs from ours, by "
            "0.5 mm and 0.8 mrad at the end.",
            "Restarted from ReDySim's state at 0.1 s, the same law gives all its printed digits at 0.5 s.",
        ],
        animation=lambda path, force: run.html(path, force),
    )


ITEMS = [Item("quadruped", "A second of a quadruped's trot on springs and dampers", SOURCE, _trot)]
