"""
Base parameters
===============

Sixty inertial parameters, of which torques determine 36 combinations: the singular values of the regressor end at a
gap. Below, which parameters are determined alone, in a combination, or not at all.
"""

import matplotlib.pyplot as plt
import numpy as np

import redyn
from redyn.identification import base_parameters

robot = redyn.load("kuka-kr5")
base = base_parameters(robot)
q, qd, qdd = np.random.default_rng(0).uniform(-2, 2, (3, 400, 6))
values = np.linalg.svd(robot.regressor(q, qd, qdd).reshape(-1, 60), compute_uv=False)

kept, grouped = np.zeros(60), (abs(base.matrix) > 1e-9).sum(axis=0) > 0
kept[grouped] = 1
kept[base.columns] = 2
fig, (above, below) = plt.subplots(2, 1, figsize=(7.2, 5.6), height_ratios=(3, 2))
above.semilogy(range(1, 61), np.maximum(values / values[0], 1e-18), "o", markersize=4)
above.axvline(base.count + 0.5, color="C1")
above.set(ylabel="singular value", title=f"{base.count} base parameters of 60")
below.imshow(
    kept.reshape(6, 10), cmap=plt.matplotlib.colors.ListedColormap(["0.93", "#f4b183", "#2f75b5"]), aspect="auto"
)
below.set(yticks=range(6), yticklabels=robot.link_names, xticks=range(10))
below.set_xticklabels(["m", "mx", "my", "mz", "Ixx", "Ixy", "Iyy", "Ixz", "Iyz", "Izz"])
below.set_title("blue: a base parameter; orange: grouped with others; grey: no torque depends on it", fontsize=9)
below.grid(False)
plt.show()
