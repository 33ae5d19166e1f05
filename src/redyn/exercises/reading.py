"""Answers as people type them: numbers with units, formulas, vectors and matrices, choices."""

from __future__ import annotations

import re
from dataclasses import dataclass

from redyn.errors import InputError
from redyn.exercises.formula import Formula, parse_formula, plain
from redyn.exercises.units import MAIN_UNITS, UNITS, split_unit

LONGEST = 20_000  # characters of an answer
MOST_ENTRIES = 1000


@dataclass(frozen=True)
class Typed:
    """The entries of an answer, row by row, and the unit of each ("" if none was given)."""

    shape: tuple[int, ...]
    formulas: list[Formula]
    units: list[str]


def read_array(text: str, symbols: list[str], units: bool) -> Typed:
    """A formula or number; `a, b`, `[a, b]`; `a, b; c, d` or `[[a, b], [c, d]]`. `units` may follow numbers.

    >>> typed = read_array("[[1, 2 m], [pi, 4 mm]]", [], True)
    >>> typed.shape, [f.text for f in typed.formulas], typed.units
    ((2, 2), ['1', '2', 'pi', '4'], ['', 'm', '', 'mm'])
    """
    if len(text) > LONGEST:
        raise InputError(f"an answer of more than {LONGEST:,} characters")
    text, behind = _unit_behind(plain(text)) if units else (plain(text), "")
    rows = [[entry.strip() for entry in row.split(",")] for row in _rows(text)]
    if len({len(row) for row in rows}) > 1:
        raise InputError(f"the rows of the matrix have different lengths: {', '.join(str(len(row)) for row in rows)}")
    entries = [entry for row in rows for entry in row]
    if len(entries) > 1 and not all(entries):
        raise InputError("an entry is empty")
    if len(entries) > MOST_ENTRIES:
        raise InputError(f"an answer of more than {MOST_ENTRIES:,} entries")
    parts = [split_unit(entry) if units else (entry, "") for entry in entries]
    if not behind and not any(unit for _, unit in parts[:-1]):
        behind = parts[-1][1]  # `1, 2 Nm`: of all
    shape: tuple[int, ...] = (len(rows), len(rows[0]))
    if len(rows) == 1:
        shape = (len(rows[0]),) if len(rows[0]) > 1 or "[" in text else ()
    return Typed(shape, [parse_formula(part, symbols) for part, _ in parts], [unit or behind for _, unit in parts])


def _unit_behind(text: str) -> tuple[str, str]:
    """`[1, 2] Nm`: the array, and the unit of all of it."""
    text = text.strip()
    if not text.startswith("["):
        return text, ""
    end = text.rfind("]") + 1 or len(text)
    unit = text[end:].strip()
    if unit and unit not in UNITS:
        raise InputError(f"unknown unit {unit[:40]!r}; units are {', '.join(MAIN_UNITS)} and multiples of them")
    return text[:end], unit


def _rows(text: str) -> list[str]:
    """The text of each row of a matrix; a vector has one row."""
    text = text.strip()
    if not text.startswith("["):
        inner = text
    elif text.endswith("]"):
        inner = text[1:-1].strip()
    else:
        raise InputError("a bracket is not closed")
    if inner.startswith("["):
        if not inner.endswith("]"):
            raise InputError("a bracket is not closed")
        rows = re.split(r"\]\s*[,;]?\s*\[", inner[1:-1])
    else:
        rows = [row for row in re.split(r"[;\n]", inner) if row.strip()] or [""]
    if any("[" in row or "]" in row for row in rows):
        raise InputError("expected a vector [a, b] or a matrix [[a, b], [c, d]]; its brackets do not match")
    return rows


def read_choice(text: str, choices: list[str]) -> list[int]:
    """Numbers of choices counted from 1, as `2` or `1, 3`; or the words of one.

    >>> read_choice("1, 3", ["one", "two", "three"]), read_choice("Two", ["one", "two", "three"])
    ([1, 3], [2])
    """
    if len(text) > LONGEST:
        raise InputError(f"an answer of more than {LONGEST:,} characters")
    words = [choice.strip().lower() for choice in choices]
    if text.strip().lower() in words:
        return [words.index(text.strip().lower()) + 1]
    parts = [part for part in re.split(r"[,;\s]+", text.strip()) if part]
    if not parts or not all(re.fullmatch(r"[0-9]{1,3}", part) and 1 <= int(part) <= len(choices) for part in parts):
        raise InputError(f"expected the numbers of choices, from 1 to {len(choices)}, such as 1 or 1, 2")
    return sorted({int(part) for part in parts})
