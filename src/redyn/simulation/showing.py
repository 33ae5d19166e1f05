"""redyn.show: robots and runs in 3D, and matrices, in the cells of a notebook."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from redyn.arrays import real_array
from redyn.errors import InputError
from redyn.report.html import viewer_text
from redyn.report.notebook import frame, matrix_latex
from redyn.robot import Robot
from redyn.simulation.result import Run

Array = NDArray[np.float64]


class Shown:
    """What a cell shows. `html` is the page itself where it is one."""

    def __init__(self, text: str, html: str = "", latex: str = "", height: int = 420) -> None:
        self.text, self.html, self.latex, self.height = text, html, latex, height

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str | None:
        return frame(self.html, self.height) if self.html else None

    def _repr_latex_(self) -> str | None:
        return f"$\\displaystyle {self.latex}$" if self.latex else None


def show(thing: Robot | Run | ArrayLike, q: ArrayLike | None = None, height: int = 420, digits: int = 4) -> Shown:
    """For the last line of a cell: a robot in 3D (at q, else at its initial position), a run that plays, or a matrix.

    The viewer runs within the cell and needs no network, also in a notebook that was saved and sent; it takes about
    0.4 MB of it, and more with meshes (10 MB at most, else a note takes its place).

    >>> import redyn
    >>> robot = redyn.load("two-link")
    >>> redyn.show(robot.mass_matrix([0.0, 0.5])).latex
    '\\\\begin{bmatrix} 2.544 & 0.7721 \\\\\\\\ 0.7721 & 0.3333 \\\\end{bmatrix}'
    """
    if isinstance(thing, Robot):
        at = thing.initial if q is None else thing.configuration("q", q)
        return Shown(repr(thing), viewer_text(thing, [0.0], np.atleast_2d(at)[:1], thing.name), height=height)
    if isinstance(thing, Run):
        return Shown(repr(thing), thing.viewer(), height=height)
    given: Any = thing
    try:
        values = real_array(given)
    except (TypeError, ValueError):
        values = np.zeros((0, 0, 0))
    if values.ndim > 2:
        raise InputError(f"show: expected a robot, a run, or a matrix of numbers, got {type(given).__name__}")
    return Shown(repr(values), latex=matrix_latex(values, digits))
