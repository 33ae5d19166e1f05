"""From measured torques to the parameters of a robot: which can be found, how to move, what they are."""

from redyn.identification.base import BaseParameters, base_parameters, parameter_names

__all__ = ["BaseParameters", "base_parameters", "parameter_names"]
