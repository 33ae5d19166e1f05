"""Which rates of a robot on wheels are independent, and which rows of its contacts count: chosen at load.

Rows that are zero whatever the configuration restrict nothing, and rows that repeat others, such as the lateral ones of
two wheels on one axle, restrict nothing more: both are left out. The rates that remain to be chosen are those that the
file names, or the first that determine the others at every configuration that was looked at.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations, islice

import numpy as np
from numpy.typing import NDArray

from redyn.arithmetic import Floats
from redyn.description.schema import RobotDescription
from redyn.dynamics.kinematics import poses, propagations
from redyn.dynamics.rolling import contact_rows
from redyn.errors import DescriptionError
from redyn.model import Contact, Model, Rolling, configuration
from redyn.words import counted

Array = NDArray[np.float64]

STATES = 100  # random configurations that are looked at
ZERO = 1e-9  # of a row of unit entries: rounding
LEVEL = 1e-12  # sine of the angle of an axle to the ground
SHARE = 0.3  # of the worth of the best choice, from which on another one is good enough
MOST_CHOICES = 5_000  # of independent rates that are tried


def analyse(model: Model, description: RobotDescription) -> Model:
    """The model with its rolling contacts as a reduction."""
    states = _states(model)
    upright = [_always_level(model, contact, states) for contact in model.contacts]
    contacts = tuple(replace(c, upright=level) for c, level in zip(model.contacts, upright, strict=True))
    every = [(k, row) for k, contact in enumerate(contacts) for row in contact.rows]
    A = np.array([_rows(model, contacts, q) for q in states])
    kept = _independent_rows(A)
    A = A[:, kept]
    if min(np.linalg.matrix_rank(rows, tol=ZERO * np.linalg.norm(rows)) for rows in A) < len(kept):
        raise DescriptionError(
            "rolling",
            f"{model.name}: its wheels contradict each other while it turns, since their axles do not meet in a point; "
            "leave out those that only carry weight, or steer them by one joint",
        )
    count = model.n - len(kept)
    if count < 1:
        raise DescriptionError("rolling", f"{model.name}: so many wheels leave it no way to move; leave some out")
    independent = _chosen(model, description, A, count)
    driven = _driven(model, description, independent)
    rows = tuple(every[k] for k in kept)
    return replace(model, reduction=Rolling(contacts, model.up, rows, independent, model.n, driven))


def _states(model: Model) -> Array:
    """Random configurations, some at right angles, where a poor choice of rates is often singular."""
    generator, limit = np.random.default_rng(0), np.full(model.tangent, np.pi)
    return np.array([configuration.random(model, -limit, limit, generator) for _ in range(STATES)])


def _rows(model: Model, contacts: Sequence[Contact], q: Array) -> Array:
    found = contact_rows(model, Floats(), [float(x) for x in q], contacts, model.up)
    return np.array([row for rows in found for row in rows], dtype=np.float64).reshape(-1, model.n)


def _always_level(model: Model, contact: Contact, states: Array) -> bool:
    """Whether an axle is level at every configuration: not where a base is free to lean."""
    axle = np.array(contact.axle.components())
    return all(abs(float(axle @ _up_in(model, contact.carrier, q))) < LEVEL for q in states)


def _up_in(model: Model, link: int, q: Array) -> Array:
    """The normal of the ground in the axes of a link."""
    arith = Floats()
    placed = poses(model, arith, propagations(model, arith, [float(x) for x in q]))
    return np.array((placed[link].R.T @ model.up).components(), dtype=np.float64)


def _independent_rows(A: Array) -> list[int]:
    """Rows of which all others are constant combinations, those that come first where there is a choice."""
    size = max(float(np.abs(A).max(initial=0.0)), 1e-300)
    wide = A.transpose(1, 0, 2).reshape(A.shape[1], -1)
    kept: list[int] = []
    for k in range(len(wide)):
        if np.linalg.matrix_rank(wide[[*kept, k]], tol=ZERO * size) > len(kept):
            kept.append(k)
    return kept


def _chosen(model: Model, description: RobotDescription, A: Array, count: int) -> tuple[int, ...]:
    """The independent rates: those that the file names, or the best."""
    labels = [link.joint.label for link in model.links]
    best = _best(model, description, A, count)
    named = " and ".join([", ".join(labels[i] for i in best[:-1]), labels[best[-1]]]) if count > 1 else labels[best[0]]
    if description.independent is None:
        return best
    given = tuple(labels.index(name) for name in description.independent)
    if len(given) != count:
        raise DescriptionError(
            "independent", f"{model.name} has {counted(count, 'independent rate')}, got {len(given)}; such as {named}"
        )
    if _worth(A, given) < ZERO:
        raise DescriptionError("independent", f"the other rates do not follow from these; such as {named}")
    return given


def _best(model: Model, description: RobotDescription, A: Array, count: int) -> tuple[int, ...]:
    """Rates from which all others follow at every configuration: driven joints if these do, else wheels before bases.

    Of choices that are hardly worse than the best one, the first counts.
    """
    base = {i for i, link in enumerate(model.links) if link.parent == 0 or model.links[link.parent - 1].virtual}
    driven = description.actuated or []
    order = sorted(range(model.n), key=lambda i: (model.links[i].joint.name not in driven, i in base, i))
    choices = list(islice(combinations(order, count), MOST_CHOICES))
    worth = [_worth(A, choice) for choice in choices]
    first = next(k for k, value in enumerate(worth) if value >= SHARE * max(worth))
    return tuple(sorted(choices[first]))


def _worth(A: Array, independent: Sequence[int]) -> float:
    """How far the choice is from being singular, at the configuration where that is least."""
    rest = [i for i in range(A.shape[2]) if i not in independent]
    return float(np.linalg.svd(A[:, :, rest], compute_uv=False)[:, -1].min())


def _driven(model: Model, description: RobotDescription, independent: tuple[int, ...]) -> tuple[int, ...]:
    """The links with actuators."""
    if description.actuated is None:
        return independent
    return tuple(i for i, link in enumerate(model.links) if link.joint.name in description.actuated)
