"""
A coin that rolls
=================

A disk rolls without slipping, leans and turns: the path of its centre, and how far it leans. Rolling does no work, so
the energy stays.
"""

import matplotlib.pyplot as plt
import numpy as np

import redyn

disk = redyn.load("rolling-disk")
run = redyn.simulate(disk, disk.initial, [0.0, 0.6, 4.0], 12.0, rtol=1e-10)
pose = disk.forward_kinematics(run.q, "disk")
lean = np.degrees(np.arcsin(np.clip(pose[:, 2, 2], -1, 1)))  # of its axis out of the level

fig, (left, right) = plt.subplots(1, 2, figsize=(9.6, 4.2))
drawn = left.scatter(*pose[:, :2, 3].T, c=run.t, s=5, cmap="viridis")
left.set(xlabel="x (m)", ylabel="y (m)", aspect="equal", title="Centre of the disk")
fig.colorbar(drawn, label="time (s)")
right.plot(run.t, lean)
right.set(xlabel="time (s)", ylabel="lean (deg)", title=f"Energy changes by {np.ptp(run.energy.total):.0e} J")
plt.show()
