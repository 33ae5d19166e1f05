"""redyn: recursive robot dynamics by the DeNOC method.

>>> import redyn
>>> robot = redyn.load("puma")
>>> robot.inverse_dynamics(robot.initial, robot.neutral(), robot.neutral()).round(3)
array([  0.   , -69.686,  -0.482,   0.   ,   0.   ,   0.   ])
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from redyn.errors import DescriptionError, InputError, MissingExtraError, RedynError, RedynWarning, SingularError

if TYPE_CHECKING:
    from redyn import trajectory
    from redyn.description import library
    from redyn.robot import Robot, chain, load

__version__ = "0.1.0"

__all__ = [
    "DescriptionError",
    "InputError",
    "MissingExtraError",
    "RedynError",
    "RedynWarning",
    "Robot",
    "SingularError",
    "chain",
    "library",
    "load",
    "trajectory",
]

# Imported when first used, so that `import redyn` and `redyn --help` stay quick.
_HOMES = {"Robot": "redyn.robot", "chain": "redyn.robot", "load": "redyn.robot", "library": "redyn.description"}


def __getattr__(name: str) -> object:
    import importlib

    if name == "trajectory":
        return importlib.import_module("redyn.trajectory")
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'redyn' has no attribute {name!r}")
