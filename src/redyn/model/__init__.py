"""What algorithms need: links in tree order, fixed joints lumped, constants in well-chosen axes."""

from redyn.model import configuration
from redyn.model.build import build
from redyn.model.coupling import Coupling, Tie
from redyn.model.joint import POSE_SIZE, QUATERNION_SIZE, Joint, JointKind
from redyn.model.model import Frame, Link, Model, Variable
from redyn.model.reduction import RateMap, Reduction
from redyn.model.regroup import regrouped

__all__ = [
    "POSE_SIZE",
    "QUATERNION_SIZE",
    "Coupling",
    "Frame",
    "Joint",
    "JointKind",
    "Link",
    "Model",
    "RateMap",
    "Reduction",
    "Tie",
    "Variable",
    "build",
    "configuration",
    "regrouped",
]
