"""The first cell of a notebook."""

from __future__ import annotations

from collections.abc import Mapping

from redyn.robot import Robot
from redyn.symbolic.chapter.blocks import Array
from redyn.symbolic.equations import Equations


def setup_cell(eqs: Equations, robot: Robot, vectors: Mapping[str, Array]) -> str:
    """With the robot itself, so that the notebook is self-contained, and the state of the example."""
    lines = [
        "import numpy as np",
        "import yaml",
        "import redyn",
        "",
        f"robot = redyn.load(yaml.safe_load({robot.to_yaml()!r}), allow_unphysical=True)",
        f"eqs = redyn.derive({', '.join(['robot', *(f'{name}={value!r}' for name, value in eqs.options.items())])})",
    ]
    lines += [f"{name} = np.array({v.tolist()!r})" for name, v in vectors.items()]
    return "\n".join(lines)
