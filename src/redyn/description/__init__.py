"""Robot descriptions: files, the built-in library, random chains."""

from redyn.description.chain import random_chain
from redyn.description.checks import check_physical, unphysical_links
from redyn.description.entries import Entry, gallery
from redyn.description.read import Source, Trust, library, read
from redyn.description.schema import JointDescription, LinkDescription, LoopDescription, RobotDescription
from redyn.description.yaml_file import from_mapping, to_data, to_yaml

__all__ = [
    "Entry",
    "JointDescription",
    "LinkDescription",
    "LoopDescription",
    "RobotDescription",
    "Source",
    "Trust",
    "check_physical",
    "from_mapping",
    "gallery",
    "library",
    "random_chain",
    "read",
    "to_data",
    "to_yaml",
    "unphysical_links",
]
