"""What every kind of run has: outputs with names, and results of a block of samples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from redyn.errors import InputError
from redyn.sweep.sampling import Samples
from redyn.words import suggestion

Array = NDArray[np.float64]

NUMBERS = 4_000_000  # of a block of samples in memory, about
LEAST = 8  # rows of a call: fewer would be computed by another kernel, which may round differently
LARGEST_BLOCK = 8192


@dataclass(frozen=True)
class Output:
    """A column of the table: one number per sample, or an array of this shape, kept row by row."""

    name: str
    shape: tuple[int, ...] = ()

    @property
    def length(self) -> int:
        return int(np.prod(self.shape, dtype=np.int64))


@dataclass
class Results:
    """Of N samples: for every output an array (N, *shape), and by row why there is none."""

    values: dict[str, Array]
    failures: dict[int, str] = field(default_factory=dict[int, str])


class Runner(Protocol):
    """Computes samples. Of each, the result is the same whichever others are computed with it."""

    @property
    def outputs(self) -> Sequence[Output]: ...

    @property
    def block(self) -> int:
        """How many samples fit in memory at once."""
        ...

    def run(self, samples: Samples) -> Results:
        """An exception if one of them cannot be computed: the caller then finds out which."""
        ...


def block_of(numbers_per_sample: int) -> int:
    """How many samples to compute at once."""
    return max(LEAST, min(LARGEST_BLOCK, NUMBERS // max(1, numbers_per_sample)))


def chosen(
    wanted: Sequence[str], known: Mapping[str, Any] | Sequence[str], kind: str, usual: Sequence[str]
) -> list[str]:
    """The outputs that are asked for, or the usual ones."""
    for name in wanted:
        if name not in known:
            raise InputError(f"outputs: a run of kind {kind} has no {name!r}{suggestion(name, list(known))}")
    if len(set(wanted)) < len(wanted):
        raise InputError("outputs: a name is given twice")
    return list(wanted or usual)


def labelled(name: str, labels: Sequence[str]) -> list[Output]:
    """A column for each label."""
    return [Output(f"{name}.{label}") for label in labels]


def series(name: str, labels: Sequence[str], count: int) -> list[Output]:
    """A column of arrays over time for each label."""
    return [Output(f"{name}.{label}", (count,)) for label in labels]


def columns_of(outputs: Sequence[Output], values: Array) -> dict[str, Array]:
    """(N, labels) or (N, labels, instants) as one array per output."""
    return {output.name: values[:, k] for k, output in enumerate(outputs)}


def padded(array: Array) -> Array:
    """With the first row repeated, as long as there are too few."""
    missing = LEAST - len(array)
    return np.ascontiguousarray(
        array if missing <= 0 else np.concatenate([array, np.repeat(array[:1], missing, axis=0)])
    )
