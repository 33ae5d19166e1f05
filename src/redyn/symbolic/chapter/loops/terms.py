"""The terms of the tree's equations of motion that a robot has, as LaTeX."""

from __future__ import annotations

from redyn.symbolic.chapter.loops.setting import LoopSetting


def held(at: LoopSetting) -> list[str]:
    """Terms without accelerations, beside h."""
    links = at.robot.model.links
    weight = [r"\g{gamma}"] * bool(at.robot.gravity.any())
    springs = [r"\g{kappa}"] * any(link.joint.stiffness != 0.0 for link in links)
    friction = [r"\b{f}"] * any(link.joint.damping != 0.0 or link.joint.coulomb != 0.0 for link in links)
    return [*weight, *springs, *friction]


def tree_terms(at: LoopSetting) -> str:
    """What the torques of the tree are needed for."""
    return " + ".join([r"\b{I} \ddot{\g{theta}}", r"\b{h}", *held(at)])


def forces(at: LoopSetting) -> str:
    """The torques less all terms but those of the accelerations."""
    return " - ".join([r"\g{tau}", r"\b{h}", *held(at)])
