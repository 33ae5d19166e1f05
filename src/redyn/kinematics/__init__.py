"""Where links are: the bodies they are drawn as, and the room between them."""

from redyn.kinematics.clearance import Clearance, clearance, segment_distance
from redyn.kinematics.shape import Capsule, capsules, link_poses, place, travel

__all__ = ["Capsule", "Clearance", "capsules", "clearance", "link_poses", "place", "segment_distance", "travel"]
