"""Identification: base parameters, exciting motions, and a robot's parameters from measured torques."""

from redyn.identification.base import BaseParameters, base_parameters, parameter_names
from redyn.identification.excite import Fourier, Limits, condition, exciting_motion, limits_of
from redyn.identification.fit import Fit, fit_base
from redyn.identification.groupings import symbolic_groupings
from redyn.identification.identify import Identification, identify
from redyn.identification.motion import States, states
from redyn.identification.parameters import with_parameters
from redyn.identification.physical import physical_parameters, pseudo_inertia
from redyn.identification.recording import Recording, read_recording, recording

__all__ = [
    "BaseParameters",
    "Fit",
    "Fourier",
    "Identification",
    "Limits",
    "Recording",
    "States",
    "base_parameters",
    "condition",
    "exciting_motion",
    "fit_base",
    "identify",
    "limits_of",
    "parameter_names",
    "physical_parameters",
    "pseudo_inertia",
    "read_recording",
    "recording",
    "states",
    "symbolic_groupings",
    "with_parameters",
]
