"""
Parking a differential drive
============================

Two driven wheels, no motion sideways: a feedback law (Aicardi and others 1995) parks the robot from any place,
heading along x.
"""

import matplotlib.pyplot as plt
import numpy as np

import redyn

robot = redyn.load("differential-drive")
fig, ax = plt.subplots(figsize=(6.4, 5.4))
for k, angle in enumerate(np.radians(range(15, 360, 60))):
    q = robot.neutral()
    q[:3] = 2 * np.cos(angle), 2 * np.sin(angle), angle + 2.0
    law = redyn.control.park(robot, [0.0, 0.0, 0.0])
    run = redyn.simulate(robot, q, [0.0, 0.0], 10.0, torque=law)
    ax.plot(*run.q[:, :2].T, color=f"C{k % 7}")
    ax.quiver(*q[:2], np.cos(q[2]), np.sin(q[2]), color=f"C{k % 7}", scale=14, width=0.007)
ax.quiver(0, 0, 1, 0, color="black", scale=10, width=0.01, zorder=5)
ax.set(xlabel="x (m)", ylabel="y (m)", aspect="equal", title="From six places to one")
plt.show()
