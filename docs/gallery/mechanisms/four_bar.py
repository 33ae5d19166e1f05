"""
Torque of a four-bar's crank
============================

One turn of the crank at a steady 45 rpm: the torque of its motor, and the linkage at six angles.
"""

import matplotlib.pyplot as plt
import numpy as np

import redyn

robot = redyn.load("four-bar")
angle = np.linspace(0, 2 * np.pi, 181)
turn = robot.complete(angle[:, None], [4.71])  # from the crank to all joints
tau = robot.inverse_dynamics(turn.q, turn.qd, turn.qdd)

fig, (left, right) = plt.subplots(1, 2, figsize=(9.6, 4.0))
left.plot(np.degrees(angle), tau[:, 0])
left.set(xlabel="crank (deg)", ylabel="torque (Nm)", title="Torque of the motor at 45 rpm", xticks=range(0, 361, 90))
pins = np.array(
    [robot.forward_kinematics(turn.q, name)[:, :2, 3] for name in ("crank", "coupler-pin", "coupler", "output")]
)
for k in range(0, 180, 30):
    right.plot(*pins[:, k].T, "o-", color=plt.cm.viridis(k / 180), linewidth=3)
right.set(xlabel="x (m)", ylabel="y (m)", aspect="equal", title="The linkage every 60°")
plt.show()
