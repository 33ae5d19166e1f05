"""Source code that computes a robot's dynamics without redyn: C99, Python, JavaScript, a package for ros2_control.

It performs exactly the operations of the kernels, so it is as short and gives the same results.
"""

from redyn.symbolic.export.c import export_c
from redyn.symbolic.export.functions import SHORT
from redyn.symbolic.export.javascript import export_javascript
from redyn.symbolic.export.python import export_python
from redyn.symbolic.export.ros2 import export_ros2

__all__ = ["SHORT", "export_c", "export_javascript", "export_python", "export_ros2"]
