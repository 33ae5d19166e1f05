"""Where links are: the bodies they are drawn as, the room between them, and the joint values that take them there."""

from redyn.kinematics.clearance import Clearance, clearance, segment_distance
from redyn.kinematics.dh import DHTable, dh_parameters
from redyn.kinematics.inverse import Solution, Solutions, inverse_kinematics, inverse_kinematics_batch
from redyn.kinematics.shape import Capsule, capsules, link_poses, place, travel

__all__ = [
    "Capsule",
    "Clearance",
    "DHTable",
    "Solution",
    "Solutions",
    "capsules",
    "clearance",
    "dh_parameters",
    "inverse_kinematics",
    "inverse_kinematics_batch",
    "link_poses",
    "place",
    "segment_distance",
    "travel",
]
