"""What algorithms need: links in tree order, fixed joints lumped, constants in well-chosen axes."""

from redyn.model import configuration
from redyn.model.beam import Beam
from redyn.model.build import build
from redyn.model.coupling import Coupling, Tie
from redyn.model.free import Free
from redyn.model.freed import freed
from redyn.model.ground import ContactPoint, GroundForm
from redyn.model.joint import POSE_SIZE, QUATERNION_SIZE, Joint, JointKind
from redyn.model.loop import ACROSS, ALONG, GEAR, ROW_NAMES, Closure, Loop, LoopKind
from redyn.model.model import Frame, Link, Model, Variable
from redyn.model.reduction import RateMap, Reduction
from redyn.model.regroup import regrouped
from redyn.model.rolling import CONTACT_ROW_NAMES, Contact, Rolling

__all__ = [
    "ACROSS",
    "ALONG",
    "CONTACT_ROW_NAMES",
    "GEAR",
    "POSE_SIZE",
    "QUATERNION_SIZE",
    "ROW_NAMES",
    "Beam",
    "Closure",
    "Contact",
    "ContactPoint",
    "Coupling",
    "Frame",
    "Free",
    "GroundForm",
    "Joint",
    "JointKind",
    "Link",
    "Loop",
    "LoopKind",
    "Model",
    "RateMap",
    "Reduction",
    "Rolling",
    "Tie",
    "Variable",
    "build",
    "configuration",
    "freed",
    "regrouped",
]
