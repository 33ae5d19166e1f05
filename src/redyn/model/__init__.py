"""What algorithms need: links in tree order, fixed joints lumped, constants in well-chosen axes."""

from redyn.model.build import build
from redyn.model.model import Frame, Joint, JointKind, Link, Model
from redyn.model.regroup import regrouped

__all__ = ["Frame", "Joint", "JointKind", "Link", "Model", "build", "regrouped"]
