"""The industrial arms of the library: their reach is the published one, and their data say where they come from."""

from __future__ import annotations

import re

import numpy as np
import pytest
from scipy.optimize import minimize

from redyn.description import check_physical, gallery, read
from redyn.description.placement import placement

ARMS = [entry.name for entry in gallery("industrial") if entry.reach]
TOLERANCE = 0.005  # of the published reach, which is rounded to 1, 10 or 50 mm


def farthest(robot, start, end):
    """The largest distance of a frame's origin from the axis of a joint, within the limits of the joints."""
    rows = [(link, placement(link, robot.convention)) for link in robot.links]
    moving = [link.joint for link in robot.links if link.joint.type != "fixed"]
    limits = [joint.limits or (-np.pi, np.pi) for joint in moving]

    def distance(q):
        T, values = np.eye(4), iter(q)
        for link, placed in rows:
            if link.joint.name == start:
                point, axis = (T @ placed.before)[:3, 3], (T @ placed.before)[:3, 2]
            fixed = link.joint.type == "fixed"
            T = T @ (placed.before @ placed.after if fixed else placed.at(link.joint, next(values) + link.joint.offset))
            if link.name == end:
                break
        away = T[:3, 3] - point
        return -np.linalg.norm(away - axis * (axis @ away))

    low, high = np.array(limits).T
    guesses = np.random.default_rng(0).uniform(np.maximum(low, -np.pi), np.minimum(high, np.pi), (60, len(limits)))
    best = sorted(guesses, key=distance)[:3]
    return -min(minimize(distance, q, bounds=limits).fun for q in best)


@pytest.mark.parametrize("name", ARMS)
def test_reach_is_the_published_one(name):
    robot = read(name)
    reach = robot.reach
    most = farthest(robot, reach.start, reach.end)
    if reach.least is None:
        assert most == pytest.approx(reach.value, rel=TOLERANCE)
    else:
        assert farthest(robot, reach.start, reach.least) < reach.value < most


def test_there_are_twenty_five():
    assert len(ARMS) >= 25


@pytest.mark.parametrize("name", ARMS)
def test_arms_are_complete(name):
    """Joint limits, masses with their provenance, no joint without inertia."""
    robot = read(name)
    check_physical(robot)
    assert robot.title
    assert robot.masses in ("published", "estimated")
    assert robot.reach.source
    said = any("estimated" in note for note in robot.defects)
    assert said == (robot.masses == "estimated")
    moving = [link for link in robot.links if link.joint.type != "fixed"]
    assert all(link.mass > 0 and min(link.inertia[0], link.inertia[3], link.inertia[5]) > 0 for link in moving)
    unlimited = [link.joint.name for link in moving if link.joint.limits is None]
    assert not unlimited or name in ("kinova-gen3", "ur3e")  # those turn without end
    for link in moving:
        low, high = link.joint.limits or (-np.inf, np.inf)
        assert low <= (link.joint.initial or (0.0,))[0] <= high


def test_estimates_do_not_exceed_the_weight():
    """The base takes its part of the published weight."""
    for entry in gallery("industrial"):
        weight = re.search(r"published weight of ([\d.]+) kg", " ".join(read(entry.name).defects))
        if weight:
            assert 0.5 < entry.mass / float(weight[1]) < 0.9, entry.name
