"""Transforms from description to description, so that the result can be saved and exported like any robot."""

from redyn.description.transforms.attach import attach, pose_matrix
from redyn.description.transforms.contacts import with_contacts
from redyn.description.transforms.floating import floating
from redyn.description.transforms.frames import as_frames
from redyn.description.transforms.lock import lock
from redyn.description.transforms.payload import with_payload
from redyn.description.transforms.points import with_points
from redyn.description.transforms.rigid import rigid
from redyn.description.transforms.subtree import subtree

__all__ = [
    "as_frames",
    "attach",
    "floating",
    "lock",
    "pose_matrix",
    "rigid",
    "subtree",
    "with_contacts",
    "with_payload",
    "with_points",
]
