"""
Workspace of an industrial arm
==============================

Forty thousand random positions within the joint limits: where the flange of a KUKA KR 6 can be, cut through the axis
of the first joint.
"""

import matplotlib.pyplot as plt
import numpy as np

import redyn

robot = redyn.load("kuka-kr-6-r700")
cloud = robot.workspace(samples=40_000)
radius = np.hypot(*cloud.points[:, :2].T)  # from axis 1
reach = abs(robot.manipulability(cloud.q[::8]).translation.radii).min(axis=-1)

fig, ax = plt.subplots(figsize=(6.2, 5.4))
shown = ax.scatter(radius[::8], cloud.points[::8, 2], s=5, c=reach, cmap="viridis", linewidths=0)
ax.set(xlabel="distance from the first axis (m)", ylabel="height (m)", aspect="equal", title="Where the flange can be")
fig.colorbar(shown, label="slowest direction at unit joint rates (m/s)")
plt.show()
