"""Tables of numbers over time in CSV files: the one place that reads them."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, TextIO

import numpy as np

from redyn.errors import InputError
from redyn.trajectory.motion import Array

LARGEST = 256 * 2**20  # bytes; about five million rows of four columns

_DEGREE = np.pi / 180
# Units that may follow the name of a column in brackets; numbers without one are in SI units and radians.
UNITS = {
    **dict.fromkeys(
        ("s", "m", "m/s", "m/s²", "m/s^2", "rad", "rad/s", "rad/s²", "rad/s^2", "N", "Nm", "N m", "J"), 1.0
    ),
    **dict.fromkeys(("deg", "deg/s", "deg/s²", "deg/s^2", "°", "°/s", "°/s²"), _DEGREE),
    **dict.fromkeys(("ms", "mm", "mm/s", "mm/s²"), 1e-3),
}


class Table(NamedTuple):
    """Times and the other columns by name, in the order of the file."""

    times: Array
    columns: dict[str, Array]


Rename = Callable[[list[str]], list[str]]


def read_table(path: str | Path, rename: Rename | None = None, gaps: bool = False) -> Table:
    """A CSV file with a header, a column `t` of increasing times and columns of finite numbers.

    Heads may have units in brackets, such as `t [s]` and `q_joint1 [deg]`: the numbers become SI units and radians.
    `rename` may rename the columns instead, and then sees to their units; with `gaps`, cells that are empty or `nan`
    (in columns other than t) become NaN. Errors give file and line.
    """
    file = Path(path)
    try:
        size = file.stat().st_size
        if size > LARGEST:
            raise InputError(f"{file}: {size / 2**20:.0f} MB exceeds the limit of {LARGEST / 2**20:.0f} MB")
        with file.open(newline="", encoding="utf-8-sig") as text:
            header, rows, lines = _cells(file, text, rename, gaps)
    except OSError as error:
        raise InputError(f"{file}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise InputError(f"{file}: not a text file in UTF-8") from None
    if not rows:
        raise InputError(f"{file}: no rows below the header")
    values = np.array(rows)
    times = values[:, header.index("t")]
    late = np.flatnonzero(np.diff(times) <= 0)
    if len(late):
        k = int(late[0])
        raise InputError(
            f"{file}:{lines[k + 1]}: times must increase, but t = {times[k + 1]:g} follows t = {times[k]:g}"
        )
    return Table(times, {name: values[:, i] for i, name in enumerate(header) if name != "t"})


def _cells(
    file: Path, text: TextIO, rename: Rename | None, gaps: bool
) -> tuple[list[str], list[list[float]], list[int]]:
    """The header, the rows, and the line of each row."""
    first = text.readline()
    text.seek(0)
    separator = next((mark for mark in (",", ";", "\t") if mark in first), ",")
    reader = csv.reader(text, strict=True, delimiter=separator)
    header: list[str] = []
    scales: list[float] = []
    rows: list[list[float]] = []
    lines: list[int] = []
    try:
        for cells in reader:
            if not any(cell.strip() for cell in cells):
                continue
            if not header:
                header, scales = _header(file, reader.line_num, [cell.strip() for cell in cells], rename)
                continue
            if len(cells) != len(header):
                raise InputError(f"{file}:{reader.line_num}: {len(cells)} cells, but the header names {len(header)}")
            named = zip(header, cells, scales, strict=True)
            rows.append([_number(file, reader.line_num, name, cell, gaps) * scale for name, cell, scale in named])
            lines.append(reader.line_num)
    except csv.Error as error:
        raise InputError(f"{file}:{reader.line_num}: not CSV: {error}") from None
    if not header:
        raise InputError(f"{file}: empty; expected a header such as t,q_joint1")
    return header, rows, lines


def split_unit(head: str) -> tuple[str, float]:
    """The name of a column and what its numbers are multiplied by, from a head such as `q_joint1 [deg]`.

    >>> split_unit("tau_joint1 [Nm]"), split_unit("link [1]")
    (('tau_joint1', 1.0), ('link [1]', 1.0))
    """
    name, bracket, unit = head.removesuffix("]").rpartition(" [")
    if not bracket or not head.endswith("]") or unit not in UNITS:
        return head, 1.0
    return name.strip(), UNITS[unit]


def _header(file: Path, line: int, cells: list[str], rename: Rename | None) -> tuple[list[str], list[float]]:
    """The names of the columns, and what their numbers are multiplied by."""
    heads = [split_unit(cell) if rename is None else (cell, 1.0) for cell in cells]
    names, scales = [name for name, _ in heads], [scale for _, scale in heads]
    shown = ", ".join(name[:40] for name in names[:12])
    names = names if rename is None else rename(names)
    if "t" not in names:
        raise InputError(f"{file}:{line}: no column is called t (time in seconds); the columns are {shown}")
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"{file}:{line}: column {name[:40]!r} occurs twice")
    return names, scales


def _number(file: Path, line: int, column: str, cell: str, gaps: bool) -> float:
    if gaps and column != "t" and cell.strip().lower() in ("", "nan"):
        return np.nan
    try:
        value = float(cell)
    except ValueError:
        value = np.nan
    if not np.isfinite(value):
        raise InputError(f"{file}:{line}: column {column}: expected a finite number, got {cell.strip()[:40]!r}")
    return value
