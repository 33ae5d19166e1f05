"""Labelled drawings: bodies, vectors, points and angles in a plane, or of space in a parallel projection."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from redyn.report.colours import FAINT, INK, PATH, joint_colour

Array = NDArray[np.float64]
AXES = ("#c0392b", "#27ae60", "#2471a3")  # x, y, z of a frame


@dataclass(frozen=True)
class Line:
    """A polyline, (N, 2); thick ones are bodies."""

    points: Array
    colour: str = FAINT
    width: float = 1.0
    dashed: bool = False
    strength: float = 1.0


@dataclass(frozen=True)
class Arrow:
    """A vector, with its label next to its middle, or next to its tip."""

    start: Array
    end: Array
    label: str = ""
    colour: str = INK
    at_tip: bool = False
    offset: tuple[float, float] = (6.0, 6.0)  # of the label, in points
    double: bool = False  # a length rather than a vector


@dataclass(frozen=True)
class Point:
    at: Array
    label: str = ""
    colour: str = INK
    marker: str = "o"
    offset: tuple[float, float] = (6.0, -11.0)


@dataclass(frozen=True)
class Diagram:
    """One drawing; `view` bounds what is shown, else everything is."""

    title: str
    lines: Sequence[Line] = ()
    arrows: Sequence[Arrow] = ()
    points: Sequence[Point] = ()
    texts: Sequence[Point] = field(default_factory=list[Point])  # labels without a dot


def plane(points: ArrayLike) -> Array:
    """X and Y of points in a plane."""
    return np.asarray(points, dtype=np.float64)[..., :2]


def space(points: ArrayLike, azimuth: float = -62.0, elevation: float = 24.0) -> Array:
    """Parallel projection of points in space; Z stays upright. Angles in degrees, as in Matplotlib."""
    a, e = np.radians([azimuth, elevation])
    right = np.array([-np.sin(a), np.cos(a), 0.0])
    up = np.array([-np.cos(a) * np.sin(e), -np.sin(a) * np.sin(e), np.cos(e)])
    return np.asarray(points, dtype=np.float64) @ np.stack([right, up], axis=1)


def arc(
    centre: ArrayLike, radius: float, start: float, stop: float, label: str, reach: float = 1.25
) -> tuple[Line, Point]:
    """An angle in the plane, from start to stop in radians, and its label."""
    middle = np.asarray(centre, dtype=np.float64)
    angles = np.linspace(start, stop, 40)
    half = (start + stop) / 2
    text = middle + reach * radius * np.array([np.cos(half), np.sin(half)])
    line = Line(middle + radius * np.stack([np.cos(angles), np.sin(angles)], axis=1), PATH, 1.2)
    return line, Point(text, label, PATH, offset=(-5.0, -4.0))


def turn(centre: ArrayLike, axis: ArrayLike, start: ArrayLike, angle: float, radius: float) -> Array:
    """Points in space of an arc about an axis, from the direction `start`, which is perpendicular to it."""
    z, x = (np.asarray(v, dtype=np.float64) for v in (axis, start))
    y = np.cross(z, x)
    angles = np.linspace(0.0, angle, 40)[:, None]
    return np.asarray(centre, dtype=np.float64) + radius * (np.cos(angles) * x + np.sin(angles) * y)


def body(start: ArrayLike, end: ArrayLike, number: int, width: float = 16.0) -> Line:
    """A link as a thick bar in the colour of its joint, numbered from 1."""
    return Line(np.stack([plane(start), plane(end)]), joint_colour(number - 1), width, strength=0.35)
