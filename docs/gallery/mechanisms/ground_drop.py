"""
A box that is dropped
=====================

A tilted box falls on three grounds of different dissipation. It bounces, tumbles and comes to rest; the energy
balance closes.
"""

import matplotlib.pyplot as plt
import numpy as np

import redyn

box = {
    "name": "box",
    "convention": "frames",
    "links": [{"name": "box", "joint": "free", "mass": 2, "com": [0, 0, 0], "inertia": [0.02, 0.03, 0.04]}],
    "contacts": [{"link": "box", "box": [0.4, 0.3, 0.2]}],
}
robot = redyn.load(box)
start = robot.neutral()
start[2], start[3:7] = 0.6, [0.25, 0.1, 0.0, np.sqrt(1 - 0.25**2 - 0.1**2)]

fig, ax = plt.subplots()
for dissipation in (0.1, 0.5, 12.0):
    run = redyn.simulate(robot, start, np.zeros(6), 2.0, ground={"dissipation": dissipation, "stiffness": 2e4})
    ax.plot(run.t, run.q[:, 2], label=f"{dissipation} s/m")
ax.axhline(0.1, color="black", linestyle=":")
ax.set(xlabel="time (s)", ylabel="height of the centre (m)", title="A tilted box of 40 x 30 x 20 cm", ylim=(0, None))
ax.legend(title="dissipation")
plt.show()
