"""redyn: recursive robot dynamics by the DeNOC method.

    load(source)                  a robot: a library name (see `gallery`), a .yaml, .urdf, .sdf or .xml file, or a dict
    simulate(robot, q, qd, ...)   its motion in time, a `Run`; `simulate_batch` for many at once
    derive(robot)                 its equations of motion in symbols, `Equations`
    trajectory, control           motions to follow, and controllers that follow them
    sizing                        motors and gearboxes against the torques and speeds of a motion
    kinematics, identification    clearance, DH tables; robots from measured torques
    exercises                     tasks with answers that the engine computes and checks

Methods of a robot: help(redyn.Robot).

>>> import redyn
>>> robot = redyn.load("puma")
>>> robot.inverse_dynamics(robot.initial, robot.neutral(), robot.neutral()).round(3)
array([  0.   , -69.686,  -0.482,   0.   ,   0.   ,   0.   ])
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from redyn.errors import (
    AssemblyError,
    DescriptionError,
    InputError,
    MissingExtraError,
    RedynError,
    RedynWarning,
    SingularError,
)
from redyn.version import __version__ as __version__

if TYPE_CHECKING:
    from redyn import exercises, identification, kinematics, trajectory
    from redyn.description import gallery, library
    from redyn.robot import Robot, chain, load
    from redyn.simulation import Push, Run, SimulationError, Stops, simulate, simulate_batch, sizing
    from redyn.simulation import controllers as control
    from redyn.symbolic.equations import Equations, derive

__all__ = [
    "AssemblyError",
    "DescriptionError",
    "Equations",
    "InputError",
    "MissingExtraError",
    "Push",
    "RedynError",
    "RedynWarning",
    "Robot",
    "Run",
    "SimulationError",
    "SingularError",
    "Stops",
    "chain",
    "control",
    "derive",
    "exercises",
    "gallery",
    "identification",
    "kinematics",
    "library",
    "load",
    "simulate",
    "simulate_batch",
    "sizing",
    "trajectory",
]

# Imported on first use, so that `import redyn` and `redyn --help` are fast.
_HOMES = {"Robot": "redyn.robot", "chain": "redyn.robot", "load": "redyn.robot"}
_HOMES |= dict.fromkeys(("gallery", "library"), "redyn.description")
_HOMES |= dict.fromkeys(("Push", "Run", "SimulationError", "Stops", "simulate", "simulate_batch"), "redyn.simulation")
_HOMES |= dict.fromkeys(("Equations", "derive"), "redyn.symbolic.equations")
_MODULES = {
    "control": "redyn.simulation.controllers",
    "exercises": "redyn.exercises",
    "identification": "redyn.identification",
    "kinematics": "redyn.kinematics",
    "sizing": "redyn.simulation.sizing",
    "trajectory": "redyn.trajectory",
}


def __getattr__(name: str) -> object:
    import importlib

    if name in _MODULES:
        return importlib.import_module(_MODULES[name])
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'redyn' has no attribute {name!r}")


def __dir__() -> list[str]:
    """The public names, including those imported on first use."""
    return sorted([*__all__, *(name for name in globals() if name.startswith("__"))])
