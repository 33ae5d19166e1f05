"""Single rigid bodies on a free joint, to be thrown on the ground."""

import numpy as np

import redyn


def body(mass, inertia, contacts, **fields):
    """A free body whose mass centre is its origin."""
    link = {"name": "body", "joint": "free", "mass": mass, "com": [0, 0, 0], "inertia": list(inertia)}
    contacts = [{"link": "body"} | contact for contact in contacts]
    return redyn.load({"name": "body", "convention": "frames", "links": [link], "contacts": contacts, **fields})


def block(sides=(0.2, 0.15, 0.1), mass=3.0, **fields):
    a, b, c = sides
    inertia = mass / 12 * np.array([b * b + c * c, a * a + c * c, a * a + b * b])
    return body(mass, inertia, [{"box": list(sides)}], **fields)


def ball(mass=2.0, radius=0.1, **fields):
    return body(mass, [0.4 * mass * radius**2] * 3, [{"radius": radius}], **fields)


def point(mass=2.0, **fields):
    """A body that touches the ground at its mass centre, so that nothing turns it."""
    return body(mass, [0.01] * 3, [{}], **fields)


def at(x=0.0, y=0.0, z=0.0):
    return np.array([x, y, z, 0.0, 0.0, 0.0, 1.0])


def moving(x=0.0, y=0.0, z=0.0):
    return np.array([0.0, 0.0, 0.0, x, y, z])
