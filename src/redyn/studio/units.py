"""Degrees or radians: the one place that converts between what is stored and what is shown or typed.

Numbers are stored in SI units and radians, texts as they were typed: a bare number is in radians, `45 deg` in degrees.
The switch changes how both are shown, and what a bare number means that is typed; it changes nothing that is stored.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from redyn.description.numbers import parse_angle, parse_number
from redyn.errors import InputError
from redyn.studio.cells import number_text

Array = NDArray[np.float64]
Units = str | Sequence[str]  # of a field, or of each of its numbers

ANGULAR = ("rad", "rad/s", "rad/s²")
_RADIANS = re.compile(r"(?<![\w/])rad(?=(/s²?)?(?![\w/]))")  # not in Nms/rad, nor in m/rad
_UNIT = re.compile(r"deg|°|rad|pi|π")  # says what unit a number has
_DEGREES = re.compile(r"deg|°")
_PLAIN = re.compile(r"[-+]?[0-9.]+(e[-+]?[0-9]+)?", re.IGNORECASE)
_BODY = re.compile(r"(.*?) ?(?:deg|°)")
_INSIDE = re.compile(r"\((.*)\)")


@dataclass(frozen=True)
class Angles:
    """The unit in which angles, their rates and accelerations are shown and typed."""

    name: str
    factor: float  # what radians are multiplied by

    @property
    def degrees(self) -> bool:
        return self.factor != 1.0

    @property
    def digits(self) -> int:
        """Behind the point, where an angle is rounded to be read."""
        return 1 if self.degrees else 3

    @property
    def sign(self) -> str:
        """Behind a number."""
        return "°" if self.degrees else " rad"

    def of(self, text: str) -> str:
        """A unit, or a text with units in it, as shown.

        >>> DEGREES.of("rad/s or m/s"), DEGREES.of("Nms/rad"), DEGREES.of("a (rad)")
        ('deg/s or m/s', 'Nms/rad', 'a (deg)')
        """
        return _RADIANS.sub(self.name, text)

    def scale(self, unit: str) -> float:
        """What a number of this unit is multiplied by to be shown."""
        return self.factor if unit in ANGULAR else 1.0

    def scales(self, units: Iterable[str]) -> Array:
        return np.array([self.scale(unit) for unit in units])

    def values(self, values: Array, units: Units) -> Array:
        """Numbers as shown; with several units, one for each column."""
        scales = self.scales([units] if isinstance(units, str) else units)
        return values if (scales == 1.0).all() else values * (scales[0] if isinstance(units, str) else scales)

    def brief(self, value: float, unit: str, digits: int = 4) -> str:
        """A number with its unit, for sentences.

        >>> DEGREES.brief(1.0, "rad"), DEGREES.brief(1.0, "m"), RADIANS.brief(1.0, "rad")
        ('57.3 deg', '1 m', '1 rad')
        """
        return f"{value * self.scale(unit):.{digits}g} {self.of(unit)}".rstrip()

    def row(self, texts: Sequence[str], units: Sequence[str]) -> list[str]:
        """A row of fields as shown, each with its unit."""
        return [self.shown(text, unit) for text, unit in zip(texts, units, strict=True)]

    # --- fields --------------------------------------------------------------------------------------------------

    def shown(self, text: str, unit: Units = "rad") -> str:
        """What a field shows of a stored text: what was typed if it is in this unit, else its value.

        >>> DEGREES.shown("pi/2"), DEGREES.shown("45 deg"), RADIANS.shown("90 deg"), DEGREES.shown("1/2", "m")
        ('90', '45', 'pi/2', '1/2')
        """
        return _each(text, unit, self._shown)

    def typed(self, text: str, unit: Units = "rad") -> str:
        """What is stored of a text that was typed.

        >>> DEGREES.typed("45"), DEGREES.typed("45 + 1/2"), DEGREES.typed("pi/2"), RADIANS.typed("45")
        ('45 deg', '(45 + 1/2) deg', 'pi/2', '45')
        """
        return _each(text, unit, self._typed)

    def value(self, where: str, text: str, unit: str = "rad") -> float:
        """The number that was typed, in SI units."""
        try:
            return (parse_angle if unit in ANGULAR else parse_number)(self.typed(text, unit).strip() or "nothing")
        except ValueError as error:
            raise InputError(f"{where}: {error if text.strip() else 'empty; write a number'}") from None

    def _shown(self, text: str, unit: str) -> str:
        if unit not in ANGULAR:
            return text
        own = _bare(text) if self.degrees else None if _DEGREES.search(text) else text
        if own is not None:
            return own
        try:
            value = parse_angle(text)
        except ValueError:
            return text
        return degrees_text(value) if self.degrees else number_text(value, angle=True)

    def _typed(self, text: str, unit: str) -> str:
        if unit not in ANGULAR or not self.degrees or _UNIT.search(text):
            return text
        try:
            value = parse_number(text)
        except ValueError:
            return text  # the error is shown with what was typed
        if value == 0.0:
            return text
        return f"{text.strip()} deg" if _PLAIN.fullmatch(text.strip()) else f"({text.strip()}) deg"


def _each(text: str, unit: Units, convert: Callable[[str, str], str]) -> str:
    """Converts a text, or its parts if they have units of their own."""
    if isinstance(unit, str):
        return convert(text, unit)
    parts = [part.strip() for part in re.split(r"[,;]", text)]
    if len(parts) != len(unit):
        return text
    made = [convert(part, own) for part, own in zip(parts, unit, strict=True)]
    return text if made == parts else ", ".join(made)


def _bare(text: str) -> str | None:
    """A number or an expression without its `deg`; None if it is something else."""
    body = _BODY.fullmatch(text.strip())
    if body is None or _UNIT.search(body[1]):
        return None
    inside = _INSIDE.fullmatch(body[1])
    for found in (inside[1] if inside is not None else body[1], body[1]):
        try:
            if parse_angle(f"({found}) deg") == parse_angle(text):
                return found
        except ValueError:
            continue
    return None


def degrees_text(radians: float) -> str:
    """Degrees with as few digits as are read back as the same number, or as a neighbour of it.

    >>> degrees_text(math.pi / 2), degrees_text(0.1), degrees_text(-math.pi / 180)
    ('90', '5.729577951308233', '-1')
    """
    degrees = math.degrees(radians)
    near = math.ulp(radians)
    for digits in (3, 6, *range(9, 17)):
        text = f"{degrees:.{digits}g}"
        if abs(parse_angle(f"{text} deg") - radians) <= near:
            return number_text(float(text))
    return number_text(degrees)


RADIANS = Angles("rad", 1.0)
DEGREES = Angles("deg", 180.0 / math.pi)
ANGLES = {angles.name: angles for angles in (RADIANS, DEGREES)}


def together(units: Iterable[str]) -> str:
    """The units of a row of numbers, each once."""
    return ", ".join(dict.fromkeys(unit for unit in units if unit))
