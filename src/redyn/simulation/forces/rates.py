"""Where the rate of a joint is found while a run goes on."""

from __future__ import annotations

from redyn.errors import InputError
from redyn.model import Model, Rolling
from redyn.model.model import offsets
from redyn.simulation.system import RATES, V


def rates_of_links(model: Model) -> list[tuple[int, int, float]]:
    """For every link: a row of the system, a place in it, and what is to be multiplied by.

    Where wheels roll, rates that depend on others are found among those of q.
    """
    reduction = model.reduction
    if not isinstance(reduction, Rolling):
        return [(V, tie.leader, tie.factor) for tie in model.ties]
    found: list[tuple[int, int, float]] = []
    for i, (link, start) in enumerate(zip(model.links, offsets(model.links), strict=True)):
        turned = reduction.turned is not None and i - reduction.turned in (0, 1)
        if i in reduction.independent and not turned:
            found.append((V, reduction.independent.index(i), 1.0))
        elif link.joint.single:
            found.append((RATES, start, 1.0))
        else:
            if link.joint.damping or link.joint.coulomb:
                raise InputError(
                    f"joint {link.joint.name!r} has friction, and its rates follow from wheels; leave it out"
                )
            found.append((RATES, 0, 0.0))
    return found
