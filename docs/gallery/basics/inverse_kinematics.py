"""
All solutions of inverse kinematics
===================================

One pose of a UR5e's flange, and the eight ways to reach it, in closed form: shoulder left or right, elbow up or down,
wrist flipped or not.
"""

import matplotlib.pyplot as plt
import numpy as np

import redyn

robot = redyn.load("ur5e")
pose = robot.forward_kinematics([0.4, -1.2, 1.5, -1.2, -1.2, 0.2])
found = robot.inverse_kinematics_all(pose)
print(found.how)

fig, axes = plt.subplots(2, 4, figsize=(9.6, 5.6), subplot_kw={"projection": "3d"})
for ax, q in zip(axes.flat, found.solutions, strict=True):
    arm = np.array([np.zeros(3), *(robot.forward_kinematics(q, name)[:3, 3] for name in robot.link_names)])
    ax.plot(*arm.T, "o-", linewidth=3.5, markersize=5)
    ax.plot(*arm[:, :2].T, 0 * arm[:, 2], color="0.8", zorder=0)  # its shadow
    ax.scatter(*pose[:3, 3], color="C1", s=50, depthshade=False)
    ax.set(xlim=(-0.7, 0.3), ylim=(-0.5, 0.5), zlim=(0, 0.8), xticklabels=[], yticklabels=[], zticklabels=[])
    ax.set_box_aspect((1, 1, 0.8), zoom=1.35)
    ax.set_title(" ".join(f"{x:.0f}" for x in np.degrees(q)) + "°", fontsize=8)
plt.show()
