"""
A biped that walks
==================

A biped takes two steps on flat feet, by computed torque of its joints; nothing drives its base. The force under each
foot, and the centre of pressure between the footprints.
"""

import matplotlib.pyplot as plt
import numpy as np

import redyn

robot = redyn.load("biped")
gait = {"period": 1.6, "duty": 0.65, "stride": 0.4, "lift": 0.05, "order": ["right-foot", "left-foot"]}
motion = redyn.trajectory.walk(robot, gait, strides=1, margin=1.0)
law = redyn.control.legged(robot, motion, kp=400, kd=40)
run = redyn.simulate(robot, *motion(0.0)[:2], motion.duration, law, ground=True, rtol=1e-4, sample=0.02)

contacts = run.ground_contacts
left_foot = np.array([name.startswith("left") for name in contacts.names])
fig, (above, below) = plt.subplots(2, 1, figsize=(7.6, 5.6))
for which, name in ((left_foot, "left foot"), (~left_foot, "right foot")):
    above.plot(run.t, contacts.normal_forces[:, which].sum(axis=1), label=name)
    standing = contacts.normal_forces[:, which] > 5
    below.plot(*contacts.points[:, which][standing][:, :2].T, ".", markersize=3)
above.set(xlabel="time (s)", ylabel="force (N)", title="Forces under the feet")
above.legend()
below.plot(*contacts.centre_of_pressure[:, :2].T, "k", linewidth=1, label="centre of pressure")
below.set(xlabel="x (m)", ylabel="y (m)", aspect="equal", title="Corners of the feet on the ground")
below.legend(loc="upper left", bbox_to_anchor=(1, 1), fontsize=8)
plt.show()
