"""The verdict on two computations of the same thing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

TOLERANCE = 1e-9  # relative, at random points


@dataclass(frozen=True)
class Comparison:
    """`equal` is None if nothing could be compared; `how` then says why."""

    what: str
    equal: bool | None
    how: str

    def __str__(self) -> str:
        verdict = {True: "equal", False: "DIFFERENT", None: "not compared"}[self.equal]
        return f"{self.what}: {verdict}{self.how}"


@dataclass(frozen=True)
class Agreement:
    comparisons: tuple[Comparison, ...]

    @property
    def ok(self) -> bool:
        return not any(c.equal is False for c in self.comparisons)

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        return "\n".join(map(str, self.comparisons))


def distance(a: Any, b: Any, scale: float = 1.0) -> float:
    """Relative to the largest entry of b, or to `scale` where that is larger."""
    x, y = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    return float(np.abs(x - y).max() / max(scale, float(np.abs(y).max()))) if x.size else 0.0
