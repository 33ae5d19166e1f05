"""What an MJCF file disables, and what it contains that redyn does not model."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_ON_JOINTS = (0, 1)  # mjTRN_JOINT, mjTRN_JOINTINPARENT


class Acting:
    """What is active in a model: everything that no flag of its options disables.

    Springs and dampers have separate flags; with both off, MuJoCo leaves out every passive force (as did the flag
    `passive` of older versions). Constraints are joint friction, limits, equalities and contacts.
    """

    def __init__(self, model: Any) -> None:
        bits: Any = importlib.import_module("mujoco").mjtDisableBit
        flags = int(model.opt.disableflags)

        def on(*names: str) -> bool:
            return not any(flags & int(getattr(bits, f"mjDSBL_{name}", 0)) for name in names)

        self.gravity = on("GRAVITY")
        self.springs, self.dampers = on("SPRING", "PASSIVE"), on("DAMPER", "PASSIVE")
        self.passive = self.springs or self.dampers
        self.friction = on("FRICTIONLOSS", "CONSTRAINT")
        self.limits = on("LIMIT", "CONSTRAINT")
        self.equalities = on("EQUALITY", "CONSTRAINT")
        self.contacts = on("CONTACT", "CONSTRAINT")
        self.actuators = on("ACTUATION")
        self.rotor_damping, self.rotor_armature = _felt(model, "damping"), _felt(model, "armature")


def _felt(model: Any, what: str) -> Array:
    """Armature and damping of actuators, reflected to each joint through their gears (newer versions of MuJoCo)."""
    felt = np.zeros(model.njnt)
    values: Array = np.ravel(np.asarray(getattr(model, f"actuator_{what}", ()), dtype=np.float64))
    count = len(model.actuator_trntype)
    if len(values) == count:
        on_joint = np.isin(model.actuator_trntype, _ON_JOINTS)
        first = getattr(model, "actuator_outadr", np.arange(count))  # newer versions: several outputs, each a gear
        gears = model.actuator_gear[first[on_joint], 0]
        np.add.at(felt, model.actuator_trnid[on_joint, 0], gears**2 * values[on_joint])
    return felt


def not_modelled(model: Any, acts: Acting) -> Iterator[str]:
    """Active features of the model that redyn cannot express."""
    if acts.contacts and ((model.geom_contype & model.geom_conaffinity).any() or model.npair):
        yield "contacts"
    cones = int(((model.jnt_type == 1) & (model.jnt_limited != 0)).sum())
    springs = int(((model.jnt_type < 2) & (model.jnt_stiffness != 0)).sum())  # types: free, ball, slide, hinge
    for count, acting, what in (
        (cones, acts.limits, "limits of ball joints"),
        (springs, acts.springs, "springs of ball and free joints"),
        (len(model.actuator_trntype), acts.actuators, "actuators"),
        (model.ntendon, True, "tendons"),
        (model.nflex, True, "flexible bodies"),
        (model.nplugin, True, "plugins"),
        (model.nmocap, True, "the motion of mocap bodies"),
    ):
        if count and acting:
            yield f"{what} ({count})"
    for name, acting, what in (
        ("jnt_stiffnesspoly", acts.springs, "joint springs that are not linear"),
        ("dof_dampingpoly", acts.dampers, "damping that is not linear"),
        ("actuator_dampingpoly", acts.dampers, "actuators' damping that is not linear"),
        ("body_gravcomp", acts.passive and acts.gravity, "gravity compensation"),
    ):
        values = getattr(model, name, None)  # not available in older versions
        if acting and values is not None and np.any(values):
            yield what
    if acts.passive and (model.opt.density or model.opt.viscosity):
        yield "the fluid around"
