"""
Two matrices C
==============

The book's matrix of convective inertia and the matrix of Christoffel symbols give the same torques, and for both
dM/dt - 2C is skew. Of robots that move in space they differ.
"""

import matplotlib.pyplot as plt
import numpy as np

import redyn

robot = redyn.load("puma")
q, qd = np.random.default_rng(3).uniform(-1, 1, (2, 6))
mci = robot.coriolis_matrix(q, qd, form="mci")
christoffel = robot.coriolis_matrix(q, qd, form="christoffel")
print("torques differ by", abs((mci - christoffel) @ qd).max())

fig, axes = plt.subplots(1, 3, figsize=(9.6, 3.6))
titles = ("MCI of the book", "Christoffel symbols", "difference")
for ax, matrix, title in zip(axes, (mci, christoffel, mci - christoffel), titles, strict=True):
    most = abs(matrix).max()
    drawn = ax.imshow(matrix, cmap="RdBu", vmin=-most, vmax=most)
    ax.set(title=title, xticks=range(6), yticks=range(6), xticklabels=range(1, 7), yticklabels=range(1, 7))
    ax.grid(False)
    fig.colorbar(drawn, ax=ax, shrink=0.75)
fig.supxlabel("kg m²/s", fontsize=9)
plt.show()
