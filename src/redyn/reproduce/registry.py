"""All items by name, in the order of the sources."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from redyn.errors import InputError
from redyn.reproduce import (
    assignment,
    assignment_listing,
    claims,
    counts,
    examples,
    falls,
    forced,
    iftomm,
    kalman,
    lagrange,
    link_frames,
    pictures,
    point_mass,
    point_mass_steps,
    quadruped,
    redysim,
    sketches,
    slides_forces,
    slides_motion,
    slides_newton_euler,
    slides_particles,
    squeezer,
    torques,
    twists,
)
from redyn.reproduce.errata import summary
from redyn.reproduce.item import Item

GROUPS = {  # what the names of their items begin with, in the order of the pages
    "Errata": ("errata",),
    "The book: figures": ("fig-",),
    "The book: examples and equations": ("example-", "eq-"),
    "The book: exercises": ("exercise-",),
    "The book: tables": ("table-",),
    "The book: claims": ("claim-",),
    "The paper of 2003": ("paper-fig-", "paper-table-", "paper-section-", "paper-appendix-"),
    "The Newton-Euler assignment": ("assignment-",),
    "The lecture slides": ("slides-",),
    "The note on state space": ("note-",),
    "Closed loops": ("four-bar", "3-rrr", "andrews", "two-four-bars", "bricard"),
    "Walking": ("quadruped",),
}
FORMER_NAMES = {"seed-002": "assignment-torques", "seed-003": "slides-lagrange", "seed-004": "note-state-space"}


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
    summary,
    torques,
    pictures,
    sketches,
    falls,
    forced,
    examples,
    twists,
    claims,
    counts,
    link_frames,
    kalman,
    assignment,
    assignment_listing,
    slides_motion,
    slides_particles,
    slides_newton_euler,
    slides_forces,
    lagrange,
    point_mass_steps,
    point_mass,
    redysim,
    squeezer,
    iftomm,
    quadruped,
)
ITEMS = {item.name: item for item in sorted((i for m in MODULES for i in m.ITEMS), key=_place)}


def select(names: Sequence[str]) -> list[Item]:
    """The items of these names; all of them if none is given."""
    wanted = [FORMER_NAMES.get(name, name) for name in names]
    for name in wanted:
        if name not in ITEMS:
            close = difflib.get_close_matches(name, ITEMS, 1)
            hint = f"did you mean {close[0]!r}?" if close else f"they are {', '.join(ITEMS)}"
            raise InputError(f"no item is called {name!r}; {hint}")
    return [item for item in ITEMS.values() if not wanted or item.name in wanted]
