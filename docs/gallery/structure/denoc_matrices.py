"""
The DeNOC matrices
==================

N = N_l N_d maps joint rates to the twists of all links: N_l is block lower triangular and holds the propagation from
link to link, N_d is block diagonal and holds the joint axes (Eqs. 9.6).
"""

import matplotlib.pyplot as plt
import numpy as np

import redyn

robot = redyn.load("stanford")
view = robot.denoc(robot.random(np.random.default_rng(1)))

fig, axes = plt.subplots(1, 3, figsize=(9.6, 4.4), width_ratios=(3, 1.25, 1.25))
for ax, matrix, name in zip(axes, (view.N_l, view.N_d, view.N), ("$N_l$", "$N_d$", "$N = N_l N_d$"), strict=True):
    ax.spy(matrix, precision=1e-12, markersize=3.5, color="C0", aspect="auto")
    ax.set_title(f"{name}, {matrix.shape[0]} x {matrix.shape[1]}")
    ax.set(xticks=np.arange(-0.5, matrix.shape[1], 6 if matrix.shape[1] > 6 else 1), yticks=np.arange(-0.5, 36, 6))
    ax.tick_params(labelbottom=False, labelleft=False, labeltop=False, length=0)
plt.show()
