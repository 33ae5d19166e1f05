"""Comparisons: each function decides and words one kind.

Every comparison names its reference: numbers or formulas that the source prints, a statement of its text, or
an independent computation if it prints neither.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
Against = Literal["printed", "text", "computation"]
COMPUTATION = "an independent computation"
ABOUT = 0.1  # relative tolerance of "about" in a text


@dataclass(frozen=True)
class Check:
    """One comparison. `why` explains a failure, if the reason is known."""

    what: str
    holds: bool
    found: str
    why: str = ""
    against: Against = "computation"


def short(value: float, digits: int = 1) -> str:
    """A number in short form.

    >>> short(4e-09), short(4.84e-05, digits=2), short(0.3), short(float("nan"))
    ('4e-9', '4.8e-5', '3e-1', 'nan')
    """
    base, _, power = f"{value:.{digits - 1}e}".partition("e")
    return f"{base}e{int(power)}" if power else base


def within(
    what: str, difference: float, tolerance: float, of: str, why: str = "", against: Against = "computation"
) -> Check:
    """Whether a difference is within a tolerance."""
    holds = bool(difference <= tolerance)  # False for NaN
    size = short(difference, 2 if difference > tolerance / 10 else 1)
    lead = "equal to" if difference == 0.0 else f"within {size} of" if holds else f"off by {size} from"
    return Check(what, holds, f"{lead} {of} (tolerance {short(tolerance)})", why, against)


def near(
    what: str,
    value: ArrayLike,
    reference: ArrayLike,
    tolerance: float,
    of: str = COMPUTATION,
    why: str = "",
    against: Against = "computation",
) -> Check:
    """Within `tolerance` times the largest reference, or times one if they are small."""
    found, wanted = np.asarray(value, dtype=np.float64), np.asarray(reference, dtype=np.float64)
    if found.shape != wanted.shape:
        return Check(what, False, f"shape {found.shape}, but {of} has {wanted.shape}", why, against)
    difference = float(np.abs(found - wanted).max())
    return within(what, difference, tolerance * max(1.0, float(np.abs(wanted).max())), of, why, against)


def statement(what: str, holds: Any, found: str, why: str = "") -> Check:
    """A statement of the text."""
    return Check(what, bool(holds), found, why, "text")


def about(what: str, when: float | None, claimed: float, more: str = "", why: str = "") -> Check:
    """An instant that the text gives with the word "about": within 10 % of it."""
    holds = when is not None and abs(when - claimed) <= ABOUT * claimed
    allowed = f"about {claimed:g} s means {(1 - ABOUT) * claimed:.3g} to {(1 + ABOUT) * claimed:.3g} s"
    return Check(what, holds, f"{shown(when)} ({allowed}){f'; {more}' if more else ''}", why, "text")


def shown(time: float | None) -> str:
    return "never" if time is None else f"at {time:.2f} s"


def first_crossing(t: Array, values: Array) -> float | None:
    """When the values first cross zero upwards, by linear interpolation; None if they never do."""
    above = np.flatnonzero(values > 0)
    if not len(above):
        return None
    k = int(above[0])
    if k == 0:
        return float(t[0])
    low, high = float(values[k - 1]), float(values[k])
    return float(t[k - 1] + (t[k] - t[k - 1]) * -low / (high - low))
