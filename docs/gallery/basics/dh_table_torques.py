"""
Torques from a DH table
=======================

Two rows of a textbook's DH table, a cycloidal motion, and the torques that it needs: Eqs. (9.32)-(9.36) of the book.
"""

import matplotlib.pyplot as plt
import numpy as np

import redyn

rod = {"joint": "revolute", "b": 0, "alpha": 0}
table = {
    "name": "my-arm",
    "convention": "dh",
    "gravity": [0, -9.81, 0],
    "links": [
        {**rod, "a": 0.3, "mass": 0.5, "r": [0.15, 0, 0], "inertia": {"yy": 0.00375, "zz": 0.00375}},
        {**rod, "a": 0.25, "mass": 0.4, "r": [0.125, 0, 0], "inertia": {"yy": 0.00208, "zz": 0.00208}},
    ],
}
robot = redyn.load(table)
motion = redyn.trajectory.cycloidal([0, 0], [np.pi, np.pi / 2], duration=10)

t = np.linspace(0, 10, 201)
tau = robot.inverse_dynamics(*motion(t))

fig, ax = plt.subplots()
ax.plot(t, tau, label=robot.joint_names)
ax.set(xlabel="time (s)", ylabel="torque (Nm)", title="Torques that move the arm from 0, 0 to 180°, 90°")
ax.legend()
plt.show()
