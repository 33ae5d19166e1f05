"""Exceptions and warnings. Every message says what is wrong, where, and what was expected."""

from __future__ import annotations

import sys
import warnings


class RedynError(Exception):
    """Base class: any error that the user can correct."""


class RedynWarning(UserWarning):
    """Something that the user should know but can ignore."""


class DescriptionError(RedynError):
    """A robot's description is invalid; `where` is the location, such as `links[2].inertia`, and `what` the error."""

    def __init__(self, where: str, message: str) -> None:
        super().__init__(f"{where}: {message}" if where else message)
        self.where, self.what = where, message


class InputError(RedynError):
    """An argument of a call is invalid: its length, its type, or a value that is not finite."""


class SingularError(RedynError):
    """The accelerations are not determined: some joint moves no inertia at all."""


class AssemblyError(RedynError):
    """Loops of a robot are open, and cannot be closed as asked."""


class MissingExtraError(RedynError):
    """An optional package is not installed."""

    def __init__(self, package: str, extra: str, purpose: str) -> None:
        super().__init__(f"{purpose} needs {package}, which is not installed: pip install 'redyn[{extra}]'")


def warn(message: str) -> None:
    """Issues a RedynWarning that points at the user's own line: the first one outside this package."""
    frame, level = sys._getframe(1), 2  # pyright: ignore[reportPrivateUsage] # frame of the caller
    while frame is not None and str(frame.f_globals.get("__name__")).partition(".")[0] == __package__:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, RedynWarning, stacklevel=level)
