"""
Forces in the legs of a Stewart platform
========================================

The platform goes around a circle of 8 cm in two seconds: which force each of its six cylinders supplies. Five loops
are closed.
"""

import matplotlib.pyplot as plt
import numpy as np

import redyn

robot = redyn.load("stewart")
motion = redyn.trajectory.circle(robot, [-0.07, 0, 0.7], 2.0)
t = np.linspace(0, 2, 201)
q, qd, qdd = motion(t)
tau = robot.inverse_dynamics(q, qd, qdd)
legs = [robot.torque_names.index(name) for name in robot.actuated]
tip = robot.forward_kinematics(q)[:, :3, 3]

fig, (left, right) = plt.subplots(1, 2, figsize=(9.6, 4.0), width_ratios=(2, 1))
left.plot(t, tau[:, legs], label=robot.actuated)
left.set(xlabel="time (s)", ylabel="force (N)", title="Cylinders")
left.legend(ncols=2)
right.scatter(1000 * tip[:, 0], 1000 * tip[:, 1], c=t, s=6, cmap="viridis")
right.set(xlabel="x (mm)", ylabel="y (mm)", aspect="equal", title="Centre of the platform")
plt.show()
