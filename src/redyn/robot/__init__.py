"""The robot that users hold, and how they get one."""

from redyn.robot.free import FreeRobot, from_data
from redyn.robot.robot import ClosingOptions, External, Robot, TorqueParts, chain, load
from redyn.robot.sensitivity import PeakSensitivity, peak_sensitivity

__all__ = [
    "ClosingOptions",
    "External",
    "FreeRobot",
    "PeakSensitivity",
    "Robot",
    "TorqueParts",
    "chain",
    "from_data",
    "load",
    "peak_sensitivity",
]
