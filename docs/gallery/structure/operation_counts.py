"""
Operations per joint
====================

Multiplications and additions of inverse and forward dynamics for general chains of 2 to 20 links. Both recursions
grow linearly; the mass matrix with n², and solving with it with n³.
"""

import matplotlib.pyplot as plt
import numpy as np

import redyn

sizes = np.array([2, 4, 6, 8, 10, 14, 20])
robots = [redyn.chain(int(n)) for n in sizes]
counts = {
    name: np.array([sum(robot.operation_count(name)) for robot in robots])
    for name in ("inverse_dynamics", "forward_dynamics", "mass_matrix")
}
cholesky = counts["mass_matrix"] + counts["inverse_dynamics"] + sizes**3 / 3 + 2 * sizes**2

fig, ax = plt.subplots()
for name, values in counts.items():
    ax.plot(sizes, values, "o-", label=name)
ax.plot(sizes, cholesky, "k:", label="forward dynamics through the mass matrix")
ax.set(xlabel="joints", ylabel="multiplications and additions", title="General chains of revolute joints", xticks=sizes)
ax.legend()
plt.show()
