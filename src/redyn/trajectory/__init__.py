"""Motions between two configurations."""

from redyn.trajectory.cycloidal import Cycloidal, cycloidal

__all__ = ["Cycloidal", "cycloidal"]
