"""Comparison of an answer with what is expected, and a helpful word on what is wrong."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape

import numpy as np
from numpy.typing import NDArray

from redyn.words import counted

Array = NDArray[np.float64]

SMALL = 0.01  # an entry smaller than this part of the largest one is judged by it
CLOSE = 0.05  # an answer within this part is close
MOST_NAMED = 6  # entries that a message names
WRONG = "wrong"  # where nothing more is known
UNANSWERED = "not answered yet"
_FACTORS = (  # typical slips: the answer is this times the expected one
    (180 / np.pi, "off by 180/pi: degrees and radians are mixed up"),
    (np.pi / 180, "off by pi/180: degrees and radians are mixed up"),
    (2.0, "twice the expected value"),
    (0.5, "half the expected value"),
    (9.81, "off by the factor g = 9.81"),
    (1 / 9.81, "off by the factor 1/g, g = 9.81"),
    (np.pi, "off by the factor pi"),
    (1 / np.pi, "off by the factor 1/pi"),
    (2 * np.pi, "off by the factor 2 pi"),
    (0.5 / np.pi, "off by the factor 1/(2 pi)"),
    (1000.0, "1000 times the expected value: check the units"),
    (0.001, "a thousandth of the expected value: check the units"),
)


@dataclass(frozen=True)
class Verdict:
    """Whether an answer is right, why it is not, and the wrong entries of an array or joints of a motion, from 1."""

    right: bool
    message: str
    wrong: tuple[tuple[int, ...], ...] = ()

    def _repr_html_(self) -> str:
        """In a notebook: in colour."""
        words = self.message if self.right or self.message in (WRONG, UNANSWERED) else f"wrong: {self.message}"
        colour = "#137333" if self.right else "#5f6368" if self.message == UNANSWERED else "#c5221f"
        return f'<span style="color: {colour}; font-weight: 600">{escape(words)}</span>'


def judge(
    wanted: Array,
    given: Array,
    shape: tuple[int, ...],
    tolerance: float,
    name: Callable[[int], str] | None = None,
    close: float = CLOSE,
) -> Verdict:
    """A verdict on rows of numbers, (entries, points); `name` calls an entry by another name than its position.

    >>> wanted = np.array([[1.0], [2.0]])
    >>> judge(wanted, -wanted, (2,), 0.01).message
    'the sign is wrong: the negative of the expected value'
    >>> judge(wanted, np.array([[1.0], [3.0]]), (2,), 0.01).message
    'entry 2 is wrong, the other is right'
    """
    if not np.isfinite(given).all():
        return Verdict(False, "not a finite number" if given.shape[1] == 1 else "not defined at the values tested")
    good = _agree(wanted, given, tolerance)
    if good.all():
        return Verdict(True, "right")
    wrong = tuple(tuple(int(k) + 1 for k in np.unravel_index(i, shape)) for i in np.flatnonzero(~good)) if shape else ()
    if len(shape) == 2 and shape[0] == shape[1]:
        turned = given.reshape(*shape, -1).swapaxes(0, 1).reshape(given.shape)
        if _agree(wanted, turned, tolerance).all():
            return Verdict(False, "the transpose of the expected matrix", wrong)
    overall = _slip(wanted, given, tolerance)
    if overall:
        return Verdict(False, overall, wrong)
    if good.any():
        return Verdict(
            False, _entries(wanted, given, good, tolerance, name or (lambda i: position(i, shape)), close), wrong
        )
    if _agree(wanted, given, close).all():
        return Verdict(False, _near(wanted, given, tolerance), wrong)
    return Verdict(False, WRONG, wrong)


def _scale(wanted: Array) -> Array:
    """What the error of each entry is compared with, (entries, 1)."""
    sizes = np.abs(wanted).max(axis=1, keepdims=True)
    return np.maximum(sizes, SMALL * sizes.max() if sizes.max() > 0 else 1.0)


def _agree(wanted: Array, given: Array, tolerance: float) -> NDArray[np.bool_]:
    close = np.abs(given - wanted) <= tolerance * _scale(wanted) * (1 + 1e-9)
    return np.asarray(close.all(axis=1))


def _slip(wanted: Array, given: Array, tolerance: float) -> str:
    """A sign or a factor by which the whole answer is off."""
    if not wanted.any():
        return ""
    if _agree(-wanted, given, tolerance).all():
        return "the sign is wrong: the negative of the expected value"
    for sign, words in ((1.0, ""), (-1.0, ", and of the wrong sign")):
        for factor, meaning in _FACTORS:
            if _agree(wanted, sign * given / factor, tolerance).all():
                return meaning + words
    return ""


def _near(wanted: Array, given: Array, tolerance: float) -> str:
    error = float((np.abs(given - wanted) / _scale(wanted)).max())
    return f"close, but off by {error:.2g} of the expected value; the tolerance is {tolerance:.2g}"


def _entries(
    wanted: Array,
    given: Array,
    good: NDArray[np.bool_],
    tolerance: float,
    name: Callable[[int], str],
    close: float,
) -> str:
    """Which entries are wrong, and how."""
    bad = np.flatnonzero(~good)
    named = [name(int(i)) for i in bad[:MOST_NAMED]]
    more = f" and {counted(len(bad) - MOST_NAMED, 'more', 'more')}" if len(bad) > MOST_NAMED else ""
    others = len(good) - len(bad)
    rest = "the other is right" if others == 1 else "the others are right"
    how = _slip(wanted[bad], given[bad], tolerance)
    if not how and _agree(wanted[bad], given[bad], close).all():
        how = "close, but outside the tolerance"
    verb = "is" if len(bad) == 1 else "are"
    return f"{joined(named)}{more} {verb} wrong{f' ({how})' if how else ''}, {rest}"


def joined(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def position(i: int, shape: tuple[int, ...]) -> str:
    """In words: entry 2, or entry (1, 2)."""
    place = [int(k) + 1 for k in np.unravel_index(i, shape)]
    return f"entry {place[0]}" if len(place) == 1 else f"entry ({', '.join(map(str, place))})"
