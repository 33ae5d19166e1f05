"""Equations of motion in closed form, by three derivations, and worked examples."""

from redyn.symbolic.equations import Equations, derive

__all__ = ["Equations", "derive"]
