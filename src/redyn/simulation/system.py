"""What compiled loops know of a robot in motion: addresses of machine code, and the memory on which it works.

The state of a run is y = (q, v, works): the works of all force elements (see `forces`) are integrated with the motion,
so that the energy balance is as exact as the motion itself. They take no part in the choice of steps.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Integers = NDArray[np.int64]

# Slots of `addresses`: functions (0: none), the tables of the kernel, and the rows that functions read and write.
# PROJECTION is the kernel that closes loops, PROJECTED its table of outputs.
# From FRAMES on, for each frame on which something acts, its Jacobian kernel and that kernel's table of outputs.
KERNEL, TORQUE_LAW, WRENCH_LAW, INPUTS, OUTPUTS, Q_AT, V_AT, ACTUATORS_AT, WRENCHES_AT = range(9)
PROJECTION, PROJECTED = range(9, 11)
# Of robots on wheels, kernels of the rates of q and of the derivatives of these, with their tables.
ROLLING, ROLLED, TURNING, TURNING_INPUTS, TURNED = range(11, 16)
# The kernel that tells what the force element of the ground needs (see there), with its tables.
GROUND, GROUND_INPUTS, GROUND_OUTPUTS = range(16, 19)
# Inputs of kernels that take q and v, and of those that take q alone: parameters of the robot follow, if it has such.
STATE_INPUTS, Q_INPUTS, FRAMES = range(19, 22)

# Rows of `rows`. TORQUE is what the kernel gets: the sum of what all elements apply to the joints.
# RATES are those of q where wheels roll, BENDS their derivatives.
Q, V, TORQUE, ACCELERATION, ACTUATORS, PROJECTED_Q, PROJECTED_V, RATES, BENDS = range(9)
ROWS = 9

WRENCH, TWIST = range(2)  # halves of `frames`


class System(NamedTuple):
    """A robot, what drives it, and the memory of its kernel. Few fields: each costs at every call."""

    addresses: Integers
    layout: Integers  # see `manifold`
    rows: Array
    constants: Array  # of the force elements: where the block of each begins and the last ends, then the blocks
    times: Array  # of the rows of `table`
    table: Array  # of torques, where there is no law; a single row is a constant torque
    frames: Array  # on which something acts: the wrench on each, moment first, and its twist; in world axes
    jacobians: Array  # of these frames, six rows each; its width is the number of rates
    ground: Array  # memory of the force element of the ground
