"""
Chaos of a double pendulum
==========================

A thousand double pendulums that start within a millionth of a degree of each other. They fall together, then apart:
small differences grow exponentially. All of them are one batch.
"""

import matplotlib.pyplot as plt
import numpy as np

import redyn

arm = redyn.load("two-link")
rng = np.random.default_rng(0)
start = np.radians([100.0, 40.0]) + np.radians(1e-6) * rng.uniform(-1, 1, (1000, 2))
many = redyn.simulate_batch(arm, start, np.zeros((1000, 2)), 12.0, step=1e-3, sample=0.01)

spread = np.degrees(many.q.std(axis=1)[:, 1])
fig, (left, right) = plt.subplots(1, 2, figsize=(9.6, 4.0))
left.plot(many.t, np.degrees(many.q[:, ::50, 1]), linewidth=0.8)
left.set(xlabel="time (s)", ylabel="second joint (deg)", title="20 of the 1000 pendulums")
right.semilogy(many.t, spread)
right.set(xlabel="time (s)", ylabel="standard deviation (deg)", title="How far they are apart")
plt.show()
