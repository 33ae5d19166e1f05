"""Source code that computes a robot's dynamics without redyn: C99, or Python with NumPy or the standard library alone.

What is written down is the very list of operations that the kernels run, so it costs as little and gives the same.
"""

from redyn.symbolic.export.c import export_c
from redyn.symbolic.export.functions import SHORT
from redyn.symbolic.export.python import export_python

__all__ = ["SHORT", "export_c", "export_python"]
