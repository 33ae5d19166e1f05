"""From the arrays that users pass to the code that computes on them, and back."""

from redyn.evaluate.arguments import MEANINGS, NOT_FREE, Arguments, Array, Output, check_threads, normal, world_inputs
from redyn.evaluate.evaluator import Evaluator

__all__ = [
    "MEANINGS",
    "NOT_FREE",
    "Arguments",
    "Array",
    "Evaluator",
    "Output",
    "check_threads",
    "normal",
    "world_inputs",
]
