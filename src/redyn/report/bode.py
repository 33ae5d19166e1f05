"""Bode plots of frequency responses (Matplotlib)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from redyn.errors import InputError
from redyn.report.colours import INK, joint_colour
from redyn.report.figures import blank_figure, saved
from redyn.vibration import Response
from redyn.words import counted


def bode(
    response: Response | Sequence[Response],
    path: str | Path | None = None,
    names: Sequence[str] = (),
    force: bool = False,
) -> Any:
    """A Bode plot, magnitude and phase over frequency, as a Matplotlib figure; saved to `path` if one is given.

    Of one response (see `Robot.frequency_response`) or of several, which `names` tells apart.

    >>> import redyn
    >>> robot = redyn.load("flexible-beam")
    >>> figure = redyn.bode(robot.frequency_response(robot.sag(robot.initial)))
    >>> len(figure.axes)
    2
    """
    responses = [response] if isinstance(response, Response) else list(response)
    if names and len(names) != len(responses):
        raise InputError(
            f"bode: {counted(len(responses), 'response')} and {counted(len(names), 'name')}; give one each"
        )
    figure = blank_figure(8.0, 6.0)
    size, phase = figure.subplots(2, 1, sharex=True)
    for k, response in enumerate(responses):
        hertz = response.frequencies / 6.283185307179586
        label = names[k] if names else None
        size.plot(hertz, response.magnitude, color=joint_colour(k), linewidth=1.3, label=label)
        phase.plot(hertz, response.phase, color=joint_colour(k), linewidth=1.3)
    first = responses[0]
    x, y, z = first.direction
    figure.suptitle(
        f"From the torque of {first.torque} to the position of {first.frame} along ({x:.2f}, {y:.2f}, {z:.2f})",
        color=INK,
        fontsize=11,
    )
    size.set_ylabel("magnitude (dB)")
    phase.set_ylabel("phase (degrees)")
    phase.set_xlabel("frequency (Hz)")
    phase.yaxis.set_major_locator(_quarters())
    for axes in (size, phase):
        axes.set_xscale("log")
        axes.grid(True, which="both", alpha=0.25)
    if names:
        size.legend(frameon=False)
    figure.tight_layout()
    if path is not None:
        saved(figure, path, force)
    return figure


def _quarters() -> Any:
    from matplotlib.ticker import MultipleLocator

    return MultipleLocator(90)
