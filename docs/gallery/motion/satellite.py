"""
A satellite turned by its arms
==============================

Nothing holds a satellite: when its arms move, momentum conservation turns it. The arms go around a loop and come back
to where they were, the satellite does not.
"""

import matplotlib.pyplot as plt
import numpy as np

import redyn

space = redyn.load("dual-arm-satellite")
loop = redyn.trajectory.spline([0, 3, 6, 9, 12], [[0, 0], [0.9, 0], [0.9, 1.2], [0, 1.2], [0, 0]])
t = np.linspace(0, 12, 601)
swing, rates = loop(t)[:2]
arms, arm_rates = np.zeros((2, len(t), 6))
arms[:, :2], arm_rates[:, :2] = swing, rates

q = space.initial.copy()
turned = []
for k in range(len(t)):
    q[7:] = space.initial[7:] + arms[k]
    base = space.base_velocity(q, arm_rates[k])
    turned.append(np.degrees(2 * np.arcsin(np.clip(q[3:6], -1, 1))))
    q = space.integrate(q, np.concatenate([base, arm_rates[k]]), t[1])

fig, (above, below) = plt.subplots(2, 1, sharex=True, figsize=(7.2, 5.0))
above.plot(t, np.degrees(swing), label=space.joint_names[1:3])
above.set(ylabel="arm (deg)", title="The arm comes back, the satellite does not")
above.legend()
below.plot(t, turned, label=["about x", "about y", "about z"])
below.set(xlabel="time (s)", ylabel="satellite turned (deg)")
below.legend()
plt.show()
