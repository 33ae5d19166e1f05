"""
The fastest timing of a path
============================

Along a spline through three points, as fast as the torques allow: at any time one joint is at its limit.
"""

import matplotlib.pyplot as plt
import numpy as np

import redyn

robot = redyn.load("puma")
points = [[0, -0.5, 0.3, 0, 0.2, 0], [0.5, -0.8, 0.6, 0.4, 0.1, 0.3], [1, -0.3, 0.1, 0.2, -0.4, 0.5]]
limits = np.array([80, 120, 60, 10, 10, 5])
fastest = redyn.trajectory.time_optimal(robot, points, torque=limits, speed=2.0)
print(f"{fastest.duration:.3f} s")

t = np.linspace(0, fastest.duration, 400)
q, qd, qdd = fastest(t)
share = robot.inverse_dynamics(q, qd, qdd) / limits

fig, (above, below) = plt.subplots(2, 1, sharex=True, figsize=(7.2, 5.2))
above.plot(t, share, label=robot.joint_names)
above.axhspan(1, 1.15, color="0.9")
above.axhspan(-1.15, -1, color="0.9")
above.set(ylabel="torque / limit", ylim=(-1.15, 1.15), title=f"From rest to rest in {fastest.duration:.2f} s")
above.legend(ncols=3, fontsize=8)
below.plot(t, qd)
below.axhline(2.0, color="black", linestyle=":")
below.set(xlabel="time (s)", ylabel="speed (rad/s)")
plt.show()
