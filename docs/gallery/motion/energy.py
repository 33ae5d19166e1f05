"""
Where the energy goes
=====================

An arm with friction in its joints falls. Kinetic and potential energy are exchanged, friction takes both; what is
left over is the error of the integration, a billionth of the rest.
"""

import matplotlib.pyplot as plt
import numpy as np

import redyn

arm = redyn.load("two-link").free("*.damping").at([0.4, 0.2])
run = redyn.simulate(arm, [1.2, 0.5], np.zeros(2), duration=8, rtol=1e-10)
energy = run.energy

fig, (above, below) = plt.subplots(2, 1, sharex=True, figsize=(7.2, 5.2), height_ratios=(3, 1))
above.plot(run.t, energy.kinetic, label="kinetic")
above.plot(run.t, energy.potential - energy.potential[0], label="potential, from the start")
above.plot(run.t, energy.total - energy.total[0], label="kinetic and potential")
above.plot(run.t, energy.friction, "k--", label="work of friction")
above.set(ylabel="energy (J)", title="A double pendulum with damping in its joints")
above.legend()
below.plot(run.t, 1e9 * energy.balance)
below.set(xlabel="time (s)", ylabel="balance (nJ)")
plt.show()
