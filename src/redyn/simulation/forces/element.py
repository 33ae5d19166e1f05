"""What a force element is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from redyn.evaluate.ground import Ground
from redyn.robot import Robot

if TYPE_CHECKING:
    from redyn.simulation.forces.stops import Stops

Array = NDArray[np.float64]
Act = Callable[..., Any]  # compiled: act(system, t), which applies the force at the system's q and v, returns its power


@dataclass(frozen=True)
class Given:
    """What an element may ask for before a run: the robot, where it starts, and the options of `simulate`."""

    robot: Robot
    q: Array
    external: Mapping[str, Any]  # wrenches by frame, constant or functions of time
    stops: bool | Stops
    saturate: Any = False  # True, or limits of the actuators
    ground: Ground | None = None


class Element(NamedTuple):
    """A force that does work."""

    name: str  # of its work in `run.energy`
    constants: Callable[[Given], Array]  # what it needs to know in this run, flat
    known: bool  # whether the forward dynamics contains its force already, so that only its power is needed
    act: Callable[[int], Act]  # its function, given its number: its constants begin at int(constants[number])
