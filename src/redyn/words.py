"""Wording shared by messages."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Sequence


def counted(number: int, thing: str, several: str = "") -> str:
    """A number with its noun.

    >>> counted(1, "joint"), counted(6, "joint"), counted(2, "velocity", "velocities")
    ('1 joint', '6 joints', '2 velocities')
    """
    return f"{number} {thing if number == 1 else several or f'{thing}s'}"


def tallied(things: Sequence[str]) -> str:
    """How many there are of each.

    >>> tallied(["revolute", "revolute", "prismatic", "revolute"])
    '3 revolute, 1 prismatic'
    """
    return ", ".join(f"{count} {thing}" for thing, count in Counter(things).items())


def suggestion(name: str, names: Sequence[str]) -> str:
    """What to say of a name that is none of these: the one that was probably meant, or all of them.

    >>> suggestion("jiont1", ["joint1", "joint2"])
    "; did you mean 'joint1'?"
    """
    close = difflib.get_close_matches(name, names, 1)
    return f"; did you mean {close[0]!r}?" if close else f"; the names are {', '.join(names[:12])}"
