"""
Computed torque on a rigid and a flexible arm
=============================================

The same control law, made for the rigid arm. The rigid arm follows to 1e-10 m; the flexible one swings.
"""

import matplotlib.pyplot as plt
import numpy as np

import redyn

flexible = redyn.load("flexible-two-link")
rigid = flexible.rigid()
start, stop = np.array([0.0, np.pi / 2]), np.array([1.0, 0.5])
motion = redyn.trajectory.cycloidal(start, stop, 4.0)
law = redyn.control.computed_torque(rigid, motion, kp=25, kd=10)
on_rigid = redyn.simulate(rigid, start, [0, 0], 8.0, torque=law)
swings = redyn.simulate(flexible, flexible.initial, np.zeros(6), 8.0, torque=redyn.control.on_joints(flexible, law))

fig, ax = plt.subplots()
for arm, run, name in ((rigid, on_rigid, "rigid links"), (flexible, swings, "flexible links")):
    wanted = rigid.forward_kinematics(motion(np.minimum(run.t, 4.0))[0])[:, :3, 3]
    error = np.linalg.norm(arm.forward_kinematics(run.q)[:, :3, 3] - wanted, axis=1)
    ax.plot(run.t, 1000 * error, label=name)
ax.axvline(4.0, color="black", linestyle=":")
ax.set(xlabel="time (s)", ylabel="error of the tip (mm)", title="The motion ends at 4 s")
ax.legend()
plt.show()
