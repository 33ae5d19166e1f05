"""Kinematics beyond single recursions: inverse kinematics, clearance, link shapes, DH tables, free-flying robots."""

from redyn.kinematics.all_solutions import AllSolutions, inverse_kinematics_all
from redyn.kinematics.clearance import Clearance, clearance, segment_distance
from redyn.kinematics.dh import DHTable, dh_parameters
from redyn.kinematics.free_flying import base_velocity, generalized_jacobian
from redyn.kinematics.inverse import Solution, Solutions, inverse_kinematics, inverse_kinematics_batch
from redyn.kinematics.manipulability import Ellipsoid, Manipulability, manipulability
from redyn.kinematics.shape import Capsule, capsules, link_poses, place, travel
from redyn.kinematics.workspace import Workspace, section, workspace

__all__ = [
    "AllSolutions",
    "Capsule",
    "Clearance",
    "DHTable",
    "Ellipsoid",
    "Manipulability",
    "Solution",
    "Solutions",
    "Workspace",
    "base_velocity",
    "capsules",
    "clearance",
    "dh_parameters",
    "generalized_jacobian",
    "inverse_kinematics",
    "inverse_kinematics_all",
    "inverse_kinematics_batch",
    "link_poses",
    "manipulability",
    "place",
    "section",
    "segment_distance",
    "travel",
    "workspace",
]
