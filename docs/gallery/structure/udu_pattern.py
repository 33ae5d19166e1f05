"""
Pattern of U D U^T in a tree
============================

The mass matrix of a hexapod on a free base, and its factor U. Legs are independent of each other, given the base:
these entries are zero in both matrices, so that elimination from the tips to the base fills nothing in.
"""

import matplotlib.pyplot as plt
import numpy as np

import redyn

robot = redyn.load("hexapod")
q = robot.random(np.random.default_rng(0))
U, D = robot.udu(q)

fig, axes = plt.subplots(1, 2, figsize=(9.2, 4.4))
for ax, matrix, name in ((axes[0], robot.mass_matrix(q), "M"), (axes[1], U, "U of M = U D Uᵀ")):
    size = np.where(abs(matrix) > 1e-12, np.log10(np.maximum(abs(matrix), 1e-12)), np.nan)
    drawn = ax.imshow(size, cmap="viridis", vmin=-4, vmax=1)
    ax.set(
        title=f"{name}: {np.isfinite(size).mean():.0%} of the entries", xticks=range(0, 24, 6), yticks=range(0, 24, 6)
    )
    ax.grid(False)
fig.colorbar(drawn, ax=axes, label="log₁₀ of the absolute value")
plt.show()
