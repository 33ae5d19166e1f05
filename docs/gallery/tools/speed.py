"""
Speed of a batch
================

Nanoseconds per state of inverse and forward dynamics, by the size of the batch, on the machine that built this page.
"""

import time

import matplotlib.pyplot as plt
import numpy as np

import redyn

robot = redyn.load("ur5e")
rng = np.random.default_rng(0)
sizes = 2 ** np.arange(0, 17, 2)


def best(call, *states):
    times = []
    for _ in range(15):
        begin = time.perf_counter()
        call(*states, threads=1)
        times.append(time.perf_counter() - begin)
    return 1e9 * min(times) / len(states[0])


fig, ax = plt.subplots()
for name in ("inverse_dynamics", "forward_dynamics", "mass_matrix"):
    count = 1 if name == "mass_matrix" else 3
    per = [best(getattr(robot, name), *rng.uniform(-1, 1, (count, n, 6))) for n in sizes]
    ax.loglog(sizes, per, "o-", label=f"{name}: {min(per):.0f} ns")
ax.set(xlabel="states in one call", ylabel="nanoseconds per state", title="UR5e, one thread")
ax.legend()
plt.show()
