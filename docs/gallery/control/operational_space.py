"""
Control of a frame
==================

Operational-space control draws the hand of the PUMA around a circle of 10 cm. It starts 6 cm beside it; the error
decays as e'' + kd e' + kp e = 0 says.
"""

import matplotlib.pyplot as plt
import numpy as np

import redyn

robot = redyn.load("puma")
q = np.array([0.2, -0.7, 0.5, 0.1, 0.6, 0.0])
centre = robot.forward_kinematics(q)[:3, 3] - [0.1, 0, 0]
motion = redyn.trajectory.circle(robot, centre, 3.0, axis=[0, 1, 0], start=q)
law = redyn.control.operational_space(robot, redyn.control.frame_motion(robot, motion), kp=100, kd=20)
beside = q + np.array([0.05, 0.08, -0.05, 0, 0, 0])
run = redyn.simulate(robot, beside, np.zeros(6), 3.0, torque=law)

wanted = robot.forward_kinematics(motion(run.t)[0])[:, :3, 3]
error = np.linalg.norm(run.path - wanted, axis=1)
fig, (left, right) = plt.subplots(1, 2, figsize=(9.6, 4.2))
left.plot(wanted[:, 0], wanted[:, 2], "k:", label="wanted")
left.plot(run.path[:, 0], run.path[:, 2], label="driven")
left.set(xlabel="x (m)", ylabel="z (m)", aspect="equal", title="Path of the hand")
left.legend()
right.semilogy(run.t, 1000 * error, label="error")
right.semilogy(run.t, 1000 * error[0] * (1 + 10 * run.t) * np.exp(-10 * run.t), "k:", label="(1 + 10 t) exp(-10 t)")
right.set(xlabel="time (s)", ylabel="error (mm)", ylim=(1e-5, 1e3), title="The error decays as planned")
right.legend()
plt.show()
