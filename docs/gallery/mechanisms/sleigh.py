"""
Chaplygin's sleigh
==================

A body on one blade that cannot slip sideways. Whatever spin it starts with, it ends gliding straight ahead; energy is
conserved all the time.
"""

import matplotlib.pyplot as plt

import redyn

sleigh = redyn.load("chaplygin-sleigh")
fig, (left, right) = plt.subplots(1, 2, figsize=(9.6, 4.2))
for spin in (1.0, 2.5, 4.0):
    run = redyn.simulate(sleigh, sleigh.neutral(), [-1.0, spin], 8.0)  # ahead, turning: blade first
    left.plot(*run.q[:, :2].T, label=f"{spin:.1f} rad/s")
    right.plot(run.t, run.qd[:, 1])
left.set(xlabel="x (m)", ylabel="y (m)", aspect="equal", title="Track of the blade")
left.legend(title="spin at the start")
right.set(xlabel="time (s)", ylabel="spin (rad/s)", title="The spin ends by itself")
plt.show()
