"""What the panels show of robots whose links bend or whose gears give."""

from __future__ import annotations

from redyn.kinematics.shape import BENDS, bodies
from redyn.robot import Robot

# Plots, which other robots do not have: keys are those of work.BENDING.
BENDING = [
    {"id": "tips", "title": "Tip deflection", "optional": True},
    {"id": "tip-twist", "title": "Tip twist", "optional": True},
    {"id": "modes", "title": "Elastic coordinates", "optional": True},
    {"id": "torsion", "title": "Elastic coordinates of torsion", "optional": True},
    {"id": "twist", "title": "Twist of gears", "optional": True},
    {"id": "give", "title": "Give of gears", "optional": True},
]


def reaction_names(robot: Robot) -> list[str]:
    """What each wrench of `joint_wrenches` acts at: joints, and the tips of flexible links.

    >>> import redyn
    >>> reaction_names(redyn.load("flexible-two-link"))
    ['joint1', 'tip of link1', 'joint2', 'tip of link2']
    """
    return [f"tip of {body.link.joint.name}" if body.kind == BENDS else body.link.joint.name for body in bodies(robot)]
