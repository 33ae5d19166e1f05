"""
Spin-up of a beam, with and without foreshortening
==================================================

Simo and Vu-Quoc's beam of 10 m is spun up to 6 rad/s in 15 s. A bent beam is shorter: with that term its rotation
stiffens it, and the tip lags, comes back and vibrates. Without it, the rotation seems to soften the beam until it
flies apart.
"""

import matplotlib.pyplot as plt
import numpy as np
import yaml

import redyn

robot = redyn.load("spin-up")
data = yaml.safe_load(robot.to_yaml())
data["links"][0]["flexible"]["stiffening"] = False


def spin(t, speed=6.0, T=15.0):
    """Angle, rate and acceleration of the hub."""
    if t >= T:
        return np.array([speed * (t - T / 2)]), np.array([speed]), np.zeros(1)
    turn = 2 * np.pi * t / T
    angle = speed / T * (t * t / 2 + (T / (2 * np.pi)) ** 2 * (np.cos(turn) - 1))
    rates = speed / T * (t - T / (2 * np.pi) * np.sin(turn)), speed / T * (1 - np.cos(turn))
    return tuple(np.array([x]) for x in (angle, *rates))


fig, ax = plt.subplots()
for beam, duration, name in ((robot, 20.0, "with foreshortening"), (redyn.load(data), 7.8, "without")):
    law = redyn.control.computed_torque(beam, spin, 0.0, 0.0)
    run = redyn.simulate(beam, np.zeros(4), np.zeros(4), duration, law, "rosenbrock", rtol=1e-6)
    tip = beam.forward_kinematics(run.q, "link1")[:, :2, 3]
    hub = run.q[:, 0]
    ax.plot(run.t, -np.sin(hub) * tip[:, 0] + np.cos(hub) * tip[:, 1], label=name)
ax.set(
    xlabel="time (s)", ylabel="tip beside the straight beam (m)", ylim=(-2.0, 0.5), title="Spun up to 6 rad/s in 15 s"
)
ax.legend()
plt.show()
