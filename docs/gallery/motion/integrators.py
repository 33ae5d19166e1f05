"""
Error against cost of the integrators
=====================================

Two seconds of free fall of the PUMA with several methods and step sizes or tolerances, compared with a run at the
tolerance 1e-13.
"""

import matplotlib.pyplot as plt
import numpy as np

import redyn

robot = redyn.load("puma")
start, still = robot.initial, np.zeros(6)
exact = redyn.simulate(robot, start, still, 2.0, method="dopri5", rtol=1e-13, atol=1e-13).q[-1]

fig, ax = plt.subplots()
for method in ("rkf45", "dopri5", "abm"):
    runs = [redyn.simulate(robot, start, still, 2.0, method=method, rtol=10.0**-k) for k in range(3, 12)]
    ax.loglog([run.evaluations for run in runs], [abs(run.q[-1] - exact).max() for run in runs], "o-", label=method)
for method in ("rk4", "euler"):
    runs = [redyn.simulate(robot, start, still, 2.0, method=method, step=0.02 / 2**k) for k in range(6)]
    ax.loglog([run.evaluations for run in runs], [abs(run.q[-1] - exact).max() for run in runs], "s--", label=method)
ax.set(xlabel="evaluations of the forward dynamics", ylabel="error after 2 s (rad)", title="Free fall of the PUMA")
ax.legend()
plt.show()
