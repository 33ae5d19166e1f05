"""
Histograms of a sweep
=====================

Four thousand UR5e robots with other masses and goals: their largest torques along a motion. A sweep may run on many
cores or a cluster and is never lost.
"""

import tempfile

import matplotlib.pyplot as plt

import redyn
from redyn.sweep import Normal, Uniform

robot = redyn.load("ur5e")
plan = {
    "robot": robot,
    "samples": 4000,
    "vary": {"*.mass": Normal(1, 0.05, relative="factor"), "stop": Uniform(-1.5, 1.5), "payload.m": Uniform(0, 5)},
    "run": {"inverse": {"stop": 0, "duration": 1.0}},
    "outputs": ["peak_torque"],
}
frame = redyn.sweep.run(plan, tempfile.mkdtemp()).to_pandas()
peaks = frame.filter(like="peak_torque")

fig, axes = plt.subplots(1, 3, figsize=(9.6, 3.6), sharey=True)
for ax, name, link in zip(axes, peaks.columns, robot.description.links, strict=False):
    limit = link.joint.effort_limit
    ax.hist(peaks[name], bins=50, color="C0")
    ax.axvline(limit, color="C1", label=f"its limit, {limit:.0f} Nm")
    above = (peaks[name] > limit).mean()
    ax.set(xlabel="largest torque (Nm)", title=f"{name.split('.')[-1]}: {above:.0%} above")
axes[0].set_ylabel("robots")
axes[0].legend()
plt.show()
