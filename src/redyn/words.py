"""Wording shared by messages."""

from __future__ import annotations


def counted(number: int, thing: str, several: str = "") -> str:
    """A number with its noun.

    >>> counted(1, "joint"), counted(6, "joint"), counted(2, "velocity", "velocities")
    ('1 joint', '6 joints', '2 velocities')
    """
    return f"{number} {thing if number == 1 else several or f'{thing}s'}"
