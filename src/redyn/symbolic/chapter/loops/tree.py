"""The equations of motion of the spanning tree where its joints have no symbols."""

from __future__ import annotations

from redyn.symbolic.chapter.blocks import Chapter, Equation, Heading, Text
from redyn.symbolic.chapter.loops.setting import LoopSetting
from redyn.symbolic.chapter.loops.terms import tree_terms
from redyn.words import counted


def tree(chapter: Chapter, at: LoopSetting) -> None:
    if at.eqs is not None:
        return
    weight = ", $\\g{gamma}$ what holds the weights (9.21b)" if at.robot.gravity.any() else ""
    chapter.add(
        Heading("The equations of motion of the tree"),
        Text(
            f"The spanning tree has {counted(at.robot.dof, 'rate')}, $\\dot{{\\g{{theta}}}}$: one per joint that turns "
            "or slides, two per universal joint, and three per ball joint, the components of an angular velocity in "
            "the axes of its link. A joint with several rates is a row of joints with one each, with no mass between "
            "them. In the twists of all links the rates are $\\b{t} = \\b{N}_l\\b{N}_d\\dot{\\g{theta}}$ (9.6a), and "
            "multiplying the equations of the free links by $\\b{N}^T$ leaves"
        ),
        Equation((rf"{tree_terms(at)} = \g{{tau}}",), "(9.42a)"),
        Text(
            "with the inertia matrix $\\b{I} = \\b{N}^T\\b{M}\\b{N}$ (9.11a), the convective terms $\\b{h} = "
            f"\\b{{C}}\\dot{{\\g{{theta}}}}$ (9.17){weight} and the torques $\\g{{tau}}$ of all joints. Its closed "
            "form would fill many pages; the recursions (9.32), (9.33) give its value at any state."
        ),
    )
