"""Statistics of a sweep in one pass over its files, and sensitivities: which of the varied numbers an output follows.

Means, deviations and the regression are of all samples; quantiles are of every m-th one, so that memory stays bounded.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from redyn.errors import RedynError
from redyn.sweep.shard import FAILURE, SAMPLE

if TYPE_CHECKING:
    from redyn.sweep.result import Result

Array = NDArray[np.float64]

KEPT = 20_000  # samples of which quantiles and charts are made
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
BAND = (0, 4)  # of these quantiles: how far a varied number moves in a tornado chart


@dataclass(frozen=True)
class Statistics:
    """Of one column."""

    name: str
    count: int
    mean: float
    deviation: float
    low: float
    high: float
    quantiles: tuple[float, ...]


@dataclass(frozen=True)
class Sensitivity:
    """How an output follows the varied numbers: by linear regression on all of them at once.

    `effects`: how much it changes when one of them moves from its 5% to its 95% quantile and the others stay;
    `explained`: the share of the variance that the regression accounts for, R^2. If that is low, the output is far from
    linear, and effects say little.
    """

    output: str
    effects: dict[str, float]
    explained: float


@dataclass(frozen=True)
class Summary:
    """`series` holds quantiles over the samples, (quantiles, length), of every output that is an array in time."""

    samples: int
    failures: dict[str, int]
    varied: list[Statistics]
    outputs: list[Statistics]
    sensitivities: list[Sensitivity]
    series: dict[str, Array]
    kept: dict[str, Array]  # columns of every m-th sample
    every: int


class _Moments:
    """Sums of samples as they come: means and products of deviations, merged batch by batch (Chan et al. 1979)."""

    def __init__(self, width: int) -> None:
        self.count, self.mean, self.products = 0, np.zeros(width), np.zeros((width, width))
        self.low, self.high = np.full(width, np.inf), np.full(width, -np.inf)

    def add(self, rows: Array) -> None:
        if not len(rows):
            return
        mean, count = rows.mean(axis=0), len(rows)
        apart, total = mean - self.mean, self.count + count
        away = rows - mean
        self.products += away.T @ away + np.outer(apart, apart) * (self.count * count / total)
        self.mean += apart * (count / total)
        self.count = total
        self.low, self.high = np.minimum(self.low, rows.min(axis=0)), np.maximum(self.high, rows.max(axis=0))


def summarised(result: Result) -> Summary:
    """Of what is finished."""
    from redyn.sweep.result import shape_of, values

    schema = result.schema
    names = [name for name in (*result.varied, *result.outputs) if name in schema.names]
    shaped = [name for name in names if shape_of(schema.field(name))]
    numbers = [name for name in names if name not in shaped]
    x_names = [name for name in result.varied if name in numbers]
    moments, failures, total = _Moments(len(numbers)), result.failures(), result.samples
    every = max(1, -(-total // KEPT))
    kept: dict[str, list[Array]] = {name: [] for name in names}
    for table in result.batches([SAMPLE, *names, FAILURE]):
        fine = table[FAILURE].is_null().to_numpy(zero_copy_only=False)
        columns = {name: values(table, name)[fine] for name in names}
        rows = np.stack([columns[name] for name in numbers], axis=1) if numbers else np.zeros((int(fine.sum()), 0))
        moments.add(rows[np.isfinite(rows).all(axis=1)])
        chosen = table[SAMPLE].to_numpy()[fine] % every == 0
        for name, column in columns.items():
            kept[name].append(column[chosen])
    if not moments.count:
        raise RedynError(f"{result.folder}: no sample has results" + (f": {next(iter(failures))}" if failures else ""))
    thinned = {name: np.concatenate(parts) for name, parts in kept.items()}
    quantiles = {name: np.nanquantile(thinned[name], QUANTILES) for name in numbers if len(thinned[name])}
    deviations = np.sqrt(np.diag(moments.products) / max(1, moments.count - 1))
    statistics = {
        name: Statistics(
            name,
            moments.count,
            float(moments.mean[k]),
            float(deviations[k]),
            float(moments.low[k]),
            float(moments.high[k]),
            tuple(float(x) for x in quantiles.get(name, np.full(len(QUANTILES), np.nan))),
        )
        for k, name in enumerate(numbers)
    }
    return Summary(
        total,
        failures,
        [statistics[name] for name in x_names],
        [statistics[name] for name in numbers if name not in x_names],
        _sensitivities(moments, numbers, x_names, statistics),
        {name: np.nanquantile(thinned[name].reshape(len(thinned[name]), -1), QUANTILES, axis=0) for name in shaped},
        thinned,
        every,
    )


def _sensitivities(
    moments: _Moments, numbers: list[str], x_names: list[str], statistics: dict[str, Statistics]
) -> list[Sensitivity]:
    moving = [k for k, name in enumerate(numbers) if name in x_names and moments.products[k, k] > 0.0]
    if not moving:
        return []
    scale = np.sqrt(np.diag(moments.products)[moving])
    normal = moments.products[np.ix_(moving, moving)] / np.outer(scale, scale)
    found: list[Sensitivity] = []
    for k, name in enumerate(numbers):
        whole = moments.products[k, k]
        if name in x_names or not whole > 0.0:
            continue
        against = moments.products[moving, k] / scale
        slopes = np.linalg.lstsq(normal, against, rcond=1e-10)[0]
        effects = {
            numbers[i]: float(
                slope / size * (statistics[numbers[i]].quantiles[BAND[1]] - statistics[numbers[i]].quantiles[BAND[0]])
            )
            for i, slope, size in zip(moving, slopes, scale, strict=True)
        }
        found.append(Sensitivity(name, effects, float(slopes @ against / whole)))
    return found
