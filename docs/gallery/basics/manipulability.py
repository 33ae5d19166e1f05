"""
Manipulability ellipses
=======================

How fast the tip of a planar arm moves in each direction when the joints turn at unit rate (Yoshikawa 1985).
Stretched, the arm cannot move along itself: the ellipse becomes a line.
"""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import Ellipse

import redyn

robot = redyn.load("two-link")
fig, ax = plt.subplots(figsize=(9.6, 3.8))
for k, elbow in enumerate(np.radians([150, 110, 70, 35, 8])):
    q = np.array([np.pi / 2 - elbow / 2, elbow])
    joints = np.array([np.zeros(3), *(robot.forward_kinematics(q, name)[:3, 3] for name in robot.link_names)])
    joints[:, 0] += 2.2 * k
    radii, axes = robot.manipulability(q).translation
    turn = np.degrees(np.arctan2(axes[1, 0], axes[0, 0]))
    ax.add_patch(Ellipse(joints[-1, :2], *0.6 * radii[:2], angle=turn, alpha=0.3, color=f"C{k}"))
    ax.plot(*joints[:, :2].T, "o-", color=f"C{k}", linewidth=3)
    ax.text(2.2 * k, -0.25, f"{np.degrees(elbow):.0f}°\n{radii[0] * radii[1]:.2f} m²", ha="center", va="top")
ax.set(
    aspect="equal", ylim=(-0.8, 2.5), xlabel="x (m)", ylabel="y (m)", title="Angle of the elbow, and Yoshikawa's index"
)
plt.show()
