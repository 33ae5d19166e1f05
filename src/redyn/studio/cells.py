"""Cells of the tables: what was typed, as numbers, and numbers as a cell shows them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from redyn.description.numbers import format_angle, parse_angle, parse_number
from redyn.words import counted

Row = dict[str, str]
Table = Literal["links", "loops"]

_COUNTS = {3: "three numbers such as 0, 0, 1", 6: "six numbers: x, y, z, roll, pitch, yaw"}


@dataclass(frozen=True)
class Problem:
    """An error in a cell; row and column are empty if it concerns the whole robot."""

    row: int | None
    column: str
    reason: str
    table: Table = "links"


def number_text(value: object, angle: bool = False) -> str:
    """A number as a cell shows it, exactly; text stays as it is.

    >>> number_text(0.25), number_text(1.0), number_text(1.5707963267948966, angle=True)
    ('0.25', '1', 'pi/2')
    """
    shown = format_angle(float(value)) if angle and isinstance(value, int | float) else value
    return repr(shown).removesuffix(".0") if isinstance(shown, int | float) else str(shown)


def numbers(text: str, parse: Callable[[str], float] = parse_number, count: int | None = None) -> list[float] | None:
    """Numbers separated by commas, `count` of them; None if there is nothing, ValueError if it is something else.

    >>> numbers("1/2, 0, 0", count=3)
    [0.5, 0.0, 0.0]
    """
    if not text.strip():
        return None
    parts = [part.strip() for part in re.split(r"[,;]", text)]
    if count is not None and len(parts) != count:
        raise ValueError(f"expected {_COUNTS.get(count) or counted(count, 'number')}; got {len(parts)}")
    return [parse(part) for part in parts]


def angles(text: str, count: int | None = None) -> list[float] | None:
    """The same with angles: `pi/2` and `90 deg` are understood."""
    return numbers(text, parse_angle, count)
