"""
A quadruped that crawls
=======================

The quadruped of ReDySim walks one foot at a time on firm ground: the force under each foot, and where the body goes.
"""

import matplotlib.pyplot as plt
import numpy as np

import redyn


robot = redyn.load("quadruped")
ground = {"law": "smooth", "slip": 0.01}
start = robot.initial.copy()
gait = {"period": 2.0, "duty": 0.8, "stride": 0.24, "lift": 0.06}
gait["order"] = ["left-hind-foot", "left-fore-foot", "right-hind-foot", "right-fore-foot"]
plt.show()
