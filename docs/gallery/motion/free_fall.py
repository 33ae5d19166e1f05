"""
Free fall of the KUKA KR 5
==========================

The motors are switched off: joint angles over three seconds, and the path of the flange, by the ``rkf45`` method.
"""

import matplotlib.pyplot as plt
import numpy as np

import redyn

robot = redyn.load("kuka-kr5")
run = redyn.simulate(robot, robot.initial, np.zeros(6), duration=3)

fig, (left, right) = plt.subplots(1, 2, figsize=(9.6, 4.0))
left.plot(run.t, run.q, label=robot.joint_names)
left.set(xlabel="time (s)", ylabel="joint angle (rad)", title="Joints without torque")
left.legend(ncols=2, fontsize=8)
drawn = right.scatter(run.path[:, 0], run.path[:, 2], c=run.t, s=6, cmap="viridis")
right.set(xlabel="x (m)", ylabel="z (m)", aspect="equal", title="Path of the flange")
fig.colorbar(drawn, label="time (s)")
plt.show()
