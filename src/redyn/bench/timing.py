"""Timing on a noisy machine: contestants take turns, a few calls each, many rounds, and the best time counts."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, TypeVar

TURNS = 5

K = TypeVar("K")


def interleaved(
    calls: Mapping[K, Callable[[], object]], seconds: float, tick: Callable[[], None] = lambda: None
) -> dict[K, float]:
    """The best time of each call, in seconds. Short calls are repeated between two readings of the clock."""
    repeats = {name: _repeats(call) for name, call in calls.items()}
    best = dict.fromkeys(calls, float("inf"))
    end = time.perf_counter() + seconds
    rounds = 0
    while rounds < 3 or time.perf_counter() < end:
        for name, call in calls.items():
            for _ in range(TURNS):  # the first finds the caches as the previous contestant left them
                start = time.perf_counter()
                for _ in range(repeats[name]):
                    call()
                best[name] = min(best[name], (time.perf_counter() - start) / repeats[name])
        rounds += 1
        tick()
    return best


class Way(NamedTuple):
    """A call that computes this many states."""

    call: Callable[[], object]
    states: int = 1


def quickest(
    ways: Mapping[str, Sequence[Way]], seconds: float, tick: Callable[[], None] = lambda: None
) -> dict[str, float]:
    """`interleaved` of contestants that have several ways to the same result: seconds per state by the best of them."""
    calls = {(name, k): way.call for name, found in ways.items() for k, way in enumerate(found)}
    best = interleaved(calls, seconds, tick)
    return {
        name: min(best[name, k] / way.states for k, way in enumerate(found)) for name, found in ways.items() if found
    }


def _repeats(call: Callable[[], object]) -> int:
    """How many calls to time at once; the first few may compile or import, or find caches cold."""
    shortest = float("inf")
    for _ in range(6):
        start = time.perf_counter()
        call()
        shortest = min(shortest, time.perf_counter() - start)
    return max(1, int(1e-4 / max(shortest, 1e-9)))
