"""Types of the fields of robot files: numbers, vectors, angles and names, each with its parser."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, cast

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from redyn.description.numbers import parse_angle, parse_number, shown


def items_of(value: object) -> list[object] | None:
    """The entries of a list, a tuple or an array."""
    if hasattr(value, "tolist"):
        value = cast(Any, value).tolist()
    return list(cast("Sequence[object]", value)) if isinstance(value, list | tuple) else None


def vector(length: int, what: str, parse: Any = parse_number) -> Any:
    def parse_vector(value: object) -> tuple[float, ...]:
        items = items_of(value)
        if items is None:
            raise ValueError(f"expected {length} numbers, {what}, got {type(value).__name__}")
        if len(items) != length:
            raise ValueError(f"expected {length} numbers, {what}, got {len(items)}")
        return tuple(parse(item) for item in items)

    return parse_vector


def _inertia(value: object) -> tuple[float, ...]:
    """Six numbers xx xy xz yy yz zz (the book's order), from any common form."""
    order = ("xx", "xy", "xz", "yy", "yz", "zz")
    if isinstance(value, Mapping):
        entries = cast("Mapping[object, object]", value)
        unknown = [str(key) for key in entries if key not in order]
        if unknown:
            raise ValueError(f"unknown key {unknown[0]!r}; the keys are {', '.join(order)}")
        return tuple(parse_number(entries.get(key, 0.0)) for key in order)
    rows = items_of(value)
    if rows is not None:
        if len(rows) == 6:
            return tuple(parse_number(item) for item in rows)
        if len(rows) == 3 and all(items_of(row) is not None for row in rows):
            full = [vector(3, "a row of the tensor")(row) for row in rows]
            for i, j in ((0, 1), (0, 2), (1, 2)):
                if abs(full[i][j] - full[j][i]) > 1e-9 * max(abs(x) for row in full for x in row):
                    raise ValueError(f"the tensor is not symmetric: {full[i][j]} and {full[j][i]}")
            return (*full[0], full[1][1], full[1][2], full[2][2])
        if len(rows) == 3:
            xx, yy, zz = (parse_number(item) for item in rows)
            return (xx, 0.0, 0.0, yy, 0.0, zz)
    raise ValueError(
        "expected {xx: , xy: , xz: , yy: , yz: , zz: }, six numbers in that order, three principal moments "
        "or a 3x3 tensor"
    )


def _values(value: object) -> tuple[float, ...]:
    """Joint values: a number or a list."""
    items = items_of(value)
    return tuple(parse_angle(item) for item in ([value] if items is None else items))


def _name(value: object) -> str:
    if not isinstance(value, str) or not value.strip() or len(value) > 200:
        raise ValueError(f"expected a name (text of 1 to 200 characters), got {shown(value)}")
    if re.search(r"[\x00-\x1f]", value):
        raise ValueError("a name may not contain control characters")
    return value


Number = Annotated[float, BeforeValidator(parse_number)]
NotNegative = Annotated[float, Field(ge=0), BeforeValidator(parse_number)]
Positive = Annotated[float, Field(gt=0), BeforeValidator(parse_number)]
Vector = Annotated[tuple[float, float, float], BeforeValidator(vector(3, "x y z"))]
Range = Annotated[tuple[float, float], BeforeValidator(vector(2, "lower and upper", parse_angle))]
Angle = Annotated[float, BeforeValidator(parse_angle)]
Angles = Annotated[tuple[float, float, float], BeforeValidator(vector(3, "roll pitch yaw", parse_angle))]
Colour = Annotated[tuple[float, float, float, float], BeforeValidator(vector(4, "red green blue alpha"))]
Values = Annotated[tuple[float, ...], BeforeValidator(_values)]
Inertia = Annotated[tuple[float, float, float, float, float, float], BeforeValidator(_inertia)]
Name = Annotated[str, BeforeValidator(_name)]
Text = Annotated[str, Field(min_length=1)]


def pair(value: object) -> tuple[object, object]:
    items = items_of(value)
    if items is None or len(items) != 2:
        raise ValueError(f"expected two entries, got {shown(value)}")
    return items[0], items[1]


def _numbers(value: object) -> tuple[float, ...]:
    items = items_of(value)
    if not items or len(items) > 20:
        raise ValueError(f"expected a list of 1 to 20 numbers, got {shown(value)}")
    return tuple(parse_number(item) for item in items)


Pair = Annotated[tuple[Name, Name], BeforeValidator(pair)]
Numbers = Annotated[tuple[float, ...], BeforeValidator(_numbers)]


class Strict(BaseModel):
    """Data whose keys are all known, and which stay as they are."""

    model_config = ConfigDict(extra="forbid", frozen=True, protected_namespaces=())
