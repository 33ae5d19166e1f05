"""
A band of torques
=================

Masses are known to 5 %. The torques of a thousand robots along one motion, in one call.
"""

import matplotlib.pyplot as plt
import numpy as np

import redyn

robot = redyn.load("kuka-kr5")
masses = robot.free("*.mass")
t = np.linspace(0.0, 2.0, 101)
states = redyn.trajectory.cycloidal(robot.initial, robot.initial + np.pi / 3, 2.0)(t)
samples = masses.nominal_parameters * np.random.default_rng(0).normal(1.0, 0.05, (1000, 6))

many = [np.tile(x, (1000, 1)) for x in states]
tau = masses.inverse_dynamics(*many, parameters=np.repeat(samples, len(t), axis=0)).reshape(1000, len(t), 6)

fig, axes = plt.subplots(1, 3, figsize=(9.6, 3.6))
for k, ax in enumerate(axes):
    for share, alpha in ((0.9, 0.25), (0.5, 0.35)):
        low, high = np.quantile(tau[:, :, k], [0.5 - share / 2, 0.5 + share / 2], axis=0)
        ax.fill_between(t, low, high, alpha=alpha, color="C0", linewidth=0, label=f"{share:.0%} of the robots")
    ax.plot(t, robot.inverse_dynamics(*states)[:, k], color="C1", label="nominal")
    ax.set(xlabel="time (s)", title=robot.joint_names[k])
axes[0].set_ylabel("torque (Nm)")
axes[0].legend(fontsize=8)
plt.show()
