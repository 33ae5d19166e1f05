"""All items by name, in the order of the sources."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from redyn.errors import InputError
from redyn.reproduce import (
    assignment,
    counts,
    falls,
    forced,
    iftomm,
    lagrange,
    pictures,
    point_mass,
    quadruped,
    redysim,
    squeezer,
    torques,
)
from redyn.reproduce.item import Item

GROUPS = {  # what the names of their items begin with, in the order of the pages
    "The book: figures": ("fig-",),
    "The book: exercises": ("exercise-",),
    "The book: tables": ("table-",),
    "The paper of 2003": ("paper-",),
    "Other sources": ("seed-",),
    "Closed loops": ("four-bar", "3-rrr", "andrews", "two-four-bars", "bricard"),
    "Walking": ("quadruped",),
}


def group(name: str) -> str:
    """The title of the group that an item belongs to."""
    return next(title for title, beginnings in GROUPS.items() if name.startswith(beginnings))


def _place(item: Item) -> tuple[int, int, list[float]]:
    """fig-9.7 before fig-9.11."""
    title = group(item.name)
    beginning = next(k for k, prefix in enumerate(GROUPS[title]) if item.name.startswith(prefix))
    numbers = [float(x) for x in item.name.replace("-", ".").split(".") if x.isdigit()]
    return list(GROUPS).index(title), beginning, numbers


MODULES = (
    torques,
    pictures,
    falls,
    forced,
    counts,
    assignment,
    lagrange,
    point_mass,
    quadruped,
    redysim,
    squeezer,
    iftomm,
    quadruped,
)
ITEMS = {item.name: item for item in sorted((i for m in MODULES for i in m.ITEMS), key=_place)}


def select(names: Sequence[str]) -> list[Item]:
    """The items of these names; all of them if none is given."""
    for name in names:
        if name not in ITEMS:
            close = difflib.get_close_matches(name, ITEMS, 1)
            hint = f"did you mean {close[0]!r}?" if close else f"they are {', '.join(ITEMS)}"
            raise InputError(f"no item is called {name!r}; {hint}")
    return [item for item in ITEMS.values() if not names or item.name in names]
