"""The force elements of a run: what acts on a robot beside gravity and its own springs, and the work that it does.

An element is one file here and one entry in ELEMENTS. It has a name, the constants that it needs in a run, and a small
compiled function that applies its force at the present state and returns its power:

- A torque at joints is added to `system.rows[TORQUE]`, which the forward dynamics takes.
- A wrench on a frame goes to `system.frames[WRENCH]`, which the forward dynamics takes as well, and
  `system.frames[TWIST]` tells how that frame moves.
- A force that the forward dynamics contains already, as friction, only has its power computed here.

The function must be quick: it takes part in every evaluation. Index the arrays of the system where they are needed
rather than keep them, or views of them, in variables across a branch: Numba then counts references at every call, which
costs more than the arithmetic.

The power is integrated with the motion and becomes a field of `run.energy`, by the element's name. The force laws
themselves are in `redyn.dynamics.laws`, so that recursions can trace them as well.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from redyn.kernels.compiled import merged
from redyn.simulation.forces.actuators import ACTUATORS
from redyn.simulation.forces.element import Act, Element, Given
from redyn.simulation.forces.external import EXTERNAL
from redyn.simulation.forces.friction import FRICTION
from redyn.simulation.forces.ground import GROUND_ELEMENT
from redyn.simulation.forces.stops import STOPS, Stops
from redyn.simulation.system import System

Array = NDArray[np.float64]

ELEMENTS: tuple[Element, ...] = (
    ACTUATORS,
    FRICTION,
    EXTERNAL,
    STOPS,
    GROUND_ELEMENT,
)  # in the order of the fields of `Energy`
COUNT = len(ELEMENTS)

__all__ = ["COUNT", "ELEMENTS", "Given", "Stops", "act", "applied", "constants"]


@merged
def _end(system: System, t: float, powers: Array, first: int) -> None:
    pass


def _composed(acts: Sequence[Act]) -> Act:
    """All elements one after the other, as one function: compiled code cannot loop over different functions."""
    if not acts:
        return _end
    head, rest = acts[0], _composed(acts[1:])

    @merged
    def act(system: System, t: float, powers: Array, first: int) -> None:
        powers[first] = head(system, t)
        rest(system, t, powers, first + 1)

    return act


# act(system, t, powers, first): every element acts at the system's q and v; powers from `first` on.
act = _composed([element.act(number) for number, element in enumerate(ELEMENTS)])


def constants(given: Given) -> Array:
    """What the elements need to know in a run: where the block of each begins and the last one ends, then the blocks.

    Element k has the entries from constants[k] to constants[k + 1].
    """
    blocks = [element.constants(given) for element in ELEMENTS]
    ends = np.cumsum([COUNT + 1, *(len(block) for block in blocks)])
    return np.concatenate([ends.astype(np.float64), *blocks])


def applied(constants: Array) -> bool:
    """Whether an element has constants whose force the forward dynamics does not contain already."""
    return any(constants[k] < constants[k + 1] for k, element in enumerate(ELEMENTS) if not element.known)
