"""A sound robot, and faults that are put into its file one at a time."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple


class Fault(NamedTuple):
    """A change of the text of ARM, and the finding that it must give."""

    change: Callable[[str], str]
    code: str
    name: str  # of the link or joint; empty for the robot
    error: bool  # whether the finding is an error


def box(mass, x, y, z):
    """The moments of a solid box."""
    return tuple(mass / 12 * s for s in (y * y + z * z, x * x + z * z, x * x + y * y))


def link(name, mass, size, com, tensor=None):
    xx, yy, zz = tensor or box(mass, *size)
    centre = " ".join(f"{c:g}" for c in com)
    sides = " ".join(f"{s:g}" for s in size)
    return f"""  <link name="{name}">
    <inertial>
      <origin xyz="{centre}" rpy="0 0 0"/>
      <mass value="{mass:g}"/>
      <inertia ixx="{xx:.6g}" ixy="0" ixz="0" iyy="{yy:.6g}" iyz="0" izz="{zz:.6g}"/>
    </inertial>
    <visual>
      <origin xyz="{centre}"/>
      <geometry><box size="{sides}"/></geometry>
    </visual>
  </link>
"""


def joint(name, parent, child, xyz, axis="0 1 0", kind="revolute", more=""):
    return f"""  <joint name="{name}" type="{kind}">
    <parent link="{parent}"/>
    <child link="{child}"/>
    <origin xyz="{xyz}" rpy="0 0 0"/>
    <axis xyz="{axis}"/>
    <limit lower="-1.5" upper="2" effort="40" velocity="3"/>{more}
  </joint>
"""


ARM = "".join(
    [
        '<robot name="arm">\n',
        '  <link name="base"/>\n',
        link("column", 8, (0.15, 0.12, 0.4), (0, 0, 0.2)),
        link("upper", 4, (0.08, 0.1, 0.5), (0, 0, 0.25)),
        link("fore", 2.5, (0.4, 0.06, 0.08), (0.2, 0, 0)),
        link("left_finger", 0.2, (0.1, 0.02, 0.03), (0.05, 0.02, 0)),
        link("right_finger", 0.2, (0.1, 0.02, 0.03), (0.05, -0.02, 0)),
        joint("turn", "base", "column", "0 0 0", "0 0 1"),
        joint("shoulder", "column", "upper", "0 0 0.4"),
        joint("elbow", "upper", "fore", "0 0 0.5"),
        joint("left_slide", "fore", "left_finger", "0.4 0.02 0", "0 1 0"),
        joint("right_slide", "fore", "right_finger", "0.4 -0.02 0", "0 -1 0", more='<mimic joint="left_slide"/>'),
        "</robot>\n",
    ]
)


def swap(old, new, count=1):
    def change(text):
        assert old in text, old
        return text.replace(old, new, count)

    return change


def in_link(name, pattern, new):
    """A replacement within one link."""

    def change(text):
        start = text.index(f'<link name="{name}">')
        end = text.index("</link>", start)
        part, made = re.subn(pattern, new, text[start:end], count=1)
        assert made
        return text[:start] + part + text[end:]

    return change


def in_joint(name, pattern, new):
    def change(text):
        start = text.index(f'<joint name="{name}"')
        end = text.index("</joint>", start)
        part, made = re.subn(pattern, new, text[start:end], count=1)
        assert made
        return text[:start] + part + text[end:]

    return change


def every_inertia(text):
    return re.sub(r"<inertia .*?/>", '<inertia ixx="0.001" ixy="0" ixz="0" iyy="0.001" iyz="0" izz="0.001"/>', text)


def times(name, factor):
    """The inertia of a link in another unit."""

    def change(text):
        def larger(match):
            return f'{match[1]}="{float(match[2]) * factor:.9g}"'

        start = text.index(f'<link name="{name}">')
        end = text.index("</link>", start)
        return text[:start] + re.sub(r'(i[xyz][xyz])="([^"]+)"', larger, text[start:end]) + text[end:]

    return change


def tensor(xx, yy, zz, xy=0, xz=0, yz=0):
    return f'<inertia ixx="{xx}" ixy="{xy}" ixz="{xz}" iyy="{yy}" iyz="{yz}" izz="{zz}"/>'


INERTIA = r"<inertia .*?/>"
FAULTS = {
    "negative mass": Fault(in_link("upper", 'mass value="4"', 'mass value="-4"'), "mass-negative", "upper", True),
    "zero mass": Fault(in_link("upper", 'mass value="4"', 'mass value="0"'), "mass-zero", "upper", True),
    "mass that is no number": Fault(in_link("upper", 'value="4"', 'value="nan"'), "not-a-number", "upper", True),
    "no mass": Fault(in_link("upper", '<mass value="4"/>', ""), "missing-value", "upper", True),
    "mass in grams": Fault(in_link("upper", 'value="4"', 'value="4000"'), "density-high", "upper", True),
    "mass in tonnes": Fault(in_link("column", 'value="8"', 'value="0.008"'), "density-low", "column", False),
    "no inertia": Fault(in_link("fore", INERTIA, ""), "missing-value", "fore", True),
    "zero inertia": Fault(in_link("fore", INERTIA, tensor(0, 0, 0)), "inertia-zero", "fore", False),
    "negative moment": Fault(in_link("fore", 'ixx="', 'ixx="-'), "inertia-negative", "fore", True),
    "not positive": Fault(in_link("fore", 'ixy="0"', 'ixy="0.5"'), "inertia-negative", "fore", True),
    "triangle": Fault(in_link("fore", INERTIA, tensor(0.01, 0.01, 0.05)), "inertia-triangle", "fore", True),
    "inertia in kg mm^2": Fault(times("fore", 1e6), "inertia-large", "fore", True),
    "inertia in g m^2": Fault(times("fore", 1e3), "inertia-large", "fore", False),
    "inertia too small": Fault(times("fore", 1e-3), "inertia-small", "fore", False),
    "placeholder 1": Fault(in_link("fore", INERTIA, tensor(1, 1, 1)), "inertia-placeholder", "fore", False),
    "same inertia everywhere": Fault(every_inertia, "inertia-placeholder", "upper", False),
    "axes exchanged": Fault(
        in_link("fore", INERTIA, tensor(*(f"{x:.6g}" for x in box(2.5, 0.08, 0.06, 0.4)))),
        "inertia-axes",
        "fore",
        False,
    ),
    "inertia about the origin": Fault(
        in_link("fore", INERTIA, tensor(0.00208, 0.1347, 0.1341)), "inertia-origin", "fore", False
    ),
    "mass centre outside": Fault(in_link("fore", 'xyz="0.2 0 0"', 'xyz="0 0.3 0"'), "com-outside", "fore", False),
    "mass centre in the world": Fault(
        in_link("fore", 'xyz="0.2 0 0"', 'xyz="0.2 0 0.9"'), "com-outside", "fore", False
    ),
    "mass centre in millimetres": Fault(in_link("fore", 'xyz="0.2 0 0"', 'xyz="200 0 0"'), "com-outside", "fore", True),
    "massless tip": Fault(
        in_link("left_finger", r"<inertial>[\s\S]*</inertial>", ""), "massless-tip", "left_finger", True
    ),
    "massless link": Fault(in_link("upper", r"<inertial>[\s\S]*</inertial>", ""), "massless-link", "upper", False),
    "mass ratio": Fault(in_link("fore", 'value="2.5"', 'value="0.0001"'), "mass-ratio", "fore", False),
    "left and right": Fault(in_link("right_finger", 'value="0.2"', 'value="0.3"'), "asymmetry", "right_finger", False),
    "limits exchanged": Fault(
        in_joint("elbow", 'lower="-1.5" upper="2"', 'lower="2" upper="-1.5"'), "limit-swapped", "elbow", True
    ),
    "limits in degrees": Fault(
        in_joint("elbow", 'lower="-1.5" upper="2"', 'lower="-90" upper="120"'), "limit-degrees", "elbow", False
    ),
    "limits in degrees with digits": Fault(
        in_joint("elbow", 'lower="-1.5" upper="2"', 'lower="-165.0118" upper="165.0118"'),
        "limit-degrees",
        "elbow",
        False,
    ),
    "limits equal": Fault(
        in_joint("elbow", 'lower="-1.5" upper="2"', 'lower="0" upper="0"'), "limit-range", "elbow", False
    ),
    "no limits": Fault(in_joint("elbow", "<limit .*?/>", ""), "limit-missing", "elbow", True),
    "no effort": Fault(in_joint("elbow", 'effort="40"', 'effort="0"'), "limit-effort", "elbow", False),
    "no velocity": Fault(in_joint("elbow", 'velocity="3"', 'velocity="0"'), "limit-effort", "elbow", False),
    "continuous with limits": Fault(in_joint("elbow", "revolute", "continuous"), "limit-continuous", "elbow", False),
    "limit that is no number": Fault(in_joint("elbow", 'upper="2"', 'upper="two"'), "not-a-number", "elbow", True),
    "axis zero": Fault(in_joint("elbow", 'xyz="0 1 0"', 'xyz="0 0 0"'), "axis-zero", "elbow", True),
    "axis not unit": Fault(in_joint("elbow", 'xyz="0 1 0"', 'xyz="0 2 0"'), "axis-not-unit", "elbow", False),
    "no axis": Fault(in_joint("elbow", "<axis .*?/>", ""), "axis-missing", "elbow", False),
    "angle in degrees": Fault(in_joint("elbow", 'rpy="0 0 0"', 'rpy="0 90 0"'), "angle-degrees", "elbow", False),
    "joint far away": Fault(in_joint("elbow", 'xyz="0 0 0.5"', 'xyz="0 0 500"'), "joint-far", "elbow", False),
    "unknown type": Fault(in_joint("elbow", "revolute", "hinge"), "joint-type", "elbow", True),
    "parent missing": Fault(in_joint("elbow", 'parent link="upper"', 'parent link="uper"'), "joint-end", "elbow", True),
    "no child": Fault(in_joint("elbow", "<child .*?/>", ""), "joint-end", "elbow", True),
    "joint to itself": Fault(in_joint("elbow", 'child link="fore"', 'child link="upper"'), "joint-self", "elbow", True),
    "two parents": Fault(in_joint("elbow", 'child link="fore"', 'child link="column"'), "two-parents", "elbow", True),
    "cycle": Fault(in_joint("turn", 'parent link="base"', 'parent link="fore"'), "cycle", "elbow", True),
    "unreachable": Fault(swap("</robot>", '<link name="lost"/></robot>'), "unreachable", "lost", True),
    "duplicate link": Fault(swap('<link name="fore">', '<link name="upper">'), "duplicate-name", "upper", True),
    "duplicate joint": Fault(swap('<joint name="elbow"', '<joint name="turn"'), "duplicate-name", "turn", True),
    "mimic of nothing": Fault(
        swap('mimic joint="left_slide"', 'mimic joint="lft_slide"'), "mimic", "right_slide", True
    ),
    "mimic of itself": Fault(
        swap('mimic joint="left_slide"', 'mimic joint="right_slide"'), "mimic", "right_slide", True
    ),
    "negative damping": Fault(
        in_joint("elbow", "<limit", '<dynamics damping="-1"/><limit'), "damping-negative", "elbow", True
    ),
    "missing mesh": Fault(
        in_link("fore", "<box .*?/>", '<mesh filename="meshes/fore.stl"/>'), "mesh-missing", "fore", True
    ),
    "no mass at all": Fault(lambda text: re.sub(r"<inertial>[\s\S]*?</inertial>", "", text), "no-mass", "", True),
    "broken XML": Fault(swap("</robot>", ""), "not-read", "", True),
    "unknown word": Fault(in_link("fore", "<inertial>", "<inertial><masss/>"), "file-note", "", False),
}
