"""Units that may follow a number in an answer."""

from __future__ import annotations

import math
from typing import NamedTuple


class Unit(NamedTuple):
    """What it measures, and its size in SI units."""

    quantity: str
    factor: float


_DEGREE = math.pi / 180
_UNITS: dict[str, dict[str, float]] = {
    "angle": {"rad": 1.0, "deg": _DEGREE, "°": _DEGREE},
    "angular velocity": {"rad/s": 1.0, "deg/s": _DEGREE, "°/s": _DEGREE, "rpm": math.tau / 60},
    "angular acceleration": {"rad/s^2": 1.0, "rad/s2": 1.0, "deg/s^2": _DEGREE, "deg/s2": _DEGREE},
    "length": {"m": 1.0, "cm": 1e-2, "mm": 1e-3},
    "velocity": {"m/s": 1.0, "cm/s": 1e-2, "mm/s": 1e-3},
    "acceleration": {"m/s^2": 1.0, "m/s2": 1.0, "mm/s^2": 1e-3, "mm/s2": 1e-3},
    "mass": {"kg": 1.0, "g": 1e-3},
    "force": {"N": 1.0, "kN": 1e3, "mN": 1e-3},
    "torque": {"Nm": 1.0, "N m": 1.0, "N*m": 1.0, "N.m": 1.0, "kNm": 1e3, "mNm": 1e-3, "Ncm": 1e-2},
    "moment of inertia": {"kg m^2": 1.0, "kg*m^2": 1.0, "kg.m^2": 1.0, "kgm^2": 1.0, "kg m2": 1.0, "kgm2": 1.0},
    "energy": {"J": 1.0, "kJ": 1e3, "mJ": 1e-3},
    "power": {"W": 1.0, "kW": 1e3, "mW": 1e-3},
    "time": {"s": 1.0, "ms": 1e-3},
}
UNITS = {name: Unit(quantity, factor) for quantity, names in _UNITS.items() for name, factor in names.items()}
MAIN_UNITS = [next(iter(names)) for names in _UNITS.values()]
_LONGEST_FIRST = sorted(UNITS, key=len, reverse=True)


def split_unit(text: str) -> tuple[str, str]:
    """A text without the unit that it ends in, and the unit; "" if it has none. `text` is plain: see `formula.plain`.

    >>> split_unit("4.35 N m"), split_unit("30deg"), split_unit("2*cos(1)")
    (('4.35', 'N m'), ('30', 'deg'), ('2*cos(1)', ''))
    """
    text = text.strip()
    for name in _LONGEST_FIRST:
        if text.endswith(name):
            rest = text[: -len(name)]
            if not rest or not (rest[-1].isalpha() or rest[-1] in "_/*^"):
                return rest.strip(), name
    return text, ""
