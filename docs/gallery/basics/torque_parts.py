"""
What a torque is made of
========================

Inertia, Coriolis and centrifugal terms, and gravity along a quick motion of the PUMA. In the middle of the motion,
where joints are fastest, Coriolis terms take as much as gravity does.
"""

import matplotlib.pyplot as plt
import numpy as np

import redyn

robot = redyn.load("puma")
stop = np.array([np.pi, np.pi / 2, np.pi / 3, 0, 0, 0])
motion = redyn.trajectory.cycloidal(robot.initial, robot.initial + stop, duration=1.2)

t = np.linspace(0, 1.2, 241)
q, qd, qdd = motion(t)
parts = robot.torque_parts(q, qd, qdd)

fig, axes = plt.subplots(1, 3, figsize=(9.6, 3.6), sharex=True)
for k, ax in enumerate(axes):
    for name in ("inertia", "coriolis", "gravity"):
        ax.plot(t, getattr(parts, name)[:, k], label=name)
    ax.plot(t, sum(parts)[:, k], color="black", linewidth=2.2, label="torque")
    ax.set(title=robot.joint_names[k], xlabel="time (s)")
axes[0].set_ylabel("Nm")
axes[0].legend()
plt.show()
