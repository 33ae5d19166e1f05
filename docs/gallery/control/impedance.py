"""
Impedance: a hand that gives way
================================

The hand of the PUMA is a spring of 400 N/m and a damper. A force of 20 N along x, from 0.5 s on for 1.5 s, moves it
to 5 cm along x; then it comes back. Its inertia stays as it is, so that it swings in other directions too while
little damps it.
"""

import matplotlib.pyplot as plt
import numpy as np

import redyn

robot = redyn.load("puma")
q = np.array([0.2, -0.7, 0.5, 0.1, 0.6, 0.0])
push = redyn.Push("link6", force=[20, 0, 0], start=0.5, duration=1.5)

fig, axes = plt.subplots(1, 2, figsize=(9.6, 4.0), sharey=True)
for ax, damping in zip(axes, (25, 120), strict=True):
    law = redyn.control.impedance(robot, robot.forward_kinematics(q), [100] * 3 + [400] * 3, [20] * 3 + [damping] * 3)
    run = redyn.simulate(robot, q, np.zeros(6), 4.0, torque=law, pushes=[push])
    ax.axvspan(0.5, 2.0, color="0.93")
    ax.plot(run.t, 1000 * (run.path - run.path[0]), label=["x", "y", "z"])
    ax.axhline(50, color="black", linestyle=":")
    ax.set(xlabel="time (s)", title=f"damping {damping} Ns/m")
axes[0].set_ylabel("the hand moves by (mm)")
axes[0].legend()
plt.show()
