"""redyn: recursive robot dynamics by the DeNOC method.

    load(source)                  a robot: a library name (see `gallery`), a .yaml, .urdf, .sdf or .xml file, or a dict
    simulate(robot, q, qd, ...)   its motion in time, a `Run`; `simulate_batch` for many at once
    derive(robot)                 its equations of motion in symbols, `Equations`
    page(robot)                   an HTML file in which its dynamics run
    trajectory, control           motions to follow, and controllers that follow them
    show(thing)                   a robot, a run or a matrix in a notebook
    sizing                        motors and gearboxes against the torques and speeds of a motion
    kinematics, identification    clearance, DH tables; robots from measured torques
    sweep                         many samples of robots and states, on one core or a cluster
    jax, torch                    the methods of a robot as differentiable functions of these packages
    doctor(path)                  faults of a robot file, and what other programs make of it
    gym                           environments of Gymnasium, many robots in one step
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
    from redyn import exercises, identification, kinematics, sweep, trajectory
    from redyn.description import gallery, library
    from redyn.interop import jax, torch
    from redyn.living import page
    from redyn.report.bode import bode
    from redyn.robot import Robot, chain, load
    from redyn.simulation import Push, Run, SimulationError, Stops, simulate, simulate_batch, sizing
    from redyn.simulation import controllers as control
    from redyn.simulation.showing import show
    from redyn.symbolic.equations import Equations, derive
    from redyn.verify.doctor import doctor

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
    "bode",
    "chain",
    "control",
    "derive",
    "doctor",
    "exercises",
    "gallery",
    "identification",
    "jax",
    "kinematics",
    "library",
    "load",
    "page",
    "show",
    "simulate",
    "simulate_batch",
    "sizing",
    "sweep",
    "torch",
    "trajectory",
]

# Imported on first use, so that `import redyn` and `redyn --help` are fast.
_HOMES = {"Robot": "redyn.robot", "chain": "redyn.robot", "load": "redyn.robot"}
_HOMES |= dict.fromkeys(("gallery", "library"), "redyn.description")
_HOMES |= {"bode": "redyn.report.bode", "page": "redyn.living"}
_HOMES |= dict.fromkeys(("Push", "Run", "SimulationError", "Stops", "simulate", "simulate_batch"), "redyn.simulation")
_HOMES |= {"show": "redyn.simulation.showing"}
_HOMES |= dict.fromkeys(("Equations", "derive"), "redyn.symbolic.equations")
_HOMES |= {"doctor": "redyn.verify.doctor"}
_MODULES = {  # gym is not in __all__: it needs an extra as soon as it is imported
    "control": "redyn.simulation.controllers",
    "exercises": "redyn.exercises",
    "gym": "redyn.gym",
    "identification": "redyn.identification",
    "jax": "redyn.interop.jax",
    "kinematics": "redyn.kinematics",
    "sizing": "redyn.simulation.sizing",
    "sweep": "redyn.sweep",
    "torch": "redyn.interop.torch",
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
