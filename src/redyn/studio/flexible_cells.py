"""Links that bend and gears that give, as cells of a table: main numbers are edited, the rest is kept and named.

A link bends once some number of its beam is given, and is rigid if all of them are empty. What no cell holds (bodies at
both ends, the load of its modes, a table of stations) stays with the link.
"""

from __future__ import annotations

import re
from typing import Any, cast

from redyn.description.flexible_fields import DEFAULT_MODES
from redyn.studio.cells import Problem, Row, number_text, numbers

BEAM = {
    "rho_A": "rho_A",
    "EI": "EI",
    "GJ": "GJ",
    "rho_Ip": "rho_Ip",
    "length": "length",
    "modes": "modes",
    "ratio": "damping_ratio",
}  # columns and the fields of `flexible`
GEAR = {"gear_stiffness": "stiffness", "gear_damping": "damping"}  # and of `elastic`
FLEXIBLE = (*BEAM, *GEAR)
KEPT = "kept"  # a column that is only read: see `kept_text`
_VECTORS = {"EI", "modes"}
_FIELDS = {field: column for column, field in BEAM.items()}
_GEAR_FIELDS = {field: column for column, field in GEAR.items()}


def flexible_row(link: dict[str, Any], joint: dict[str, Any]) -> Row:
    """The cells of a link, from its data in a robot file."""
    beam, gear = (cast("dict[str, Any]", found or {}) for found in (link.get("flexible"), joint.get("elastic")))
    row: Row = dict.fromkeys(FLEXIBLE, "")
    for column, field in BEAM.items():
        if field in beam:
            row[column] = _text(beam[field])
    if beam and "modes" not in beam:
        row["modes"] = _text(list(DEFAULT_MODES))
    row |= {column: number_text(gear[field]) for column, field in GEAR.items() if field in gear}
    return row


def _text(value: Any) -> str:
    if not isinstance(value, list):
        return number_text(value)
    items = [number_text(x) for x in cast("list[Any]", value)]
    return items[0] if len(items) == 2 and items[0] == items[1] else ", ".join(items)


def rest_of(link: dict[str, Any]) -> dict[str, Any]:
    """The fields of a beam that have no cells."""
    beam = cast("dict[str, Any]", link.get("flexible") or {})
    return {key: value for key, value in beam.items() if key not in _FIELDS}


def bends(row: Row, rest: dict[str, Any]) -> bool:
    """Whether the link of a row is flexible."""
    return any(row.get(column, "").strip() for column in BEAM) or "table" in rest.get("flexible", {})


def kept_text(row: Row, rest: dict[str, Any]) -> str:
    """What a beam has besides its cells, in words.

    >>> kept_text({"EI": "1"}, {"flexible": {"hub": {"mass": 2.0}, "load": {"kind": "none"}}})
    'hub 2 kg; load none'
    """
    beam = cast("dict[str, Any]", rest.get("flexible") or {})
    masses = {end: beam[end].get("mass") for end in ("hub", "tip") if end in beam}
    said = [f"{end} {number_text(mass)} kg" if mass else end for end, mass in masses.items()]
    if "table" in beam:
        said.append(f"table of {len(beam['table'])} stations")
    if "load" in beam:
        said.append(f"load {beam['load'].get('kind', 'given')}")
    if beam.get("stiffening") is False:
        said.append("no stiffening")
    text = "; ".join(said)
    return f"{text} (not used: the link is rigid)" if text and not bends(row, rest) else text


def flexible_data(
    row: Row, rest: dict[str, Any], at: int, problems: list[Problem]
) -> tuple[dict[str, Any] | None, dict[str, Any] | None]:
    """`flexible` and `elastic` of a robot file; what is no number is added to the problems."""

    def read(column: str) -> Any:
        text = row.get(column, "").strip()
        try:
            found = numbers(text)
        except ValueError as error:
            problems.append(Problem(at, column, str(error)))
            return None
        if found is None:
            return None
        if column not in _VECTORS and len(found) > 1:
            problems.append(Problem(at, column, f"expected one number; got {len(found)}"))
        return found if len(found) > 1 or column == "modes" else found[0]

    def fields(columns: dict[str, str]) -> dict[str, Any]:
        values = {field: read(column) for column, field in columns.items()}
        return {field: value for field, value in values.items() if value is not None}

    beam = {**rest.get("flexible", {}), **fields(BEAM)} if bends(row, rest) else None
    gear = None if row["joint"] == "fixed" else fields(GEAR)
    return beam, gear or None


def flexible_place(name: str, message: str) -> str | None:
    """The column of an error at this place of a link; None if it is about something else."""
    for prefix, columns in (("flexible", _FIELDS), ("joint.elastic", _GEAR_FIELDS)):
        if name == prefix or name.startswith(f"{prefix}."):
            field = re.match(r"\w*", name.removeprefix(prefix).lstrip("."))
            word = re.match(r"\w+", message)  # errors of the whole beam begin with the field
            for found in (field and field[0], word and word[0]):
                if found in columns:
                    return columns[found]
            return next(iter(columns.values()))
    return None
