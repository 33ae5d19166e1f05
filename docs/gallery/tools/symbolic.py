"""
Equations of motion in symbols
==============================

The recursions run over symbols: the mass matrix, the matrix C and the gravity terms of the two-link arm, as Example
9.3 of the book has them.
"""

import matplotlib.pyplot as plt

import redyn

eqs = redyn.derive("two-link")
print(eqs.check())
rows = [f"$I_{{{i}{j}}} = {eqs.latex('mass_matrix', i, j)}$" for i, j in ((1, 1), (1, 2), (2, 2))]
rows += [f"$c_{{{i}{j}}} = {eqs.latex('coriolis_matrix', i, j)}$" for i in (1, 2) for j in (1, 2)]
rows += [rf"$\gamma_{i} = {eqs.latex('gravity_torque', i)}$" for i in (1, 2)]

fig, ax = plt.subplots(figsize=(7.2, 4.6))
ax.axis("off")
for k, row in enumerate(rows):
    ax.text(0.02, 0.95 - 0.115 * k, row.replace(r"\left", "").replace(r"\right", ""), fontsize=13)
plt.show()
