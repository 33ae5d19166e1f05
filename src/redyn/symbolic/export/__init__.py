"""Source code that computes a robot's dynamics without redyn: C99, or Python with NumPy or the standard library alone.

It performs exactly the operations of the kernels, so it is as short and gives the same results.
"""

from redyn.symbolic.export.c import export_c
from redyn.symbolic.export.functions import SHORT
from redyn.symbolic.export.python import export_python

__all__ = ["SHORT", "export_c", "export_python"]
