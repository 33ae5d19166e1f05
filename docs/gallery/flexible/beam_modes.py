"""
Natural modes of a flexible arm
===============================

De Luca and Siciliano's arm of two flexible links with its joints locked: its four natural modes, exaggerated.
"""

import matplotlib.pyplot as plt

import redyn

robot = redyn.load("flexible-two-link")
modes = robot.vibration(robot.initial, locked=robot.joint_names)

fig, axes = plt.subplots(2, 2, figsize=(8.4, 5.2), sharex=True, sharey=True)
for k, ax in enumerate(axes.flat):
    shape = modes.shapes[:, k] / abs(modes.shapes[:, k]).max()
    for size, colour in ((0, "0.7"), (0.14, "C0"), (-0.14, "C1")):
        q = robot.initial + size * shape
        for link in ("link1", "link2"):
            ax.plot(*robot.shape(q, link)[:, :2].T, color=colour)
    ax.set(title=f"{modes.hertz[k]:.2f} Hz", aspect="equal")
for ax in axes[1]:
    ax.set_xlabel("x (m)")
for ax in axes[:, 0]:
    ax.set_ylabel("y (m)")
plt.show()
