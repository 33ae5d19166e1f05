"""Robots that vibrate: natural frequencies and mode shapes, static sag, bent shapes, frequency responses."""

from redyn.vibration.modes import Vibration, vibration
from redyn.vibration.response import Response, frequency_response
from redyn.vibration.sag import sag
from redyn.vibration.shape import centre_line

__all__ = ["Response", "Vibration", "centre_line", "frequency_response", "sag", "vibration"]
