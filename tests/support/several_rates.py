"""Robots with joints of several degrees of freedom."""

import numpy as np

import redyn

BOX = {"xx": 0.4, "yy": 0.5, "zz": 0.6}
ROD = {"xx": 0.02, "yy": 0.1, "zz": 0.11}


def _robot(name, gravity, *links):
    return {"name": name, "convention": "frames", "gravity": gravity, "links": list(links)}


def _link(name, kind, mass, com, inertia, **more):
    return {"name": name, "joint": {"type": kind, "name": f"{name}-joint"}, "mass": mass, "com": com} | {
        "inertia": inertia,
        **more,
    }


DOWN, NONE = [0, 0, -9.81], [0, 0, 0]
DESCRIPTIONS = {
    # The coordinates of the slides' example: x, y, phi of a cart, and theta of the arm on it.
    "mobile-arm": _robot(
        "mobile-arm",
        DOWN,
        _link("cart", "planar", 10.0, [0.05, 0, 0.1], BOX),
        _link("arm", "revolute", 2.0, [0.4, 0, 0], ROD, xyz=[0.3, 0, 0.2], axis=[0, 0, 1]),
        {"name": "tip", "joint": {"type": "fixed"}, "xyz": [0.8, 0, 0]},
    ),
    "spherical-pendulum": _robot(
        "spherical-pendulum",
        DOWN,
        _link("bob", "spherical", 2.0, [0, 0, -0.5], {"xx": 0.1, "yy": 0.1, "zz": 0.02}),
    ),
    "free-body": _robot(
        "free-body", DOWN, _link("body", "free", 3.0, [0.1, -0.2, 0.05], BOX | {"xy": 0.02, "xz": -0.01})
    ),
    "arm-on-a-free-body": _robot(
        "arm-on-a-free-body",
        NONE,
        _link("body", "free", 10.0, [0, 0, 0], BOX),
        _link("arm", "revolute", 2.0, [0.4, 0, 0], ROD, xyz=[0.3, 0, 0.2], axis=[0, 1, 0]),
    ),
    "one-of-each": _robot(
        "one-of-each",
        DOWN,
        _link("upper", "revolute", 2.0, [0.1, 0, -0.5], ROD, axis=[0, 1, 0]),
        _link("ball", "spherical", 2.0, [0, 0.1, -0.5], ROD, xyz=[0.1, 0.2, -0.5], rpy=[0.3, 0, 0]),
        _link("fork", "universal", 1.0, [0, 0.1, -0.5], ROD, xyz=[0, 0, -0.6], axis=[0, 1, 0], axis2=[1, 0, 0]),
        _link("drill", "cylindrical", 1.0, [0, 0.1, -0.5], ROD, xyz=[0, 0, -0.6]),
    ),
}


def several(name):
    return redyn.load(DESCRIPTIONS[name])


def random_motion(robot, rng):
    """q with unit quaternions, qd and qdd."""
    q = rng.uniform(-1, 1, robot.nq)
    for start in robot.model.quaternions:
        q[start : start + 4] /= np.linalg.norm(q[start : start + 4])
    return q, *rng.uniform(-1, 1, (2, robot.dof))
