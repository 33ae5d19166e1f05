"""What algorithms need: links in tree order, fixed joints lumped, constants in well-chosen axes."""

from redyn.model import configuration
from redyn.model.build import build
from redyn.model.coupling import Coupling
from redyn.model.model import POSE, QUATERNION, Frame, Joint, JointKind, Link, Model, places
from redyn.model.regroup import regrouped

__all__ = [
    "POSE",
    "QUATERNION",
    "Coupling",
    "Frame",
    "Joint",
    "JointKind",
    "Link",
    "Model",
    "build",
    "configuration",
    "places",
    "regrouped",
]
