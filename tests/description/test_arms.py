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
            moved = 0.0 if link.joint.type == "fixed" else next(values) + link.joint.offset
            T = T @ placed.at(link.joint, moved)
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


ESTIMATED = [entry.name for entry in gallery("industrial") if entry.estimated]
DENSITY = 2000.0  # kg/m^3, where no weight was found


def capsule(mass, radius, span):
    """The inertia of a solid capsule about its centre."""
    length = np.linalg.norm(span)
    axis = span / length if length > 0 else np.array([0.0, 0.0, 1.0])
    ball = mass / (1 + 0.75 * length / radius)  # its two ends
    rod = mass - ball
    along = rod * radius**2 / 2 + ball * 0.4 * radius**2
    across = rod * (3 * radius**2 + length**2) / 12
    across += ball * (0.4 * radius**2 + length**2 / 4 + 0.375 * length * radius)
    return across * np.eye(3) + (along - across) * np.outer(axis, axis)


@pytest.mark.parametrize("name", ESTIMATED)
def test_estimates_follow_the_rule(name):
    """Capsules of one density from joint to joint, the base first; see docs/robots.md."""
    robot = read(name)
    T, frames = np.eye(4), []
    for link in robot.links:
        placed = placement(link, robot.convention)
        T = T @ (
            placed.before @ placed.after if link.joint.type == "fixed" else placed.at(link.joint, link.joint.offset)
        )
        frames += [T] if link.joint.type != "fixed" else []
    points = [np.zeros(3), np.array([0.0, 0.0, frames[0][2, 3] / 2]), *(frame[:3, 3] for frame in frames)]
    spans = np.diff(points, axis=0)
    radii = robot.reach.value * np.linspace(0.1, 0.035, len(spans))
    volumes = np.pi * radii**2 * np.linalg.norm(spans, axis=1) + 4 / 3 * np.pi * radii**3
    weight = re.search(r"published weight of ([\d.]+) kg", robot.defects[0])
    density = float(weight[1]) / volumes.sum() if weight else DENSITY
    assert 1150 < density < 3450
    moving = [link for link in robot.links if link.joint.type != "fixed"]
    for i, (link, frame) in enumerate(zip(moving, frames, strict=True), start=1):
        mass = density * volumes[i]
        assert link.mass == pytest.approx(mass, rel=1e-3)
        middle = frame[:3, :3].T @ (points[i] + spans[i] / 2 - frame[:3, 3])
        np.testing.assert_allclose(link.com, middle, atol=1e-5)
        inertia = frame[:3, :3].T @ capsule(mass, radii[i], spans[i]) @ frame[:3, :3]
        np.testing.assert_allclose(link.inertia, inertia[np.triu_indices(3)], atol=1e-3 * inertia.max())
