"""
Identification from measured torques
====================================

A recording is simulated: a KUKA with other masses, friction and 1 % of noise. The robot that is identified from it
explains unseen motion down to the noise.
"""

import matplotlib.pyplot as plt
import numpy as np

import redyn
from redyn.identification import exciting_motion, identify, recording, with_parameters

robot = redyn.load("kuka-kr5")
motion = exciting_motion(robot, duration=20.0, harmonics=5, speed=1.5, tries=5, steps=2)
t = np.linspace(0.0, 20.0, 1001)
q, qd, qdd = motion(t)

rng = np.random.default_rng(1)
masses, friction = np.repeat(rng.uniform(0.8, 1.2, 6), 10), [2, 3, 2, 0.1, 0.1, 0.02, 4, 6, 3, 0.2, 0.2, 0.05]
real = with_parameters(robot, np.concatenate([robot.parameters * masses, friction]), friction=True)
tau = real.inverse_dynamics(q, qd, qdd)
tau += 0.01 * np.sqrt((tau**2).mean(axis=0)) * rng.normal(size=tau.shape)

found = identify(robot, recording(robot, t, q, tau))
left = found.unseen
before = robot.inverse_dynamics(left.q, left.qd, left.qdd)

fig, axes = plt.subplots(2, 3, figsize=(9.6, 4.6), sharex=True, height_ratios=(2, 1))
for k, (above, below) in enumerate(axes.T):
    above.plot(left.t, left.tau[:, k], color="0.7", linewidth=3, label="measured")
    above.plot(left.t, before[:, k], "--", color="C1", label="file")
    above.plot(left.t, found.predicted()[:, k], color="C0", label="identified")
    below.plot(left.t, left.tau[:, k] - before[:, k], "--", color="C1")
    below.plot(left.t, left.tau[:, k] - found.predicted()[:, k], color="C0")
    above.set_title(f"{robot.joint_names[k]}: {found.prior_errors[k]:.0%} before, {found.errors[k]:.1%} after")
    below.set_xlabel("time (s)")
axes[0, 0].set_ylabel("torque (Nm)")
axes[1, 0].set_ylabel("left (Nm)")
axes[0, 0].legend(fontsize=8)
plt.show()
