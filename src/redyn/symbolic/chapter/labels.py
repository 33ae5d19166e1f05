"""Placement of labels in a drawing so that they overlap neither each other nor the drawing."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from redyn.symbolic.chapter.blocks import Mark, Stroke

Array = NDArray[np.float64]
ROOM = (440.0, 260.0)  # size of the drawing, in the units of a label
LETTER, LINE = 8.5, 17.0  # a label's width per letter, and its height
REACH = (17.0, 25.0, 35.0, 48.0)  # distances of a label from its point
WAYS = (0, 45, -45, 90, -90, 135, -135, 180)  # degrees, preferred first


def placed(labels: Sequence[Mark], strokes: Sequence[Stroke], marks: Sequence[Mark]) -> list[Mark]:
    """Moves the labels off their points, one after the other, each to the best free position."""
    points = np.array([p for s in strokes for p in s.points] + [m.at for m in (*marks, *labels)])
    low = points.min(axis=0)
    width, height = np.maximum(points.max(axis=0) - low, 1e-9)
    scale = min(ROOM[0] / width, ROOM[1] / height)
    taken = np.concatenate([_dots(s, scale, low) for s in strokes] + [[(np.array(m.at) - low) * scale] for m in marks])
    boxes: list[Array] = []
    found: list[Mark] = []
    for label in labels:
        size = np.array([LETTER * _letters(label.label) / 2, LINE / 2])
        at = (np.array(label.at) - low) * scale
        best, cost = at, math.inf
        for rank, (reach, way) in enumerate((r, w) for r in REACH for w in WAYS):
            turn = math.radians(way)
            away = reach + (size[0] - LETTER) * abs(math.cos(turn))
            centre = at + away * np.array([math.cos(turn), math.sin(turn)])
            covered = int((np.abs(taken - centre) < size + 3).all(axis=1).sum())
            crossed = sum(bool((np.abs(box[:2] - centre) < size + box[2:]).all()) for box in boxes)
            worth = 3.0 * covered + 20.0 * crossed + 0.1 * rank
            if worth < cost:
                best, cost = centre, worth
        boxes.append(np.concatenate([best, size]))
        x, y = best / scale + low
        found.append(Mark((float(x), float(y)), "label", label.label))
    return found


def _letters(latex: str) -> int:
    return max(1, len(re.sub(r"\\[a-z]+|[{}_\s]", "", latex)))


def _dots(stroke: Stroke, scale: float, low: Array) -> Array:
    """Points along a stroke, a few units apart."""
    corners = (np.array(stroke.points) - low) * scale
    parts = [
        a + np.linspace(0, 1, max(2, int(np.linalg.norm(b - a) / 6)))[:, None] * (b - a) for a, b in pairwise(corners)
    ]
    return np.concatenate(parts)
