"""
Sideways on Mecanum wheels
==========================

A platform drives sideways and turns by half at the same time. The four wheels have one motor more than needed: the
torques are those of least norm.
"""

import matplotlib.pyplot as plt
import numpy as np

import redyn

robot = redyn.load("mecanum")
motion = redyn.trajectory.cycloidal([0, 0, 0], [1.5, 1, np.pi], 4.0)
law = redyn.control.follow_pose(robot, motion)
run = redyn.simulate(robot, robot.neutral(), np.zeros(3), 4.0, torque=law)

fig, (left, right) = plt.subplots(1, 2, figsize=(9.6, 4.2))
corners = 0.2 * np.array([[1.5, 1], [-1.5, 1], [-1.5, -1], [1.5, -1], [1.5, 1]])
for k in np.linspace(0, len(run.t) - 1, 9).astype(int):
    x, y, heading = run.q[k, :3]
    turn = np.array([[np.cos(heading), -np.sin(heading)], [np.sin(heading), np.cos(heading)]])
    left.plot(*(corners @ turn.T + [x, y]).T, color=plt.cm.viridis(k / len(run.t)))
left.plot(*run.q[:, :2].T, "k:")
left.set(xlabel="x (m)", ylabel="y (m)", aspect="equal", title="The platform every half second")
right.plot(run.t, run.tau, label=robot.torque_names)
right.set(xlabel="time (s)", ylabel="torque (Nm)", title="Motors")
right.legend()
plt.show()
