"""Robots that several tests use, and what loading a file gives."""

from functools import cache

import numpy as np
import pytest

import redyn
from redyn.description.packages import robots_folder

ARMS = {
    "panda": ("panda_description/urdf/panda.urdf", "panda_hand"),
    "ur5": ("ur_description/urdf/ur5_robot.urdf", "tool0"),
    "puma": ("puma", None),
    "kuka-kr5": ("kuka-kr5", None),
}


@cache
def arm(name):
    source, link = ARMS[name]
    if source.endswith(".urdf"):
        folder = robots_folder()
        if folder is None:
            pytest.skip("example-robot-data is not installed")
        source = folder / source
    robot = redyn.load(source)
    return robot, robot.frame_name(link)


def two_link(**joint):
    link = {"mass": 1.0, "inertia": [0.1, 0.1, 0.1], "com": [0.0, 0.0, 0.0], "a": 1.0, "b": 0.0, "alpha": 0.0}
    links = [link | {"name": f"link{i}", "joint": {"type": "revolute"} | joint} for i in (1, 2)]
    return redyn.load({"name": "arm", "convention": "dh", "links": links})


BODY = {"mass": 1.0, "inertia": [0.1, 0.1, 0.1], "com": [0.0, 0.0, 0.0]}


def dh_arm(rows, convention="dh", **joint):
    """Revolute joints from rows of (a, alpha, b); b is called d in modified DH."""
    along = "b" if convention == "dh" else "d"
    links = [
        BODY | {"name": f"link{i}", "joint": {"type": "revolute"} | joint, "a": a, "alpha": alpha, along: b}
        for i, (a, alpha, b) in enumerate(rows, start=1)
    ]
    return redyn.load({"name": "arm", "convention": convention, "links": links})


def axes_arm(points, directions, kinds=("revolute",) * 6):
    """Joints on given lines of the world at the zero configuration, and a tool at the end."""
    steps = np.diff(np.vstack([np.zeros(3), points]), axis=0)
    links = [
        BODY
        | {"name": f"link{i}", "joint": {"type": kind}, "xyz": xyz.tolist(), "rpy": [0, 0, 0], "axis": axis.tolist()}
        for i, (xyz, axis, kind) in enumerate(zip(steps, np.asarray(directions), kinds, strict=True), start=1)
    ]
    tool = BODY | {"name": "tool", "joint": {"type": "fixed"}, "xyz": [0.1, -0.05, 0.2], "rpy": [0.3, 0.2, 0.1]}
    return redyn.load({"name": "arm", "convention": "frames", "links": [*links, tool]})


def first_joints(name, count):
    description = redyn.load(name).description.model_dump(exclude_none=True)
    description["links"] = description["links"][:count]
    description["name"] = f"{name}-{count}"
    description.pop("end_effector", None)
    return redyn.load(description)


def three_rods(m, a):
    rods = [
        {
            "joint": "revolute",
            "a": x,
            "b": 0,
            "alpha": 0,
            "mass": y,
            "r": [x / 2, 0, 0],
            "inertia": [0, y * x * x / 12, y * x * x / 12],
        }
        for x, y in zip(a, m, strict=True)
    ]
    return redyn.load({"name": "rods", "convention": "dh", "gravity": [0, -9.81, 0], "links": rods})


def explicit_three_link(q, qd, m, a, g):
    """(9.42b-d), typed in from the page."""
    (m1, m2, m3), (a1, a2, a3) = m, a
    c2, c3, c23 = np.cos(q[1]), np.cos(q[2]), np.cos(q[1] + q[2])
    s2, s3, s23 = np.sin(q[1]), np.sin(q[2]), np.sin(q[1] + q[2])
    c1, c12, c123 = np.cos(q[0]), np.cos(q[0] + q[1]), np.cos(sum(q))
    w1, w2, w3 = qd
    w12, w123 = w1 + w2, w1 + w2 + w3
    i11 = (m1 * a1**2 + m2 * a2**2 + m3 * a3**2) / 3 + m2 * a1**2 + m3 * (a1**2 + a2**2)
    i11 += (m2 + 2 * m3) * a1 * a2 * c2 + m3 * a3 * (a2 * c3 + a1 * c23)
    i12 = (m2 * a2**2 + m3 * a3**2) / 3 + m3 * a2**2 + (m2 * a2 / 2 + m3 * a2) * a1 * c2
    i12 += m3 * a3 * (2 * a2 * c3 + a1 * c23) / 2
    i13 = m3 * a3**2 / 3 + m3 * a3 * (a2 * c3 + a1 * c23) / 2
    i22 = (m2 * a2**2 + m3 * a3**2) / 3 + m3 * (a2**2 + a2 * a3 * c3)
    i23, i33 = m3 * a3**2 / 3 + m3 * a2 * a3 * c3 / 2, m3 * a3**2 / 3
    k = m2 * a1 * a2 * s2 + m3 * (2 * a1 * a2 * s2 + a1 * a3 * s23)
    j = m3 * (a1 * a3 * s23 + a2 * a3 * s3)
    p = m3 * a2 * a3 * s3
    C = [
        [-(k * w2 + j * w3) / 2, -(k * w12 + j * w3) / 2, -j * w123 / 2],
        [(k * w1 - p * w3) / 2, -p * w3 / 2, -p * w123 / 2],
        [(j * w1 + p * w2) / 2, p * w12 / 2, 0.0],
    ]
    t3 = g / 2 * -m3 * a3 * c123
    t2 = g / 2 * (-m2 * a2 * c12 - 2 * m3 * (a2 * c12 + a3 * c123 / 2))
    t1 = g / 2 * (-m1 * a1 * c1 - 2 * m2 * (a1 * c1 + a2 * c12 / 2) - 2 * m3 * (a1 * c1 + a2 * c12 + a3 * c123 / 2))
    return np.array([[i11, i12, i13], [i12, i22, i23], [i13, i23, i33]]), np.array(C), np.array([t1, t2, t3])


def outcome(path):
    try:
        redyn.load(path)
    except redyn.RedynError as error:
        return str(error)
    return "a robot"
