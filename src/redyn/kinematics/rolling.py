"""Which rates of a robot on wheels are independent, and which rows of its contacts count: chosen at load.

Rows that are zero whatever the configuration restrict nothing, and rows that repeat others, such as the lateral ones of
two wheels on one axle, restrict nothing more: both are left out. The rates that remain to be chosen are those that the
file names, or the first that determine the others at every configuration that was looked at.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations, islice
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from redyn.algebra import Scalar
from redyn.arithmetic import Arrays
from redyn.description.schema import BODY_RATES, VELOCITIES, RobotDescription
from redyn.dynamics.kinematics import poses, propagations
from redyn.dynamics.rolling import ContactRows, contact_points
from redyn.errors import DescriptionError
from redyn.evaluate.columns import scalars
from redyn.model import Contact, Model, Rolling, configuration
from redyn.model.model import offsets
from redyn.model.rolling import VERTICAL
from redyn.words import counted

Array = NDArray[np.float64]

STATES = 100  # random configurations that are looked at, and as many at right angles
ZERO = 1e-9  # of a row of unit entries: rounding
LEVEL = 1e-12  # sine of the angle of an axle to the ground
SHARE = 0.3  # of the worth of the best choice, from which on another one is good enough
POOR = 1e-3  # worth below which a choice is singular somewhere
PLANAR = 3  # rates of a planar joint
NEWTON = 60  # steps towards a configuration that stands on all its wheels
MOST_STEP = 0.5  # rad or m, of each of them
MOST_CHOICES = 5_000  # of independent rates that are tried
HEIGHT = 1e-6  # m, by which contacts with one plane may differ


def analyse(model: Model, description: RobotDescription) -> tuple[Model, list[str]]:
    """The model with its rolling contacts as a reduction, and what is to be said of it."""
    generator = np.random.default_rng(0)
    limit = np.where(_bends(model), configuration.spans(model), np.pi)
    states = np.array([configuration.random(model, -limit, limit, generator) for _ in range(STATES)])
    upright = [_always_level(model, contact, states) for contact in model.contacts]
    contacts = tuple(replace(c, upright=level) for c, level in zip(model.contacts, upright, strict=True))
    model = replace(model, contacts=contacts)
    every = [(k, row) for k, contact in enumerate(contacts) for row in contact.rows]
    states = _standing(model, states)
    whole = _rows(model, states)
    kept = _independent_rows(whole)
    A = whole[:, kept]
    _require_freedom(model, A)
    count = model.n - len(kept)
    # At right angles a poor choice of rates is often singular. Where wheels lose their hold there, every choice is.
    square = _standing(model, np.array([_at_right_angles(model, q, generator) for q in states]))
    turned = _rows(model, square)[:, kept]
    held = [bool(np.isfinite(rows).all()) and _rank(rows) == len(kept) for rows in turned]
    A, looked = np.concatenate([A, turned[held]]), np.concatenate([states, square[held]])
    bases = _bases(model, A, looked)
    order = _order(model, description)
    found = [basis.best(order, count) for basis in bases]
    best = next((choice for choice in found if choice.worth >= POOR), found[0])
    chosen = best if description.independent is None else _given(model, description.independent, bases, best)
    notes, better = _uneven(model), ()
    if chosen.worth < POOR <= best.worth:
        better = tuple(best.labels)
        notes.append(
            f"independent: {_listed(chosen.labels)} do not determine the other rates at every configuration; "
            f"{_listed(best.labels)} do"
        )
    rolling = Rolling(
        contacts,
        model.up,
        tuple(every[k] for k in kept),
        chosen.links,
        model.n,
        _driven(model, description, chosen.links),
        _shares(whole, kept),
        _moved(chosen),
        better,
        chosen.basis.turned,
    )
    return replace(model, reduction=rolling), notes


@dataclass(frozen=True)
class _Basis:
    """Rates among which the independent ones are chosen: their names, and the rows at configurations."""

    labels: list[str]
    A: Array
    turned: int | None  # see Rolling

    def best(self, order: list[int], count: int) -> _Choice:
        """Rates from which all others follow at every configuration; of good choices, the first in that order."""
        choices = [_Choice(self, c) for c in islice(combinations(order, count), MOST_CHOICES)]
        most = max(choice.worth for choice in choices)
        first = next(choice for choice in choices if choice.worth >= SHARE * most)
        return _Choice(self, tuple(sorted(first.links)))


@dataclass(frozen=True)
class _Choice:
    basis: _Basis
    links: tuple[int, ...]

    @property
    def labels(self) -> list[str]:
        return [self.basis.labels[i] for i in self.links]

    @cached_property
    def worths(self) -> Array:
        """How far the choice is from being singular, at every configuration."""
        rest = [i for i in range(self.basis.A.shape[2]) if i not in self.links]
        return np.asarray(np.linalg.svd(self.basis.A[:, :, rest], compute_uv=False)[:, -1], dtype=np.float64)

    @property
    def worth(self) -> float:
        return float(self.worths.min())


def _bases(model: Model, A: Array, states: Array) -> list[_Basis]:
    """The rates of the tree, and those with the velocity of a planar base in its own axes."""
    labels = [link.joint.label for link in model.links]
    found = [_Basis(labels, A, None)]
    if len(labels) >= PLANAR and [link.joint.part for link in model.links[:PLANAR]] == list(VELOCITIES["planar"]):
        angle = states[:, offsets(model.links)[PLANAR - 1], None]
        c, s = np.cos(angle), np.sin(angle)
        own = A.copy()
        own[:, :, 0], own[:, :, 1] = c * A[:, :, 0] + s * A[:, :, 1], c * A[:, :, 1] - s * A[:, :, 0]
        joint = model.links[0].joint.name
        found.append(_Basis([*(f"{joint}.{part}" for part in BODY_RATES), *labels[2:]], own, 0))
    return found


def _at_right_angles(model: Model, q: Array, generator: np.random.Generator) -> Array:
    """A configuration with its turning joints at multiples of 90 degrees."""
    turned = q.copy()
    for variable in model.variables:
        if variable.joint.single and variable.joint.kind == "revolute":
            turned[variable.q] = np.pi / 2 * generator.integers(-1, 3)
    return turned


def _rows(model: Model, states: Array) -> Array:
    """All rows at every state, (N, rows, n); not finite where a wheel lies flat."""
    with np.errstate(all="ignore"):
        found = ContactRows(model, Arrays(), scalars(states), model.contacts, model.up).rows
    return _stacked([row for rows in found for row in rows], len(states))


def _stacked(rows: Sequence[Sequence[Scalar]], count: int) -> Array:
    """Columns of numbers, or numbers for all states, as (N, rows, entries)."""
    found = np.empty((count, len(rows), len(rows[0])))
    for i, row in enumerate(rows):
        for j, entry in enumerate(row):
            found[:, i, j] = cast(Any, entry)
    return found


def _rank(A: Array) -> int:
    return int(np.linalg.matrix_rank(A, tol=ZERO * np.linalg.norm(A)))


def _require_freedom(model: Model, A: Array) -> None:
    """That the wheels let the base move."""
    if model.n == A.shape[1]:
        raise DescriptionError("rolling", f"{model.name}: its wheels leave it no way to move; leave some out")
    base = _base(model)
    moves = [bool(np.abs(np.linalg.svd(rows)[2][A.shape[1] :, base]).max() > ZERO) for rows in A]
    if not all(moves) or min(map(_rank, A)) < A.shape[1]:
        raise DescriptionError(
            "rolling",
            f"{model.name}: its wheels contradict each other, since their axles do not meet in a point; leave out "
            "those that only carry weight, or turn several of them by one joint",
        )


def _base(model: Model) -> list[int]:
    """The links, from 0, of the joints that connect the robot with the world."""
    found: list[int] = []
    for i, link in enumerate(model.links):
        if link.parent == 0 or (link.parent - 1 in found and model.links[link.parent - 1].virtual):
            found.append(i)
    return found


def _always_level(model: Model, contact: Contact, states: Array) -> bool:
    """Whether an axle is level at every configuration: not where a base is free to lean."""
    arith = Arrays()
    placed = poses(model, arith, propagations(model, arith, scalars(states)))
    tilt = (placed[contact.carrier].R.T @ model.up).dot(contact.axle)
    return bool(np.all(np.abs(np.asarray(tilt, dtype=np.float64)) < LEVEL))


def _heights(model: Model, states: Array) -> Array:
    """How high every contact is above the first one; not finite where a wheel lies flat."""
    with np.errstate(all="ignore"):
        points = contact_points(model, Arrays(), scalars(states), model.contacts, model.up)
    heights = _stacked(points, len(states)) @ np.array(model.up.components())
    return heights - heights[:, :1]


def _standing(model: Model, states: Array) -> Array:
    """The states, moved until all contacts are in one plane; those that do not get there are left out.

    A base that may lean and rise stands on its wheels at few of its configurations, and only these matter.
    """
    vertical = [row == VERTICAL for contact in model.contacts for row in contact.rows]
    for _ in range(NEWTON):
        heights = _heights(model, states)
        regular = np.isfinite(heights).all(axis=1)
        states, heights = states[regular], heights[regular]
        if np.abs(heights).max(initial=0.0) < HEIGHT * 1e-6:
            return states
        rows = _rows(model, states)[:, vertical]
        if np.abs(rows).max(initial=0.0) < ZERO:  # a planar base: its wheels stay as high as they are
            return states
        back = cast(Array, np.linalg.pinv(rows - rows[:, :1], rcond=ZERO))
        steps = -np.einsum("nij,nj->ni", back, heights)
        states = configuration.integrate(model, states, np.clip(steps, -MOST_STEP, MOST_STEP))
    return states[np.abs(_heights(model, states)).max(axis=1) < HEIGHT * 1e-3]


def _uneven(model: Model) -> list[str]:
    """What is to be said where contacts are not in one plane at first."""
    (heights,) = _heights(model, configuration.neutral(model)[None])
    low, high = int(np.argmin(heights)), int(np.argmax(heights))
    if not heights[high] - heights[low] >= HEIGHT:
        return []
    names = [contact.name for contact in model.contacts]
    return [
        f"rolling: {names[high]!r} touches the ground {1e3 * (heights[high] - heights[low]):.3g} mm above "
        f"{names[low]!r}; are the radius and the height of the hub right?"
    ]


def _independent_rows(A: Array) -> list[int]:
    """Rows of which all others are constant combinations, those that come first where there is a choice."""
    size = max(float(np.abs(A).max(initial=0.0)), 1e-300)
    wide = A.transpose(1, 0, 2).reshape(A.shape[1], -1)
    kept: list[int] = []
    for k in range(len(wide)):
        if np.linalg.matrix_rank(wide[[*kept, k]], tol=ZERO * size) > len(kept):
            kept.append(k)
    return kept


def _shares(A: Array, kept: list[int]) -> tuple[tuple[float, ...], ...]:
    """Of the least multipliers of all rows, C (C^T C)^-1, where all rows are C times those that are kept."""
    wide = A.transpose(1, 0, 2).reshape(A.shape[1], -1)
    C = np.linalg.lstsq(wide[kept].T, wide.T)[0].T
    found = np.linalg.pinv(C).T
    found[np.abs(found) < ZERO] = 0.0
    return tuple(tuple(row) for row in found.round(12).tolist())


def _moved(choice: _Choice) -> tuple[tuple[int, ...], ...]:
    """For every link, which of the independent rates its own depends on, at configurations where they determine it."""
    regular = choice.basis.A[choice.worths > POOR]
    n, own = regular.shape[2], list(choice.links)
    rest = [i for i in range(n) if i not in own]
    G = np.abs(np.linalg.pinv(regular[:, :, rest]) @ regular[:, :, own]).max(axis=0, initial=0.0)
    found = {link: (k,) for k, link in enumerate(own)}
    found |= {link: tuple(int(k) for k in np.flatnonzero(row > ZERO)) for link, row in zip(rest, G, strict=True)}
    if choice.basis.turned is not None:  # x and y of the tree are mixtures of both
        x, y = choice.basis.turned, choice.basis.turned + 1
        found[x] = found[y] = tuple(sorted({*found[x], *found[y]}))
    return tuple(found[i] for i in range(n))


def _listed(labels: Sequence[str]) -> str:
    return labels[0] if len(labels) == 1 else f"{', '.join(labels[:-1])} and {labels[-1]}"


def _given(model: Model, names: Sequence[str], bases: Sequence[_Basis], best: _Choice) -> _Choice:
    """The independent rates that a file names."""
    modes = [link.joint.label for link in model.links if link.joint.kind == "mode"]
    names = [*names, *(name for name in modes if name not in names)]  # nothing holds a mode but its own stiffness
    basis = next((basis for basis in bases if all(name in basis.labels for name in names)), None)
    if basis is None:  # a joint with an elastic gear has two rates
        unknown = next(name for name in names if not any(name in basis.labels for basis in bases))
        raise DescriptionError("independent", f"no rate is called {unknown!r}; use {_listed(best.labels)}")
    given, count = _Choice(basis, tuple(basis.labels.index(name) for name in names)), len(best.links)
    if len(names) != count:
        raise DescriptionError(
            "independent",
            f"{model.name} has {counted(count, 'independent rate')}, got {len(names)}; use {_listed(best.labels)}",
        )
    if given.worths.max() < ZERO:
        raise DescriptionError(
            "independent", f"the other rates do not follow from {_listed(names)}; use {_listed(best.labels)}"
        )
    return given


def _order(model: Model, description: RobotDescription) -> list[int]:
    """The links in the order in which their rates are chosen: driven ones and modes first, bases last."""
    base, driven, bends = _base(model), description.actuated or [], _bends(model)
    return sorted(
        range(model.n), key=lambda i: (model.links[i].joint.name not in driven and not bends[i], i in base, i)
    )


def _bends(model: Model) -> list[bool]:
    """Of every link, whether its rate is that of a mode."""
    return [link.joint.kind == "mode" for link in model.links]


def _driven(model: Model, description: RobotDescription, independent: tuple[int, ...]) -> tuple[int, ...]:
    """The links with actuators, in the order in which the file names them.

    By default those of the independent rates; with rollers all their wheels, of which there may be more than needed.
    """
    if description.actuated is not None:
        named = {name: [i for i, k in enumerate(model.links) if k.joint.name == name] for name in description.actuated}
        return tuple(i for found in named.values() for i in found if model.links[i].joint.actuated)
    spins = sorted(contact.spin - 1 for contact in model.contacts if contact.kind == "roller")
    if not spins:
        return tuple(i for i in independent if model.links[i].joint.actuated)
    base = _base(model)
    others = (i for i in independent if i not in base and i not in spins and model.links[i].joint.actuated)
    found = (*spins, *others)
    return independent if sorted(found) == sorted(independent) else found
