"""What the sections on loops follow."""

from __future__ import annotations

from redyn.symbolic.chapter.blocks import Chapter, Heading, Text
from redyn.symbolic.chapter.loops.setting import LoopSetting

SAHA, CHAUDHARY, KHAN = "[1]", "[2]", "[3]"
_REFERENCES = (
    "[1] S. K. Saha and W. O. Schiehlen: Recursive kinematics and dynamics for parallel structured closed-loop "
    "multibody systems. Mechanics of Structures and Machines 29(2), 2001, 143-175. The minimal equations of closed "
    "loops by the natural orthogonal complement; its examples are a slider-crank, a four-bar linkage and a five-bar "
    "robot.",
    "[2] H. Chaudhary and S. K. Saha: Constraint wrench formulation for closed-loop systems using two-level "
    "recursions. ASME Journal of Mechanical Design 129(12), 2007, 1234-1242. Cut joints, and multipliers as wrenches "
    "on a spanning tree.",
    "[3] W. A. Khan, V. N. Krovi, S. K. Saha and J. Angeles: Recursive kinematics and inverse dynamics for a planar 3R "
    "parallel manipulator. ASME Journal of Dynamic Systems, Measurement, and Control 127(4), 2005, 529-536.",
)


def references(chapter: Chapter, at: LoopSetting) -> None:
    chapter.add(
        Heading("References"),
        Text(
            "Numbers such as (9.15b) are those of S. K. Saha's chapter on recursive robot dynamics, which treats open "
            "chains. For closed loops it points to [1], to [3] and to Chaudhary and Saha, whose method is in [2]."
        ),
        *(Text(reference) for reference in _REFERENCES),
    )
