"""
A motion made better by JAX gradients
=====================================

Bends of a motion that make its torques least, found by gradient descent through redyn's kernels inside ``jax.jit``.
"""

import jax
import jax.numpy as jnp
import matplotlib.pyplot as plt

import redyn

jax.config.update("jax_enable_x64", True)
robot = redyn.load("kuka-kr5")
f = redyn.jax.functions(robot)
start, goal, t = jnp.zeros(6), jnp.array([1.2, 0.8, -0.6, 0.5, 0.9, 0.3]), jnp.linspace(0, 1, 101)


def path(c, s):  # at rest at both ends, whatever c is
    bends = (s * (1 - s)) ** 3 * jnp.stack([1.0, s, s**2, s**3])
    return start + s**3 * (10 - 15 * s + 6 * s**2) * (goal - start) + 64 * bends @ c


def torques(c):
    q = lambda s: path(c, s)  # noqa: E731
    qd = lambda s: jax.jvp(q, (s,), (1.0,))[1]  # noqa: E731
    qdd = lambda s: jax.jvp(qd, (s,), (1.0,))[1]  # noqa: E731
    return jax.vmap(lambda s: f.inverse_dynamics(q(s), qd(s), qdd(s)))(t)


cost = jax.jit(lambda c: jnp.mean(torques(c) ** 2))
slope = jax.jit(jax.grad(cost))
c, step, costs = jnp.zeros((4, 6)), 1e-3, []
for _ in range(200):
    new = c - step * slope(c)
    c, step = (new, 1.2 * step) if cost(new) < cost(c) else (c, 0.5 * step)
    costs.append(cost(c) ** 0.5)

fig, (left, right) = plt.subplots(1, 2, figsize=(9.6, 4.0))
left.plot(costs)
left.set(xlabel="step of the descent", ylabel="root mean square of all torques (Nm)")
for name, values, line in (("before", torques(jnp.zeros((4, 6))), "--"), ("after", torques(c), "-")):
    for k in range(3):
        right.plot(t, values[:, k], line, color=f"C{k}", label=f"{robot.joint_names[k]}, {name}")
right.set(xlabel="time (s)", ylabel="torque (Nm)")
right.legend(fontsize=8, ncols=2, loc="upper center", bbox_to_anchor=(0.5, -0.15))
plt.show()
