"""What notebooks show: a page within a cell, a picture, a matrix."""

from __future__ import annotations

import base64
import html

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

LARGEST = 10_000_000  # characters of a page in a cell, so that notebooks stay small enough to be opened and sent
MOST_ENTRIES = 20  # rows and columns of a matrix


def frame(page: str, height: int = 420) -> str:
    """A self-contained page as HTML of a cell. It runs apart from the notebook, and asks nobody for anything."""
    if len(page) > LARGEST:
        size = len(page) / 1e6
        return (
            f"<p>The 3D view has {size:.0f} MB, more than a notebook should hold. Write it to a file by html(path).</p>"
        )
    return (
        f'<iframe sandbox="allow-scripts" srcdoc="{html.escape(page, quote=True)}" '
        f'style="width: 100%; height: {height}px; border: 0"></iframe>'
    )


def picture(png: bytes | None) -> str:
    """HTML of a picture; empty if there is none."""
    if png is None:
        return ""
    return f'<img alt="plots" style="max-width: 100%" src="data:image/png;base64,{base64.b64encode(png).decode()}">'


def matrix_latex(values: Array, digits: int = 4) -> str:
    r"""LaTeX of a matrix, a vector or a number; of a large one the corner.

    >>> matrix_latex(np.array([[1.0, 2.5], [0.0, 1e-7]]))
    '\\begin{bmatrix} 1 & 2.5 \\\\ 0 & 10^{-7} \\end{bmatrix}'
    """
    rows = values.reshape(-1, 1) if values.ndim < 2 else values
    if values.ndim == 0:
        return _number(float(values), digits)
    lines = [[_number(float(x), digits) for x in row[:MOST_ENTRIES]] for row in rows[:MOST_ENTRIES]]
    if rows.shape[1] > MOST_ENTRIES:
        lines = [[*line, r"\cdots"] for line in lines]
    if len(rows) > MOST_ENTRIES:
        lines.append([r"\vdots"] * len(lines[0]))
    return r"\begin{bmatrix} " + r" \\ ".join(" & ".join(line) for line in lines) + r" \end{bmatrix}"


def _number(x: float, digits: int) -> str:
    if not np.isfinite(x):
        return r"\text{nan}" if np.isnan(x) else r"\infty" if x > 0 else r"-\infty"
    mantissa, _, exponent = f"{x + 0.0:.{digits}g}".partition("e")
    if not exponent:
        return mantissa
    power = f"10^{{{int(exponent)}}}"
    return {"1": power, "-1": f"-{power}"}.get(mantissa, rf"{mantissa} \cdot {power}")
