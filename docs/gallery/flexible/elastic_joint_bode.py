"""
Bode plot of an elastic gear
============================

From the torque of the first motor to the tip of an arm with elastic gears: resonances near 10 and 18 Hz, where motors
and links swing against each other. The same arm with rigid gears has only that of a pendulum, at 0.5 Hz.
"""

import matplotlib.pyplot as plt
import numpy as np

import redyn

robot = redyn.load("elastic-joint-arm")
rigid = robot.rigid()
hertz = np.geomspace(0.3, 60, 500)

elastic = robot.frequency_response(
    robot.sag(robot.initial), "joint1", direction=[1, 0, 0], frequencies=2 * np.pi * hertz
)
plain = rigid.frequency_response(rigid.initial, "joint1", direction=[1, 0, 0], frequencies=2 * np.pi * hertz)

fig, (above, below) = plt.subplots(2, 1, sharex=True, figsize=(7.2, 5.2))
for response, name in ((elastic, "elastic gears"), (plain, "rigid gears")):
    above.semilogx(hertz, response.magnitude, label=name)
    below.semilogx(hertz, response.phase)
above.set(ylabel="magnitude (dB)", title="From the torque of joint 1 to the tip")
above.legend()
below.set(xlabel="frequency (Hz)", ylabel="phase (deg)")
plt.show()
