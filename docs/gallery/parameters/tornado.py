"""
Which number matters most
=========================

The torque that holds an outstretched KUKA at its second joint: what 10 % more of every mass and length does to it,
from exact derivatives.
"""

import matplotlib.pyplot as plt
import numpy as np

import redyn

robot = redyn.load("kuka-kr5").with_payload(5.0, [0, 0, 0.1])
free = robot.free("*.mass", "*.a", "*.b")
q, still = np.array([0.0, 0.3, -0.2, 0.0, 0.4, 0.0]), np.zeros(6)
torque = free.inverse_dynamics(q, still, still)[1]
(slopes,) = free.inverse_dynamics_derivatives(q, still, still, by=["parameters"])
change = 10 * slopes[1] * free.nominal_parameters / torque  # % of the torque, by 10 % of the number
order = np.argsort(abs(change))[-10:]

fig, ax = plt.subplots()
ax.barh([free.parameter_names[k] for k in order], change[order], color=np.where(change[order] > 0, "C0", "C1"))
ax.set(xlabel="change of the torque (%)", title=f"10 % more of each number; nominally {torque:.0f} Nm at joint 2")
ax.grid(axis="y", visible=False)
plt.show()
