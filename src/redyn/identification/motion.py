"""Rates and accelerations of a recording without phase lag: a zero-phase low-pass and derivatives of a spline."""

from __future__ import annotations

from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from redyn.errors import InputError
from redyn.identification.recording import Recording

Array = NDArray[np.float64]

ORDER = 4  # of the Butterworth filter, which runs forwards and backwards
SPIKE = 12.0  # times the typical distance from the median of five: a larger one is a measurement error
LARGEST_SHARE = 0.4  # of the sampling rate: a cutoff beyond it filters nothing


class States(NamedTuple):
    """Motion and torque at N instants, (N, dof) each."""

    t: Array
    q: Array
    qd: Array
    qdd: Array
    tau: Array

    def rows(self, chosen: Any) -> States:
        return States(*(a[chosen] for a in self))


def cutoffs(recorded: Recording, count: int = 10) -> list[float]:
    """Cutoff frequencies (Hz) worth trying, up to infinity, which filters nothing."""
    if recorded.qdd is not None:
        return [np.inf]
    rate = 1.0 / float(np.median(np.diff(recorded.t)))
    longest = max(float(np.ptp(part.t)) for part in recorded.stretches())
    low, high = max(8.0 / longest, 1e-3 * rate), LARGEST_SHARE * rate
    if low >= high:
        return [np.inf]
    return [*np.geomspace(low, high, count).tolist(), np.inf]


def states(recorded: Recording, cutoff: float) -> States:
    """The motion at the instants of the recording; rows at the ends of a stretch, where filters err, are left out."""
    if recorded.qd is not None and recorded.qdd is not None:
        return States(recorded.t, recorded.q, recorded.qd, recorded.qdd, recorded.tau)
    parts = [_stretch(part, cutoff) for part in recorded.stretches()]
    return States(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def _stretch(part: Recording, cutoff: float) -> States:
    t = part.t
    q = _without_spikes(part.q)
    if part.qd is None:
        smooth = _smooth(t, q, cutoff)
        motion = [smooth(t), smooth(t, 1), smooth(t, 2)]
    else:
        smooth = _smooth(t, _without_spikes(part.qd), cutoff)
        motion = [q, part.qd, smooth(t, 1)]
    step = float(np.median(np.diff(t)))
    margin = min(max(4 * step, 1.0 / cutoff), 0.1 * float(np.ptp(t)))
    inside = (t >= t[0] + margin) & (t <= t[-1] - margin)
    return States(t, motion[0], motion[1], motion[2], part.tau).rows(inside)


def _smooth(t: Array, values: Array, cutoff: float) -> Any:
    """A spline of degree five through the values, low-passed on an even grid; smooth(t, k) is its k-th derivative."""
    from scipy import interpolate, signal  # pyright: ignore[reportMissingTypeStubs]

    spline = cast(Any, interpolate).make_interp_spline
    step = float(np.median(np.diff(t)))
    even = float(np.abs(np.diff(t) - step).max()) < 1e-3 * step
    if not np.isfinite(cutoff):
        return spline(t, values, k=5)
    count = max(round(float(np.ptp(t)) / step) + 1, len(t))
    grid = t if even else np.linspace(float(t[0]), float(t[-1]), count)
    on_grid = values if even else spline(t, values, k=3)(grid)
    rate = (len(grid) - 1) / float(np.ptp(grid))
    if cutoff >= 0.5 * rate:
        raise InputError(f"cutoff: {cutoff:g} Hz is not below half the sampling rate of {rate:.4g} Hz")
    sections = cast(Any, signal).butter(ORDER, cutoff, fs=rate, output="sos")
    padding = min(len(grid) - 1, max(3 * ORDER, round(2 * rate / cutoff)))
    filtered = cast(Any, signal).sosfiltfilt(sections, on_grid, axis=0, padlen=padding)
    return spline(grid, filtered, k=5)


def _without_spikes(values: Array) -> Array:
    """Single samples far from their neighbours replaced by the median of five."""
    padded = np.pad(values, ((2, 2), (0, 0)), mode="edge")
    medians = np.median(np.stack([padded[k : k + len(values)] for k in range(5)]), axis=0)
    off = np.abs(values - medians)
    usual = np.median(off, axis=0) + 1e-6 * np.ptp(values, axis=0)
    extent = np.quantile(values, 0.99, axis=0) - np.quantile(values, 0.01, axis=0)
    spikes = (off > SPIKE * usual) & (off > 0.1 * extent)
    return np.where(spikes, medians, values)
