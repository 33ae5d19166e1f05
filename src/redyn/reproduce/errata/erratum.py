"""An erratum: where, what is printed, what is right, and the functions that evaluate both."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from redyn.reproduce.item import Load

Severity = Literal["wrong numbers", "wrong in some cases", "slip"]
NOTICED = 1e-6  # a printed formula that is nearer than this to the right one would be no erratum
CLOSE = 1e-9  # relative: how near a corrected formula is to its reference


@dataclass(frozen=True)
class Finding:
    """What evaluating an erratum gave: its effect in words and numbers, and whether both sides are as claimed."""

    effect: str
    wrong: bool  # the printed one errs noticeably
    right: bool  # the corrected one does not
    off: float = 0.0
    residual: float = 0.0


Measure = Callable[[Load], Sequence[Finding]]


@dataclass(frozen=True)
class Erratum:
    """`printed`, `correct` and `reference` are Markdown with formulas between dollar signs."""

    where: str
    severity: Severity
    printed: str
    correct: str
    reference: str = ""  # what the corrected formula was compared with
    measure: Measure | None = None  # None: nothing that a number could show


@dataclass(frozen=True)
class Document:
    """A source, its errata, and things that it leaves open, with what each choice costs."""

    title: str
    errata: Sequence[Erratum]
    open: Sequence[Erratum] = ()


def number(value: float) -> str:
    """Two digits.

    >>> number(0.0067643), number(48.9), number(3.1e-7), number(-2713.0)
    ('0.0068', '49', '3.1e-7', '-2700')
    """
    base, _, power = f"{float(f'{value:.2g}'):g}".partition("e")
    return f"{base}e{int(power)}" if power else base


def largest(a: ArrayLike, b: ArrayLike) -> float:
    return float(np.abs(np.subtract(a, b)).max())


def compared(on: str, printed: ArrayLike, correct: ArrayLike, reference: ArrayLike, unit: str) -> Finding:
    """Printed and corrected values against a reference."""
    off = largest(printed, reference)
    residual = largest(correct, reference) / max(1.0, float(np.abs(reference).max()))
    lead = f"{on}: " if on else ""
    return Finding(f"{lead}off by up to {number(off)} {unit}".rstrip(), off > NOTICED, residual <= CLOSE, off, residual)


def said(effect: str, wrong: bool, right: bool = True) -> Finding:
    """An effect that is not one difference."""
    return Finding(effect, bool(wrong), bool(right))
